"""Compiles the embedded world: python -m voxeldojo.engine"""

import argparse
import time

from voxeldojo.command_name import called
from voxeldojo.engine.compiling.precompile import precompile


def main() -> None:
    argparse.ArgumentParser(
        prog=called("compile"),
        description="Compile the kernels that are not compiled yet, or whose code has changed.",
        allow_abbrev=False,
    ).parse_args()
    start = time.perf_counter()
    precompile()
    print(f"the embedded world is compiled ({time.perf_counter() - start:.1f} s)")


if __name__ == "__main__":
    main()
