"""Compiles the embedded world: python -m voxeldojo.engine"""

import time

from voxeldojo.engine.precompile import precompile


def main() -> None:
    start = time.perf_counter()
    precompile()
    print(f"the embedded world is compiled ({time.perf_counter() - start:.1f} s)")


if __name__ == "__main__":
    main()
