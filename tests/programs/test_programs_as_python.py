"""What programs write as in Python does what it does there: arguments by name, changes in place,
methods; and no limit can be passed by with it."""

import pytest

from nodes.env_server.programs import ProgramRefused, Run, compile_program, grammar
from tests.programs.test_programs_language import play
from worlds.minecraft.play.runtime import RUNTIME


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
        "s = set(range(9000))\ns.update(range(9000, 18000))",
        "s = set(range(9000))\ns.update(range(9000, 9600), range(9600, 18000))",
        "s = set(range(9000)).union(range(9000, 18000))",
        "s = set(range(9000))\ns.symmetric_difference_update(range(9000, 18000))",
    ],
)
def test_nothing_grows_beyond_its_limit_in_place(change: str) -> None:
    ending = ran(change).ending
    assert ending is not None
    assert "is larger than 10000" in ending.error


ALIKE = (
    "x = [()]\nfor _ in range(9):\n    x = [a + (b,) for a in x for b in (-1, -2)]\n    noop()\n"
)


@pytest.mark.parametrize(
    "put",
    ["s = set()\ns.update(x)", "s = set().union(x)", "s = {()}\ns.intersection(x)",
     "s = {()}\ns.difference_update(x)", "s = {()}\ns.issuperset(x)",
     "s = {}\ns |= [(a, 1) for a in x]"],
)  # fmt: skip
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


def test_the_usual_methods_are_there() -> None:
    assert_works("""
s = {1}
s.update([2], (3,), {4: 0}, range(5, 6))
assert s == {1, 2, 3, 4, 5} and s.pop() in (1, 2, 3, 4, 5) and len(s) == 4
s = {1, 2, 3}
assert s.union([4], {5}) == {1, 2, 3, 4, 5} and s.intersection([2, 9]) == {2}
assert s.difference([2, 9]) == {1, 3} and s.symmetric_difference([3, 4]) == {1, 2, 4}
assert s.issubset(range(9)) and s.issuperset([1, 2]) and s.isdisjoint("abc")
s.intersection_update([1, 2])
s.difference_update([2])
s.symmetric_difference_update([7])
assert s == {1, 7}
d = {"a": 1, "b": 2}
assert d.popitem() == ("b", 2)
d.update({"c": 3}, e=4)
assert d == {"a": 1, "c": 3, "e": 4}
d.clear()
assert d == {}
assert "abcb".index("b") == 1 and "abcb".rindex("b") == "abcb".rfind("b") == 3
assert "iron_ore".partition("_") == ("iron", "_", "ore")
assert "a_b_c".rpartition("_") == ("a_b", "_", "c") and "a b c".rsplit(" ", 1) == ["a b", "c"]
assert "log".capitalize() == "Log" and "ab".isalpha() and "a\\nb".splitlines() == ["a", "b"]
""")


def test_every_method_is_one_of_python_and_of_its_type() -> None:
    for kind, names in grammar.METHODS.items():
        assert [name for name in names if not hasattr(kind, name)] == []


def test_looking_for_a_text_from_the_right_costs_fuel_for_both_lengths() -> None:
    ending = ran("""
x = "a" * 9999
y = "b" + "a" * 4999
while True:
    z = x.rsplit(sep=y)
""").ending
    assert ending is not None
    assert ending.status == "fuel_exhausted"


def test_a_long_table_is_refused_at_the_line_where_it_begins() -> None:
    rows = "".join(f'    ("thing {number}", {number}),\n' for number in range(90))
    with pytest.raises(ProgramRefused) as refused:
        compile_program(f"NEAR = 1\n# what is worth what\nTABLE = [\n{rows}]\n", RUNTIME)
    (problem,) = refused.value.problems
    assert problem.line == 3
    assert problem.message == (
        "the statement that begins here has more than 500 words and signs; split it into several"
    )
