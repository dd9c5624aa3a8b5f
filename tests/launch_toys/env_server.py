"""A process in place of an env server."""

from tests.launch_toys.process import main

if __name__ == "__main__":
    main("env_server")
