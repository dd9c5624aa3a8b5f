"""What guards are worth to a policy, in Crafter: python -m benchmarks.guarded_policy
[--seeds 0] [--samples 1000000] [--episodes 256] [--json FILE]

Two policies learn by single steps with the rulebook's spec for all achievements. One learns alone;
into the other's episodes the rulebook's five guards, which are programs, cut in (thirst, hunger,
shelter, sleep, a fight), and their steps count as samples. Both then play the same episodes, on
seeds that nothing was trained on, without guards and with them. Env server and learner are the
real ones.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.arguments import output_file, positive
from benchmarks.crafter import TASK, measured, stock
from benchmarks.options import nodes
from messages.bus import Bus
from messages.training import ACT, TRAIN, Act, Train, Trained, TrainingSpec
from messages.world import (
    CLOSE,
    OPEN,
    CloseSession,
    Episode,
    Guard,
    Interface,
    OpenSession,
    SeedRange,
)
from nodes.llm.rulebook import filled_specs
from nodes.llm.rulebook.rules import Book
from worlds.crafter.card.crafter_names import ACHIEVEMENTS

SIDE = 64  # episodes side by side
FIRST = 100_000  # seed of the first episode that is played in the end


def train(bus: Bus, seed: int, samples: int, guards: list[Guard]) -> Trained:
    book = Book("crafter")
    spec = filled_specs.spec("achieve", TASK.success, book=book)
    interface = Interface(
        observations=spec.observations,
        actions=spec.actions,
        rewards=spec.rewards,
        success=TASK.success,
        horizon=spec.horizon,
    )
    wanted = TrainingSpec(
        name="achieve",
        task=TASK,
        interface=interface,
        seeds=SeedRange(first=seed * 1_000_000 + 200_000, count=700_000),
        budget=samples,
        guards=guards,
    )
    goal = f"achieve/{seed}/{'guarded' if guards else 'alone'}"
    return bus.run_goal(TRAIN, goal, Train(spec=wanted))


def played(bus: Bus, trained: Trained, guards: list[Guard], episodes: int) -> dict[str, Any]:
    """The score of so many episodes, its 95 % interval by bootstrap, and what they ended by."""
    found: list[Episode] = []
    for first in range(FIRST, FIRST + episodes, SIDE):
        size = min(SIDE, FIRST + episodes - first)
        name = f"play/{trained.policy}/{'guarded' if guards else 'alone'}/{first}"
        seeds = SeedRange(first=first, count=size)
        bus.call(OPEN, OpenSession(session=name, task=TASK, size=size, seeds=seeds))
        act = Act(session=name, policy=trained.policy, seed=first, guards=guards)
        bus.run_goal(ACT, f"act/{name}", act)
        found += bus.call(CLOSE, CloseSession(session=name)).episodes
    unlocked = [_achievements(each) for each in found]
    ends = [each.cause or each.ended for each in found]
    return measured(unlocked, ends) | {"steps": sum(each.steps for each in found) / len(found)}


def _achievements(episode: Episode) -> list[str]:
    before, after = episode.before.inventory, episode.after.inventory
    return [name for name in ACHIEVEMENTS if after.get(name, 0) > before.get(name, 0)]


def table(rows: list[dict[str, Any]], episodes: int) -> str:
    lines = [
        f"| learned | played | seed | Crafter's score over {episodes} episodes | achievements "
        "| steps of an episode | samples |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        low, high = row["interval"]
        score = f"{row['score']:.1f} [{low:.1f}, {high:.1f}]"
        lines.append(
            f"| {row['learned']} | {row['played']} | {row['seed']} | {score} "
            f"| {row['achievements']:.1f} | {row['steps']:.0f} | {row['samples']:,} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="What guards are worth to a policy.")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--samples", type=positive, default=1_000_000, help="of each training")
    parser.add_argument("--episodes", type=positive, default=256, help="that are played in the end")
    parser.add_argument("--json", type=output_file, help="write the rows to this file as well")
    given = parser.parse_args()
    guards = stock(list(Book("crafter").rules.guards))
    rows: list[dict[str, Any]] = []
    crafter = {"world": {"kind": "crafter"}}
    with (
        tempfile.TemporaryDirectory(prefix="guarded-") as folder,
        nodes(Path(folder), env_server=crafter) as bus,
    ):
        for seed in given.seeds:
            for learned, during in (("alone", []), ("with guards", guards)):
                trained = train(bus, seed, given.samples, during)
                for how, then in (("alone", []), ("with guards", guards)):
                    rows.append(
                        {"learned": learned, "played": how, "seed": seed}
                        | {"samples": trained.samples, "reason": trained.reason}
                        | played(bus, trained, then, given.episodes)
                    )
                    print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
                    if given.json is not None:
                        given.json.write_text(json.dumps(rows, indent=1) + "\n")
    print(table(rows, given.episodes))


if __name__ == "__main__":
    main()
