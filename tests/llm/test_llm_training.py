"""What a model is taught with, and what becomes of a training.

The program that trains needs the vLLM environment (`make test-llm` runs it); here a script stands
for its Python, and the figures are of answers that are written in the test.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from messages.chat import (
    DecomposeAnswer,
    DecomposeQuestion,
    PlanQuestion,
    ProgramAnswer,
    ProgramQuestion,
)
from messages.world import Condition
from nodes.common.checks.answer_check import answer_problems
from nodes.common.questions.asking import render
from nodes.llm import manifest
from nodes.llm.examples.example import Example, question_of
from nodes.llm.getting.merging import merge
from nodes.llm.getting.refusals import Failed, Refused
from nodes.llm.getting.weight_places import weights_at
from nodes.llm.lessons.lessons import HELD_OUT, lessons, questions, split
from nodes.llm.lessons.taught import KINDS
from nodes.llm.lessons.taught import taught as lessons_about
from nodes.llm.profiles import Vllm
from nodes.llm.training.__main__ import main as training_main
from nodes.llm.training.recorded_examples import recorded
from nodes.llm.training.teach import Settings, teach
from nodes.llm.training.trial import Figures, judged, trial
from nodes.llm.vllm.adapter import adapter_words, served_name, version
from nodes.llm.vllm.vllm_command import command_line
from tests.bus_processes import ROOT

COUNTS = dict.fromkeys(KINDS, 30)
TRAINS = """#!{python}
import json, shutil, sys
from pathlib import Path
settings = json.loads(Path(sys.argv[-1]).read_text())
if sys.argv[-2].endswith("merge_adapter.py"):
    assert (Path(settings["adapter"]) / "adapter_config.json").is_file()
    (Path(settings["into"]) / "config.json").write_text('{{"merged": 1}}')
    shutil.copy(Path(settings["base"], "model.safetensors"), settings["into"])
    {extra}
    sys.exit()
lines = Path(settings["examples"]).read_text().splitlines()
assert set(json.loads(lines[0])) >= {{"kind", "system", "user", "answer"}}
print(json.dumps(dict(step=1, of=1, kind="x", loss=0.5, tokens=9, seconds=1, cpu=1)), flush=True)
{extra}
into = Path(settings["into"])
(into / "adapter").mkdir()
(into / "adapter" / "adapter_config.json").write_text('{{"r": 12}}')
(into / "config.json").write_text('{{"trained": 1}}')
header = b'{{"__metadata__":{{"of":"trained"}}}}'
(into / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
"""


def safetensors(of: str) -> bytes:
    """A file of the format without a tensor."""
    header = json.dumps({"__metadata__": {"of": of}}).encode()
    return len(header).to_bytes(8, "little") + header


@pytest.fixture(scope="module")
def taught() -> list[Example]:
    return lessons(COUNTS, seed=3)


def test_every_lesson_is_an_answer_that_its_agent_takes(taught: list[Example]):
    assert {kind: sum(e.kind == kind for e in taught) for kind in KINDS} == COUNTS
    types = {"PlanQuestion": PlanQuestion, "DecomposeQuestion": DecomposeQuestion}
    for each in taught:
        if each.kind in types:
            question = msgspec.json.decode(each.question, type=types[each.kind])
            assert answer_problems(question, each.answer) == []
    plan = next(each for each in taught if each.kind == "PlanQuestion")
    question = msgspec.json.decode(plan.question, type=PlanQuestion)
    # It is asked in the words in which it is asked in a run.
    assert render(ROOT / "nodes" / "planner" / "prompts", question)[1].content == plan.user
    assert answer_problems(question, '{"subtasks": []}')


def test_other_families_are_taught_without_what_leads_to_a_goal_of_the_papers_tables():
    about, held = split()
    assert {goal.kind for goal in about} == {"have", "killed", "placed", "used"}
    assert not HELD_OUT & {goal.name for goal in about}
    others = {goal.name for goal in about if goal.kind != "have"}
    assert not others & {"cow", "sheep", "shears", "bucket"}
    assert {goal.kind for goal in held} == {"have", "nearby"}


def test_lessons_are_distinct_cover_many_goals_and_repeat_for_the_same_seed(taught: list[Example]):
    assert len({each.user for each in taught}) > 0.95 * len(taught)
    assert len({each.goal for each in taught}) > 25
    assert lessons(COUNTS, seed=3) == taught
    decompositions = [each.user for each in taught if each.kind == "DecomposeQuestion"]
    assert any("Iteration 0" in user for user in decompositions)  # what failed is changed
    assert any("None: this is the first" in user for user in decompositions)


def test_what_failed_is_never_taught_to_be_done_again():
    """The rules have one way to use an item, and none after it: of that the first try is taught."""
    chance = random.Random(0)
    again: set[str] = set()
    for goal in (Condition(kind="used", name="stone_axe"), Condition(kind="have", name="log")):
        for each in lessons_about("DecomposeQuestion", goal, chance, 20):
            question = question_of(each)
            assert isinstance(question, DecomposeQuestion)
            if question.history:
                answer = msgspec.json.decode(each.answer, type=DecomposeAnswer)
                tried = [line.sub_action for line in question.history[-1].lines]
                assert answer.sub_actions != tried
                again.add(question.subtask.success.kind)
    assert again == {"have"}


def test_held_out_answers_are_never_trained_on(taught: list[Example]):
    learned, held = split()
    assert {goal.name for goal in held} > HELD_OUT
    assert not {goal.name for goal in held} & {goal.name for goal in learned}
    asked = {each.goal for each in questions({"PlanQuestion": 20}, seed=3)}
    another = lessons({"PlanQuestion": 60}, seed=4)  # a second training, with a seed of its own
    assert not asked & {each.goal for each in [*taught, *another]}


def test_figures_count_valid_accepted_and_same_answers_apart(capsys: pytest.CaptureFixture[str]):
    examples = questions({"PlanQuestion": 4}, seed=0)
    another = json.loads(examples[2].answer)
    another["thoughts"] = "In other words."
    empty = json.dumps({"thoughts": "", "subtasks": []})
    texts = ["prose", empty, json.dumps(another), f"```json\n{examples[3].answer}\n```"]
    answers = dict(zip((each.user for each in examples), texts, strict=True))
    found = judged(examples, lambda example: answers[example.user])
    refused = found["PlanQuestion"].refused
    assert found == {"PlanQuestion": Figures(4, valid=3, accepted=2, same=2, refused=refused)}
    assert [line.partition(":")[0] for line in refused] == [each.goal for each in examples[:2]]
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[-1] for line in lines] == ["refused", "refused", "accepted", "accepted"]
    assert f"question 2 of 4, PlanQuestion for {examples[1].goal}:" in lines[1]


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of weights, in a folder to launch from with an environment."""
    monkeypatch.chdir(tmp_path)
    trainer(tmp_path)
    folder = tmp_path / "weights" / "toy"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "tokenizer.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(safetensors("base"))
    told = manifest.Manifest(
        model="a/toy", licence="MIT", source="x", source_sha256="", files=manifest.described(folder)
    )
    (folder / manifest.NAME).write_bytes(msgspec.json.encode(told))
    return folder


def trainer(folder: Path, extra: str = "") -> None:
    python = folder / ".venv-vllm" / "bin" / "python"
    python.parent.mkdir(parents=True, exist_ok=True)
    python.write_text(TRAINS.format(python=sys.executable, extra=extra))
    python.chmod(0o755)
    (folder / ".venv-vllm" / ".done").touch()


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
    assert words[at + 1 : at + 4] == ["--max-lora-rank", "16", "--lora-modules"]
    assert words[at + 4] == f"{served_name(profile)}={into / 'adapter'}"
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
        trial(tmp_path / "nothing", 1, 0)
    with pytest.raises(Refused, match="nothing to learn"):
        teach(base, tmp_path / "into", [], Settings())
    (base / "config.json").write_text("[]  ")
    with pytest.raises(Refused, match=r"config\.json has 4 bytes and should have 2"):
        teach(base, tmp_path / "into", taught, Settings())


def test_an_adapter_is_merged_into_the_weights_that_it_is_for(
    base: Path, taught: list[Example], tmp_path: Path
):
    teach(base, base.with_name("toy-taught"), taught, Settings())
    adapter = tmp_path / "adapter"
    (base.with_name("toy-taught") / "adapter").rename(adapter)
    trainer(tmp_path, "sys.exit('OSError: no space left on device')")
    with pytest.raises(Failed, match="the merging failed: OSError: no space left"):
        merge(adapter, base.parent, "again")
    trainer(tmp_path)
    into = merge(adapter, base.parent, "again")
    assert {path.name for path in base.parent.iterdir()} == {"toy", "toy-taught", "again"}
    merged, small = manifest.read(into), manifest.read(adapter)
    assert merged is not None
    assert small is not None
    assert merged.trained == small.digest
    assert manifest.missing(into, merged, thorough=True) == ""
    with pytest.raises(Refused, match="is there already"):
        merge(adapter, base.parent, "again")
    with pytest.raises(Refused, match="is for toy, whose weights are not in"):
        merge(adapter, tmp_path / "elsewhere", None)
    with pytest.raises(Refused, match="holds no adapter"):
        merge(tmp_path, base.parent, "other")
    (adapter / "adapter_config.json").write_text('{"r": 8}')
    with pytest.raises(Refused, match="is not whole"):
        merge(adapter, base.parent, "other")


def test_an_adapter_is_merged_into_a_base_from_elsewhere(
    base: Path, taught: list[Example], tmp_path: Path
):
    """As Hugging Face has them, without a manifest: training takes such a folder as well."""
    (base / manifest.NAME).unlink()
    teach(base, base.with_name("toy-taught"), taught, Settings())
    adapter = tmp_path / "adapter"
    (base.with_name("toy-taught") / "adapter").rename(adapter)
    other = base.with_name("another")
    shutil.copytree(base, other)
    (other / "model.safetensors").write_bytes(safetensors("other"))
    into = merge(adapter, base.parent, "again")
    merged = manifest.read(into)
    assert merged is not None
    assert merged.source == "toy"
    shutil.rmtree(base)
    with pytest.raises(Refused, match="is for toy, whose weights are not in"):
        merge(adapter, base.parent, "more")


@pytest.fixture
def adapter(base: Path, taught: list[Example], tmp_path: Path) -> Path:
    """An adapter for `base`, without the weights that it was merged into."""
    teach(base, base.with_name("toy-taught"), taught, Settings())
    place = tmp_path / "adapter"
    (base.with_name("toy-taught") / "adapter").rename(place)
    shutil.rmtree(base.with_name("toy-taught"))
    return place


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


def test_what_is_to_be_trained_tested_or_merged_and_is_not_there_is_refused_with_the_places(
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


def test_a_broken_copy_of_the_base_is_passed_over_for_a_whole_one(base: Path, adapter: Path):
    broken, unreadable = base.with_name("a-copy"), base.with_name("b-copy")
    for copy in (broken, unreadable):
        shutil.copytree(base, copy)
    (broken / "model.safetensors").write_bytes(safetensors("BASE"))  # as many bytes
    (unreadable / manifest.NAME).write_text("{")
    assert merge(adapter, base.parent, "first").name == "first"
    (base / "config.json").unlink()
    with pytest.raises(
        Refused, match=r"no whole weights .*a-copy \(model\.safetensors was changed"
    ):
        merge(adapter, base.parent, "second")
    shutil.rmtree(broken)
    (base / manifest.NAME).write_text("{")
    with pytest.raises(Refused, match=r"no whole weights .*toy \(.*rlgpt\.json cannot be read"):
        merge(adapter, base.parent, "second")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_merging_that_is_interrupted_leaves_nothing(
    base: Path, adapter: Path, tmp_path: Path, number: int
):
    """Also where only the command is told to end, and where it is told twice."""
    trainer(tmp_path, "import time; Path('merging').touch(); time.sleep(60)")
    words = [sys.executable, "-m", "rlgpt.main", "llm", "merge", str(adapter)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while not (tmp_path / "merging").exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(number)
        process.send_signal(number)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in said
    assert list(base.parent.iterdir()) == [base]


def run_folder(path: Path, example: Example, success: bool) -> Path:
    """A run whose planner was refused once and then answered well."""
    (path / "llm").mkdir(parents=True)
    (path / "summary.json").write_text(json.dumps({"success": success}))
    lines: list[str] = []
    for number, answer in enumerate(['{"subtasks": []}', example.answer]):
        entry = {
            "time": 0.0,
            "agent": "planner",
            "asked": "PlanQuestion",
            "question": msgspec.json.decode(example.question),
            "prompt": [],
            "schema": {},
            "answered": {
                "type": "Answered",
                "id": f"goal/plan-{number}",
                "answer": answer,
                "model": "strong",
            },
        }
        lines.append(json.dumps(entry) + "\n")
    (path / "llm" / "transcript.jsonl").write_text("".join(lines))
    return path


def test_the_last_answers_of_a_successful_run_are_trained_on(taught: list[Example], tmp_path: Path):
    known = next(each for each in taught if each.kind == "PlanQuestion")
    [found] = recorded(run_folder(tmp_path / "good", known, success=True))
    assert (found.user, found.answer, found.source) == (known.user, known.answer, "strong")
    with pytest.raises(Refused, match="did not reach its goal"):
        recorded(run_folder(tmp_path / "bad", known, success=False))
    with pytest.raises(Refused, match="is no run that can be learned from"):
        recorded(tmp_path / "none")


def test_refused_answers_are_taught_with_the_repaired_one(taught: list[Example]):
    """As the agent would ask again: with the answer and every reason."""
    for kind in ("PlanQuestion", "DecomposeQuestion"):
        said = "Your last answer cannot be used"
        again = [each for each in taught if each.kind == kind and said in each.user]
        assert len(again) >= 4
        for each in again:
            question = question_of(each)
            assert isinstance(question, PlanQuestion | DecomposeQuestion)
            steps = "subtasks" if isinstance(question, PlanQuestion) else "sub_actions"
            refused = msgspec.json.encode({steps: question.refused}).decode()
            assert answer_problems(question, refused) == question.problems
            assert answer_problems(question, each.answer) == []


def test_a_share_of_the_plans_states_quantities():
    asked = [question_of(each) for each in lessons({"PlanQuestion": 60}, seed=5, quantities=0.5)]
    stated = sum(isinstance(each, PlanQuestion) and each.quantities for each in asked)
    assert 15 <= stated <= 45


def test_programs_that_fell_short_are_followed_by_another_one():
    """In the iteration in which they were tried, or in the one after it."""
    now, before = 0, 0
    for each in lessons({"ProgramQuestion": 300}, seed=5):
        question = question_of(each)
        assert isinstance(question, ProgramQuestion)
        tried = [attempt.source for attempt in question.attempts if not attempt.problems]
        earlier = [note.program.source for note in question.tried if note.program is not None]
        source = msgspec.json.decode(each.answer, type=ProgramAnswer).source
        assert source not in tried + earlier
        now, before = now + bool(tried), before + bool(earlier)
    assert now > 10
    assert before > 3
