"""Checkpoints: training resumed from one is equal to the bit, a bad one is survived and said."""

import random
import zipfile

import msgspec
import pytest
import torch

from messages.bus import SESSION_KILLED, SESSION_LOST, PeerRestarted, RemoteError, ServiceError
from messages.bus.errors import RETRYABLE
from messages.program import Program
from messages.roll_out import ROLL_OUT
from messages.training import Act, Policy
from messages.world import OPEN, STEP, Guard, SeedRange
from nodes.learner import training as training_module
from nodes.learner.acting import play
from nodes.learner.checkpoints import checkpoint
from nodes.learner.checkpoints.state import TrainingState
from nodes.learner.collecting.episodes import RecentEpisodes
from nodes.learner.collecting.session import remaining_seeds
from tests.learning.corridor import Corridors, corridor_spec
from tests.learning.corridor_training import PARAMETERS, begin, iterate, training


def test_resumed_training_is_equal_to_the_bit(tmp_path):
    session, collector, straight = begin()
    iterate(session, collector, straight, 7)

    session, collector, first = begin()
    iterate(session, collector, first, 3)
    checkpoint.save(tmp_path, first.checkpoint())
    found, problems = checkpoint.load(tmp_path)
    assert problems == []
    resumed = TrainingState(first.spaces, PARAMETERS, seed=99, checkpoint=found)
    iterate(session, collector, resumed, 4)

    assert resumed.counters == straight.counters
    assert resumed.curve == straight.curve
    assert resumed.returns == straight.returns
    assert resumed.ended == straight.ended
    assert resumed.episodes.state_dict() == straight.episodes.state_dict()
    assert torch.equal(resumed.generator.get_state(), straight.generator.get_state())
    for (name, weight), other in zip(
        resumed.networks.state_dict().items(),
        straight.networks.state_dict().values(),
        strict=True,
    ):
        assert torch.equal(weight, other), name
    for ours, others in zip(
        resumed.ppo.optimiser.state_dict()["state"].values(),
        straight.ppo.optimiser.state_dict()["state"].values(),
        strict=True,
    ):
        assert all(torch.equal(ours[name], others[name]) for name in others)


def test_a_finished_training_is_not_repeated(tmp_path):
    first = training(tmp_path, Corridors()).run(lambda progress: None)
    assert first.samples < 2000 + 16 * 4
    corridors = Corridors()
    again = training(tmp_path, corridors).run(lambda progress: None)
    assert again == first
    assert corridors.sessions == {}


def test_a_budget_is_spent_whatever_its_longest_decision_may_take(tmp_path):
    """A guard that may take over for six steps never does: decisions are much shorter."""
    spec = corridor_spec(budget=100, stop_at=2.0)
    guard = Guard(name="rest", when="", max_steps=6)
    one = training(tmp_path, Corridors(), msgspec.structs.replace(spec, guards=[guard]))
    trained = one.run(lambda progress: None)
    assert trained.reason == "the budget is spent"
    assert 100 <= trained.samples < 100 + one.limits.decisions


@pytest.mark.parametrize("rollouts", ["session", "learner"])
@pytest.mark.parametrize("overlap", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_a_training_never_takes_more_than_the_samples_that_are_left(
    tmp_path, seed, overlap, rollouts
):
    """Whatever its prefixes take, and however often its session is lost."""
    draw = random.Random(seed)
    most, longest = draw.choice((130, 200, 900, 1500)), draw.choice((0, 1, 10, 60))
    prefix = [Program(name="walk", source="", max_steps=longest)] if longest else []
    spec = corridor_spec(budget=1000, stop_at=2.0, macro=draw.random() < 0.5)
    spec = msgspec.structs.replace(spec, most=most, prefix=prefix)
    corridors, kinds = Corridors(), draw.choice(("at most", "any", "none"))

    def walked(episodes: int) -> int:
        least = {"at most": longest, "any": 0, "none": 0}[kinds]
        return sum(draw.randint(least, longest * (kinds != "none")) for _ in range(episodes))

    def call(service, request):
        often = {STEP: 0.02, ROLL_OUT: 0.04}.get(service, 0.0)
        if draw.random() < often:
            raise RemoteError(service.name, "unknown_session", "The worker died.")
        return corridors.call(service, request)

    corridors.walked = walked
    one = training(tmp_path, corridors, spec, call, overlap=overlap, rollouts=rollouts)
    trained = one.run(lambda progress: None)
    spent = trained.samples + trained.prefix_samples
    assert spent <= most
    if kinds == "at most":  # what was kept back was needed, but for one step
        left = most - spent < one.limits.next_step + one.limits.resets
        assert left or trained.samples >= 1000
    assert "the budget is spent" in trained.reason or f"of {most} samples" in trained.reason


@pytest.mark.parametrize("why", [SESSION_KILLED, "unknown_session"])
def test_only_kills_from_outside_are_not_counted(tmp_path, monkeypatch, why):
    monkeypatch.setattr(training_module, "LONGEST_PAUSE", 0.0)
    corridors, lost = Corridors(), iter(range(2 * training_module.MOST_LOSSES))

    def call(service, request):
        if service is ROLL_OUT and next(lost, None) is not None:
            raise RemoteError(ROLL_OUT.name, why, "The worker died.")
        return corridors.call(service, request)

    one = training(tmp_path, corridors, corridor_spec(budget=300), call)
    if why == SESSION_KILLED:
        assert one.run(lambda progress: None).samples > 0
    else:
        with pytest.raises(ServiceError, match="lost its session 10 times in a row") as refused:
            one.run(lambda progress: None)
        assert refused.value.code == SESSION_LOST


def test_samples_that_are_less_than_one_step_are_refused(tmp_path):
    prefix = [Program(name="walk", source="", max_steps=500)]
    spec = msgspec.structs.replace(corridor_spec(budget=2000), prefix=prefix, most=1000)
    with pytest.raises(ServiceError, match=r"1000 samples that are left are less .*\(1004 ") as why:
        training(tmp_path, Corridors(), spec)
    assert why.value.code == "budget"


@pytest.mark.parametrize("overlap", [False, True])
def test_a_training_that_diverges_ends_with_a_sentence_and_leaves_no_checkpoint(tmp_path, overlap):
    wild = training(tmp_path, Corridors(), overlap=overlap)
    wild.parameters = msgspec.structs.replace(wild.parameters, learning_rate=1e30)
    wild.given = wild.parameters
    with pytest.raises(ServiceError, match="is not finite; lower the learning rate") as caught:
        wild.run(lambda progress: None)
    assert caught.value.code in RETRYABLE  # it says nothing about what was to be learned
    assert not list(tmp_path.rglob("checkpoint*"))
    assert training(tmp_path, Corridors()).run(lambda progress: None).samples > 1000


@pytest.mark.parametrize(("horizon", "gives_up"), [(5, True), (40, False)])
def test_a_training_that_never_succeeds_is_given_up(tmp_path, horizon, gives_up):
    """The corridor's end is twelve steps away: five are never enough, forty now and then."""
    spec = corridor_spec(budget=3000, stop_at=2.0, macro=False)
    interface = msgspec.structs.replace(spec.interface, horizon=horizon)
    spec = msgspec.structs.replace(spec, interface=interface, give_up_at=1500)
    trained = training(tmp_path, Corridors(), spec).run(lambda progress: None)
    if gives_up:
        assert 1500 <= trained.samples < 2500
        assert trained.reason == f"no episode succeeded in {trained.samples} samples"
    else:
        assert trained.samples > 2500
        assert trained.reason == "the budget is spent"


def test_successes_before_a_kill_are_remembered(tmp_path):
    episodes = RecentEpisodes(3)
    episodes.begin(1)
    episodes.end(0, success=True, total_reward=1.0, length=4)
    resumed = RecentEpisodes(3)
    resumed.load_state_dict(episodes.state_dict())
    for _ in range(9):
        resumed.end(0, success=False, total_reward=0.0, length=4)
    assert (resumed.success_rate, resumed.succeeded) == (0.0, 1)


class Stop(Exception):
    pass


def stop_after(iterations):
    seen = []

    def report(progress):
        seen.append(progress)
        if len(seen) == iterations:
            raise Stop

    return report


def damage_truncated(path):
    path.write_bytes(path.read_bytes()[:-200])


def damage_one_bit(path):
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        largest = max(archive.infolist(), key=lambda entry: entry.file_size)
    content[largest.header_offset + 200] ^= 1
    path.write_bytes(content)


def damage_emptied(path):
    path.write_bytes(b"")


def damage_without(*keys):
    def damage(path):
        state = inner = torch.load(path, weights_only=True)
        for key in keys[:-1]:
            inner = inner[key]
        del inner[keys[-1]]
        torch.save(state, path)

    return damage


@pytest.mark.parametrize(
    "damage",
    [
        *(damage_truncated, damage_one_bit, damage_emptied),
        *(damage_without("meeting"), damage_without("episodes", "ended")),
        *(damage_without("curve"), damage_without("optimiser", "param_groups")),
    ],
)
def test_a_bad_checkpoint_falls_back_to_the_one_before(tmp_path, caplog, damage):
    with pytest.raises(Stop):
        training(tmp_path, Corridors()).run(stop_after(4))
    folder = tmp_path / "learner" / "toy+train"
    newest = checkpoint.read(folder / checkpoint.NAME)["counters"]["samples"]
    before = checkpoint.read(folder / checkpoint.PREVIOUS)["counters"]["samples"]
    assert before < newest
    damage(folder / checkpoint.NAME)

    resumed = training(tmp_path, Corridors())
    trained = resumed.run(lambda progress: None)
    assert trained.curve[0][0] <= before
    samples = [count for count, _ in trained.curve]
    assert samples == sorted(set(samples))
    assert samples[-1] == trained.samples < 2000 + 16 * 4
    assert "checkpoint.pt" in caplog.text
    assert checkpoint.read(folder / checkpoint.PREVIOUS)["counters"]["samples"] >= before


def test_without_a_whole_checkpoint_training_starts_over_and_reports_it(tmp_path, caplog):
    with pytest.raises(Stop):
        training(tmp_path, Corridors()).run(stop_after(4))
    folder = tmp_path / "learner" / "toy+train"
    damage_truncated(folder / checkpoint.NAME)
    damage_truncated(folder / checkpoint.PREVIOUS)
    trained = training(tmp_path, Corridors()).run(lambda progress: None)
    straight = training(tmp_path / "other", Corridors()).run(lambda progress: None)
    assert trained.curve == straight.curve  # from the start, so the same again
    assert "trained from the start" in caplog.text


def test_acting_from_a_checkpoint_that_holds_no_policy_is_refused(tmp_path):
    folder = tmp_path / "learner" / "toy+train"
    folder.parent.mkdir()
    checkpoint.save(folder, {"counters": 1})
    act = Act(policy=Policy(id="a", checkpoint=""), session="s")
    spec = training(tmp_path, Corridors()).spec
    with pytest.raises(ServiceError, match=r"checkpoint\.pt does not hold .*: it has no 'meeting'"):
        play(
            Corridors().call,
            act,
            spec=spec,
            folder=folder,
            learner=tmp_path / "learner",
            greedy=True,
            warn=print,
        )


def test_a_checkpoint_with_code_in_it_is_refused(tmp_path):
    torch.save({"format": checkpoint.FORMAT, "networks": print}, tmp_path / checkpoint.NAME)
    found, problems = checkpoint.load(tmp_path)
    assert found is None
    assert len(problems) == 1
    assert checkpoint.NAME in problems[0]


def test_a_kill_while_saving_leaves_the_last_checkpoint(tmp_path):
    checkpoint.save(tmp_path, {"counters": 1})
    (tmp_path / "checkpoint.pt.unfinished").write_bytes(b"half of")
    found, problems = checkpoint.load(tmp_path)
    assert found is not None
    assert found["counters"] == 1
    assert problems == []
    checkpoint.save(tmp_path, {"counters": 2})
    assert checkpoint.read(tmp_path / checkpoint.PREVIOUS)["counters"] == 1


def test_a_lost_session_is_opened_again_and_its_rollout_not_counted(tmp_path, caplog):
    corridors = Corridors()
    steps = []

    def call(service, request):
        if service is STEP:
            steps.append(0)
            if len(steps) == 20:  # in the middle of the second rollout
                corridors.sessions.clear()
                raise PeerRestarted("the env server was restarted")
        reply = corridors.call(service, request)
        if service is STEP:
            steps[-1] = int(reply.steps.sum())
        return reply

    spec = corridor_spec(budget=1000, stop_at=2.0, macro=False)
    one = training(tmp_path, corridors, spec, call, rollouts="learner")
    trained = one.run(lambda progress: None)
    discarded = sum(steps[16:20])
    assert trained.samples == sum(steps) - discarded
    assert trained.samples == trained.curve[-1][0] <= 1000
    assert "discarded, uncounted" in caplog.text


def test_a_first_rollout_that_is_lost_is_played_again_with_the_same_choices(tmp_path):
    corridors, drawn = Corridors(), []

    def call(service, request):
        if service is ROLL_OUT:
            drawn.append(request.drawn.tolist())
            if len(drawn) == 1:
                corridors.sessions.clear()
                raise PeerRestarted("the env server was restarted")
        return corridors.call(service, request)

    training(tmp_path, corridors, corridor_spec(budget=500), call).run(lambda progress: None)
    assert drawn[1] == drawn[0]
    assert drawn[2] != drawn[0]


def test_a_training_is_the_same_if_the_learner_makes_its_decisions(tmp_path):
    """To the bit: its session, or the learner with a request for each."""
    found, weights = [], []
    for rollouts in ("session", "learner"):
        folder = tmp_path / rollouts
        asked = []
        corridors = Corridors()

        def call(service, request, corridors=corridors, asked=asked):
            asked.append(service)
            return corridors.call(service, request)

        one = training(folder, corridors, corridor_spec(budget=2000), call, rollouts=rollouts)
        found.append(one.run(lambda progress: None))
        weights.append(one.state.networks.state_dict())
        assert (STEP in asked, ROLL_OUT in asked) == (rollouts == "learner", rollouts == "session")
    assert found[0] == found[1]
    assert len(found[0].curve) > 2
    assert all(torch.equal(tensor, weights[1][name]) for name, tensor in weights[0].items())


def test_a_session_that_is_always_lost_ends_the_training_with_a_reason(tmp_path, monkeypatch):
    """What was opened for nothing is not counted, and another life goes on with the goal."""
    monkeypatch.setattr(training_module, "LONGEST_PAUSE", 0.0)
    corridors = Corridors()

    def call(service, request):
        if service is ROLL_OUT:
            raise RemoteError(ROLL_OUT.name, "unknown_session", "The worker died.")
        reply = corridors.call(service, request)
        return msgspec.structs.replace(reply, prefix_steps=5) if service is OPEN else reply

    doomed = training(tmp_path, corridors, corridor_spec(), call)
    with pytest.raises(
        ServiceError, match=r"10 times in a row, the last time with.*died"
    ) as given_up:
        doomed.run(lambda progress: None)
    assert given_up.value.code == SESSION_LOST
    assert doomed.state is not None
    assert doomed.state.counters.prefix_samples == 0


def test_seeds_continue_after_a_resume_and_never_leave_their_range():
    seeds = SeedRange(first=100, count=50)
    assert remaining_seeds(seeds, 0, 8) == seeds
    assert remaining_seeds(seeds, 16, 8) == SeedRange(first=116, count=34)
    assert remaining_seeds(seeds, 48, 8) == seeds  # two left are too few for eight environments
    assert remaining_seeds(seeds, 66, 8) == SeedRange(first=116, count=34)


def test_short_episodes_do_not_crowd_out_long_ones():
    episodes = RecentEpisodes(4)
    episodes.begin(2)
    for _ in range(3):  # environment 0 succeeds again and again while 1 is still at its first
        episodes.end(0, True, 1.0, 1)
    assert episodes.success_rate == 0.25  # those that there have not been yet count as failures
    assert episodes.total == 1
    assert not episodes.full
    episodes.end(1, False, -1.0, 40)
    assert episodes.full
    assert episodes.total == 4
    episodes.begin(2)
    episodes.end(1, False, -1.0, 40)
    assert episodes.total == 4  # one that began before it is still running


def test_an_episode_that_is_overtaken_counts_as_a_failure_until_it_ends():
    episodes = RecentEpisodes(4)
    episodes.begin(2)
    for _ in range(9):  # two environments may let eight wait
        episodes.end(0, True, 1.0, 10)
    assert (episodes.total, episodes.success_rate) == (1, 0.25)
    episodes.end(0, True, 1.0, 10)
    assert episodes.total == 11  # the one that goes on as well
    assert episodes.success_rate == 10 / 11
    for success in (True, False):
        again = RecentEpisodes(4)
        again.load_state_dict(episodes.state_dict())
        again.end(1, success, 5.0, 400)  # it counts once, for what it came to
        assert (again.total, again.mean_length) == (11, 10.0)
        assert again.success_rate == (10 + success) / 11
        again.end(0, False, 1.0, 10)
        assert again.total == 12
        assert again.success_rate == pytest.approx((3 / 4 * 11 + success) / 12)
        resumed = RecentEpisodes(4)
        resumed.load_state_dict(again.state_dict())
        assert resumed.success_rate == again.success_rate


@pytest.mark.parametrize(("succeed", "rate"), [(True, 1.0), (False, 0.5)])
def test_slow_episodes_count_in_the_success_rate_by_their_share(succeed: bool, rate: float):
    """Half of the episodes take forty times as long as the others, which all succeed."""
    environments, slow = 8, 40
    episodes = RecentEpisodes(20)
    episodes.begin(2 * environments)
    for time in range(1, 40 * slow):
        for row in range(environments):
            episodes.end(row, True, 1.0, 1)
        if time % slow == 0:
            for row in range(environments, 2 * environments):
                episodes.end(row, succeed, 1.0, slow)
    share = 1 / (slow + 1)  # of all that end, so many are slow ones
    expected = 1.0 if succeed else 1.0 - share
    assert rate <= episodes.success_rate
    assert episodes.success_rate == pytest.approx(expected, abs=0.02)
