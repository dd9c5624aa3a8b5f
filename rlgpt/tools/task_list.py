"""``rlgpt task``: the goals that a game has by name, listed, searched and shown."""

import difflib

import msgspec

from messages.world import DEFAULT_GAME, Condition, Task
from rlgpt.composing.named_goals import LISTED, goals_of
from rlgpt.inspecting.output import json_line
from rlgpt.refused import Refused
from rlgpt.terminal import plain_table, print_plain, print_table
from worlds import card


class Named(msgspec.Struct, frozen=True, kw_only=True):
    """A goal in a list."""

    id: str
    kind: str
    prompt: str


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known of one goal."""

    id: str
    kind: str
    prompt: str
    success: Condition
    when: str  # the success in words
    horizon: int  # steps of an episode
    setting: dict[str, str]  # where episodes begin
    inventory: dict[str, int]
    world: dict[str, str | int | float | bool]  # options of the world
    guidance: str


def list_tasks(game: str, kind: str, json: bool) -> int:
    goals = goals_of(game)
    try:
        names = goals.names(kind)
    except ValueError as error:
        raise Refused(str(error)) from None
    _print([_named(game, name) for name in names], json)
    return 0


def search_tasks(game: str, words: list[str], json: bool) -> int:
    """Print the goals that have all of the words in their id or prompt, the shortest first."""
    wanted = [word.lower() for text in words for word in text.replace("_", " ").split()]
    if not wanted:
        raise Refused("which words? Give some of a task's id or prompt: rlgpt task search zombie")
    named = [_named(game, name) for name in goals_of(game).names()]
    found = [each for each in named if all(word in _text(each) for word in wanted)]
    if not found and not json:
        spoken = {each.id.replace("_", " ").lower(): each.id for each in named}
        spoken |= {each.prompt.lower(): each.id for each in named}
        close = difflib.get_close_matches(" ".join(wanted), list(spoken), n=3)
        nearest = dict.fromkeys(spoken[text] for text in close)
        hint = f"; what comes nearest is {' or '.join(nearest)}" if nearest else ""
        raise Refused(f"no task has all of {' '.join(wanted)}{hint}")
    _print(sorted(found, key=lambda each: (len(each.prompt), each.id)), json)
    return 0


def show_task(game: str, name: str, json: bool) -> int:
    shown = _shown(game, name)
    if json:
        print(json_line(shown))
        return 0
    held = [f"{count} {item}" for item, count in shown.inventory.items()]
    lines = {
        "id": shown.id,
        "kind": shown.kind,
        "prompt": shown.prompt,
        "success": shown.when,
        "horizon": f"{shown.horizon:,} steps",
        **{what.lower(): text for what, text in shown.setting.items()},
        "inventory": ", ".join(held) or "empty",
        # Some values have commas of their own.
        "world": "; ".join(f"{key}={value}" for key, value in shown.world.items()) or "as ever",
    }
    width = max(map(len, lines)) + 2
    for label, text in lines.items():
        print_plain(f"{label:{width}}{text}")
    if shown.guidance:
        print_plain(f"\n{shown.guidance}")
    where = "" if game == DEFAULT_GAME else f" task.game={game}"
    print_plain(f"\nrlgpt launch goal task.id={shown.id}{where}")
    return 0


def _shown(game: str, name: str) -> Shown:
    task = _task(game, name)
    goals, known = goals_of(game), card(game)
    return Shown(
        id=task.id,
        kind=goals.kind(task.id),
        prompt=task.prompt,
        success=task.success,
        when=known.conditions.words(task.success),
        horizon=task.horizon,
        setting=dict(known.setting(task)),
        inventory=task.inventory,
        world=task.world,
        guidance=goals.guidance(task.id),
    )


def _task(game: str, name: str) -> Task:
    try:
        return goals_of(game).task(name)
    except ValueError as error:
        raise Refused(f"{error} ({LISTED})") from None


def _named(game: str, name: str) -> Named:
    goals = goals_of(game)
    return Named(id=name, kind=goals.kind(name), prompt=goals.task(name).prompt)


def _text(each: Named) -> str:
    return f"{each.id} {each.prompt}".replace("_", " ").lower()


def _print(named: list[Named], json: bool) -> None:
    if json:
        print(json_line(named))
        return
    table = plain_table("id", "kind", "prompt")
    for each in named:
        table.add_row(each.id, each.kind, " ".join(each.prompt.split()))
    print_table(table)
