import sys

from rlgpt.main import main

if __name__ == "__main__":
    sys.exit(main())
