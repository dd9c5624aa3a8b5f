"""What programs, models and peers write is shown by logs and terminals, and not obeyed."""

import io
import json
import logging
import re
from pathlib import Path

import pytest

from messages.program import Program
from nodes.common.running.logs import LogFile, LogToTerminal
from nodes.common.running.plain_text import (
    plain,
    plain_entry,
    plain_json,
    plain_line,
    plain_sentence,
)
from nodes.common.skills.skill_library import Library
from rlgpt.launching.launch_progress import LaunchView
from rlgpt.main import main
from rlgpt.refused import Refused
from rlgpt.terminal import console, plain_table, print_table
from tests.agents.stored_skills import TEN, learned

HOSTILE = (
    "\x1b[2J\x1b]0;title\x07gone\r2026-01-01 00:00:00,000 INFO all is well\n"
    "2026-01-01 00:00:00,000 INFO all is well\x85\u2028\u2029\x0b\x0c\u202eright\u2066\x9b31m\udc1b"
    "\U000e0041"
)
FORMAT = logging.Formatter("%(asctime)s %(levelname)s %(message)s")
ENTRY = re.compile(r"\d{4}-\d\d-\d\d ")


def assert_harmless(shown: str, entries: int | None = None) -> None:
    hidden = [character for character in shown if not character.isprintable()]
    assert set(hidden) <= {"\n", "\t", "\xa0"}, hidden
    assert "<U+001B>[2J" in shown
    if entries is not None:
        assert sum(bool(ENTRY.match(line)) for line in shown.splitlines()) == entries


def test_invisible_and_control_characters_are_shown_escaped() -> None:
    for show in (plain, plain_line, plain_entry):
        assert_harmless(show(HOSTILE))
    assert len(plain_line(HOSTILE).splitlines()) == 1
    assert plain("Grüße, 世界 🌳\n\tx") == "Grüße, 世界 🌳\n\tx"
    assert json.loads(plain_json(json.dumps([HOSTILE], ensure_ascii=False))) == [HOSTILE]
    assert plain_json(json.dumps([HOSTILE], ensure_ascii=False)).isprintable()


@pytest.mark.parametrize("kind", ["file", "terminal"])
def test_a_log_with_hostile_text_has_one_entry_for_each_record(tmp_path: Path, kind: str) -> None:
    path, stream = tmp_path / "node.log", io.StringIO()
    handler = LogFile(path) if kind == "file" else LogToTerminal(stream)
    handler.setFormatter(FORMAT)
    log = logging.Logger("hostile")
    log.addHandler(handler)
    log.warning("a program failed: %s", HOSTILE)
    try:
        raise ValueError(HOSTILE)
    except ValueError:
        log.exception("it failed")
    handler.close()
    shown = path.read_text("utf-8") if kind == "file" else stream.getvalue()
    assert_harmless(shown, entries=2)
    assert "Traceback" in shown


def test_a_launch_reports_a_hostile_message_in_one_entry(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said: list[str] = []
    view = LaunchView(console(400))
    view.log = said.append
    view.report(f"critic: {HOSTILE}")
    assert_harmless(said[0], entries=0)
    assert_harmless(capsys.readouterr().out, entries=0)


def test_a_table_shows_hostile_text_of_a_cell_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    table = plain_table("name", "value")
    table.add_row("x", HOSTILE)
    print_table(table)
    assert_harmless(capsys.readouterr().out, entries=0)


def test_a_skill_of_another_users_library_is_shown_escaped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = f"def action(obs):\n    attack()  # {HOSTILE[:10]}\n"
    hostile = HOSTILE.replace("\udc1b", "")
    with_purpose = {"purpose": hostile, "program": Program(name="p", source=source)}
    library = Library(tmp_path)
    library.add("a", "dig", learned(**with_purpose), None, TEN)
    library.close()
    assert main(["skill", "show", "dig", "--library", str(tmp_path)]) == 0
    assert_harmless(capsys.readouterr().out)


def test_a_refusal_with_hostile_text_is_printed_in_one_entry(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(_folder: str | None) -> int:
        raise Refused(HOSTILE)

    monkeypatch.setattr("rlgpt.single_runs.skill_tools.listed", refuse)
    assert main(["skill", "list"]) == 2
    assert_harmless(capsys.readouterr().err, entries=0)


def test_a_sentence_leaves_out_the_middle_of_what_is_too_long_to_be_read() -> None:
    long = "x" * 10**6
    shown = plain_sentence(f"there is no `{long}`; did you mean `y`?")
    assert shown.startswith("there is no `xxx")
    assert shown.endswith("xxx`; did you mean `y`?")
    assert "characters) ..." in shown
    assert len(shown) < 400
    assert len(plain_sentence("a b " * 10**6)) < 5_000
    said = f"there is no file {'folder/' * 100}"
    assert plain_sentence(said) == said


@pytest.mark.parametrize(
    "words",
    [
        ["launch", "{}"],
        ["launch", "goal", "task.id={}"],
        ["launch", "harvest_log", "task.biome={}"],
        ["table", "harvest", "engine={}"],
        ["report", "{}"],
        ["world", "{}"],
        ["runs", "--{}"],
    ],
)
def test_a_command_does_not_repeat_a_word_of_a_hundred_thousand_letters(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """argparse refuses some of them, the command some, and a file's name is too long."""
    try:
        code = main([word.format("x" * 100_000) for word in words])
    except SystemExit as end:
        code = end.code
    assert code == 2
    said = capsys.readouterr().err
    assert "xxxxxxxxxx" in said
    assert len(said) < 2_000
