"""What becomes of a training, and the figures of a test of weights.

The program that trains needs the vLLM environment (`make test-llm` runs it); here a script stands
for its Python, and the figures are of answers that are written in the test.
"""

import json
import shutil
import sys
from pathlib import Path

import msgspec
import pytest

from nodes.llm import manifest
from nodes.llm.examples.example import Example
from nodes.llm.getting.merging import merge
from nodes.llm.getting.refusals import Failed, Refused
from nodes.llm.getting.weight_places import weights_at
from nodes.llm.lessons.lessons import questions
from nodes.llm.profiles import Vllm
from nodes.llm.training.__main__ import main as training_main
from nodes.llm.training.asking_held_out import Asking, Figures, ask_held_out, judged
from nodes.llm.training.teach import Settings, teach
from nodes.llm.vllm.adapter import adapter_words, served_name, version
from nodes.llm.vllm.vllm_command import command_line
from tests.llm.toy_training import trainer


def test_figures_count_valid_accepted_and_same_answers_apart(capsys: pytest.CaptureFixture[str]):
    examples = questions({"PlanQuestion": 4}, seed=0)
    another = json.loads(examples[2].answer)
    another["thoughts"] = "In other words."
    empty = json.dumps({"thoughts": "", "subtasks": []})
    texts = ["prose", empty, json.dumps(another), f"```json\n{examples[3].answer}\n```"]
    answers = dict(zip((each.user for each in examples), texts, strict=True))
    found = judged(examples, lambda example: answers[example.user])
    refused = found["PlanQuestion"].refused
    assert found == {"PlanQuestion": Figures(4, 3, 2, 2, refused, on_paper=2)}
    assert [line.partition(":")[0] for line in refused] == [each.goal for each in examples[:2]]
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[-1] for line in lines] == ["refused", "refused", "accepted", "accepted"]
    assert f"question 2 of 4, PlanQuestion for {examples[1].goal}:" in lines[1]


def test_trained_weights_name_their_adapter_and_the_adapter_its_base(
    base: Path, taught: list[Example]
):
    into = base.with_name("toy-taught")
    teach(base, into, taught, Settings())
    assert {path.name for path in base.parent.iterdir()} == {"toy", "toy-taught"}
    whole, small, below = (manifest.read(f) for f in (into, into / "adapter", base))
    assert whole is not None
    assert small is not None
    assert below is not None
    assert (whole.trained, small.source_sha256) == (small.digest, below.weights)
    assert manifest.missing(into, whole, thorough=True) == ""
    profile = Vllm(model="toy", adapter=str(into / "adapter"), command=["sh"])
    words = command_line(profile, base, 8001)
    at = words.index("--enable-lora")
    assert words[at + 1 : at + 3] == ["--max-lora-rank", "16"]
    assert words[at + 3] == f"--lora-modules={served_name(profile)}={into / 'adapter'}"
    assert version(profile, base) == f"{below.digest}+{small.digest}"
    with pytest.raises(ValueError, match="was trained on other weights"):
        adapter_words(profile, into)
    with pytest.raises(ValueError, match="holds no adapter"):
        adapter_words(msgspec.structs.replace(profile, adapter=str(base)), base)
    (into / "adapter" / "adapter_config.json").write_text('{"r": 8, "x": 1}')
    with pytest.raises(ValueError, match="is not whole"):
        adapter_words(profile, base)


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ("sys.exit('RuntimeError: [enforce fail] not enough memory')", "not enough memory"),
        ("import os; os.kill(os.getpid(), 9)", "as a full memory does"),
    ],
)
def test_a_training_that_fails_leaves_nothing_to_be_used(
    base: Path, taught: list[Example], tmp_path: Path, extra: str, words: str
):
    trainer(tmp_path, extra)
    into = base.with_name("toy-taught")
    with pytest.raises(Failed, match=words):
        teach(base, into, taught, Settings())
    assert list(base.parent.iterdir()) == [base]
    trainer(tmp_path)
    teach(base, into, taught, Settings())
    with pytest.raises(Refused, match="is there already"):
        teach(base, into, taught, Settings())


def test_a_disk_without_room_is_refused_before_training_and_merging(
    base: Path, taught: list[Example], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    teach(base, base.with_name("toy-taught"), taught, Settings())
    adapter = base.with_name("toy-taught") / "adapter"
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1))
    with pytest.raises(Refused, match="are needed: free some"):
        teach(base, base.with_name("again"), taught, Settings())
    with pytest.raises(Refused, match="are needed: free some"):
        merge(adapter, base.parent, "again")
    assert {path.name for path in base.parent.iterdir()} == {"toy", "toy-taught"}


def test_trainings_that_cannot_begin_are_refused(base: Path, taught: list[Example], tmp_path: Path):
    with pytest.raises(Refused, match="holds no model"):
        teach(tmp_path / "nothing", tmp_path / "into", taught, Settings())
    with pytest.raises(Refused, match="holds no model"):
        ask_held_out(tmp_path / "nothing", 1, 0, Asking())
    with pytest.raises(Refused, match="nothing to learn"):
        teach(base, tmp_path / "into", [], Settings())
    (base / "config.json").write_text("[]  ")
    with pytest.raises(Refused, match=r"config\.json has 4 bytes and should have 2"):
        teach(base, tmp_path / "into", taught, Settings())


@pytest.mark.parametrize("name", ["a/b", "../evil", "/tmp/evil", ".", "..", "", "a\nb", "x" * 250])
@pytest.mark.parametrize("what", ["train", "merge"])
def test_a_name_that_is_no_plain_one_is_refused_before_anything_is_made(
    base: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    what: str,
    name: str,
):
    monkeypatch.setattr(sys, "argv", ["x", what, str(base), f"--name={name}"])
    monkeypatch.setattr("nodes.llm.training.__main__.interrupted_once", lambda: None)
    assert training_main() == 2
    said = capfd.readouterr()
    assert "is no plain name of a folder" in said.err
    assert len(said.err.splitlines()) == 1
    assert said.out == ""
    assert list(base.parent.iterdir()) == [base]


def refusal(words: list[str], capfd: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> str:
    """The one sentence that `rlgpt llm` ends with, before it prints anything else."""
    patch.setattr(sys, "argv", ["x", *words])
    patch.setattr("nodes.llm.training.__main__.interrupted_once", lambda: None)
    assert training_main() == 2
    said = capfd.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert "Errno" not in said.err
    return said.err


def test_a_model_to_train_test_or_merge_that_is_not_there_is_refused(
    base: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").mkdir()
    (base / "adapter").mkdir()
    (base / "adapter" / "adapter_config.json").write_text("{}")
    for words, expected in [
        (["train", "nope"], f"looked for {tmp_path / 'nope'} and {base.parent / 'nope'}"),
        (["test", "nope"], f"looked for {tmp_path / 'nope'} and {base.parent / 'nope'}"),
        (["train", "file"], f"{tmp_path / 'file'} is a file: name a folder of weights"),
        (["train", "empty"], "holds no model (it has no config.json)"),
        (["train", "/"], "holds no model (it has no config.json)"),
        (["train", ""], "the name of the model is empty"),
        (["train", "smollm2_135m"], "`rlgpt llm get smollm2_135m` fetches them"),
        (["train", "qwen25_coder_0_5b_taught"], "`rlgpt llm get qwen25_coder_0_5b_taught`"),
        (["merge", "file"], f"{tmp_path / 'file'} is no adapter (it is a file)"),
        (["merge", "nope"], f"{tmp_path / 'nope'} is no adapter (there is no such folder)"),
        (["merge", str(base)], f"did you mean {base / 'adapter'}?"),
    ]:
        assert expected in refusal(words, capfd, monkeypatch)
    base.with_name("toy-taught").mkdir()
    assert "is there already" in refusal(["train", "toy"], capfd, monkeypatch)


def test_weights_in_the_folder_of_weights_are_found_by_their_name(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    assert weights_at("toy") == base
    (tmp_path / "toy").mkdir()  # it holds no model
    assert weights_at("toy") == base
    shutil.copy(base / "config.json", tmp_path / "toy")
    assert weights_at("toy") == tmp_path / "toy"
    monkeypatch.setenv("RLGPT_WEIGHTS", str(tmp_path / "other"))
    shutil.move(base, tmp_path / "other" / "again")
    assert weights_at("again") == tmp_path / "other" / "again"
