"""What becomes of an adapter: merged into its base, or trained further."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nodes.llm import manifest
from nodes.llm.examples.example import Example
from nodes.llm.getting.merging import merge
from nodes.llm.getting.refusals import Failed, Refused
from nodes.llm.training.teach import Settings, teach
from tests.bus_processes import ROOT
from tests.llm.toy_training import safetensors, trainer


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


def test_a_training_goes_on_from_an_adapter_for_these_weights_and_from_no_other(
    base: Path, adapter: Path, taught: list[Example], tmp_path: Path
):
    on = Settings(adapter=str(adapter))
    teach(base, base.with_name("further"), taught, on)
    assert manifest.read(base.with_name("further") / "adapter") is not None
    other = base.with_name("other")
    shutil.copytree(base, other)
    (other / manifest.NAME).unlink()
    (other / "model.safetensors").write_bytes(safetensors("other"))
    with pytest.raises(
        Refused, match=rf"{adapter} is for toy, version \w+, not for the weights in"
    ):
        teach(other, tmp_path / "into", taught, on)
    (adapter / "adapter_config.json").unlink()
    with pytest.raises(Refused, match="is not whole"):
        teach(base, tmp_path / "into", taught, on)
    with pytest.raises(Refused, match="is no adapter"):
        teach(base, tmp_path / "into", taught, Settings(adapter=str(tmp_path / "nothing")))
    assert not (tmp_path / "into").exists()


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
