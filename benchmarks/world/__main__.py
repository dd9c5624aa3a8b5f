"""python -m benchmarks.world [--json FILE] [--quick]: the table of docs/speed.md.

All on one core, except in rows that name their cores. Peers are measured in the same run, so that
the machine is the same for all; those that are not installed are left out with a sentence. --quick
is to see that it runs: its figures are no figures.
"""

import argparse
import os
import sys

import msgspec

from benchmarks.arguments import output_file
from benchmarks.world import costs, dictionary, peers, whole_batch
from benchmarks.world.rows import Pace, table


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast the embedded world is.")
    parser.add_argument("--json", type=output_file, help="write the rows to this file, too")
    parser.add_argument("--quick", action="store_true", help="short, and without compiling again")
    parser.add_argument("--no-compile", action="store_true", help="without compiling again")
    arguments = parser.parse_args()
    cores: set[int] = set()
    if hasattr(os, "sched_setaffinity"):
        # The last core: the first one has the machine's own business to do.
        cores = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {max(cores)})
    pace = Pace(repeats=3, seconds=0.05) if arguments.quick else Pace()
    rows = whole_batch.measure(pace, [64, 1] if arguments.quick else [64, 1, 512], cores)
    rows += dictionary.measure(pace)
    rows += costs.measure(pace, compiling=not (arguments.quick or arguments.no_compile))
    others, left_out = peers.measure(pace)
    rows += others
    print(table(rows))
    for sentence in left_out:
        print(sentence, file=sys.stderr)
    if arguments.json is not None:
        arguments.json.write_bytes(msgspec.json.format(msgspec.json.encode(rows), indent=1) + b"\n")


if __name__ == "__main__":
    main()
