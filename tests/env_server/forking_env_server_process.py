"""The env server, with the fork server that the environment variable FORK_SERVER names."""

import os

from nodes.env_server.env_server import EnvServer


class ForkingEnvServer(EnvServer):
    fork_server = os.environ["FORK_SERVER"]


if __name__ == "__main__":
    ForkingEnvServer.main()
