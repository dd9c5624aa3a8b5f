"""The pages of docs/ name each other and what there is."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
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


def test_every_page_is_in_the_list() -> None:
    listed = (ROOT / "docs" / "README.md").read_text("utf-8")
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert pages == {name for name in pages if f"({name})" in listed}
