"""Lessons, toy weights that a script trains, and the llm node beside a server of the test's."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from nodes.llm import manifest
from nodes.llm.examples.example import Example
from nodes.llm.lessons.lessons import lessons
from nodes.llm.training.teach import Settings, teach
from tests.llm.scripted_server import Setting
from tests.llm.toy_training import COUNTS, safetensors, trainer


@pytest.fixture
def setting(run_folder: Path) -> Iterator[Setting]:
    """A run folder with the llm node, asked by a bus."""
    setting = Setting(run_folder)
    yield setting
    setting.close()


@pytest.fixture(scope="module")
def taught() -> list[Example]:
    return lessons(COUNTS, seed=3)


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of weights, in a folder to launch from with an environment."""
    monkeypatch.chdir(tmp_path)
    trainer(tmp_path)
    folder = tmp_path / "weights" / "toy"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "tokenizer.json").write_text("{}")
    (folder / "chat_template.jinja").write_text("{{ messages }}")
    (folder / "model.safetensors").write_bytes(safetensors("base"))
    told = manifest.Manifest(
        model="a/toy", licence="MIT", source="x", source_sha256="", files=manifest.described(folder)
    )
    (folder / manifest.NAME).write_bytes(msgspec.json.encode(told))
    return folder


@pytest.fixture
def adapter(base: Path, taught: list[Example], tmp_path: Path) -> Path:
    """An adapter for `base`, without the weights that it was merged into."""
    teach(base, base.with_name("toy-taught"), taught, Settings())
    place = tmp_path / "adapter"
    (base.with_name("toy-taught") / "adapter").rename(place)
    shutil.rmtree(base.with_name("toy-taught"))
    return place
