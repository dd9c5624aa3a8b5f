"""An id has one file name everywhere, and no other id has it."""

import itertools
from pathlib import Path

import pytest

from messages.program import Program
from nodes.common.goals.goal_ids import LONGEST_FILE, file_name
from nodes.fast_agent.fast_agent import FastAgent
from nodes.learner.checkpoints.policies import policy_folder
from nodes.testing import MockBus, start


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("goal/0-log/iteration-2/log/train", "goal+0-log+iteration-2+log+train"),
        ("a+b", "a%2Bb"),
        ("a b", "a%20b"),
        ("..", "%2E."),
        (".hidden", "%2Ehidden"),
        ("a~b", "a%7Eb"),
        ("Lücke", "L%C3%BCcke"),
        ("a\0b", "a%00b"),
    ],
)
def test_an_id_is_written_as_a_file_name_with_escaped_characters(id: str, name: str) -> None:
    assert file_name(id) == name


def test_different_ids_have_different_file_names_within_the_longest_length(tmp_path: Path) -> None:
    letters = "aA/+~%.- 2FEé"
    ids = ["".join(word) for n in (1, 2, 3) for word in itertools.product(letters, repeat=n)]
    long = "x" * 400
    # What was cut is told apart by its digest; an id that looks like a cut one is another's.
    ids += [long, f"{long}/y", f"{long}y", f"{'/' * 300}", file_name(long)]
    names = [file_name(id) for id in ids]
    assert len(set(names)) == len(ids)
    assert max(len(name) for name in names) <= LONGEST_FILE
    for name in {file_name(long), file_name("/" * 300), file_name("..")}:
        (tmp_path / f".{name}.mp4.4194304.140000000000000").touch()  # as a draft of it is called


def test_an_empty_id_names_no_file() -> None:
    with pytest.raises(ValueError, match="an empty id names no file"):
        file_name("")


def test_a_program_and_a_policy_are_named_alike(tmp_path: Path) -> None:
    """Two ids that read alike once were one file, and the second program wrote over the first."""
    bus = MockBus("fast_agent")
    agent = start(FastAgent, bus, tmp_path)
    for id in ("goal/dig-it/1", "goal/dig/it-1", "goal/dig--it/1", "goal/dig it/1"):
        agent.save(id, Program(name="dig", source=f"# {id}\n"))
        saved = tmp_path / "fast_agent" / "programs" / f"{file_name(id)}.py"
        assert saved.read_text() == f"# {id}\n"
        assert policy_folder(tmp_path, id).name == saved.stem
    assert len(list((tmp_path / "fast_agent" / "programs").iterdir())) == 4
    agent.shutdown()
