"""The pages of docs/ name each other and what there is."""

import re
import shlex
from pathlib import Path

from rlgpt.composing.composition import compose_launch
from tests.project.doc_pages import PAGES, ROOT
from voxeldojo.rules.tables import BIOMES
from voxeldojo.tasks import task_ids

COMMAND = re.compile(r"(?:^ *|`)rlgpt ((?:launch|world) [^`\n]*)", flags=re.M)
PLACEHOLDERS = {"world=quarry", "path/to/mine.yaml", "mine", "far", "TASK", "PROFILE"}
LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]+))?\)")


def anchors(page: Path) -> set[str]:
    text = re.sub(r"^(```+).*?^\1", "", page.read_text("utf-8"), flags=re.S | re.M)
    headings = re.findall(r"^#+ (.*)$", text, flags=re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def broken(page: Path) -> list[str]:
    found = []
    for path, anchor in LINK.findall(page.read_text("utf-8")):
        if path.startswith(("http://", "https://")):
            continue
        target = page.parent / path if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            found.append(f"{page.relative_to(ROOT)}: {path}#{anchor}")
    return found


def test_every_link_between_pages_leads_somewhere() -> None:
    assert [link for page in PAGES for link in broken(page)] == []


def test_docs_readme_lists_every_page() -> None:
    listed = (ROOT / "docs" / "README.md").read_text("utf-8")
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert pages == {name for name in pages if f"({name})" in listed}


def commands() -> set[str]:
    """The launches and the commands about the world on the pages."""
    texts = [page.read_text("utf-8").replace("\\\n", " ") for page in PAGES]
    return {match for text in texts for match in COMMAND.findall(text)}


def test_every_launch_on_the_pages_can_be_composed() -> None:
    found = 0
    for command in commands():
        what, *words = shlex.split(command.split(" | ")[0], comments=True)
        if what != "launch" or not words or PLACEHOLDERS.intersection(words):
            continue
        if words == ["--list"]:
            continue
        name, *rest = words
        compose_launch(name, [word for word in rest if not word.startswith("-")])
        found += 1
    assert found > 9


def test_every_task_in_a_command_on_the_pages_exists() -> None:
    there = {*task_ids(), *(biome.name for biome in BIOMES), *PLACEHOLDERS}
    found = [
        word
        for command in commands()
        for word in re.findall(r"^world (?:view|play|demonstrate|coverage --why) ([\w:]+)", command)
    ]
    assert len(found) > 4
    assert [word for word in found if word not in there] == []
