"""Plans as subtasks: what is to be gained, one condition after another.

A subtask's quantity is what it is to bring *more* than there was when it began, as conditions
count.
"""

from collections.abc import Mapping, Sequence

from messages.plan import Subtask
from messages.world import Condition, Episode, View
from voxeldojo.names import near
from worlds.card import Planning, Unreachable
from worlds.common.counted_conditions import grown
from worlds.common.plan_arithmetic import Arithmetic, Need, UsedInventory
from worlds.common.ways import Way
from worlds.common.written_sums import sums


class WayPlanning(Planning):
    """Plans by a game's ways, for conditions of the kind ``have``. A game that has others overrides
    `wanted` and `last`.

    Args:
        verbs: for each verb of a way, what a subtask by it is called: ``{"dig": "harvest"}`` makes
            ``harvest 3 log``.
        phrases: for each verb, the way by it in words for a prompt: ``"dig {of}"``. ``{held}`` is
            what it uses up or which tool; a phrase without it is followed by these.
        burning: put behind ways that burn fuel.

    Raises:
        ValueError: a verb of the ways has no word or no phrase.
    """

    def __init__(
        self,
        arithmetic: Arithmetic,
        verbs: Mapping[str, str],
        phrases: Mapping[str, str],
        burning: str = "",
    ) -> None:
        for argument, words in (("verbs", verbs), ("phrases", phrases)):
            for verb in sorted(arithmetic.ways.verbs - words.keys()):
                raise ValueError(
                    f"{argument} lacks {verb!r}, by which a way goes{near(verb, words)}"
                )
        self.arithmetic = arithmetic
        self._verbs = verbs
        self._phrases = phrases
        self._burning = burning

    def wanted(self, success: Condition, inventory: Mapping[str, int]) -> dict[str, int]:
        """The items that a condition takes, and how many of each in all, in the order in which they
        are got.

        Raises:
            Unreachable: there is no way to what the condition wants.
        """
        if success.kind != "have":
            return {}
        return {success.name: inventory.get(success.name, 0) + success.quantity}

    def last(self, success: Condition) -> Subtask | None:
        """What remains to be done where all that is wanted is there."""
        return None

    def aim(self, success: Condition, item: str) -> str:
        """What an item of a plan is for that no later one takes."""
        return "the goal"

    def subtask(self, step: Need, why: str) -> Subtask:
        """A step of the arithmetic as a subtask."""
        return Subtask(
            name=f"{self._verbs[step.way.how]} {step.gain} {step.item.replace('_', ' ')}",
            success=Condition(kind="have", name=step.item, quantity=step.gain),
            why=why,
        )

    def plan_for(self, success: Condition, inventory: Mapping[str, int]) -> list[Subtask]:
        """The subtasks that lead from an inventory to a condition, nothing superfluous.

        Raises:
            Unreachable: the rules know no way to something that is needed.
        """
        steps = self.arithmetic.needs_of_all(self.wanted(success, inventory), inventory)
        subtasks = [
            self.subtask(step, self._why(step.item, steps[index + 1 :], success))
            for index, step in enumerate(steps)
        ]
        if (last := self.last(success)) is not None:
            subtasks.append(last)
        return subtasks

    def source(self, success: Condition, inventory: Mapping[str, int]) -> str:
        step = self._last_step(success, inventory)
        return "" if step is None else self.seen_as(step.way.of)

    def how(self, success: Condition, inventory: Mapping[str, int]) -> str:
        step = self._last_step(success, inventory)
        return "" if step is None else step.way.how

    def _last_step(self, success: Condition, inventory: Mapping[str, int]) -> Need | None:
        """The step that gains what a condition names; None where it is none, or no way is known."""
        try:
            steps = self.arithmetic.needs_of_all(self.wanted(success, inventory), inventory)
        except Unreachable:
            return None
        return steps[-1] if steps and steps[-1].item == success.name else None

    def sums(self, success: Condition, inventory: Mapping[str, int]) -> str:
        steps = self.arithmetic.needs_of_all(self.wanted(success, inventory), inventory)
        return sums(steps, inventory, self.arithmetic.fuel.got)

    def shortfalls(self, subtasks: Sequence[Subtask], inventory: Mapping[str, int]) -> list[str]:
        names = [
            f"Subtask {number} ({subtask.success.quantity} {subtask.success.name})"
            for number, subtask in enumerate(subtasks, 1)
            if self.gained(subtask.success) is not None
        ]
        return self.arithmetic.shortfalls(self.gains(subtasks), inventory, names)

    def expected(
        self,
        subtasks: Sequence[Subtask],
        inventory: Mapping[str, int],
        later: Sequence[Subtask] = (),
    ) -> dict[str, int]:
        return self.arithmetic.expected(self.gains(subtasks), inventory, self.gains(later))

    def at_hand(self, view: View, goal: Condition, beside: bool = True) -> dict[str, int]:
        return dict(view.inventory)

    def worn(self, held: Mapping[str, int], episode: Episode) -> Mapping[str, int]:
        before, after = episode.before.used, episode.after.used
        return UsedInventory(held, {tool: grown(tool, before, after) for tool in after})

    def chain(
        self, success: Condition, inventory: Mapping[str, int], quantities: bool = False
    ) -> list[str]:
        """How a goal's items come about, a line each, for a prompt."""
        plan = self.plan_for(success, inventory)
        ways = self.arithmetic.ways
        chosen = ways.open_ways(inventory, make=True)  # as the plan chose
        lines: list[str] = []
        for item, quantity in self.gains(plan):
            way = ways.way_to(item, chosen)
            what = f"{self._verbs[way.how]} {quantity} {item}" if quantities else item
            lines.append(f"{what}: {self._in_words(way)}")
        if quantities and plan and self.gained(plan[-1].success) is None:
            lines.append(f"{plan[-1].name}: the goal")
        return lines

    def place_in_words(self, place: str) -> str:
        """Where a way is open that needs one of the arithmetic's places: ``in the Nether``."""
        return f"in the {place}"

    def seen_as(self, source: str) -> str:
        """What a way's source is called where it is seen, for a game that has two namings."""
        return source

    def _in_words(self, way: Way) -> str:
        phrase = self._phrases[way.how]
        used = ", ".join(f"{n} {item}" for item, n in way.uses.items())
        tools = " or ".join(way.tools)
        words = phrase.format(of=self.seen_as(way.of), held=used or tools)
        if "{held}" in phrase:
            return words
        if used:
            words += f" {way.gives} from {used}"
        if way.how == self.arithmetic.fuel.verb:
            words += self._burning
        if way.station in self.arithmetic.places:
            words += f", {self.place_in_words(way.station)}"
        elif way.station:
            words += f", at a {way.station}"
        if way.tools:
            words += f", with one of {', '.join(way.tools)}"
        return words

    def _why(self, item: str, later: Sequence[Need], goal: Condition) -> str:
        fuel = self.arithmetic.fuel
        users = [
            step.item
            for step in later
            if item in step.way.uses
            or item == step.way.station
            or item in step.way.tools
            or (item == fuel.got and step.way.how == fuel.verb)
        ]
        return f"needed for {', '.join(users)}" if users else self.aim(goal, item)
