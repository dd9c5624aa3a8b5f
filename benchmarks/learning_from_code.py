"""What programs are worth to learning: each way alone, on small tasks.

    python -m benchmarks.learning_from_code [--tasks seeds log coal wool chicken blaze ...]
        [--seeds 0 1 2] [--arms ...] [--budget 100000] [--learner clone_kl=0.3 ...] [--json FILE]

Env server and learner are the real ones; programs, specs and their small macros are the rulebook's.
Every arm has the same task, seeds, rewards, small macros and budget, and is then played in the same
episodes on seeds that nothing was trained on:

    programs        every program of the task alone, no learning
    nothing         PPO with the small macros, from nothing
    options         and with the programs as macros that are interrupted every 50 steps
    clone           from nothing but a clone of the best program, step by step
    options+clone   the programs as macros, and the start a clone of the best
    tryouts         `nothing` with tryouts: the best weights stand, and a fall ends the training
    all             `options+clone` with tryouts

The last column is what stands of `all` and the best program, as the fast agent chooses it: by
episodes on other seeds than those that are counted, on a tie the one with fewer steps. Rows that
FILE has already are not run again; it has those of one budget, number of episodes and learner.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchmarks.arguments import output_file, positive
from benchmarks.kept_rows import KeptRows
from benchmarks.options import MOBS, nodes
from messages.bus import Bus
from messages.program import Program
from messages.training import ACT, TRAIN, Act, Train, TrainingSpec, Tryouts
from messages.world import (
    CLOSE,
    LOOK,
    OPEN,
    RUN_PROGRAM,
    CloseSession,
    Condition,
    Interface,
    OpenSession,
    RunProgram,
    SeedRange,
    SessionName,
    Task,
)
from nodes.llm.rulebook import filled_specs
from nodes.llm.rulebook.rules import Book
from worlds import card

INTERRUPT = 50
PROGRAM_STEPS = 1000
EPISODES = 60
ARMS = ("nothing", "options", "clone", "options+clone", "tryouts", "all")


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """A task, the rulebook's spec of it with small macros, and its programs."""

    task: Task
    spec: str
    programs: list[str]


def _setting(name: str, item: str, spec: str, programs: Iterable[str], **task: Any) -> Setting:
    success = Condition(kind="have", name=item)
    return Setting(
        task=Task(id=name, prompt=f"Get one {item}.", success=success, **task),
        spec=spec,
        programs=list(programs),
    )


def _by_id(id: str, spec: str, *programs: str) -> Setting:
    """One of MineDojo's own tasks."""
    goals = card("minecraft").goals
    assert goals is not None
    return Setting(task=goals.task(id), spec=spec, programs=list(programs))


_DIG = (
    "dig_everywhere.py",
    "gather_all.py",
    "walk_up_to_patiently.py",
    "dig_and_pick_up.py",
    "dig_and_climb_after.py",
)
SETTINGS = {
    "seeds": _setting("seeds", "wheat_seeds", "roam_and_harvest_with_macros", _DIG, biome="plains"),
    "log": _setting("log", "log", "roam_and_harvest_with_macros", _DIG),
    "coal": _setting(
        "coal",
        "coal",
        "mine_with_macros",
        ("mine_down.py", "mine.py"),
        inventory={"wooden_pickaxe": 1},
    ),
    "wool": _setting(
        "wool",
        "wool",
        "roam_and_strike_with_macros",
        ("hunt.py", "walk_up_to_mob.py"),
        biome="plains",
        world=MOBS,
    ),
    "chicken": _by_id(
        "harvest_1_chicken", "roam_and_strike_with_macros", "hunt.py", "walk_up_to_mob.py"
    ),
    "blaze": _by_id(
        "combat_blaze_nether_diamond_armors_diamond_sword_shield",
        "roam_and_fight_with_macros",
        "fight.py",
    ),
    "pigman": _by_id(
        "combat_zombie_pigman_nether_diamond_armors_diamond_sword_shield",
        "roam_and_fight_with_macros",
        "fight.py",
    ),
    "beef": _setting(
        "beef",
        "beef",
        "roam_and_strike_with_macros",
        ("hunt.py", "walk_up_to_mob.py"),
        biome="plains",
        world=MOBS,
    ),
}


def programs_of(
    setting: Setting, interrupt: int | None = None, steps: int = PROGRAM_STEPS
) -> list[Program]:
    goal, held = setting.task.success, setting.task.inventory
    return [
        Program(
            name=file.removesuffix(".py"),
            source=Book().program(file, goal, held),
            max_steps=steps,
            interrupt=interrupt,
        )
        for file in setting.programs
    ]


def training_spec(
    setting: Setting, arm: str, best: str, seed: int, budget: int, episodes: int
) -> TrainingSpec:
    """``best``: the name of the program that is cloned."""
    goal, held = setting.task.success, setting.task.inventory
    spec = filled_specs.spec(setting.spec, goal, held)
    macros = [
        Program(
            name=macro.name,
            source=Book().program(macro.file, goal, held),
            max_steps=macro.max_steps,
        )
        for macro in spec.macros
    ]
    options = programs_of(setting, INTERRUPT)
    return TrainingSpec(
        name=setting.task.id,
        task=setting.task,
        interface=Interface(
            observations=[*spec.observations, "under_way"],
            actions=spec.actions,
            macros=macros + (options if arm in ("options", "options+clone", "all") else []),
            rewards=spec.rewards,
            success=goal,
            horizon=setting.task.horizon,
            targets=spec.targets,
        ),
        seeds=SeedRange(first=seed * 1_000_000, count=800_000),
        budget=budget,
        clone=[
            program
            for program in options
            if program.name == best and arm in ("clone", "options+clone", "all")
        ],
        tryouts=Tryouts(
            seeds=SeedRange(first=seed * 1_000_000 + 850_000, count=episodes),
            every=max(1, budget // 5),
        )
        if arm in ("tryouts", "all")
        else None,
    )


class Outcome(NamedTuple):
    """Successes, and primitive steps of all episodes together."""

    success: int
    steps: int


class Episodes:
    """Plays programs and policies in the same episodes."""

    def __init__(self, bus: Bus, setting: Setting, seed: int, count: int) -> None:
        self._bus = bus
        self._setting = setting
        self._count = count
        self._seeds = SeedRange(first=seed * 1_000_000 + 900_000, count=count)

    def program(self, name: str, program: Program) -> Outcome:
        self._open(name)
        goal = RunProgram(session=name, program=program)
        self._bus.run_goal(RUN_PROGRAM, f"{name}/run", goal)
        return self._close(name)

    def policy(self, name: str, trained: Any) -> Outcome:
        """Begun again where its horizon is over, as in a tryout."""
        self._open(name)
        rows, again = list(range(self._count)), 0
        while rows:
            goal = Act(session=name, policy=trained.policy, environments=rows, seed=0)
            late = self._bus.run_goal(ACT, f"{name}/act-{again}", goal).late
            looked = self._bus.call(LOOK, SessionName(session=name))
            running = {each.environment for each in looked.episodes if each.ended == "running"}
            rows, again = [row for row in late if row in running], again + 1
        return self._close(name)

    def _open(self, name: str) -> None:
        request = OpenSession(
            session=name, task=self._setting.task, size=self._count, seeds=self._seeds
        )
        self._bus.call(OPEN, request)

    def _close(self, name: str) -> Outcome:
        episodes = self._bus.call(CLOSE, CloseSession(session=name)).episodes
        return Outcome(
            sum(episode.success for episode in episodes), sum(episode.steps for episode in episodes)
        )


def tried_out(bus: Bus, setting: Setting, seed: int, count: int) -> Episodes:
    """The episodes by which it is chosen what stands."""
    return Episodes(bus, setting, seed + 500, count)


def play_programs(bus: Bus, name: str, seed: int, count: int) -> dict[str, Any]:
    """Each program in the evaluation's episodes, and, to know the best, in others: the successes in
    those, in the evaluation's, and the steps in those."""
    setting = SETTINGS[name]
    unseen, tried = Episodes(bus, setting, seed, count), tried_out(bus, setting, seed, count)
    rows: dict[str, list[int]] = {}
    for program in programs_of(setting, steps=setting.task.horizon):
        before = tried.program(f"{name}/{seed}/{program.name}/tried", program)
        after = unseen.program(f"{name}/{seed}/{program.name}/unseen", program)
        rows[program.name] = [before.success, after.success, before.steps]
    best = max(rows, key=lambda each: rows[each][0])
    return {"task": name, "seed": seed, "arm": "programs", "programs": rows, "best": best}


def train(
    bus: Bus, name: str, arm: str, best: str, seed: int, given: argparse.Namespace
) -> dict[str, Any]:
    """Train once, and play the trained policy."""
    began = time.monotonic()
    spec = training_spec(SETTINGS[name], arm, best, seed, given.budget, given.tryout_episodes)
    id = f"{name}/{seed}/{arm}"
    trained = bus.run_goal(TRAIN, id, Train(spec=spec))
    count = given.episodes
    unseen = Episodes(bus, SETTINGS[name], seed, count).policy(f"{id}/unseen", trained)
    tried = {}
    if arm == "all":
        found = tried_out(bus, SETTINGS[name], seed, count).policy(f"{id}/tried", trained)
        tried = {"tried": found.success, "tried_steps": found.steps}
    return {
        "task": name,
        "seed": seed,
        "arm": arm,
        "learner": given.learner,
        "budget": given.budget,
        "success": unseen.success,
        **tried,
        "episodes": count,
        "samples": trained.samples,
        "other_samples": trained.prefix_samples,
        "curve": trained.curve[:: max(1, len(trained.curve) // 20)],
        "training_rate": trained.success_rate,
        "tryouts": trained.tryouts,
        "best": trained.best,
        "demonstrated": msgspec.to_builtins(trained.demonstrated),
        "reason": trained.reason,
        "seconds": round(time.monotonic() - began, 1),
    }


def stands(policy: dict[str, Any], programs: dict[str, Any]) -> int | None:
    """Successes on the unseen seeds of the policy or the best program, whichever did better on the
    tried ones, on a tie with fewer steps. None: a row of an earlier version has no tried ones."""
    code = programs["programs"][programs["best"]]
    if "tried" not in policy or len(code) < 3:
        return None
    learned = policy["tried"], -policy["tried_steps"]
    return policy["success"] if learned >= (code[0], -code[2]) else code[1]


def table(rows: list[dict[str, Any]], episodes: int) -> str:
    """Successes of ``episodes``, seed by seed."""
    arms = [arm for arm in ARMS if any(row["arm"] == arm for row in rows)]
    lines = [
        f"| task | best program | {' | '.join(arms)} | all, or the program |",
        "|---" * (3 + len(arms)) + "|",
    ]
    for name in dict.fromkeys(row["task"] for row in rows):
        mine = {(row["arm"], row["seed"]): row for row in rows if row["task"] == name}
        seeds = sorted({seed for _, seed in mine})
        programs = {s: mine["programs", s] for s in seeds if ("programs", s) in mine}
        code = {s: row["programs"][row["best"]][1] for s, row in programs.items()}
        cells = [f"{', '.join(map(str, code.values()))} of {episodes}"]
        for arm in arms:
            found = [mine[arm, s]["success"] for s in seeds if (arm, s) in mine]
            cells.append(", ".join(map(str, found)))
        both = [s for s in programs if ("all", s) in mine]
        chosen = [stands(mine["all", s], programs[s]) for s in both]
        cells.append(", ".join("-" if each is None else str(each) for each in chosen))
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="What programs are worth to learning.")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--tasks", nargs="+", default=list(SETTINGS), choices=list(SETTINGS))
    parser.add_argument("--arms", nargs="*", default=list(ARMS), choices=list(ARMS))
    parser.add_argument("--budget", type=positive, default=100_000, help="samples of a training")
    parser.add_argument(
        "--episodes", type=positive, default=EPISODES, help="that are played in the end"
    )
    parser.add_argument("--tryout-episodes", type=positive, default=40)
    parser.add_argument("--learner", nargs="*", default=[], help="NAME=VALUE of its parameters")
    parser.add_argument("--json", type=output_file, help="keep the rows in this file")
    given = parser.parse_args()
    kept = KeptRows(
        given.json,
        {
            "budget": given.budget,
            "episodes": given.episodes,
            "tryout_episodes": given.tryout_episodes,
            "learner": given.learner,
        },
    )
    changes = {
        name: json.loads(value) for name, _, value in (x.partition("=") for x in given.learner)
    }

    with (
        tempfile.TemporaryDirectory(prefix="learning-") as folder,
        nodes(Path(folder), changes) as bus,
    ):
        for seed in given.seeds:
            for name in given.tasks:
                known = {(row["task"], row["seed"], row["arm"]): row for row in kept.rows}
                if (name, seed, "programs") not in known:
                    kept.add(play_programs(bus, name, seed, given.episodes))
                    known[name, seed, "programs"] = kept.rows[-1]
                best = known[name, seed, "programs"]["best"]
                for arm in given.arms:
                    if (name, seed, arm) not in known:
                        kept.add(train(bus, name, arm, best, seed, given))
    print(table(kept.rows, given.episodes))


if __name__ == "__main__":
    main()
