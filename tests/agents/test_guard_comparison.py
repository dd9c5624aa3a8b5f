"""A learned guard stands unless the stages do worse with it than without it, on the same starts."""

from pathlib import Path
from typing import Any

import msgspec

from messages.bus import ServiceError
from messages.plan import GuardLine, GuardTried, Iteration, StagesTried
from messages.world import OPEN, RUN_PROGRAM
from nodes.common.goals.guard_counts import line_in_words
from rlgpt.report.played_episodes import purpose
from tests.agents.test_guard_loops import ONE_STEP, achieved
from tests.agents.test_guards_by_rl import LEARNED, learning

ALWAYS = "def when(obs):\n    return True\n"
WELL = StagesTried(success_rate=1.0, progress=1.0)
NOT_AT_ALL = StagesTried(success_rate=0.0, progress=0.0)


def harmful(run: Path, **fast_agent: Any) -> Any:
    """A guard that always takes over, and stands still: no stage comes to its end."""
    parameters = {"guard_episodes": 4, **fast_agent}
    bus, _, _ = learning(run, when=ALWAYS, walks=False, fast_agent=parameters)
    return bus


def of_the_guard(iteration: Iteration) -> GuardLine:
    return next(line for line in iteration.guards if line.proposal == LEARNED)


def test_a_guard_with_which_the_stages_do_worse_is_left_out(tmp_path: Path):
    bus = harmful(tmp_path)
    report = achieved(bus)
    assert report.success, report.reason
    (iteration,) = report.iterations
    assert [guard.name for guard in iteration.stages[0].guards] == ["stand-still"]
    line = of_the_guard(iteration)
    assert (line.made, line.report) == (False, None)
    assert line.tried == GuardTried(episodes=4, with_guard=NOT_AT_ALL, without=WELL)
    assert line.reason == (
        "It was trained, and its stages did worse with it: on the same 4 starts the stages reached "
        "their aim 0 times (0% of it on average) with it and 4 times (100% of it on average) "
        "without it."
    )
    # What its training came to is kept for who asks for it again.
    assert line.learning is not None
    assert line.spec is not None
    assert (iteration.tried_out, iteration.progress) == (1.0, 1.0)


def test_a_guard_with_which_they_do_as_well_stands_and_its_tryouts_are_counted(tmp_path: Path):
    bus, _, _ = learning(tmp_path)
    (iteration,) = achieved(bus).iterations
    line = of_the_guard(iteration)
    assert line.made
    assert line.tried == GuardTried(episodes=4, with_guard=WELL, without=WELL)
    assert line_in_words(line).endswith(
        "; on the same 4 starts the stages reached their aim 4 times (100% of it on average) with "
        "it and 4 times (100% of it on average) without it"
    )
    others = achieved(harmful(tmp_path / "off", better_of=False)).iterations[0].samples
    assert iteration.samples.trial > others.trial


def test_both_tryouts_have_the_same_starts_and_no_other_play_has(tmp_path: Path):
    bus, _, _ = learning(tmp_path)
    achieved(bus)
    opened = [sent for name, sent in bus.requests if name == OPEN.name]
    ids = {each.session.rpartition("/play-")[0]: each for each in opened}
    plays = {id.rpartition("/")[2]: each for id, each in ids.items()}
    assert plays["with"].seeds == plays["without"].seeds
    first = plays["with"].seeds.first
    assert first >= plays["trial-0"].seeds.first + plays["trial-0"].seeds.count
    assert first + plays["with"].seeds.count <= plays["episodes"].seeds.first
    compared = [id for id in ids if purpose(id).kind == "comparison"]
    assert [id.rpartition("/")[2] for id in compared] == ["without", "with"]


def test_it_is_not_compared_where_nothing_says_what_worked(tmp_path: Path):
    bus = harmful(tmp_path, better_of=False)
    (iteration,) = achieved(bus).iterations
    line = of_the_guard(iteration)
    assert (line.made, line.tried) == (True, None)
    assert iteration.success_rate == 0.0
    # It is the tryout of its last sub-action then, which was played before.
    assert iteration.tried_out == 1.0


def test_an_iteration_is_chosen_by_the_tryout_with_its_guards(tmp_path: Path):
    bus = harmful(tmp_path)
    (iteration,) = achieved(bus).iterations
    line = of_the_guard(iteration)
    kept = msgspec.structs.replace(line, made=True)
    others = [each for each in iteration.guards if each != line]
    with_it = msgspec.structs.replace(iteration, guards=[*others, kept])
    assert (with_it.tried_out, with_it.progress) == (0.0, 0.0)


def test_a_kept_guard_is_not_compared_again(
    tmp_path: Path,
):
    bus, trained, _ = learning(tmp_path, source=ONE_STEP)  # the program that it guards is no good
    first, second = achieved(bus, iterations=2).iterations
    assert len(trained) == 1
    assert of_the_guard(first).tried == GuardTried(
        episodes=4, with_guard=NOT_AT_ALL, without=NOT_AT_ALL
    )
    assert of_the_guard(second).made
    assert of_the_guard(second).tried is None


def test_a_guard_with_which_no_stage_can_be_played_is_left_out(tmp_path: Path):
    bus, _, _ = learning(tmp_path)
    bus.answer_action(RUN_PROGRAM, failing_with_it(bus))
    report = achieved(bus)
    assert report.success, report.reason
    (iteration,) = report.iterations
    line = of_the_guard(iteration)
    assert (line.made, line.tried) == (False, None)
    assert line.reason.startswith("It was trained, and its stages could not be played with it: ")
    assert "it does not answer" in line.reason
    assert [guard.name for guard in iteration.stages[0].guards] == ["stand-still"]


def test_a_guard_of_the_library_is_compared_too(tmp_path: Path):
    """It may have been learned for another goal, and no tryout comes after it."""
    bus, trained, _ = learning(tmp_path, evaluation_episodes=24)
    achieved(bus)
    line = of_the_guard(achieved(bus, "another").iterations[0])
    assert (line.made, line.skill) == (True, "move_on")
    assert line.tried == GuardTried(episodes=4, with_guard=WELL, without=WELL)
    bus.answer_action(RUN_PROGRAM, failing_with_it(bus))
    (iteration,) = achieved(bus, "a third").iterations
    line = of_the_guard(iteration)
    assert (line.made, line.skill) == (False, "")
    assert line.reason.startswith("It is the skill move_on of the library, and its stages could ")
    assert [guard.name for guard in iteration.stages[0].guards] == ["stand-still"]
    assert len(trained) == 1


def failing_with_it(bus: Any) -> Any:
    """What runs programs, except where the learned guard interrupts them."""
    run = bus._actions[RUN_PROGRAM.name]

    def run_program(goal: Any) -> Any:
        if any(guard.policy for guard in goal.request.guards):
            raise ServiceError("it does not answer", code="program_fault")
        return run(goal)

    return run_program
