"""Play in the embedded world by hand, in this terminal or in a browser.

python -m voxeldojo.viewing.by_hand [TASK] [--seed S] [--browser] [--port P]
"""

import argparse
import sys

from voxeldojo.command_name import called, refuse
from voxeldojo.exit_codes import REFUSED
from voxeldojo.viewing.browser import PlayServer
from voxeldojo.viewing.in_terminal import play_in_terminal
from voxeldojo.viewing.shown_world import CannotSee, open_game, size_of


def main(arguments: list[str] | None = None) -> int:
    """Exit codes: 0 played, 2 refused."""
    given = _parser().parse_args(arguments)
    try:
        size = size_of(given.size)
        game, prompt = open_game(given.task, given.seed)
    except CannotSee as refused:
        refuse("play", refused)
        return REFUSED
    if not given.browser:
        return play_in_terminal(game, prompt)
    try:
        server = PlayServer(game, prompt, given.port, size)
    except OverflowError:
        refuse("play", f"a port is 0 to 65535, not {given.port}")
        return REFUSED
    except OSError as refused:
        refuse(
            "play",
            f"cannot serve on port {given.port}: {refused.strerror}; --port 0 "
            "takes one that is free",
        )
        return REFUSED
    game.world.rgb(0, *size)  # compiled before the first request
    print(f"playing at http://127.0.0.1:{server.port}/ (Ctrl-C ends it)", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=called("play"),
        description="Play a task by hand, in this terminal or in a browser.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "task",
        nargs="?",
        default="forest",
        metavar="TASK",
        help="a task id or a biome; default: forest",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the world; default: 0")
    parser.add_argument("--browser", action="store_true", help="a page instead of the terminal")
    parser.add_argument(
        "--port", type=int, default=8080, help="of the page; 0: any free one; default: 8080"
    )
    parser.add_argument("--size", default="240x400", metavar="HxW", help="of the page's picture")
    return parser


if __name__ == "__main__":
    sys.exit(main())
