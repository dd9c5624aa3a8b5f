"""Parameters that are set while nodes run: kept over a restart, recorded, taken by what goes on."""

import errno
import logging
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from messages.bus import Bus, RemoteError
from messages.empty import Empty
from messages.plan import ACHIEVE, AchieveSubtask, Limits, Subtask, SubtaskReport
from messages.system import SetParameters, get_parameters, set_parameters
from nodes.common.parameters.hyperparameters import TAKEN_WHILE_TRAINING, Hyperparameters
from nodes.common.parameters.kept_parameters import FILE, read_changes
from nodes.common.running.exit_codes import UNUSABLE_FILE
from nodes.config import ConfigError, read_parameters
from nodes.learner.learner import Learner
from nodes.learner.training import Training
from nodes.planner.planner import Planner
from nodes.testing import MockBus, start
from rlgpt.report import charts
from rlgpt.report.changes import changes_of
from tests.agent_stack import TASK, Stack, stack
from tests.agents.performances import TASK as STICK_TASK
from tests.agents.test_performing_planned import Below, pursue
from tests.bus_processes import ECHO, PATIENCE, Process, eventually, launch, make_run
from tests.launch_toys.launched import launched, printed, refused
from tests.learning.corridor import Corridors, corridor_spec
from tests.learning.corridor_training import PARAMETERS
from tests.node.example_node import echo


def greeting(bus: Bus) -> str:
    return bus.call(echo.SAY, echo.Say(text="you"), timeout=PATIENCE).text


def test_set_values_are_kept_over_a_restart_until_they_are_reset(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    bus, setting = Bus(run), set_parameters("echo")
    process = Process(ECHO, run)
    try:
        for text in ("hey", "ho"):
            bus.call(setting, SetParameters(values={"greeting": text}, by="a test"), PATIENCE)
        process.kill()
        with (run / "echo" / FILE).open("ab") as file:
            file.write(b'{"time": 1.0, "na')  # as of a process that is killed while it writes
        process.start()
        assert greeting(bus) == "ho you"
        found = bus.call(get_parameters("echo"), Empty(), PATIENCE)
        assert found.configured == {"greeting": "hello"}
        log = (run / "echo" / "node.log").read_text()
        assert "greeting is ho, as it was set before" in log
        with pytest.raises(RemoteError, match="'pause' cannot be set while echo runs"):
            bus.call(setting, SetParameters(reset=["pause"]), PATIENCE)
        reply = bus.call(setting, SetParameters(reset=["greeting"], by="a test"), PATIENCE)
        assert (reply.values["greeting"], reply.configured) == ("hello", {})
        process.stop()
        process.start()
        assert greeting(bus) == "hello you"
    finally:
        process.kill()
        bus.close()
    changes = read_changes(run / "echo" / FILE)
    assert [(each.old, each.new, each.by, each.reset) for each in changes] == [
        ("hello", "hey", "a test", False),
        ("hey", "ho", "a test", False),
        ("ho", "hello", "a test", True),
    ]


def test_values_on_a_command_line_come_before_set_values(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    bus = Bus(run)
    process = Process(ECHO, run)
    bus.call(set_parameters("echo"), SetParameters(values={"greeting": "hey"}), PATIENCE)
    process.stop()
    given = Process(ECHO, run, "greeting=good day")
    try:
        assert greeting(bus) == "good day you"
    finally:
        given.kill()
        bus.close()


@pytest.mark.parametrize("data", [b"nonsense\n", b'{"name": "\xff"}\n'])
def test_a_damaged_file_of_set_values_is_refused_in_a_sentence(tmp_path: Path, data: bytes) -> None:
    run = make_run(tmp_path)
    (run / "echo").mkdir()
    (run / "echo" / FILE).write_bytes(data)
    node = launch(ECHO, run)
    _, errors = node.communicate(timeout=PATIENCE)
    assert node.returncode == UNUSABLE_FILE
    assert "remove it, and the parameters are those of config.yaml again" in errors
    assert "Traceback" not in errors


def test_the_level_of_the_log_is_set_while_a_node_runs(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    bus, setting = Bus(run), set_parameters("echo")
    process = Process(ECHO, run)
    log = run / "echo" / "node.log"
    try:
        bus.call(setting, SetParameters(values={"log_level": "error"}), PATIENCE)
        bus.call(setting, SetParameters(values={"greeting": "quiet"}), PATIENCE)
        bus.call(setting, SetParameters(values={"log_level": "debug"}), PATIENCE)
        bus.call(setting, SetParameters(values={"greeting": "loud"}), PATIENCE)
        eventually(lambda: 'greeting="loud"' in log.read_text())
        assert 'greeting="quiet"' not in log.read_text()
        with pytest.raises(RemoteError, match="'deafening': expected one of debug, error, info"):
            bus.call(setting, SetParameters(values={"log_level": "deafening"}), PATIENCE)
    finally:
        process.kill()
        bus.close()


# The learner


def trained(tmp_path: Path, change: dict[str, float], at: int) -> Training:
    """A training of corridors, of which parameters are set when ``at`` iterations are over."""
    given = msgspec.structs.replace(PARAMETERS, imitation_every=0)
    spec = corridor_spec(budget=1500, stop_at=2.0)
    one = Training(
        policy="toy",
        spec=spec,
        parameters=given,
        learner=tmp_path,
        folder=tmp_path / "toy",
        servers={"env_server": Corridors().call},
        log=logging.getLogger("toy"),
        warn=print,
    )

    def report(_: object) -> None:
        assert one.state is not None
        if one.state.counters.iterations == at:
            for name, value in change.items():
                setattr(given, name, value)

    one.run(report)
    return one


def test_a_training_learns_with_what_was_set_from_its_next_update_on(tmp_path: Path) -> None:
    """To the bit as before it, and differently from then on."""
    plain = trained(tmp_path / "plain", {}, 0)
    changed = trained(tmp_path / "changed", {"learning_rate": 0.0, "final_share": 0.0}, 3)
    later = trained(tmp_path / "later", {"clip": 0.01, "entropy_bonus": 0.5, "epochs": 1}, 3)
    assert plain.state is not None
    assert changed.state is not None
    assert later.state is not None
    assert plain.state.curve[:3] == changed.state.curve[:3] == later.state.curve[:3]
    assert changed.state.ppo.learning_rate == 0.0
    assert float(later.state.ppo.loss.clip_epsilon) == pytest.approx(0.01)
    assert float(later.state.ppo.loss.entropy_coeff) == pytest.approx(0.5)
    taken = [
        msgspec.json.decode(line)
        for line in (tmp_path / "later/taken.jsonl").read_text().splitlines()
    ]
    assert [(each["name"], each["old"], each["new"]) for each in taken] == [
        ("entropy_bonus", PARAMETERS.entropy_bonus, 0.5),
        ("clip", PARAMETERS.clip, 0.01),
        ("epochs", PARAMETERS.epochs, 1),
    ]
    assert {each["samples"] for each in taken} == {plain.state.curve[2][0]}
    assert not (tmp_path / "plain" / "taken.jsonl").exists()


@pytest.mark.parametrize(
    ("name", "wrong", "words"),
    [
        ("learning_rate", -1.0, "expected `float` >= 0.0"),
        ("learning_rate", float("inf"), "learning_rate has to be finite"),
        ("entropy_bonus", "much", "expected `float`, got `str`"),
        ("clip", 1.5, "expected `float` <= 1.0"),
        ("epochs", 0, "expected `int` >= 1"),
        ("target_kl", None, "expected `float`, got `null`"),
        ("hidden", 64, "'hidden' cannot be set while learner runs; these can: clip"),
        ("cilp", 0.3, "no parameter 'cilp'; did you mean clip? (these can be set while it runs: c"),
        ("nosuch", 1, "learner has no parameter 'nosuch' (these can be set while it runs: clip"),
    ],
)
def test_values_that_the_learner_cannot_use_are_rejected_in_one_sentence(
    tmp_path: Path, name: str, wrong: object, words: str
) -> None:
    bus = MockBus("learner")
    learner = start(Learner, bus, tmp_path)
    learner._importing.join()  # it must not outlive the test
    before = msgspec.structs.asdict(learner.parameters)
    with pytest.raises(RemoteError) as rejected:
        bus.call(set_parameters("learner"), SetParameters(values={"clip": 0.1, name: wrong}))
    assert words in str(rejected.value)
    assert msgspec.structs.asdict(learner.parameters) == before
    assert not (tmp_path / "learner" / FILE).exists()
    assert set(TAKEN_WHILE_TRAINING) <= Learner.live


@pytest.mark.parametrize("failing", [1, 2])
def test_a_request_that_sets_and_resets_is_recorded_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    """A restarted node takes what is recorded: a half of it would be set after a refusal."""
    bus = MockBus("planner")
    planner = start(Planner, bus, tmp_path)
    setting = set_parameters("planner")
    bus.call(setting, SetParameters(values={"iterations": 3}))
    synced = os.fsync
    calls: list[int] = []

    def fails(file: int) -> None:
        calls.append(file)
        if len(calls) == failing:
            raise OSError(errno.EIO, "Input/output error")
        synced(file)

    rejected = False
    with monkeypatch.context() as broken:
        broken.setattr("os.fsync", fails)
        try:
            bus.call(setting, SetParameters(values={"repairs": 7}, reset=["iterations"]))
        except RemoteError:
            rejected = True
    recorded = [each.name for each in read_changes(tmp_path / "planner" / FILE)[1:]]
    if rejected:
        assert (recorded, planner.parameters.iterations) == ([], 3)
    else:
        assert (recorded, planner.parameters.iterations) == (["repairs", "iterations"], None)


# The agents


def test_the_planner_shares_out_samples_by_the_limit_that_was_set_last(tmp_path: Path) -> None:
    """A log, planks and a stick: more is allowed while the first is practised."""
    below = Below()
    bus = below.bus()
    planner = start(Planner, bus, tmp_path)
    achieve = below.achieve

    def raised(goal: Any) -> SubtaskReport:
        if not below.achieved:
            setting = SetParameters(values={"samples": 200_000})
            bus.call(set_parameters("planner"), setting)
        return achieve(goal)

    bus.answer_action(ACHIEVE, raised)
    assert pursue(bus, STICK_TASK, samples=100_000).success
    # Of 200,000 the 30,000 of the performance are kept back, and each before took 1,000.
    assert [each.limits.samples for each in below.achieved] == [23_333, 84_500, 168_000]
    assert [each.samples for each in below.performed] == [167_000, 196_995]
    with pytest.raises(RemoteError, match=">= 1"):
        bus.call(set_parameters("planner"), SetParameters(values={"iterations": 0}))
    assert planner.parameters.iterations is None


def test_iterations_are_allowed_and_withdrawn_while_the_slow_agent_works(run_folder: Path) -> None:
    subtask = Subtask(name="harvest log", success=TASK.success)

    def achieve(agents: Stack, id: str, iterations: int, then: int) -> int:
        """How many iterations there were, where another limit is set in the first."""
        request = AchieveSubtask(
            task=TASK, subtask=subtask, start={}, limits=Limits(iterations=iterations)
        )
        setting = SetParameters(values={"iterations": then})

        def change(_: object) -> None:
            agents.world.before_run = lambda goal: None
            agents.bus.call(set_parameters("slow_agent"), setting, timeout=PATIENCE)

        agents.world.before_run = change
        report = agents.bus.run_goal(ACHIEVE, id, request, timeout=PATIENCE)
        reset = SetParameters(reset=["iterations"])
        agents.bus.call(set_parameters("slow_agent"), reset, timeout=PATIENCE)
        return len(report.iterations)

    with stack(run_folder, macros=False) as agents:
        assert achieve(agents, "more", 1, 2) == 2
        assert achieve(agents, "fewer", 4, 1) == 1


# The record


LAUNCH = {"seed": 0, "nodes": {"talker": {"module": "tests.launch_toys.talker"}}}


def test_changes_are_shown_by_the_command_line_and_in_the_report(tmp_path: Path) -> None:
    (tmp_path / "launch").mkdir()
    (tmp_path / "launch" / "toys.yaml").write_text(yaml.safe_dump(LAUNCH))
    run = tmp_path / "it"

    def param(*words: str) -> str:
        return printed("param", *words, "--run", "it", cwd=tmp_path)

    with launched("launch", "toys", "run=it", cwd=tmp_path, run=run) as launch:
        launch.wait_for("there is no goal")
        assert param("set", "talker", "text=bye", "log_level=warning").splitlines() == [
            'talker: text = "bye"',
            'talker: log_level = "warning"',
        ]
        listed = param("list", "talker").splitlines()
        (row,) = (line for line in listed if " text " in line)
        assert 'live, set (configured: "hello")' in row
        assert "talker: `loudness` was not set" in refused(
            "param", "reset", "talker", "loudness", "--run", "it", cwd=tmp_path
        )
        assert param("reset", "talker", "text") == 'talker: text = "hello", as configured\n'
        assert param("reset", "talker") == 'talker: log_level = "info", as configured\n'
        assert param("reset", "talker") == "talker: no parameter was set\n"
        assert launch.stop() == 130
    found = [(each.node, each.name, each.old, each.new, each.reset) for each in changes_of(run)]
    assert found == [
        ("talker", "text", "hello", "bye", False),
        ("talker", "log_level", "info", "warning", False),
        ("talker", "text", "bye", "hello", True),
        ("talker", "log_level", "warning", "info", True),
    ]
    lines = param("changes").splitlines()
    assert '"hello"' in lines[1]
    assert '"bye"' in lines[1]
    printed("report", "it", cwd=tmp_path)
    summary = msgspec.json.decode((run / "summary.json").read_bytes())
    assert [each["name"] for each in summary["changes"]] == ["text", "log_level"] * 2
    page = (run / "report.html").read_text()
    assert "Set while it ran" in page
    assert "talker log_level" in page


def test_a_curve_has_a_mark_where_a_parameter_was_set() -> None:
    line = charts.line([(0, 0.1), (100, 0.5)], [(50, "clip 0.2 to 0.1"), (900, "epochs 8 to 4")])
    assert line is not None
    first, beyond = line.marks
    assert first.label == "clip 0.2 to 0.1"
    assert first.at == (charts.LEFT + charts.WIDTH - charts.RIGHT) / 2
    assert beyond.at == charts.WIDTH - charts.RIGHT
    assert "Set: clip 0.2 to 0.1." in line.caption


def test_an_iteration_in_progress_is_finished_after_the_limit_is_lowered(
    run_folder: Path,
) -> None:
    """The slow agent is killed in its second iteration, and is allowed one when it comes back."""
    with stack(run_folder, macros=False) as agents:
        slow = agents.agents["slow_agent"]
        runs: list[str] = []

        def disturb(goal: object) -> None:
            runs.append(getattr(goal, "id", ""))
            if "iteration-1" in runs[-1]:
                agents.world.before_run = lambda goal: None
                setting = SetParameters(values={"iterations": 1})
                agents.bus.call(set_parameters("slow_agent"), setting, timeout=PATIENCE)
                slow.kill()
                slow.start()

        agents.world.before_run = disturb
        request = AchieveSubtask(
            task=TASK,
            subtask=Subtask(name="harvest log", success=TASK.success),
            start={},
            limits=Limits(iterations=4),
        )
        report = agents.bus.run_goal(ACHIEVE, "begun", request, timeout=PATIENCE)
        assert len(report.iterations) == 2
        assert report.reason == "The iterations are spent: 1."


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_is_none_is_named_by_its_parameter(value: float) -> None:
    said = f"nodes.learner.parameters.learning_rate is {value}: expected a finite number"
    with pytest.raises(ConfigError) as refused:
        read_parameters(Hyperparameters, {"learning_rate": value}, "nodes.learner.parameters")
    assert str(refused.value) == said
