"""A node of its own name."""

from tests.launch_toys.process import main

if __name__ == "__main__":
    main("second")
