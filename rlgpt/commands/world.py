"""``rlgpt world``: the embedded world without the stack. Each of its tools is a program of its own,
which reads its arguments itself."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, group


def add(commands: Commands) -> None:
    world = group(commands, "world", "the embedded world without the stack")
    for what, text, description, arguments in (
        (
            "serve",
            "let MineDojo's own package play in it",
            "Serve the embedded world to MineDojo's own package, in Minecraft's place.",
            "--port P [--host H] [--seed S] [--biome B] [--area A] [--connections N]",
        ),
        (
            "coverage",
            "which of MineDojo's tasks can be done in it",
            "How many of MineDojo's task ids have targets that can be obtained, and why not.",
            "[--quick] [--json] [--why ID] [--engine]",
        ),
        (
            "demonstrate",
            "play tasks by script, through actions alone",
            "Show that tasks can be done: a scripted player does them, action by action.",
            "[TASK ...] [--seed S] [--seeds N] [--limit L] [--json] [--write] [--table]",
        ),
        (
            "view",
            "a picture of a task or a biome",
            "Draw what the player of a task, or in a biome, sees at first.",
            "TASK [--seed S] [--out FILE] [--size HxW] [--turn T] [--pitch P] [--gallery FOLDER]",
        ),
        (
            "play",
            "play in it by hand",
            "Play in the embedded world, in this terminal or in a browser.",
            "[TASK] [--seed S] [--browser] [--port P] [--size HxW]",
        ),
        (
            "fingerprint",
            "digits that change when the world changes",
            "A digest of walks through it: the same where the world is the same.",
            "",
        ),
    ):
        tool = world.add_parser(
            what,
            help=text,
            description=description,
            add_help=False,
            allow_abbrev=False,
            usage=f"rlgpt world {what} {arguments}".rstrip(),
        )
        tool.set_defaults(do=_become, takes_more=True)


def _become(given: Namespace, more: list[str]) -> int:
    from rlgpt.tools.world_tools import become

    return become(given.what, more)
