"""``voxeldojo COMMAND``, or ``python -m voxeldojo COMMAND``. Each command is a module that parses
its own arguments."""

import runpy
import sys

from voxeldojo.exit_codes import INTERRUPTED, REFUSED
from voxeldojo.names import quoted

COMMANDS = {
    "play": ("voxeldojo.viewing.by_hand", "play by hand, in this terminal or in a browser"),
    "view": ("voxeldojo.viewing.view", "a picture of a task or a biome"),
    "serve": ("voxeldojo.malmo", "serve MineDojo's own package, in place of Minecraft"),
    "coverage": ("voxeldojo.obtainable", "which of MineDojo's tasks can be done in it"),
    "demonstrate": ("voxeldojo.demonstrations", "do tasks by script, through actions alone"),
    "fingerprint": ("voxeldojo.engine.fingerprint", "a number by which to compare two versions"),
    "compile": ("voxeldojo.engine", "compile the kernels now instead of on first use"),
}


def main() -> int:
    """Exit codes: 2 for an unknown command, else the command's own."""
    name = sys.argv[1] if len(sys.argv) > 1 else "--help"
    if name in ("-h", "--help"):
        print("usage: voxeldojo COMMAND [ARGUMENT ...]\n")
        for command, (_, about) in COMMANDS.items():
            print(f"  {command:<12} {about}")
        return 0
    if name not in COMMANDS:
        print(
            f"voxeldojo: there is no command {quoted(name)}; voxeldojo --help lists them",
            file=sys.stderr,
        )
        return REFUSED
    del sys.argv[1]
    try:
        runpy.run_module(COMMANDS[name][0], run_name="__main__", alter_sys=True)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # a reader such as `head` has ended
        sys.stdout = None
    return 0


if __name__ == "__main__":
    sys.exit(main())
