"""`rlgpt skill`: what it shows and removes, and libraries that are broken or cannot be written."""

import logging
import os
import re
import shlex
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from messages.world import Condition
from nodes.common.skills import skill_library
from nodes.common.skills.skill_library import Library
from nodes.common.skills.skills import Counts, LibraryError
from nodes.common.storage.node_memory import Memory
from nodes.fast_agent.known_skills.run_skills import RunSkills
from nodes.fast_agent.known_skills.skill_lookup import SkillLookup
from rlgpt.main import main
from tests.agent_stack import LOG
from tests.agents.stored_skills import TEN, WALK, learned, policy
from tests.bus_processes import PATIENCE, ROOT
from tests.weights import weights


@pytest.fixture
def skills(tmp_path: Path) -> str:
    library = Library(tmp_path / "skills")
    library.add("a", "find a tree", learned(start={"log": 2}), None, TEN)
    checkpoint = tmp_path / "weights"
    checkpoint.write_bytes(weights("dig"))
    library.add("b", "dig", policy(), checkpoint, TEN)
    library.close()
    return str(tmp_path / "skills")


def change(skills: str, statement: str, *values: object) -> None:
    """As another program may have left the library."""
    table = sqlite3.connect(Path(skills) / "library.sqlite")
    table.execute(statement, values)
    table.commit()
    table.close()


def test_skill_commands_list_show_and_remove_skills(
    skills: str, capsys: pytest.CaptureFixture[str]
):
    assert main(["skill", "list", "--library", skills]) == 0
    out = capsys.readouterr().out
    assert "find_a_tree" in out
    assert "facing wood" in out
    assert "0.90 (9/10)" in out
    assert main(["skill", "show", "find_a_tree", "--library", skills]) == 0
    out = capsys.readouterr().out
    assert "2 log" in out
    assert WALK in out
    assert main(["skill", "show", "dig", "--library", skills]) == 0
    assert "rays" in capsys.readouterr().out
    assert main(["skill", "remove", "find_a_tree", "--library", skills]) == 0
    assert not (Path(skills) / "find_a_tree").exists()
    assert main(["skill", "show", "find_a_tree", "--library", skills]) == 2


def test_the_list_says_how_much_a_skill_brings_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    library = Library(tmp_path)
    for kind, name, quantity in (("have", "log", 1), ("killed", "cow", 3), ("height", "above", 90)):
        condition = Condition(kind=kind, name=name, quantity=quantity)
        library.add(kind, kind, learned(condition=condition), None, TEN)
    library.close()
    assert main(["skill", "list", "--library", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    for text in ("have 1 log", "killed 3 cow", "height 90 above"):
        assert text in out


@pytest.mark.parametrize("name", ["", "..", "{victim}", None, b"dig", "d\udcffg"])
def test_a_name_that_leads_out_of_the_library_deletes_nothing_but_its_row(
    tmp_path: Path, skills: str, capsys: pytest.CaptureFixture[str], name: str | bytes | None
):
    victim = tmp_path / "victim"
    victim.mkdir()
    if isinstance(name, str):
        name = name.format(victim=victim)
    stored = "cast(? as text)" if isinstance(name, str) else "?"
    value = name.encode(errors="surrogateescape") if isinstance(name, str) else name
    change(skills, f"update skills set name = {stored} where name = 'dig'", value)
    assert main(["skill", "list", "--library", skills]) == 2
    complaint = capsys.readouterr().err
    assert "is broken at the name" in complaint
    # What it says to do, does it.
    (remedy,) = re.findall("`rlgpt (skill remove .*)` forgets it", complaint)
    assert main([*shlex.split(remedy), "--library", skills]) == 0
    assert "it had no files there" in capsys.readouterr().out
    assert main(["skill", "list", "--library", skills]) == 0
    assert "find_a_tree" in capsys.readouterr().out
    assert victim.is_dir()
    assert (Path(skills) / "dig" / "checkpoint.pt").is_file()
    assert (Path(skills) / "find_a_tree" / "program.py").is_file()


BAD = [
    *[(column, "abc") for column in (*Counts.__struct_fields__, "created")],
    ("successes", 0.5),
    ("episodes", -5),
    ("created", 1e300),
    ("key", b"\xff"),
    ("record", b'{"purpose": "\xff"}'),
]


@pytest.mark.parametrize(("column", "value"), BAD)
def test_a_damaged_column_of_a_skill_is_reported_and_a_run_uses_the_others(
    skills: str, capsys: pytest.CaptureFixture[str], column: str, value: object
):
    change(skills, f"update skills set {column} = ? where name = 'find_a_tree'", value)
    for arguments in (["list"], ["show", "find_a_tree"]):
        assert main(["skill", *arguments, "--library", skills]) == 2
        complaint = capsys.readouterr().err
        assert "is broken at `find_a_tree`: " in complaint
        assert "`rlgpt skill remove find_a_tree` forgets it" in complaint
    library, run = Library(Path(skills)), Path(skills).parent
    memory = Memory(run / "memory.sqlite")
    lookup = SkillLookup(RunSkills(library, run, {}, logging.getLogger("skills")), memory)
    assert [each.id for each in lookup.policies(LOG, lambda spec: True)] == ["skill/dig"]
    assert main(["skill", "remove", "find_a_tree", "--library", skills]) == 0
    assert not (Path(skills) / "find_a_tree").exists()
    assert [skill.name for skill in library.all()] == ["dig"]
    assert main(["skill", "remove", "find_a_tree", "--library", skills]) == 2
    assert "there is no skill `find_a_tree`" in capsys.readouterr().err


def test_a_library_whose_damage_is_only_met_when_it_is_changed_says_what_to_do(skills: str):
    """Its rows are whole, and an index is not: it can be listed, and nothing can be removed."""
    library = Path(skills) / "library.sqlite"
    table = sqlite3.connect(library)
    table.execute("pragma wal_checkpoint(truncate)")
    (size,) = table.execute("pragma page_size").fetchone()
    roots = "select rootpage from sqlite_master where type = 'index' and tbl_name = 'skills'"
    pages = [page for (page,) in table.execute(roots)]
    table.close()
    with library.open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * size)
            file.write(b"\xff" * size)
    done = subprocess.run(
        [sys.executable, "-m", "rlgpt.main", "skill", "remove", "dig", "--library", skills],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 2, done
    said = f"rlgpt: the skill library {library} cannot be used: database disk image is malformed; "
    assert done.stderr == f"{said}move it away to begin without its skills\n"
    assert (Path(skills) / "dig" / "checkpoint.pt").is_file()


def test_a_library_that_another_process_holds_is_not_to_be_moved_away(
    skills: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(skill_library, "LOCKED_SECONDS", 0.1)
    held = sqlite3.connect(Path(skills) / "library.sqlite", isolation_level=None)
    held.execute("pragma locking_mode = exclusive")
    held.execute("begin exclusive")
    assert main(["skill", "list", "--library", skills]) == 2
    said = "cannot be used: database is locked; try again, or end the process that holds it\n"
    assert capsys.readouterr().err.endswith(said)
    held.close()
    assert main(["skill", "list", "--library", skills]) == 0


@pytest.mark.parametrize("how", ["empty", "empty, with a log", "without its table"])
def test_a_library_that_lost_its_skills_is_not_taken_for_a_new_one(
    skills: str, capsys: pytest.CaptureFixture[str], how: str
):
    library = Path(skills) / "library.sqlite"
    log = Path(f"{library}-wal")
    if how == "without its table":
        change(skills, "drop table skills")
    else:
        library.write_bytes(b"")
    if how == "empty, with a log":
        log.write_bytes(b"what SQLite would delete")
    for arguments in (["list"], ["show", "dig"], ["remove", "dig"]):
        assert main(["skill", *arguments, "--library", skills]) == 2
        said = capsys.readouterr().err
        assert "is damaged: its table of skills is gone, and the files of 2 are there" in said
        assert "(dig, find_a_tree)" in said
    with pytest.raises(LibraryError, match="is damaged: its table of skills is gone"):
        Library(Path(skills))
    assert log.exists() == (how == "empty, with a log")
    library.unlink()
    log.unlink(missing_ok=True)
    Library(Path(skills)).close()  # as the sentence says
    assert main(["skill", "list", "--library", skills]) == 0


def test_a_library_whose_making_was_cut_off_is_made_again(tmp_path: Path):
    """SQLite makes an empty file first. To a command that only reads, one is no library."""
    (tmp_path / "library.sqlite").touch()
    with pytest.raises(LibraryError, match=r"has no table of skills: it is none; name another"):
        Library(tmp_path, make=False)
    library = Library(tmp_path)
    library.add("a", "find a tree", learned(start={"log": 2}), None, TEN)
    library.close()
    assert [skill.name for skill in Library(tmp_path, make=False).all()] == ["find_a_tree"]


def test_what_is_no_library_is_said_to_be_none(skills: str, tmp_path: Path):
    for make in (os.mkfifo, os.mkdir):
        place = tmp_path / make.__name__
        place.mkdir()
        make(place / "library.sqlite")
        for to_read in (True, False):
            with pytest.raises(LibraryError, match=r"library\.sqlite is no file; move it away"):
                Library(place, make=not to_read)
    (tmp_path / "text").write_text("no folder")
    for refused in (tmp_path / "text", tmp_path / ("x" * 3000)):
        with pytest.raises(LibraryError, match=r"cannot be used: .*; name another \("):
            Library(refused)


def test_a_name_that_cannot_be_typed_is_shown_as_it_can_be_removed(
    skills: str, capsys: pytest.CaptureFixture[str]
):
    change(skills, "update skills set name = ? where name = 'dig'", "d\x1b[31mg\n")
    assert main(["skill", "list", "--library", skills]) == 2
    advice = re.search("`rlgpt (skill remove .*)` forgets it", capsys.readouterr().err)
    assert advice is not None
    assert main([*shlex.split(advice[1]), "--library", skills]) == 0
    assert main(["skill", "list", "--library", skills]) == 0


COMMANDS = """
import sys
from rlgpt.main import main

for arguments in (["list"], ["show", "dig"], ["remove", "dig"]):
    print(main(["skill", *arguments, "--library", sys.argv[1]]))
"""


@pytest.mark.parametrize("held", [False, True])
def test_a_library_that_cannot_be_written_can_be_read(skills: str, held: bool):
    folder = Path(skills)
    library = folder / "library.sqlite"
    # Who has it open has files beside it, and a part of it may be in them.
    other = Library(folder) if held else None
    for path in folder.glob("library.sqlite*"):
        path.chmod(0o444)
    folder.chmod(0o555)
    assert Path(f"{library}-wal").exists() == held
    # Root writes everywhere, without this also here.
    prefix = ["setpriv", "--bounding-set=-dac_override"] if os.getuid() == 0 else []
    done = subprocess.run(
        [*prefix, sys.executable, "-c", COMMANDS, skills],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        cwd=ROOT,
        check=False,
    )
    folder.chmod(0o755)
    if other is not None:
        other.close()
    assert done.returncode == 0, done.stderr
    assert "find_a_tree" in done.stdout
    assert "rays" in done.stdout
    assert [line for line in done.stdout.splitlines() if line.isdigit()] == ["0", "0", "2"]
    assert f"the skill library {library} cannot be written; copy it, or" in done.stderr
    assert done.stderr.count("\n") == 1
    assert (folder / "dig" / "checkpoint.pt").is_file()


def test_each_error_of_the_command_is_one_sentence(skills: str, capsys: pytest.CaptureFixture[str]):
    def refused(*arguments: str) -> str:
        assert main(["skill", *arguments]) == 2
        err = capsys.readouterr().err
        assert err.count("\n") == 1
        assert "Traceback" not in err
        return err

    assert "did you mean `find_a_tree`?" in refused("show", "find_tree", "--library", skills)
    assert "there is no skill library" in refused("list", "--library", "/nowhere")
    assert "--episodes 0" in refused("run", "dig", "--episodes", "0", "--library", skills)
    (Path(skills) / "dig" / "checkpoint.pt").unlink()
    assert "has no checkpoint" in refused("run", "dig", "--library", skills)
    library = Path(skills) / "library.sqlite"
    change(skills, "update skills set record = '{'")
    assert "is broken at" in refused("list", "--library", skills)
    for left in Path(skills).glob("library.sqlite-*"):
        left.unlink()
    library.write_bytes(b"no table at all, whatever else it is" * 40)
    assert "move it away" in refused("list", "--library", skills)
