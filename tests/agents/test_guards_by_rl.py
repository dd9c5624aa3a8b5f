"""Guards by rl in the two loops: trained in the stages that they cut into, and made again."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from messages.bus import SESSION_LOST, ServiceError
from messages.chat import (
    DecomposeAnswer,
    DecomposeQuestion,
    GuardAnswer,
    GuardQuestion,
    ProgramAnswer,
    ProgramQuestion,
    SpecAnswer,
    SpecQuestion,
)
from messages.plan import (
    GuardLine,
    GuardProposal,
    SubAction,
)
from messages.training import ACTOR, TRAIN, GotActor, Policy, Train, Trained
from messages.world import (
    Actor,
    Field,
    Guard,
    GuardReport,
    RewardTerm,
)
from models.actor import layer_of
from nodes.common.questions.asking import render
from nodes.common.skills.skill_library import Library
from nodes.common.skills.skills import guard_key
from tests.agents.feedback import prompt
from tests.agents.test_guard_loops import (
    GOOD,
    LOG,
    ONE_STEP,
    STEP_BACK,
    WALK,
    WHEN,
    achieved,
    agents,
)
from tests.bus_processes import ROOT
from tests.weights import weights

LEARNED = GuardProposal(name="Move on", method="rl", when="a quarter of a metre is walked")
SPEC = SpecAnswer(
    observations=["facing", "time"],
    actions=["noop", "forward"],
    rewards=[RewardTerm(kind="success", weight=1.0)],
    horizon=5,
    budget=1000,
)


def learning(
    run: Path,
    samples: int = 600,
    specs: Sequence[SpecAnswer] = (SPEC,),
    source: str = WALK,
    when: str = WHEN.replace("0.25", "0.75"),
    walks: bool = True,
    **parameters: Any,
) -> tuple[Any, list[Train], Any]:
    """Agents that propose a guard by rl, and a learner that makes a policy which ``walks`` on, or
    stands still."""
    left = list(specs)
    bus, _, asked = agents(
        run,
        {
            DecomposeQuestion: lambda question: DecomposeAnswer(
                sub_actions=[SubAction(name="walk and dig", method="code", success=LOG)],
                guards=[LEARNED, STEP_BACK],
            ),
            GuardQuestion: lambda question: (
                GOOD if question.proposal.method == "code" else GuardAnswer(when=when, max_steps=7)
            ),
            ProgramQuestion: lambda question: ProgramAnswer(source=source),
            SpecQuestion: lambda question: left.pop(0) if len(left) > 1 else left[0],
        },
        **parameters,
    )
    trained: list[Train] = []

    def train(goal: Any) -> Trained:
        trained.append(goal.request)
        policy = Policy(id=goal.id, checkpoint="learner/move-on/checkpoint.pt")
        path = run / policy.checkpoint
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(weights("move on"))
        return Trained(
            policy=policy, samples=samples, prefix_samples=90, success_rate=1.0,
            curve=[(300, 0.25)] if samples else [],
            reason="the condition of move-on did not hold in 90 steps",
        )  # fmt: skip

    bus.answer_action(TRAIN, train)
    fields = [Field(name="facing", size=3), Field(name="time", size=1)]
    layer = layer_of(np.zeros((2, 4)), np.array([-99.0, 99.0] if walks else [99.0, -99.0]))
    actor = Actor(fields=fields, choices=SPEC.actions, layers=[layer])
    bus.answer(ACTOR, lambda request: GotActor(actor=actor))
    return bus, trained, asked


def test_a_guard_by_rl_is_trained_in_the_stages_that_it_cuts_into(tmp_path: Path):
    bus, trained, asked = learning(tmp_path)
    (iteration,) = achieved(bus).iterations
    ((spec,),) = [[each.spec for each in trained]]
    assert spec.guard is not None
    assert (spec.guard.name, spec.guard.max_steps, spec.guard.program) == ("move-on", 7, None)
    assert [stage.program and stage.program.name for stage in spec.guarded] == ["walk-and-dig"]
    assert (spec.interface.horizon, spec.prefix, spec.lead) == (7, [], [])
    # Between its turns the other guards play, as in the evaluation.
    assert [guard.name for guard in spec.guards] == ["stand-still"]
    (question,) = [each for each in asked if isinstance(each, SpecQuestion)]
    assert (question.guard, question.when) == (LEARNED, spec.guard.when)
    # The proposals' order is the guards', whichever was made first.
    (stage,) = iteration.stages
    assert [guard.name for guard in stage.guards] == ["move-on", "stand-still"]
    assert stage.guards[0].policy.endswith("guard-move-on/train")
    assert stage.guards[0].actor is None
    assert iteration.samples.training == 690
    by_name = {line.proposal.name: line.report for line in iteration.guards}
    # It plays in the comparison and the evaluation, which come after its training; forward is what
    # it chooses.
    assert by_name["Move on"] == GuardReport(
        name="move-on", turns=2, steps=2, episodes=2, ended={"over": 2}
    )


def test_a_refused_spec_of_a_guard_is_shown_again_with_the_runs_observations(tmp_path: Path):
    wrong = msgspec.structs.replace(SPEC, actions=["fly"], observations=["compass"])
    bus, trained, asked = learning(tmp_path, specs=[wrong, SPEC], observations=("facing", "time"))
    achieved(bus)
    first, second = [each for each in asked if isinstance(each, SpecQuestion)]
    assert first.refused is None
    assert second.refused == msgspec.structs.replace(wrong, observations=["facing", "time"])
    assert "fly" in second.problems[0]
    assert [each.spec.interface.observations for each in trained] == [["facing", "time"]]


def test_a_guard_is_offered_no_pictures_and_one_in_its_spec_is_a_problem(tmp_path: Path):
    seeing = msgspec.structs.replace(SPEC, observations=["rgb", "facing"])
    bus, trained, asked = learning(tmp_path, specs=[seeing, SPEC], observations=("rgb", "facing"))
    achieved(bus)
    first, *_ = [each for each in asked if isinstance(each, SpecQuestion)]
    assert first.observations == ["facing"]
    assert [each.spec.interface.observations for each in trained] == [["facing"]]


def test_a_picture_in_a_guards_spec_is_a_problem_and_left_out_in_the_end(tmp_path: Path):
    seeing = msgspec.structs.replace(SPEC, observations=["rgb_64x48", "facing", "time"])
    bus, trained, asked = learning(tmp_path, specs=[seeing])
    achieved(bus)
    _, second = [each for each in asked if isinstance(each, SpecQuestion)]
    assert second.problems == [
        "A learned guard sees no pictures: leave 'rgb_64x48' out of its observations."
    ]
    assert [each.spec.interface.observations for each in trained] == [["facing", "time"]]


def test_where_there_are_only_pictures_a_guard_is_not_learned_and_nothing_is_spent(tmp_path: Path):
    bus, trained, _ = learning(tmp_path, observations=("rgb",))
    (iteration,) = achieved(bus).iterations
    line = next(line for line in iteration.guards if line.proposal == LEARNED)
    assert not line.made
    assert "A learned guard sees no pictures, and this run has only 'rgb'." in line.reason
    assert trained == []
    assert iteration.success_rate == 1.0


def test_a_guard_whose_training_loses_its_session_again_and_again_is_left_out(tmp_path: Path):
    """That may be the doing of what is trained, as it is for a sub-action."""
    bus, _, _ = learning(tmp_path)

    def lose(goal: Any) -> Trained:
        raise ServiceError("The session was lost 5 times in a row.", code=SESSION_LOST)

    bus.answer_action(TRAIN, lose)
    report = achieved(bus)
    assert report.success
    line = next(line for line in report.iterations[0].guards if line.proposal == LEARNED)
    assert not line.made
    assert line.reason.startswith("It could not be trained: ")


def test_a_trained_guard_that_no_session_plays_is_left_out_with_the_reason(tmp_path: Path):
    bus, trained, _ = learning(tmp_path)

    def refuse(request: Any) -> GotActor:
        raise ServiceError("it has a MixedEncoders", code="policy_does_not_fit")

    bus.answer(ACTOR, refuse)
    report = achieved(bus)
    assert report.success
    (iteration,) = report.iterations
    assert len(trained) == 1
    line = next(line for line in iteration.guards if line.proposal == LEARNED)
    assert (line.made, line.report) == (False, None)
    assert line.reason.startswith("It was trained, and no session plays it: ")
    assert "it has a MixedEncoders" in line.reason
    assert [guard.name for guard in iteration.stages[0].guards] == ["stand-still"]
    assert iteration.samples.training == 690


def test_the_spec_of_a_guard_that_is_made_again_is_written_with_what_came_of_the_last(
    tmp_path: Path,
):
    other = msgspec.structs.replace(SPEC, actions=["noop", "attack"])
    bus, trained, asked = learning(tmp_path, samples=0, specs=[SPEC, other], source=ONE_STEP)
    iterations = achieved(bus, iterations=2).iterations
    first, second = [each for each in asked if isinstance(each, SpecQuestion)]
    assert first.guard_history == []
    text = prompt("fast_agent", first)
    assert "Verdicts of earlier iterations:\nNothing yet." in text
    (line,) = second.guard_history
    assert line == next(line for line in iterations[0].guards if line.proposal == LEARNED)
    assert line.spec == trained[0].spec
    text = prompt("fast_agent", second)
    assert "Nothing yet" not in text
    said = "it was not made: It was not trained: the condition of move-on did not hold in 90 steps."
    assert f"Its outcomes in earlier iterations:\n- {said}\n" in text
    assert '"actions":["noop","forward"]' in text
    assert "Training: 0 samples; it ended so: the condition of move-on did not hold" in text


def test_the_curve_of_a_guards_training_is_in_its_line(tmp_path: Path):
    bus, trained, asked = learning(tmp_path)
    (iteration,) = achieved(bus).iterations
    line = next(line for line in iteration.guards if line.proposal == LEARNED)
    assert line.spec == trained[0].spec
    assert line.learning is not None
    assert (line.learning.samples, line.learning.curve) == (600, [(300, 0.25)])
    (question,) = [each for each in asked if isinstance(each, SpecQuestion)]
    wrote = msgspec.structs.replace(question, guard_history=[line, line])
    message = render(ROOT / "nodes" / "fast_agent" / "prompts", wrote)[1]
    assert "success in training 0.25 at 300 samples" in message.content
    left_out = {part.name: part.turn for part in message.parts}
    assert left_out["the training spec of earlier iterations"] == 4
    assert left_out["outcomes before the last one"] == 6
    # A line of before this was kept has neither.
    old = msgspec.to_builtins(line)
    del old["spec"], old["learning"]
    assert msgspec.convert(old, GuardLine).spec is None


def test_guards_of_other_weights_are_other_skills(tmp_path: Path):
    """Policies have the name of their goal, which is the same in every run."""
    guard = Guard(name="move-on", when=WHEN, policy="goal/guard-move-on/train", checkpoint="x")
    keys: list[str] = []
    for content in (b"one", b"two", b"one"):
        (tmp_path / "checkpoint.pt").write_bytes(content)
        keys.append(guard_key("embedded", guard, tmp_path / "checkpoint.pt"))
    assert keys[0] == keys[2] != keys[1]


def test_a_guard_whose_turn_never_came_is_not_made(tmp_path: Path):
    bus, _, _ = learning(tmp_path, samples=0)
    (iteration,) = achieved(bus).iterations
    line = next(line for line in iteration.guards if line.proposal == LEARNED)
    assert not line.made
    assert line.reason == "It was not trained: the condition of move-on did not hold in 90 steps."
    assert [guard.name for guard in iteration.stages[0].guards] == ["stand-still"]
    assert iteration.samples.training == 90


def test_a_guard_by_rl_is_a_skill_with_its_weights(tmp_path: Path):
    bus, trained, _ = learning(tmp_path, evaluation_episodes=24)
    achieved(bus)
    library = Library(tmp_path / "skills")
    skill = library.find("move_on")
    assert skill is not None
    assert (skill.learned.method, skill.learned.program) == ("rl", None)
    assert (Path(skill.folder) / "checkpoint.pt").read_bytes() == weights("move on")
    episodes = skill.counts.episodes
    (iteration,) = achieved(bus, "another").iterations
    guard = iteration.stages[0].guards[0]
    assert (guard.policy, guard.checkpoint) == ("skill/move_on", f"{skill.folder}/checkpoint.pt")
    assert len(trained) == 1
    again = library.find("move_on")
    assert again is not None
    assert again.counts.episodes == 2 * episodes
