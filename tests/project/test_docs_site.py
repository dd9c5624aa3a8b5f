"""The site of the docs: its reference is complete, its pages build without a warning, and every
command line on the pages is one that there is."""

import argparse
import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import av
import numpy as np
import pytest
import yaml

from docs.site import api_page, commands_page, gallery_films, launch_page, messages_page
from docs.site.gallery_films import smaller
from docs.site.staged_pages import ROOT, places
from rlgpt.command_line import command_parser
from rlgpt.interfaces import message_types
from tests.project.doc_pages import PAGES

PYTHON = ROOT / ".venv-docs" / "bin" / "python"
PROCESSES = {"rlgpt session", "rlgpt checker"}
"""What `ps` shows jailed workers as, which are no commands."""
NUMBERS = re.compile(r"invalid (?:int|float) value: '[A-Z]+'")


# ---- the reference is made from the code


def test_every_command_is_in_the_reference_with_its_options_and_an_example() -> None:
    page = commands_page.page()
    every = list(commands_page.commands(command_parser()))
    assert len(every) > 40
    for name, parser, _ in every:
        section = page.split(f"\n## {name}\n", 1)[1].split("\n## ", 1)[0]
        for action in parser._actions:
            if isinstance(action, argparse._HelpAction) or action.help == argparse.SUPPRESS:
                continue
            for option in action.option_strings:
                assert f"{option}" in section, (name, option)


def test_every_message_and_endpoint_is_in_the_reference() -> None:
    page = messages_page.page()
    for name, (kind, _) in message_types().items():
        section = page.split(f"### {name}\n", 1)[1].split("\n### ", 1)[0]
        for field in kind.__struct_fields__:
            assert f"| `{field}` |" in section, (name, field)
    declared = [each for found in messages_page.endpoints().values() for each in found]
    assert len(declared) > 25
    for each in declared:
        assert f"| `{each.name}` |" in page


def test_a_field_is_explained_by_the_comment_beside_it() -> None:
    page = messages_page.page()
    section = page.split("### Progress\n", 1)[1].split("\n### ", 1)[0]
    assert "| `samples` | `int` |  | primitive steps that trained the policy so far |" in section


def test_every_launch_key_is_in_the_reference() -> None:
    page = launch_page.page()
    for name in launch_page.FILES:
        section = page.rpartition(f"### {name}\n")[2].split("\n### ", 1)[0]
        for key in launch_page.keys(name):
            assert f"| `{key}` |" in section, (name, key)
    files = [ROOT / "launch" / f"{name}.yaml" for name in launch_page.FILES]
    written = [key for file in files for key in yaml.safe_load(file.read_text("utf-8"))]
    top = {key.partition(".")[0] for key in written} - {"defaults", "prompt"}
    stack = page.split("## The whole file\n", 1)[1].split("\n### ", 1)[0]
    assert top
    for key in top:
        assert f"| `{key}` |" in stack, key
    for name in launch_page.NODES:
        section = page.split(f"### nodes.{name}.parameters\n", 1)[1].split("\n### ", 1)[0]
        for field in launch_page.node_class(name).Parameters.__struct_fields__:
            assert f"| `{field}` |" in section, (name, field)


def test_the_python_reference_names_modules_that_can_be_imported() -> None:
    page = api_page.page()
    for modules in api_page.MODULES.values():
        for module in modules:
            assert f".. automodule:: {module}\n" in page
            assert (ROOT / module.replace(".", "/")).with_suffix(".py").exists() or (
                ROOT / module.replace(".", "/") / "__init__.py"
            ).exists()


# ---- what the pages show can be typed


def command_lines(page: Path) -> list[str]:
    """The lines of code blocks that begin with ``rlgpt``, without comments and output."""
    text = page.read_text("utf-8").replace("\\\n", " ")
    fenced = re.findall(r"^```(?:sh|console|bash)?\n(.*?)^```", text, flags=re.S | re.M)
    indented = re.findall(r"(?:^(?: {4}|\t).*\n?)+", text, flags=re.M)
    found = []
    for block in [*fenced, *indented]:
        for line in block.splitlines():
            line = line.strip().removeprefix("$ ")
            if re.match(r"rlgpt [a-z]", line):
                # Behind two spaces a column of explanations may follow.
                found.append(re.split(r"\s{2,}(?![-+~\w.]*=)|\s#\s", line)[0])
    return found


def typed(line: str) -> list[str]:
    words = shlex.split(re.split(r" \| | [<>&]", line)[0], comments=True)
    return words[1:]


def complaint(words: list[str]) -> str:
    """Why a command line cannot be parsed; empty if it can."""
    said: list[str] = []
    parser = command_parser()

    def refuse(message: str) -> None:
        said.append(message)
        raise SystemExit(2)

    left = [parser]
    while left:
        each = left.pop()
        each.error = refuse  # type: ignore[method-assign,assignment]
        for action in each._actions:
            if isinstance(action, argparse._SubParsersAction):
                left += action.choices.values()
    try:
        given, more = parser.parse_known_args(words)
    except SystemExit:
        why = said[0] if said else ""  # --help ends it without a complaint
        return "" if NUMBERS.search(why) else why
    if more and not given.takes_more:
        return f"{more[0]} is no option"
    return ""


def test_every_command_line_on_the_pages_is_accepted_by_the_parser() -> None:
    found = [(page, line) for page in PAGES for line in command_lines(page)]
    assert len(found) > 120
    wrong = [
        f"{page.relative_to(ROOT)}: {line}: {why}"
        for page, line in found
        if (why := complaint(typed(line)))
    ]
    assert wrong == []


def test_command_lines_that_the_parser_rejects_are_found() -> None:
    assert "there is no command `rlgpt topic listen`" in complaint(["topic", "listen"])
    assert complaint(["topic", "hz", "--hertz", "3"]) == "--hertz is no option"
    assert complaint(["episode", "play", "RUN", "SEED"]) == ""


def test_every_command_that_a_sentence_names_exists() -> None:
    names = {name for name, _, _ in commands_page.commands(command_parser())}
    known = names | {" ".join(name.split()[:2]) for name in names} | PROCESSES
    wrong = []
    for page in PAGES:
        for words in re.findall(r"`rlgpt ([a-z][a-z_ ]*)", page.read_text("utf-8")):
            first, *rest = words.split()
            name = f"rlgpt {first}"
            whole = f"{name} {rest[0]}" if rest and name not in names else name
            if whole not in known:
                wrong.append(f"{page.name}: rlgpt {words}")
    assert wrong == []


# ---- the site


def test_every_page_of_docs_is_staged_at_a_place_of_its_own() -> None:
    found = places()
    assert len(set(found.values())) == len(found)
    assert {page for page in (ROOT / "docs").glob("*.md")} <= found.keys()


def frames(film: Path) -> list[np.ndarray]:
    with av.open(str(film)) as opened:
        return [frame.to_ndarray(format="rgb24") for frame in opened.decode(video=0)]


def test_a_film_of_the_gallery_has_every_second_frame(tmp_path: Path) -> None:
    with av.open(str(tmp_path / "a.mp4"), "w") as film:
        stream = film.add_stream("libx264", rate=20)
        stream.width = stream.height = 64
        stream.pix_fmt = "yuv420p"
        for number in range(9):
            shown = np.full((64, 64, 3), 25 * number, np.uint8)
            film.mux(stream.encode(av.VideoFrame.from_ndarray(shown, format="rgb24")))
        film.mux(stream.encode())
    smaller(tmp_path / "a.mp4", tmp_path / "b.mp4")
    means = [float(frame.mean()) for frame in frames(tmp_path / "b.mp4")]
    assert means == pytest.approx([0, 50, 100, 150, 200], abs=8)


def test_the_gallery_launches_the_demo_into_a_new_folder_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(gallery_films, "ROOT", tmp_path)
    monkeypatch.setattr(gallery_films, "DOCS", tmp_path)
    run = tmp_path / "build" / "gallery"
    launches: list[str] = []

    def launch(command: list[str], **_: object) -> int:
        run.mkdir(parents=True)  # which fails where there is one
        launches.append(command[-1])
        return 0

    monkeypatch.setattr(subprocess, "call", launch)
    for words in ([], [], [str(run)]):
        monkeypatch.setattr("sys.argv", ["gallery_films", *words])
        assert gallery_films.main() == 1
    assert launches == [f"run={run}"] * 2
    assert run.is_dir()  # one that was named is kept
    assert "has no film of an evaluation" in capsys.readouterr().err


def test_the_films_that_the_gallery_shows_are_there_and_small_and_no_others_are() -> None:
    page = (ROOT / "docs" / "gallery.md").read_text("utf-8")
    shown = re.findall(r'<video src="([^"]+)"', page)
    assert len(shown) == 3
    assert sorted(shown) == sorted(f"films/{p.name}" for p in (ROOT / "docs/films").iterdir())
    for name in shown:
        assert (ROOT / "docs" / name).stat().st_size < 300_000


def test_the_citation_names_this_version_licence_and_paper() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert cited["version"] == project["version"]
    assert cited["license"] == project["license"]
    assert cited["preferred-citation"]["url"] == "https://arxiv.org/abs/2402.19299"
    assert {"cff-version", "title", "message", "authors"} <= cited.keys()


def test_every_page_has_a_place_in_the_contents() -> None:
    contents = (ROOT / "docs" / "site" / "index.md").read_text("utf-8")
    pages = {page.stem for page in (ROOT / "docs").glob("*.md")} - {"README"}
    assert pages - set(contents.splitlines()) == set()


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.skipif(not PYTHON.exists(), reason="`make docs-environment` installs Sphinx")
def test_the_site_is_built_without_a_warning_and_asks_the_network_for_nothing(
    tmp_path: Path,
) -> None:
    done = subprocess.run(
        [str(PYTHON), "-m", "docs.site", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    html = tmp_path / "html"
    for name in ("index", "tutorial", "reference/commands", "reference/messages"):
        assert (html / f"{name}.html").is_file()
    fetched = re.compile(r"""(?:src=|<link[^>]*href=|url\(|@import )["']?(?:https?:)?//""")
    for page in [*html.rglob("*.html"), *html.rglob("*.css")]:
        assert not fetched.search(page.read_text("utf-8")), page
    python = (html / "reference" / "python.html").read_text("utf-8")
    assert "Node" in python
    # Prose before a colon is no type.
    shown = re.sub(r"<[^>]+>", "", python)
    assert "How a table describes its kinds of world: the published game." in shown
