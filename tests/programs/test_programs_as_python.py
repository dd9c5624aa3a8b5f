"""What programs write as in Python does what it does there: arguments by name, changes in place,
methods; and no limit can be passed by with it."""

import pytest

from nodes.env_server.programs import Run
from tests.programs.test_programs_language import play


def ran(body: str, max_steps: int = 100) -> Run:
    """A program that acts once where it comes to its end."""
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    return play(f"def action(obs):\n{lines}    noop()\n", max_steps)[0]


def assert_works(body: str) -> None:
    ending = ran(body).ending
    assert ending is not None
    assert (ending.status, ending.error) == ("finished", ""), ending


def test_functions_of_the_game_take_their_arguments_by_name() -> None:
    assert_works("""
near = find(obs, "grass block", radius=8, but=())
assert near == find(obs=obs, block="grass block") == find(obs, "grass block")
assert find(obs, "grass block", radius=8, but=[near]) != near
assert nearest(obs, block="wood") == nearest(obs, "wood")
assert route(obs, dx=3, dz=1, dy=None) == route(obs, 3, 1)
assert obs.block(dx=0, dy=-1, dz=0) == obs.block(0, -1, 0)
""")


def test_functions_of_python_take_their_arguments_by_name() -> None:
    assert_works("""
assert round(3.14159, ndigits=2) == 3.14 and int("ff", base=16) == 255
assert dict(values=1, more=2) == {"values": 1, "more": 2}
assert list(enumerate("ab", start=1)) == [(1, "a"), (2, "b")]
assert sum([1, 2], start=3) == 6 and list(zip("ab", [1, 2], strict=True)) == [("a", 1), ("b", 2)]
assert "a,b,c".split(sep=",", maxsplit=1) == ["a", "b,c"]
""")


@pytest.mark.parametrize(
    ("call", "name"),
    [("find(obs, 'wood', far=3)", "find"), ("round(1.5, digits=3)", "round"),
     ("sorted([1], by=2)", "sorted"), ("sum([1], begin=2)", "sum")],
)  # fmt: skip
def test_an_argument_that_there_is_not_is_told_by_the_functions_own_name(
    call: str, name: str
) -> None:
    ending = ran(call).ending
    assert ending is not None
    assert ending.error.startswith(f"TypeError: {name}() got an unexpected keyword argument")
