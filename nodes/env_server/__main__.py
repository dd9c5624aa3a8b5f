from nodes.env_server.env_server import EnvServer

if __name__ == "__main__":
    EnvServer.main()
