"""``rlgpt program``: coded actions without agents."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, add_overrides, example, group
from rlgpt.refused import Refused


def add(commands: Commands) -> None:
    program = group(commands, "program", "check and run coded actions")
    run = program.add_parser(
        "run",
        help="check a program, and play it on seeds of a task",
        description="Check a program by the language's rules and play it, jailed, on seeds of a "
        "task: how often the task succeeded, how episodes and runs ended, errors by line. "
        "key=value overrides the world's and the task's options.",
        allow_abbrev=False,
        **example("rlgpt program run dig.py --task harvest_log --seeds 20 task.horizon=500"),
    )
    run.add_argument("file", metavar="FILE", help="Python as docs/programs.md has it")
    add_overrides(run, "changes of the world and of the task")
    run.add_argument("--task", required=True, metavar="T", help="as in `rlgpt launch ... task=T`")
    run.add_argument("--seeds", type=int, default=20, metavar="N", help="episodes; default: 20")
    run.add_argument("--first", type=int, default=0, metavar="S", help="first seed; default: 0")
    run.add_argument(
        "--steps", type=int, metavar="N", help="that a run may take; default: the task's horizon"
    )
    run.add_argument("--json", action="store_true", help="as one JSON object")
    run.set_defaults(do=_run, takes_more=True)


def _run(given: Namespace, more: list[str]) -> int:
    from rlgpt.single_runs.program_run import Options, run_program

    words = [*given.overrides, *more]
    for word in words:
        if word.startswith("-"):
            raise Refused(f"`{word}` is no option of this command; see rlgpt program run --help")
    return run_program(
        given.file,
        Options(
            task=given.task,
            seeds=given.seeds,
            first=given.first,
            steps=given.steps,
            overrides=words,
            json=given.json,
        ),
    )
