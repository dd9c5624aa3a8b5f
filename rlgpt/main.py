"""The ``rlgpt`` command. Each subcommand imports what it needs when it is run."""

import argparse
import contextlib
import sys
from collections.abc import Sequence

from nodes.command import ended
from rlgpt.refused import Refused


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code: 0 done, 1 failed on its way, 2 not done, 128 + n
    ended by signal n."""
    return ended(lambda: _run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = _parser()
    try:
        _check_text(arguments)
        given, extra = parser.parse_known_args(arguments)
        if extra and given.command not in ("launch", "resume", "run", "llm", "world", "table"):
            parser.error(f"`{extra[0]}` means nothing here")
        return _dispatch(given, extra)
    except Refused as refused:
        with contextlib.suppress(BrokenPipeError):
            print(f"rlgpt: {refused.sentence}", file=sys.stderr)
        return refused.code


def _check_text(arguments: Sequence[str]) -> None:
    """Neither messages nor a run's config.yaml can hold anything else."""
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError:
            shown = argument.encode(errors="surrogateescape").decode(errors="replace")
            raise Refused(f"`{shown}` is not written in UTF-8") from None


def _dispatch(given: argparse.Namespace, extra: list[str]) -> int:
    if given.command == "launch":
        from rlgpt.launching import launch

        excluded, overrides = _sort([*given.overrides, *extra])
        return launch(given.name, overrides, excluded)
    if given.command == "resume":
        from rlgpt.launching import resume

        excluded, overrides = _sort(extra)
        if overrides:
            raise Refused(f"a resumed run keeps its config.yaml; `{overrides[0]}` cannot change it")
        return resume(given.run, excluded)
    if given.command == "run":
        from rlgpt.running import run

        options, overrides = _sort([*given.overrides, *extra])
        if options:
            raise Refused(f"`-{options[0]}` means nothing here")
        return run(given.node, given.run, overrides)
    if given.command == "table":
        return _table(given, extra)
    if given.command == "report":
        from rlgpt.reporting import report

        return report(given.run)
    if given.command == "llm":
        from rlgpt.llm import doctor

        return doctor(given.profile, [*given.overrides, *extra])
    if given.command == "prompt":
        from rlgpt.prompts import show

        return show(given.agent, given.run, given.id, given.list, given.schema)
    if given.command == "skill":
        from rlgpt import skills

        if given.what == "list":
            return skills.listed(given.library)
        if given.what == "run":
            return skills.play(given.name, given.library, given.episodes, given.seed)
        act = {"show": skills.show, "remove": skills.remove}[given.what]
        return act(given.name, given.library)
    if given.command == "world":
        from rlgpt.world import become

        return become(given.what, extra)
    from rlgpt import inspecting

    if given.command == "node":
        if given.what == "list":
            return inspecting.list_nodes(given.run)
        return inspecting.tell(given.what, given.name, given.run)
    if given.command == "topic":
        if given.what == "list":
            return inspecting.list_doors("topic", given.run)
        return inspecting.echo(given.name, given.run, given.count, given.timeout)
    if given.command == "service":
        return inspecting.list_doors("service", given.run)
    if given.what == "set":
        return inspecting.set_parameter(given.node, given.assignment, given.run)
    return inspecting.show_parameters(given.node, getattr(given, "name", None), given.run)


def _table(given: argparse.Namespace, extra: list[str]) -> int:
    from rlgpt.table.cells import AXES
    from rlgpt.table.command import Options, table

    axes = tuple(f"{axis}=" for axis in AXES)
    # `--only` takes in what stands behind it; what is no axis of a table was meant as an override.
    only = [word for word in given.only if word.startswith(axes)]
    words = [*given.overrides, *(w for w in given.only if w not in only), *extra]
    for word in words:
        if word.startswith("-"):
            raise Refused(f"`{word}` means nothing here; see rlgpt table --help")
    if given.jobs is not None and given.jobs < 1:
        raise Refused(f"--jobs {given.jobs}: at least one cell at a time")
    return table(
        given.name,
        Options(
            only=only,
            overrides=words,
            results=given.results,
            jobs=given.jobs,
            again=given.again,
            keep_going=given.keep_going,
            show=given.show,
            quick=given.quick,
        ),
    )


def _sort(words: list[str]) -> tuple[list[str], list[str]]:
    """``-critic`` is a node to leave out, everything else an override."""
    excluded = [w.lstrip("-") for w in words if w.startswith("-")]
    return excluded, [w for w in words if not w.startswith("-")]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rlgpt", description="RL-GPT as a stack of nodes.", allow_abbrev=False
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    launch = commands.add_parser(
        "launch",
        help="start a whole stack",
        allow_abbrev=False,
        usage="rlgpt launch NAME [-NODE ...] [key=value ...]",
        description="Start the stack of a launch file: ./launch/NAME.yaml, one of ours, or a "
        "path. -NODE leaves a node out, to be run by hand. key=value overrides the launch file.",
    )
    launch.add_argument("name", metavar="NAME")
    launch.add_argument("overrides", nargs="*", default=[], metavar="key=value")

    resume = commands.add_parser(
        "resume",
        help="go on with a run that was stopped",
        allow_abbrev=False,
        usage="rlgpt resume [RUN] [-NODE ...]",
    )
    resume.add_argument("run", nargs="?", metavar="RUN", help="default: the newest")

    table = commands.add_parser(
        "table",
        help="run a table of the paper, as far as it is missing, and write it",
        allow_abbrev=False,
        usage="rlgpt table NAME [--only AXIS=VALUE,... ...] [options] [key=value ...]",
        description="Run the cells of a table that are missing, and write the table with its "
        "intervals beside the paper's numbers. Cells that are there are kept. Tables: "
        "minedojo10, diamond, harvest, ablation-structure, ablation-iterations, "
        "ablation-interface, ablation-llm, and your own in ./launch/table/. key=value is passed "
        "on to every cell.",
    )
    table.add_argument("name", metavar="NAME")
    table.add_argument("overrides", nargs="*", default=[], metavar="key=value")
    table.add_argument(
        "--only",
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
        "--quick", action="store_true", help="the smallest form, into DIR/quick: does it run?"
    )

    report = commands.add_parser("report", help="write the report of a run anew")
    report.add_argument("run", nargs="?", metavar="RUN", help="default: the newest")

    run = commands.add_parser(
        "run",
        help="run one node of a run in the foreground, in the launcher's stead",
        allow_abbrev=False,
    )
    run.add_argument("node", metavar="NODE")
    run.add_argument("overrides", nargs="*", default=[], metavar="key=value")
    _add_run(run)

    llm = _group(commands, "llm", "look after language models")
    doctor = llm.add_parser(
        "doctor",
        help="say whether profiles can be used here: weights, GPU, driver, versions, memory",
    )
    doctor.add_argument("profile", nargs="?", metavar="PROFILE", help="default: all of them")
    doctor.add_argument("overrides", nargs="*", default=[], metavar="llm.key=value")

    prompt = _group(commands, "prompt", "see what the language model was asked")
    show = prompt.add_parser("show", help="print exactly what was sent")
    show.add_argument("agent", metavar="AGENT")
    show.add_argument("--id", metavar="ID", help="of a question, or its end; default: the newest")
    show.add_argument("--list", action="store_true", help="only the ids of the agent's questions")
    show.add_argument("--schema", action="store_true", help="the schema of the answer as well")
    _add_run(show)

    skill = _group(commands, "skill", "look after the skill library")
    for what, text in (
        ("list", "every skill, what it brings about and how often it did"),
        ("show", "all that is known of a skill"),
        ("run", "play a skill in fresh episodes of its task"),
        ("remove", "forget a skill and delete its files"),
    ):
        sub = skill.add_parser(what, help=text)
        if what != "list":
            sub.add_argument("name", metavar="NAME")
        if what == "run":
            sub.add_argument("--episodes", type=int, default=10, metavar="N")
            sub.add_argument("--seed", type=int, default=0, metavar="S")
        sub.add_argument(
            "--library", default=None, metavar="FOLDER", help="default: skills/ beside the runs"
        )

    node = _group(commands, "node", "list, restart and kill nodes")
    _add_run(node.add_parser("list", help="the nodes and their states"))
    for what, text in (
        ("restart", "stop a node in order and start it again"),
        ("kill", "end a node at once; it is started again like any that ended by itself"),
    ):
        sub = node.add_parser(what, help=text)
        sub.add_argument("name", metavar="NODE")
        _add_run(sub)

    topic = _group(commands, "topic", "list and echo topics")
    _add_run(topic.add_parser("list", help="all topics and their types"))
    echo = topic.add_parser("echo", help="print what is said on a topic")
    echo.add_argument("name", metavar="TOPIC")
    echo.add_argument("--count", type=int, default=0, metavar="N", help="end after N messages")
    echo.add_argument(
        "--timeout", type=float, default=None, metavar="S", help="end after S seconds of silence"
    )
    _add_run(echo)

    param = _group(commands, "param", "read and set parameters")
    listed = param.add_parser("list", help="the parameters of a node, or of all")
    listed.add_argument("node", nargs="?", metavar="NODE")
    _add_run(listed)
    got = param.add_parser("get", help="one parameter of a node")
    got.add_argument("node", metavar="NODE")
    got.add_argument("name", metavar="PARAMETER")
    _add_run(got)
    put = param.add_parser("set", help="set a parameter of a running node")
    put.add_argument("node", metavar="NODE")
    put.add_argument("assignment", metavar="key=value")
    _add_run(put)

    world = _group(commands, "world", "the embedded world without the stack")
    world.add_parser(
        "serve",
        help="let MineDojo's own package play in it",
        description="Serve the embedded world to MineDojo's own package, in Minecraft's place.",
        add_help=False,
        allow_abbrev=False,
        usage="rlgpt world serve --port P [--host H] [--seed S] [--biome B] [--area A] "
        "[--connections N]",
    )
    world.add_parser(
        "coverage",
        help="which of MineDojo's tasks can be done in it",
        description="How many of MineDojo's task ids have targets that can be had, and why not.",
        add_help=False,
        allow_abbrev=False,
        usage="rlgpt world coverage [--quick] [--json] [--why ID] [--engine]",
    )
    world.add_parser(
        "demonstrate",
        help="play tasks by script, through actions alone",
        description="Show that tasks can be done: a scripted player does them, action by action.",
        add_help=False,
        allow_abbrev=False,
        usage="rlgpt world demonstrate [TASK ...] [--seed S] [--seeds N] [--limit L] [--json] "
        "[--write] [--table]",
    )
    world.add_parser(
        "view",
        help="a picture of a task or a biome",
        description="Draw what the player of a task, or in a biome, sees at first.",
        add_help=False,
        allow_abbrev=False,
        usage="rlgpt world view TASK [--seed S] [--out FILE] [--size HxW] [--turn T] [--pitch P] "
        "[--gallery FOLDER]",
    )
    world.add_parser(
        "play",
        help="play in it by hand",
        description="Play in the embedded world, in this terminal or in a browser.",
        add_help=False,
        allow_abbrev=False,
        usage="rlgpt world play [TASK] [--seed S] [--browser] [--port P] [--size HxW]",
    )

    service = _group(commands, "service", "list services and actions")
    _add_run(service.add_parser("list", help="all services and actions and their types"))
    return parser


def _group(commands: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, text: str):
    parser = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
    return parser.add_subparsers(dest="what", required=True, metavar="WHAT")


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--run", default=None, metavar="RUN", help="a run folder; default: the newest below runs/"
    )


if __name__ == "__main__":
    sys.exit(main())
