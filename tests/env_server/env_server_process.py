"""The env server, for tests that start it as a process."""

from nodes.env_server.env_server import EnvServer

if __name__ == "__main__":
    EnvServer.main()
