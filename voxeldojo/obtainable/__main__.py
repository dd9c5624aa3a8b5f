"""``voxeldojo coverage [--quick] [--json]``, or ``voxeldojo coverage --why ID [--engine]``"""

import argparse
import sys

from voxeldojo.command_name import called, refuse
from voxeldojo.exit_codes import FAILED, REFUSED
from voxeldojo.obtainable.by_family import coverage
from voxeldojo.obtainable.oracle import explain, judge
from voxeldojo.tasks import UnknownTask, task_spec


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog=called("coverage"),
        description="Which of MineDojo's tasks can be done in the embedded world.",
        allow_abbrev=False,
    )
    parser.add_argument("--json", action="store_true", help="the whole report as JSON")
    parser.add_argument("--why", metavar="ID", help="how to get the targets of one task")
    parser.add_argument(
        "--engine", action="store_true", help="with --why: by the rules of this engine"
    )
    parser.add_argument(
        "--quick", action="store_true", help="try one task of each template only, not all of them"
    )
    options = parser.parse_args(arguments)
    if options.engine and options.why is None:
        parser.error("--engine is of one task: name it, --why ID --engine")
    if options.why is not None and (options.json or options.quick):
        parser.error("--json and --quick are of the whole report: leave them out, or --why")
    if options.why is None:
        print(coverage(json=options.json, trying="sample" if options.quick else "all"))
        return 0
    try:
        spec = task_spec(options.why)
    except UnknownTask as error:
        refuse("coverage", error)
        return REFUSED
    verdict = judge(spec, engine=options.engine)
    if not verdict.obtainable:
        print(f"{spec.id} cannot be done: {verdict.reason}")
        return FAILED
    for rule in explain(spec, engine=options.engine):
        needs = f" <- {', '.join(rule.needs)}" if rule.needs else ""
        print(f"{rule.gives}{needs}  ({rule.how})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
