"""Tables of the pages that list what the code declares: parameters, timeouts, fields of files."""

import importlib
import re
from pathlib import Path
from typing import Any

import msgspec
import yaml

from messages.files import list_files
from messages.interface import LIMITED_BY_SERVER, Service
from nodes.config import flatten
from nodes.node import Node
from rlgpt.composing.composition import compose_launch
from rlgpt.composing.configuration import NodePlan
from rlgpt.composing.spec_file import SpecFile
from rlgpt.interfaces import declared, declared_nodes
from rlgpt.report.summary import QuestionSummary, Summary
from rlgpt.table.result import CellResult
from worlds.minecraft.card.language import LANGUAGE

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
NODES = ("planner", "slow_agent", "fast_agent", "critic", "learner", "llm", "env_server")


def rows(page: str, heading: str) -> list[list[str]]:
    """The cells of the first table after a line of a page that begins with ``heading``, its head
    left out."""
    text = (DOCS / page).read_text("utf-8")
    found = re.search(rf"^{re.escape(heading)}.*?\n((?:\|[^\n]*\n)+)", text, re.S | re.M)
    assert found is not None, f"{page} has no table after {heading}"
    lines = found[1].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def names(cell: str) -> list[str]:
    """The words of a cell that are in backticks, without what follows them in it: `iterations[]`
    is `iterations`."""
    return [re.sub(r"\W+$", "", word) for word in re.findall(r"`([^`]+)`", cell)]


def fields(struct: Any) -> set[str]:
    return {field.name for field in msgspec.structs.fields(struct)}


def node_class(name: str) -> type[Node]:
    module = importlib.import_module(f"nodes.{name}.{name}")
    (found,) = {
        each
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Node) and each.__module__ == module.__name__
    }
    return found


def test_the_tables_of_fields_have_those_of_the_files_and_no_others() -> None:
    for page, heading, struct in (
        ("run_folder.md", "## summary.json", Summary),
        ("tables.md", "### The file of a cell", CellResult),
        ("launching.md", "## Train without agents", SpecFile),
    ):
        listed = [name for first, *_ in rows(page, heading) for name in names(first)]
        assert len(listed) == len(set(listed)), page
        assert set(listed) == fields(struct), page


def test_the_row_of_questions_has_each_of_their_fields() -> None:
    listed = dict(rows("run_folder.md", "## summary.json"))
    assert fields(QuestionSummary) <= set(names(listed["`questions`"]))


def test_the_launch_page_shows_the_fields_of_a_node_with_their_defaults() -> None:
    text = (DOCS / "launching.md").read_text("utf-8")
    (block,) = re.findall(r"```yaml\nnodes:\n(.*?)```", text, flags=re.S)
    shown = msgspec.yaml.decode(block)["critic"]
    default = msgspec.to_builtins(NodePlan())
    assert shown["restart"] == default["restart"]
    assert shown["patience"] == default["patience"]
    assert shown.keys() <= default.keys()


def test_the_parameters_that_can_be_set_are_those_on_the_page() -> None:
    listed: dict[str, set[str]] = {name: set() for name in NODES}
    for who, what, _ in rows("debugging.md", "`rlgpt param list` marks as `live`"):
        for node in NODES if who == "every node" else who.split(", "):
            listed[node] |= {*names(what.partition(":")[0])}
    for node, found in listed.items():
        assert found == {*node_class(node).live, "log_level"}, node


def test_every_parameter_of_a_node_that_a_page_names_exists() -> None:
    composed = compose_launch("harvest_log", [])
    found = 0
    for page in PAGES:
        text = page.read_text("utf-8")
        for node, name in re.findall(r"\bnodes\.(\w+)\.parameters\.(\w+)", text):
            found += 1
            assert node not in NODES or name in fields(node_class(node).Parameters), (page, name)
        for name in re.findall(r"(?<![\w./-])learner\.(\w+)", text):
            found += 1
            assert name in fields(node_class("learner").Parameters), (page, name)
    assert found > 20
    assert {*flatten(composed["learner"])} <= fields(node_class("learner").Parameters)


def test_the_defaults_of_the_parameters_that_make_a_method_are_those_of_the_nodes() -> None:
    checked = 0
    for what, default, _ in rows("methods.md", "## Parameters that make them"):
        (name,) = re.findall(r"`([\w.]+)`", what)
        node, _, parameter = name.partition(".")
        if name in ("llm.rules", "llm.guards_by"):  # of a profile, not of the node
            continue
        (field,) = (
            each
            for each in msgspec.structs.fields(node_class(node).Parameters)
            if each.name == parameter
        )
        shown = yaml.safe_load(default)
        assert shown == msgspec.json.decode(msgspec.json.encode(field.default)), name
        checked += 1
    assert checked > 10


def test_the_helpers_on_the_page_are_those_that_programs_may_call() -> None:
    text = (DOCS / "programs.md").read_text("utf-8")
    found = re.search(r"^## Helpers\n(.*?)are functions in the checked", text, re.S | re.M)
    assert found is not None
    called = re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", found[1]))
    assert sorted(called) == sorted(LANGUAGE.helpers)


def test_the_timeouts_on_the_page_are_those_of_the_services() -> None:
    services = {
        name: each.timeout
        for node in declared_nodes()
        for name, each in {**declared(node), list_files(node).name: list_files(node)}.items()
        if isinstance(each, Service)
    }
    assert len(services) > 40
    listed: dict[str, float] = {}
    for what, time, _ in rows("deadlines.md", "A request whose caller has given up"):
        number, unit, *_ = time.split()
        seconds = float(number) * {"h": 3600.0, "s": 1.0}[unit]
        node = ""
        for word in names(what):
            owner, slash, name = word.rpartition("/")
            node = owner if slash else node
            for each in declared_nodes() if node == "<node>" else [node]:
                listed[f"{each}/{name}"] = seconds
    assert listed.keys() <= services.keys()
    default = Service("a/b", msgspec.Struct, msgspec.Struct).timeout
    for name, timeout in services.items():
        assert listed.get(name, default) == timeout, name
    assert LIMITED_BY_SERVER in listed.values()
