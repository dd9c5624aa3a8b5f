"""``rlgpt llm``: what language models need, and whether it is there."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, add_overrides, group


def add(commands: Commands) -> None:
    llm = group(commands, "llm", "look after language models")
    doctor = llm.add_parser(
        "doctor",
        help="say whether profiles can be used here: weights, GPU, driver, versions, memory",
    )
    doctor.add_argument("profile", nargs="?", metavar="PROFILE", help="default: all of them")
    add_overrides(doctor, "llm.key=value")
    doctor.set_defaults(do=_doctor, takes_more=True)


def _doctor(given: Namespace, more: list[str]) -> int:
    from rlgpt.llm import doctor

    return doctor(given.profile, [*given.overrides, *more])
