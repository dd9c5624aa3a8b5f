"""Comments, docstrings, identifiers, pages and launch files keep to docs/glossary.md: words of its
list "Words that are not used" are found wherever a search can tell that they are meant.

Words with a second meaning (`say`, `told`, `line`, `life`, `room`, `is gone`) cannot be searched.
Not searched are prompts and what is read in them (rules, stock programs): trained weights know
them. Nor are voxeldojo/engine and voxeldojo/rules, as an edit there compiles the world again.
"""

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from tests.project.doc_pages import PAGES
from tests.project.test_lengths import CODE

ROOT = Path(__file__).resolve().parents[2]
WORDS = re.compile(
    r"""(?<![a-z])(?:
    mend(?:s|ed|ing|able)? | anew | afresh | wish(?:es|ed|ing)? | doorkeepers? | keepers? |
    inmates? | mishaps? | wilful(?:ly)? | audiences? | whoever | somebody | nobody | anyone |
    doors? | (?:will|would)\s+not\s+do(?!\s+so) | lets?\s+in | (?:became|become|came)\s+of |
    turned\s+away | otherwise\s+than | (?:is|are|was|were)\s+away
    )(?![a-z])""",
    re.IGNORECASE | re.VERBOSE,
)
UNSEARCHED = (
    "docs/glossary.md",  # the list itself
    "docs/prompts.md",  # prompts
    "docs/examples/train/",  # programs
    "nodes/llm/rulebook/",  # its texts are answers
    "tests/project/test_glossary.py",
    "voxeldojo/engine/",
    "voxeldojo/rules/",
)
UNSEARCHED_NAMES = re.compile(r"worlds/\w+/card/(?:programs|guards|helpers|prompts|rules)/")
ALLOWED = {
    "docs/world.md": ("door", "a block of the game"),
    "tests/voxel_world/test_body.py": ("door", "a block of the game"),
    "tests/voxel_world/test_hands.py": ("door", "a block of the game"),
    "tests/voxel_world/test_motion_falling.py": ("door", "a block of the game"),
}
"""By file, a word that stands for something else there, and what."""


def searched(root: Path) -> Iterator[Path]:
    for folder in (*CODE, "docs"):
        yield from sorted((root / folder).rglob("*.py"))
    yield from (page for page in PAGES if page.is_relative_to(root))
    yield from sorted((root / "launch").rglob("*.yaml"))
    yield from sorted((root / "docs" / "site").glob("*.yaml"))
    yield from sorted((root / "rlgpt").rglob("*.jinja"))
    yield from sorted((root / "rlgpt" / "dash" / "static").glob("*.js"))
    yield from sorted((root / "rlgpt" / "dash" / "static" / "panels").glob("*.js"))
    yield from (path for path in (root / "Makefile",) if path.exists())


def words_of(path: Path, strings: bool) -> Iterator[tuple[int, str]]:
    """The words of a file that are not used, each with its line. Of Python those of comments, names
    and docstrings, and of all ``strings``."""
    text = path.read_text("utf-8")
    if not WORDS.search(text):
        return
    for number, piece in _pieces(text, strings) if path.suffix == ".py" else [(1, text)]:
        for match in WORDS.finditer(piece):
            yield number + piece.count("\n", 0, match.start()), " ".join(match[0].split())


def _pieces(text: str, strings: bool) -> Iterator[tuple[int, str]]:
    begins = True  # whether the next token begins a statement: a string is then a docstring
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_docstring = token.type == tokenize.STRING and (strings or begins)
        if is_docstring or token.type in (tokenize.COMMENT, tokenize.NAME):
            yield token.start[0], token.string
        if token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
            begins = True
        elif token.type not in (tokenize.COMMENT, tokenize.NL):
            begins = False


def unused_words(root: Path) -> list[str]:
    found: list[str] = []
    for path in searched(root):
        name = path.relative_to(root).as_posix()
        if name.startswith(UNSEARCHED) or UNSEARCHED_NAMES.match(name):
            continue
        allowed = ALLOWED.get(name, ("", ""))[0]
        for number, word in words_of(path, strings=name.startswith("rlgpt/")):
            if not allowed or allowed not in word.lower():
                found.append(f"{name}:{number}: {word}")
    return found


def test_words_that_are_not_used_are_not_used() -> None:
    assert unused_words(ROOT) == []


def test_words_that_are_not_used_are_found(tmp_path: Path) -> None:
    code = '''"""Nobody waits
for what became
of it."""

def how_to_mend(wish):
    """It is recommended: the wishbone."""
    text = "nobody"  # somebody
    return text
'''
    for folder in ("nodes", "rlgpt", "launch", "docs", "voxeldojo/engine"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("nodes/a.py", "rlgpt/b.py", "voxeldojo/engine/c.py"):
        (tmp_path / name).write_text(code)
    (tmp_path / "launch" / "d.yaml").write_text("a: 1 # begun\nb: 2 # anew\n")
    (tmp_path / "Makefile").write_text("# it will\n# not: it\nx:  # would not do so\n")
    found = ["1: Nobody", "2: became of", "5: mend", "5: wish", "7: somebody"]
    assert unused_words(tmp_path) == [
        *(f"nodes/a.py:{each}" for each in found),
        *(f"rlgpt/b.py:{each}" for each in [*found[:4], "7: nobody", found[4]]),
        "launch/d.yaml:2: anew",
    ]


def test_each_exception_is_needed() -> None:
    for name, (word, _reason) in ALLOWED.items():
        path = ROOT / name
        assert any(word in found.lower() for _, found in words_of(path, strings=False)), name
