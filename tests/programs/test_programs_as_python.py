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


def test_assignments_with_an_operator_change_the_object_that_other_names_stand_for() -> None:
    assert_works("""
s = {1, 2, 3}
also = s
s |= {4, 5}
s &= {2, 3, 4, 5}
s ^= {5, 6}
s -= {2}
assert s == {3, 4, 6} and also == s
d = {"a": 1}
same = d
d |= {"b": 2}
d |= [("c", 3)]
assert same == {"a": 1, "b": 2, "c": 3}
x = [1, 2]
twice = x
x *= 2
x += (3,)
assert twice == [1, 2, 1, 2, 3]
held = {"places": {1}}
places = held["places"]
held["places"] |= {2}
assert places == {1, 2}
""")


def test_assignments_with_an_operator_make_a_new_value_where_python_does() -> None:
    assert_works("""
s = {1, 2}
also = s
s |= {3: 0}.keys()
assert s == {1, 2, 3} and also == {1, 2}
t = (1,)
also = t
t *= 2
n = 6
n &= 3
n |= 8
n ^= 1
n *= 2
n -= n - 5
text = "a"
text *= 3
assert t == (1, 1) and also == (1,) and n == 5 and text == "aaa"
held = obs.inventory
held |= {"log": 1}
assert held == {"log": 1} and not obs.inventory
""")


@pytest.mark.parametrize(
    "change",
    [
        "s = set(range(9000))\ns |= set(range(9000, 18000))",
        "s = set(range(9000))\ns ^= set(range(9000, 18000))",
        "s = {n: n for n in range(9000)}\ns |= [(n, n) for n in range(9000, 18000)]",
        "s = [0] * 9000\ns *= 2",
    ],
)
def test_nothing_grows_beyond_its_limit_in_place(change: str) -> None:
    ending = ran(change).ending
    assert ending is not None
    assert "is larger than 10000" in ending.error


ALIKE = (
    "x = [()]\nfor _ in range(9):\n    x = [a + (b,) for a in x for b in (-1, -2)]\n    noop()\n"
)


@pytest.mark.parametrize("put", ["s = {}\ns |= [(a, 1) for a in x]"])
def test_keys_of_one_hash_are_refused_by_every_way_into_a_set(put: str) -> None:
    ending = ran(ALIKE + put).ending
    assert ending is not None
    assert "different keys share a hash" in ending.error


def test_a_whole_float_is_in_a_range_as_its_integer_is() -> None:
    assert_works("""
assert 64.0 in range(60, 70) and 64.0 not in range(61, 70, 2) and 64.5 not in range(60, 70)
assert obs.food in range(0, 21) and 2.0 ** 400 not in range(9)
assert 2.0 ** 1000 * 2.0 ** 1000 not in range(9) and float("nan") not in range(9)
assert True in range(2) and "1" not in range(2) and None not in range(2)
""")
