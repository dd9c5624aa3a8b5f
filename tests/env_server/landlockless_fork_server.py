"""A fork server on a kernel without landlock."""

import sys

from nodes.env_server.jail import fork_server, landlock

if __name__ == "__main__":
    landlock.version = lambda: 0
    sys.exit(fork_server.main(sys.argv[1:]))
