"""``rlgpt dash``: a run in the browser."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, example


def add(commands: Commands) -> None:
    dash = commands.add_parser(
        "dash",
        help="show a run in the browser, while it goes on or after it has ended",
        description="Serve a page that shows a run: its nodes, plan, verdicts, programs, learning "
        "curves, episodes, the conversation with the language model and the world. Only this "
        "machine can open it, unless a token is given.",
        **example("rlgpt dash", "rlgpt dash runs/latest --port 8500"),
    )
    dash.add_argument("run", nargs="?", metavar="RUN", help="default: the newest")
    dash.add_argument("--port", type=int, help="default: the first free one from 8420 on")
    dash.add_argument("--host", default="127.0.0.1", help="the address to listen on")
    dash.add_argument(
        "--token-file",
        metavar="FILE",
        help="a file with the token that the page asks for; needed where other machines reach it",
    )
    dash.set_defaults(do=_dash)


def _dash(given: Namespace, _: list[str]) -> int:
    from rlgpt.dash.page_server import dash

    return dash(given.run, given.port, given.host, given.token_file)
