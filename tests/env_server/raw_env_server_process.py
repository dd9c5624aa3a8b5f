"""The env server, with workers that also run raw Python (tests/env_server/raw_fork_server.py)."""

from nodes.env_server.env_server import EnvServer


class RawEnvServer(EnvServer):
    fork_server = "tests.env_server.raw_fork_server"


if __name__ == "__main__":
    RawEnvServer.main()
