"""``rlgpt table``: run a table of the paper, and write it."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, add_overrides
from rlgpt.composing.override_keys import key_of
from rlgpt.refused import Refused

_ENGINE = "engine"


def add(commands: Commands) -> None:
    table = commands.add_parser(
        "table",
        help="run a table of the paper, as far as it is missing, and write it",
        allow_abbrev=False,
        usage="rlgpt table NAME [--only AXIS=VALUE,... ...] [options] [key=value ...]",
        description="Run the cells of a table that are missing, and write the table with its "
        "intervals beside the paper's numbers. Cells that are there are kept. Tables: "
        "minedojo10, diamond, harvest, ablation-structure, ablation-iterations, "
        "ablation-interface, ablation-llm, minedojo10-small, crafter, "
        "crafter-pixels, suite, sample (with --draw), and your own in ./launch/table/. key=value "
        "is passed on to every cell, but for engine=ray, which runs cells on the hosts of a "
        "cluster (docs/ray.md).",
    )
    table.add_argument("name", metavar="NAME", help="a table, see above")
    add_overrides(table, "passed on to every cell")
    table.add_argument(
        "--only",
        action="append",
        nargs="+",
        default=[],
        metavar="AXIS=VALUE,...",
        help="run only these: task=stick,bed method=rlgpt llm=qwen3_8b seed=0",
    )
    table.add_argument(
        "--jobs", type=int, metavar="N", help="cells side by side; default: by cores and memory"
    )
    table.add_argument("--results", default="results", metavar="DIR", help="default: ./results")
    table.add_argument("--again", action="store_true", help="run also those that are there")
    table.add_argument("--keep-going", action="store_true", help="go on when a cell fails")
    table.add_argument("--show", action="store_true", help="run nothing, write what is there")
    table.add_argument(
        "--draw",
        type=int,
        metavar="N",
        help="seed by which the tasks are drawn, of a table whose tasks are drawn",
    )
    table.add_argument(
        "--quick",
        action="store_true",
        help="one seed, two episodes, tiny budgets, into DIR/quick: a test that the table runs",
    )
    table.set_defaults(do=_table, takes_more=True)


def _table(given: Namespace, more: list[str]) -> int:
    from rlgpt.composing.configuration import LARGEST_SEED
    from rlgpt.table.cells import AXES
    from rlgpt.table.run_table import LOCAL, Options, table

    axes = tuple(f"{axis}=" for axis in AXES)
    # `--only` takes in what stands behind it; what is no axis of a table was meant as an override.
    for group in given.only:
        if not group[0].startswith(axes):
            raise Refused(f"--only {group[0]}: write {'=..., '.join(AXES)}=...")
    behind = [word for group in given.only for word in group]
    only = [word for word in behind if word.startswith(axes)]
    words = [*given.overrides, *(word for word in behind if word not in only), *more]
    engines = [word.partition("=")[2] for word in words if key_of(word) == _ENGINE]
    words = [word for word in words if key_of(word) != _ENGINE]
    for word in words:
        if word.startswith("-"):
            raise Refused(f"`{word}` is no option of this command; see rlgpt table --help")
    engine = engines[-1] if engines else LOCAL
    of_running = {
        "--only": bool(only),
        "--jobs": given.jobs is not None,
        "--again": given.again,
        "--keep-going": given.keep_going,
        f"{_ENGINE}={engine}": engine != LOCAL,
    }
    if given.show and any(of_running.values()):
        others = " and ".join(option for option, there in of_running.items() if there)
        raise Refused(f"--show runs nothing and writes the whole table: leave it out, or {others}")
    if given.draw is not None and not 0 <= given.draw <= LARGEST_SEED:
        raise Refused(f"--draw {given.draw}: 0 to {LARGEST_SEED:,}")
    if given.jobs is not None and given.jobs < 1:
        raise Refused(f"--jobs {given.jobs}: at least one cell at a time")
    return table(
        given.name,
        Options(
            only=only,
            overrides=words,
            engine=engine,
            results=given.results,
            jobs=given.jobs,
            again=given.again,
            keep_going=given.keep_going,
            show=given.show,
            quick=given.quick,
            draw=given.draw,
        ),
    )
