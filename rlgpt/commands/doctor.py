"""``rlgpt doctor``: whether this machine can run the stack."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, add_json, example


def add(commands: Commands) -> None:
    text = "look whether this machine can run the stack"
    parser = commands.add_parser(
        "doctor",
        help=text,
        description="Versions, sockets, limits, memory, disk, clock, GPU, and the jail and the "
        "games' kernels, which are tried by starting env servers. Language models: rlgpt llm "
        "doctor.",
        **example("rlgpt doctor", "rlgpt doctor --quick --json"),
    )
    parser.add_argument("--quick", action="store_true", help="start no env server")
    add_json(parser)
    parser.set_defaults(do=_doctor)


def _doctor(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.stack_doctor import print_findings

    return print_findings(given.json, try_jail=not given.quick)
