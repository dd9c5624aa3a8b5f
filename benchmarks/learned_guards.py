"""What a learned guard is worth, in Crafter's fights: python -m benchmarks.learned_guards
[--arms ...] [--seeds 0] [--samples 500000] [--episodes 256] [--json FILE]

The stage is a program that looks after nothing, benchmarks/programs/crafter_plain.py. In every arm
four guards of the rulebook, for thirst, hunger, shelter and sleep, are programs. The fifth fights:

    none       there is no such guard
    code       the rulebook's program, `fight back`
    steps      a policy that learned by single steps
    options    a policy that has the rulebook's program beside them, interrupted after ten steps

Env server and learner are the real ones. A policy learns on its turns, which begin where a creature
stands beside the player and end where none is near; ``--samples`` counts them and the steps of the
stage between them. Then each arm plays the same episodes, on seeds that nothing was trained on.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.arguments import output_file, positive
from benchmarks.crafter import SIDE, TASK, measured, play, stock
from benchmarks.options import nodes
from messages.bus import Bus
from messages.program import Program
from messages.training import ACTOR, TRAIN, GetActor, LeadingStage, Train, TrainingSpec
from messages.world import Guard, Interface, RewardTerm, SeedRange
from nodes.llm.rulebook.rules import Book
from worlds.crafter.card.crafter_names import LENGTH

PROGRAMS = Path(__file__).parent / "programs"
STAGE = (PROGRAMS / "crafter_plain.py").read_text("utf-8")
WHEN = Book("crafter").guard_source("fight_back_until_none_is_near_when.py", TASK.success)
OTHERS = ["drink", "eat", "shelter", "sleep"]
TURN = 60  # steps at most
INTERRUPT = 10
FIRST = 100_000  # seed of the first episode that is played in the end
ARMS = ("none", "code", "steps", "options")


def fight(options: bool) -> Guard:
    """The guard without its policy."""
    (coded,) = stock(["fight back"])
    assert coded.program is not None
    macro = msgspec.structs.replace(coded.program, max_steps=INTERRUPT)
    interface = Interface(
        observations=["view", "vitals", "inventory", "facing", "sleeping", "daylight", "under_way"],
        actions=[
            *("noop", "move_left", "move_right", "move_up", "move_down"),
            *("do", "place_stone"),
        ],
        macros=[macro] if options else [],
        rewards=[
            RewardTerm(kind="health", weight=1.0),
            RewardTerm(kind="success", weight=1.0),
            RewardTerm(kind="step", weight=-0.01),
        ],
        success=TASK.success,  # a turn is a success where its condition holds no longer
        horizon=TURN,
        gamma=0.99,
    )
    return Guard(name="fight", when=WHEN, interface=interface, max_steps=TURN)


def train(bus: Bus, arm: str, seed: int, samples: int) -> tuple[Guard, dict[str, Any]]:
    """The guard with what it learned, and what that took."""
    guard = fight(arm == "options")
    assert guard.interface is not None
    spec = TrainingSpec(
        name="fight",
        task=TASK,
        interface=guard.interface,
        guard=guard,
        guarded=[LeadingStage(program=Program(name="plain", source=STAGE, max_steps=LENGTH))],
        seeds=SeedRange(first=seed * 1_000_000, count=900_000),
        # About as many of them are turns; with these the learning rate falls.
        budget=samples // 5,
        most=samples,
    )
    trained = bus.run_goal(TRAIN, f"fight/{seed}/{arm}", Train(spec=spec))
    actor = bus.call(ACTOR, GetActor(policy=trained.policy)).actor
    took = {
        "samples": trained.samples,
        "other_samples": trained.prefix_samples,
        "turns_won": trained.success_rate,
        "reason": trained.reason,
    }
    return msgspec.structs.replace(guard, actor=actor), took


def played(guards: list[Guard], episodes: int) -> dict[str, Any]:
    """The score of so many episodes, its 95 % interval by bootstrap, and what they ended by."""
    records: list[dict[str, Any]] = []
    for first in range(FIRST, FIRST + episodes, SIDE):
        seeds = list(range(first, min(first + SIDE, FIRST + episodes)))
        records += play(seeds, STAGE, guards)
    unlocked = [record["achievements"] for record in records]
    ends = [record["death"] or record["ended"] for record in records]
    return measured(unlocked, ends)


def table(rows: list[dict[str, Any]], episodes: int) -> str:
    lines = [
        f"| guard for fights | seed | Crafter's score over {episodes} episodes | achievements "
        "| samples of turns | and between them | turns won in training |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        low, high = row["interval"]
        took = ["-"] * 4
        if "samples" in row:
            took = [
                f"{row['seed']}",
                f"{row['samples']:,}",
                f"{row['other_samples']:,}",
                f"{row['turns_won']:.2f}",
            ]
        score = f"{row['score']:.1f} [{low:.1f}, {high:.1f}]"
        cells = [row["arm"], took[0], score, f"{row['achievements']:.1f}", *took[1:]]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="What a learned guard is worth.")
    parser.add_argument("--arms", nargs="+", default=list(ARMS), choices=ARMS)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument(
        "--samples", type=positive, default=500_000, help="of each training, in all"
    )
    parser.add_argument("--episodes", type=positive, default=256, help="that are played in the end")
    parser.add_argument("--json", type=output_file, help="write the rows to this file as well")
    given = parser.parse_args()
    others = stock(OTHERS)
    rows: list[dict[str, Any]] = []

    def keep(arm: str, guards: list[Guard], **more: Any) -> None:
        rows.append({"arm": arm, **more, **played(guards, given.episodes)})
        print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
        if given.json is not None:
            given.json.write_text(json.dumps(rows, indent=1) + "\n")

    for arm in given.arms:
        if arm == "none":
            keep(arm, others)
        elif arm == "code":
            keep(arm, [*stock(["fight back"]), *others])
    learned = [arm for arm in given.arms if arm in ("steps", "options")]
    if learned:
        crafter = {"world": {"kind": "crafter"}}
        with (
            tempfile.TemporaryDirectory(prefix="guards-") as folder,
            nodes(Path(folder), env_server=crafter) as bus,
        ):
            for seed in given.seeds:
                for arm in learned:
                    guard, took = train(bus, arm, seed, given.samples)
                    keep(arm, [guard, *others], seed=seed, **took)
    print(table(rows, given.episodes))


if __name__ == "__main__":
    main()
