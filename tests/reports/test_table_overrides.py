"""Overrides of a table's cells: where a model is, and limits, whichever way they are written."""

from pathlib import Path

import pytest
import yaml

from rlgpt.table.cells import Cell, expand
from rlgpt.table.result import differences
from tests.launch_toys.launched import failed, refused, rlgpt
from tests.launching.toy_table import TABLE, make_toy_table
from tests.reports.test_table_figures import cell, definition


@pytest.mark.parametrize("sign", ["", "+", "++"])
def test_where_a_model_is_makes_no_other_cell_and_is_not_passed_to_the_rulebook(sign: str) -> None:
    override = f"{sign}llm.context=4096"
    small = "qwen25_coder_0_5b"
    cells = expand(definition(llms=["rulebook", small]), [override], lambda _: False)
    found = {each.llm: each for each in cells if each.seed == 0}
    assert override not in found["rulebook"].arguments
    assert override in found[small].arguments
    overrides = [each for each in found[small].overrides if each != override]
    assert differences(found[small], cell(0, 3, limits={}, overrides=overrides)) == ""


@pytest.mark.parametrize("sign", ["", "++"])  # `+` adds a key, and the limits are there
def test_limits_of_the_command_line_replace_those_of_the_table_and_of_a_method(sign: str) -> None:
    table = definition(samples={"stick": 2_000_000}, limits_of={"rlgpt": {"iterations": 2}})
    extra = [f"{sign}limits.samples=500000", f"{sign}limits.iterations=3"]
    cells = expand(table, extra)
    assert {each.limits["samples"] for each in cells} == {500_000}
    assert {each.limits["iterations"] for each in cells} == {3}
    assert all("limits." not in override for each in cells for override in each.overrides)


def test_other_overrides_make_another_cell() -> None:
    asked = Cell(
        launch="cell", task="stick", method="rlgpt", llm="rulebook", seed=0, limits={},
        overrides=["+llms.a=1"],
    )  # fmt: skip
    assert differences(asked, cell(0, 3, limits={}, overrides=[])) == "+llms.a=1 is new"


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A place with a table of three models and the rulebook, none of which can be used here as it
    is but the rulebook."""
    make_toy_table(tmp_path)
    llms = ["rulebook", "qwen3_8b", "openai", "replay"]
    table = {**TABLE, "by": "llm", "methods": ["fine"], "llms": llms}
    (tmp_path / "launch" / "table" / "toys.yaml").write_text(yaml.safe_dump(table))
    return tmp_path


@pytest.mark.parametrize(
    ("only", "overrides", "why"),
    [
        ("qwen3_8b", ["llm.contxt=4096"], "llm=qwen3_8b: `llm.contxt=4096`: there is no"),
        ("openai", ["llm.url=htp://x", "llm.model=y"], "llm=openai: llm.url must start with"),
        ("rulebook,qwen3_8b,openai,replay", ["llm.contxt=1"], "llm=openai: `llm.contxt=1`: there"),
    ],
)
def test_an_override_that_no_model_takes_is_refused(
    models: Path, only: str, overrides: list[str], why: str
) -> None:
    assert why in refused("table", "toys", "--only", f"llm={only}", *overrides, cwd=models)
    assert not (models / "runs").exists()


def test_an_override_for_models_is_refused_where_only_cells_of_the_rulebook_are_chosen(
    models: Path,
) -> None:
    override = "llm.context=4096"
    sentence = refused("table", "toys", "--only", "llm=rulebook", override, cwd=models)
    assert f"`{override}` is for language models, and these cells are the rulebook's" in sentence
    assert not (models / "results").exists()


def test_a_table_of_which_every_named_model_is_left_out_has_failed(models: Path) -> None:
    sentence = failed("table", "toys", "--only", "llm=qwen3_8b,replay", cwd=models, code=1)
    assert "none of the models that --only names can be used here: llm=qwen3_8b: " in sentence
    assert "llm=replay: `llm.transcript` has to be given" in sentence
    assert not (models / "runs").exists()
    # An override that one of them takes is no mistake, and some are meant for others.
    takes = ("table", "toys", "llm.context=4096")
    assert rlgpt(*takes, "--only", "llm=qwen3_8b,openai", cwd=models).returncode == 1
    done = rlgpt(*takes, cwd=models)
    assert done.returncode == 0, done
    assert "left out: llm=openai: `llm.context=4096`: there is no" in done.stdout
    assert (models / "results/log/fine/seed-0.json").is_file()
