"""The pages as the site has them: copies, with the links between them kept.

The pages stay where they can be read without the site. What they link to and the site does not have
(a folder, a file of code) stands there as text.
"""

import os
import re
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_DOCS = ROOT / "docs"
_OWN = _DOCS / "site"
_ELSEWHERE = {
    "CONTRIBUTING.md": "project/contributing.md",
    "LOG.md": "project/log.md",
    "voxeldojo/README.md": "project/voxeldojo.md",
}
"""Pages that lie outside of docs/, and what they are in the site."""
_LINK = re.compile(r"(?P<text>!?\[[^\]]*\])\((?P<target>[^)\s]+)\)")
_FILE = re.compile(r"\[`?[\w/]+\.md`?\]")
_FENCE = re.compile(r"^(```+|~~~+).*?^\1[ ]*$", flags=re.M | re.S)


def places() -> dict[Path, str]:
    """Every file that the site has, and its path there."""
    found = {ROOT / name: place for name, place in _ELSEWHERE.items()}
    for path in sorted(_DOCS.rglob("*")):
        if not path.is_file() or _OWN in path.parents or "__pycache__" in path.parts:
            continue
        place = path.relative_to(_DOCS).as_posix()
        if path.suffix == ".mp4":
            place = f"extra/{place}"  # copied beside the pages as it is
        found[path] = "pages.md" if place == "README.md" else place
    for path in sorted((ROOT / "results" / "tables").glob("*")):
        if path.suffix in (".md", ".svg"):
            found[path] = f"results/{path.name}"
    found[_OWN / "index.md"] = "index.md"
    found[_OWN / "conf.py"] = "conf.py"
    found[_OWN / "site.css"] = "static/site.css"
    return found


def stage(source: Path) -> None:
    """Copy them to ``source``, which is emptied."""
    shutil.rmtree(source, ignore_errors=True)
    known = places()
    for path, place in known.items():
        target = source / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            target.write_text(_relinked(path, place, known), "utf-8")
        else:
            shutil.copyfile(path, target)


def _relinked(path: Path, place: str, known: dict[Path, str]) -> str:
    """The page with its links as they are in the site."""

    def relinked(match: re.Match[str]) -> str:
        text, target = match["text"], match["target"]
        file, _, anchor = target.partition("#")
        if "://" in target or not file:
            return match[0]
        there = known.get((path.parent / file).resolve())
        if there is None:
            return text.strip("![]")
        relative = os.path.relpath(there, Path(place).parent)
        if _FILE.fullmatch(text):
            text = "[]"  # the page's own title, or the heading's
        return f"{text}({relative}{'#' + anchor if anchor else ''})"

    parts: list[str] = []
    end = 0
    whole = path.read_text("utf-8")
    for fence in _FENCE.finditer(whole):
        parts += [_LINK.sub(relinked, whole[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, _LINK.sub(relinked, whole[end:])])
