"""The llm node with a server of its own: started, watched, put to sleep, ended.

The server is a fake that speaks as vLLM does; tests/llm/test_llm_vllm.py has the real one.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from messages.bus import Bus, RemoteError
from messages.calling import calls
from messages.chat import ASK, TOKENS, Answered, Ask, ChatMessage, PlanAnswer, PlanQuestion, Tokens
from messages.gpu import GIVE_BACK_GPU, SERVER, TAKE_GPU, GiveBackGpu, ServerState, TakeGpu
from nodes.llm.vllm.cpu_numbers import cpu_numbers
from tests.agent_stack import TASK, AgentProcess
from tests.bus_processes import PATIENCE, ROOT, eventually

QUESTION = PlanQuestion(task=TASK)
FAKE = [sys.executable, str(ROOT / "tests" / "llm" / "fake_vllm.py"), "serve"]
WITHOUT_WEIGHTS = ["--load-format", "dummy"]


def toy_profile(weights: Path, **changed: Any) -> dict[str, Any]:
    """A profile that the fake serves."""
    return {
        "kind": "vllm",
        "model": "toy",
        "path": str(weights),
        "command": FAKE,
        "arguments": WITHOUT_WEIGHTS,
        "device": "cpu",
        **changed,
    }


class Setting:
    """A run folder, the llm node with its server, and a bus that asks and listens."""

    def __init__(self, run: Path) -> None:
        self.run = run
        self.weights = run / "weights"
        self.weights.mkdir()
        (self.weights / "config.json").write_text("{}")
        self.bus = Bus(run)
        self.llm: AgentProcess | None = None
        self.groups: set[int] = set()
        self.states: list[ServerState] = []
        self.tokens: list[Tokens] = []
        self._over = threading.Event()
        # In this order: who has heard of the server's (kept) state hears the tokens, too.
        self.bus.subscribe(TOKENS, self.tokens.append)
        self.bus.subscribe(SERVER, self.states.append)
        self._listening = threading.Thread(target=self.bus.spin, args=(self._over,))
        self._listening.start()

    def configure(self, **profile: Any) -> None:
        profile = toy_profile(self.weights, **profile)
        config = {"name": "test", "llm": profile, "nodes": {"llm": {"parameters": {}}}}
        config["nodes"]["llm"]["parameters"]["profile"] = profile
        (self.run / "config.yaml").write_text(yaml.safe_dump(config))

    def start(self, **profile: Any) -> AgentProcess:
        self.configure(**profile)
        self.llm = AgentProcess("llm", self.run)
        return self.llm

    def refused(self, **profile: Any) -> str:
        """What the node says when it does not start."""
        self.configure(**profile)
        ended = subprocess.run(
            [sys.executable, "-m", "nodes.llm", "--run", str(self.run)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert ended.returncode == 2
        return ended.stderr.splitlines()[-1]

    def ask(self, id: str = "q") -> Answered:
        prompt = [ChatMessage(role="user", content="A log.")]
        request = Ask(id=id, agent="planner", question=QUESTION, prompt=prompt)
        return self.bus.call(ASK, request, timeout=PATIENCE)

    def calls_seen(self) -> list[str]:
        """The services of the node that are called from now on."""
        seen: list[str] = []
        self.bus.subscribe(calls("llm"), lambda event: seen.append(event.endpoint))
        eventually(lambda: self.bus.call(GIVE_BACK_GPU, GiveBackGpu(holder="nobody")) and seen)
        return seen

    @contextmanager
    def asking(self, *ids: str) -> Iterator[list[Answered]]:
        """Ask beside what the body does; the answers are there afterwards."""
        answers: list[Answered] = []
        threads = [
            threading.Thread(target=lambda id=id: answers.append(self.ask(id))) for id in ids
        ]
        for thread in threads:
            thread.start()
        yield answers
        for thread in threads:
            thread.join(PATIENCE)
        assert len(answers) == len(ids)

    @property
    def group(self) -> int:
        return json.loads((self.run / "llm" / "server.json").read_text())["group"]

    def members(self, name: str = "") -> list[int]:
        """Processes that serve this run, and what they started."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes().decode().split("\0")
                group = int((folder / "stat").read_text().rpartition(")")[2].split()[2])
            except (OSError, IndexError):
                continue
            ours = str(self.weights) in words or group in self.groups
            if ours and words != [""] and (not name or name in words[0]):
                found.append(int(folder.name))
        return found

    def note_group(self) -> None:
        self.groups.add(self.group)

    def server_process(self) -> int:
        """The server itself: not its monitor, not what it started."""
        self.note_group()
        for pid in self.members():
            words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
            if words[1] == FAKE[1]:
                return pid
        raise AssertionError("no server runs")

    def close(self) -> None:
        self._over.set()
        self.bus.wake()
        self._listening.join(PATIENCE)
        self.bus.close()
        if self.llm is not None:
            self.llm.kill()


@pytest.fixture
def setting(run_folder: Path) -> Iterator[Setting]:
    setting = Setting(run_folder)
    yield setting
    setting.close()


def transcript(run: Path) -> list[dict[str, Any]]:
    text = (run / "llm" / "transcript.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def test_the_server_starts_answers_eight_questions_and_ends_with_the_node(setting: Setting):
    llm = setting.start(
        environment={"FAKE_THINKING": "A log is wood.", "FAKE_PIECE_SECONDS": ".02"}
    )
    eventually(lambda: setting.states)
    with setting.asking(*[f"q{number}" for number in range(8)]) as answers:
        pass
    assert len({answer.id for answer in answers}) == 8
    for answer in answers:
        assert msgspec.json.decode(answer.answer, type=PlanAnswer).subtasks
        assert (answer.model, answer.prompt_tokens) == ("toy", 7)
    # Thinking is kept apart, and both could be watched.
    entry = transcript(setting.run)[0]
    assert entry["attempts"][0]["thinking"] == "A log is wood."
    assert "wood" not in entry["answered"]["answer"]
    eventually(lambda: any(piece.thinking for piece in setting.tokens))
    said = [piece for piece in setting.tokens if piece.id == "q3"]
    assert json.loads("".join(p.text for p in said if not p.thinking))["subtasks"]
    setting.note_group()
    assert setting.members("sleep")
    assert llm.stop() == 0
    assert setting.members() == []
    log = (setting.run / "llm" / "vllm.log").read_text()
    assert "--host 127.0.0.1" in log
    assert '"backend":"guidance"' in log


def test_nothing_of_the_server_outlives_a_killed_node(setting: Setting):
    llm = setting.start()
    setting.note_group()
    assert setting.members("sleep")
    llm.kill()
    eventually(lambda: not setting.members())


def test_a_server_whose_node_and_monitor_were_killed_is_ended_by_the_nodes_restart(
    setting: Setting,
):
    llm = setting.start()
    setting.note_group()
    left = setting.members("sleep")
    os.kill(llm.popen.pid, signal.SIGSTOP)  # so that it cannot start another
    os.kill(setting.group, signal.SIGKILL)
    llm.kill()
    assert [pid for pid in left if Path(f"/proc/{pid}").exists()]
    llm.start()
    eventually(lambda: not any(Path(f"/proc/{pid}").exists() for pid in left))
    assert setting.ask().answer


def test_a_request_to_a_server_killed_in_the_middle_of_an_answer_is_sent_again(setting: Setting):
    setting.start(environment={"FAKE_PIECE_SECONDS": "0.1"})
    eventually(lambda: setting.states)
    with setting.asking("q") as answers:
        eventually(lambda: setting.tokens)
        first = setting.server_process()
        os.kill(first, signal.SIGKILL)
    assert answers[0].repairs == 0  # no answer of the model was refused
    assert setting.server_process() != first
    assert "broke off" in transcript(setting.run)[0]["failures"][0]
    assert [pid for pid in setting.members("sleep") if os.getpgid(pid) != setting.group] == []
    eventually(lambda: setting.states and setting.states[-1].restarts == 1)


def test_a_question_that_waits_for_the_server_is_answered_by_the_nodes_next_process(
    setting: Setting,
):
    gone = setting.run / "gone"  # while it is there, the server never gets healthy
    script = setting.run / "gone.py"
    script.write_text(
        "import os, runpy, sys, time\n"
        f"while os.path.exists({str(gone)!r}):\n    time.sleep(0.01)\n"
        f"sys.argv = {FAKE[1:]!r} + sys.argv[1:]\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    llm = setting.start(command=[sys.executable, str(script)])
    asked = setting.calls_seen()
    gone.touch()
    os.kill(setting.group, signal.SIGKILL)
    with setting.asking("q") as answers:
        eventually(lambda: ASK.name in asked)
        assert llm.stop() == 0
        assert not (setting.run / "llm" / "unanswered.jsonl").exists()
        gone.unlink()
        llm.start()
    assert [answer.id for answer in answers] == ["q"]


def test_a_server_that_dies_without_a_request_is_started_again(setting: Setting):
    setting.start()
    os.kill(setting.server_process(), signal.SIGKILL)
    eventually(lambda: [s.state for s in setting.states][-1:] == ["ready"])
    eventually(lambda: setting.states[-1].restarts == 1)
    assert setting.ask().answer


def test_the_learner_holds_the_gpu_until_it_gives_it_back(setting: Setting):
    setting.start(gpu="turns")
    setting.ask("before")
    for for_ever in (float("nan"), float("inf"), -1.0):
        with pytest.raises(RemoteError) as refused:
            setting.bus.call(TAKE_GPU, TakeGpu(holder="train-1", seconds=for_ever))
        assert refused.value.code == "malformed"
    lease = setting.bus.call(TAKE_GPU, TakeGpu(holder="train-1", seconds=PATIENCE))
    assert lease.slept > 0
    eventually(lambda: [s.state for s in setting.states][-1:] == ["asleep"])
    assert setting.states[-1].holder == "train-1"
    with pytest.raises(RemoteError) as held:
        setting.bus.call(TAKE_GPU, TakeGpu(holder="train-2", seconds=1.0))
    assert held.value.code == "held"
    assert setting.bus.call(TAKE_GPU, TakeGpu(holder="train-1", seconds=PATIENCE)).slept == 0
    with setting.asking("meanwhile") as answers:
        assert answers == []
        setting.bus.call(GIVE_BACK_GPU, GiveBackGpu(holder="train-1"))
    eventually(lambda: setting.states[-1].state == "ready")


def test_a_lease_that_is_not_renewed_ends(setting: Setting):
    setting.start(gpu="turns")
    setting.bus.call(TAKE_GPU, TakeGpu(holder="a learner that was killed", seconds=0.5))
    assert setting.ask().answer


def test_an_llm_node_restarted_while_the_learner_trains_leaves_it_the_gpu(setting: Setting):
    llm = setting.start(gpu="turns")
    setting.bus.call(TAKE_GPU, TakeGpu(holder="train", seconds=PATIENCE))
    llm.kill()
    llm.start()
    assert not (setting.run / "llm" / "server.json").exists()
    setting.bus.call(GIVE_BACK_GPU, GiveBackGpu(holder="train"))
    assert setting.ask().answer


def test_a_question_that_waits_for_the_gpu_outlasts_a_node_that_is_stopped(setting: Setting):
    llm = setting.start(gpu="turns")
    asked = setting.calls_seen()
    setting.bus.call(TAKE_GPU, TakeGpu(holder="train", seconds=PATIENCE))
    with setting.asking("q") as answers:
        eventually(lambda: ASK.name in asked)
        assert llm.stop() == 0
        llm.start()
        setting.bus.call(GIVE_BACK_GPU, GiveBackGpu(holder="train"))
    assert [answer.id for answer in answers] == ["q"]


def test_a_server_that_cannot_sleep_is_ended_when_the_learner_takes_the_gpu(setting: Setting):
    setting.start(gpu="turns", environment={"FAKE_NO_SLEEP": "1"})
    setting.note_group()
    setting.bus.call(TAKE_GPU, TakeGpu(holder="train", seconds=PATIENCE))
    assert setting.members() == []
    setting.bus.call(GIVE_BACK_GPU, GiveBackGpu(holder="train"))
    assert setting.ask().answer


def test_a_server_that_fails_at_its_start_is_reported_in_one_sentence(setting: Setting):
    said = setting.refused(environment={"FAKE_ENDS": "ValueError: no such quantization"})
    assert "no such quantization" in said
    assert "vllm.log" in said


def test_a_context_that_is_longer_than_the_models_is_answered_with_the_longest(setting: Setting):
    vllm = (
        "pydantic_core.ValidationError: 1 validation error for ModelConfig\n"
        "  Value error, User-specified max_model_len (16384) is greater than the derived "
        "max_model_len (max_position_embeddings=8192.0 or model_max_length=None in model's "
        "config.json). To allow overriding this maximum, ...\n"
        "    For further information visit https://errors.pydantic.dev/"
    )
    said = setting.refused(environment={"FAKE_ENDS": vllm})
    assert "llm.context=16384 is more than the 8,192 tokens that toy takes: set" in said
    assert "llm.context=8192." in said


def test_a_question_to_a_server_that_cannot_be_started_again_says_nothing_about_the_model(
    setting: Setting,
):
    script = setting.run / "once.py"
    script.write_text(f"import runpy\nrunpy.run_path({FAKE[1]!r}, run_name='__main__')\n")
    setting.start(command=[sys.executable, str(script), "serve"], restarts=0)
    setting.note_group()
    script.write_text("raise SystemExit('not again')")
    os.killpg(setting.group, signal.SIGKILL)
    with pytest.raises(RemoteError, match=r"toy cannot be asked: .* not again") as failed:
        setting.ask()
    assert failed.value.code == "no_model"


def test_a_server_that_never_gets_healthy_is_given_up(setting: Setting):
    waits = setting.run / "waits.py"
    waits.write_text("import time\ntime.sleep(100)\n")
    said = setting.refused(command=[sys.executable, str(waits)], start_timeout=1.0)
    assert "vLLM was not healthy within llm.start_timeout=1 seconds; its log is" in said
    assert setting.members() == []


def test_a_server_listens_on_the_port_of_its_profile_or_says_that_it_is_taken(setting: Setting):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = setting.refused(port=port)
        assert f"llm.port={port} cannot be used (Address already in use): end what" in said
    llm = setting.start(port=port)
    os.kill(setting.server_process(), signal.SIGKILL)
    eventually(lambda: setting.states and setting.states[-1].restarts == 1)
    assert setting.ask().answer
    with socket.create_connection(("127.0.0.1", port), PATIENCE):
        pass
    llm.kill()
    llm.start()  # and ends the server that is left
    assert setting.ask("another").answer


def test_too_little_memory_at_the_start_is_answered_with_the_arithmetic(setting: Setting):
    said = setting.refused(
        environment={"FAKE_ENDS": "torch.OutOfMemoryError: CUDA out of memory."},
        weights_gb=6.1,
        kv_kib_per_token=144,
    )
    twice = cpu_numbers() == "float32"  # where this machine's CPU is slow at 16 bits
    weights, cache = ("11.4", "4.5") if twice else ("5.7", "2.2")
    assert f"{weights} GiB of weights + {cache} GiB of KV cache for 16,384 tokens + 2.6 GiB" in said


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
@pytest.mark.parametrize("whom", ["monitor", "server"])
def test_a_server_that_is_hit_while_it_starts_is_started_again(
    setting: Setting, whom: str, number: signal.Signals
):
    starts = setting.run / "starts"  # each start waits for the first one to be hit
    script = setting.run / "slow.py"
    script.write_text(
        "import os, runpy, sys, time\n"
        f"with open({str(starts)!r}, 'a') as starts:\n    starts.write(f'{{os.getpid()}}\\n')\n"
        f"while len(open({str(starts)!r}).readlines()) < 2:\n    time.sleep(0.01)\n"
        f"sys.argv = {FAKE[1:]!r} + sys.argv[1:]\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n"
    )

    def hit() -> None:
        eventually(lambda: starts.exists() and starts.read_text())
        os.kill(setting.group if whom == "monitor" else int(starts.read_text()), number)

    hitting = threading.Thread(target=hit)
    hitting.start()
    setting.start(command=[sys.executable, str(script)])
    hitting.join()
    assert setting.ask().answer
    assert len(starts.read_text().splitlines()) == 2


def test_a_server_that_is_stopped_is_started_again(setting: Setting):
    setting.start()
    os.kill(setting.server_process(), signal.SIGSTOP)
    eventually(lambda: setting.states and setting.states[-1].restarts == 1)
    assert setting.ask().answer


def test_the_node_can_be_stopped_while_the_server_starts(setting: Setting):
    # Something that never gets healthy.
    waits = setting.run / "waits.py"
    waits.write_text("import time\ntime.sleep(100)\n")
    setting.configure(command=[sys.executable, str(waits)])
    llm = subprocess.Popen(
        [sys.executable, "-m", "nodes.llm", "--run", str(setting.run)],
        cwd=ROOT,
        stderr=subprocess.DEVNULL,
    )
    eventually(lambda: (setting.run / "llm" / "server.json").exists())
    setting.note_group()
    llm.terminate()
    assert llm.wait(PATIENCE) == 0
    assert setting.members() == []


def test_ending_the_server_where_none_runs_kills_no_process():
    """As when it was ended while its metrics were waited for in vain."""
    script = "from nodes.llm.vllm import group; group.kill_group(0); print('alive')"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        start_new_session=True,
        timeout=PATIENCE,
    )
    assert done.stdout == "alive\n"
