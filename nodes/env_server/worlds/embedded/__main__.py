"""Compiles the embedded world: python -m nodes.env_server.worlds.embedded"""

import time

from nodes.env_server.worlds.embedded.precompile import precompile


def main() -> None:
    start = time.perf_counter()
    precompile()
    print(f"the embedded world is compiled ({time.perf_counter() - start:.1f} s)")


if __name__ == "__main__":
    main()
