"""The entity that gives a command, its place, and how much work the command may still do."""

import msgspec

PLAYER_NAME = "MineDojoAgent0"
WORK = 40_000  # commands, entities examined and blocks set, for one line of chat

Place = tuple[float, float, float]


class NotDone(Exception):
    """A command failed; the reason is a clause."""


class TooMuch(Exception):
    """The line of chat as a whole would do too much work."""


class Entity(msgspec.Struct, frozen=True):
    """The player, a mob or an item entity. ``number``: its row in the table of mobs or items."""

    kind: str  # "player", a mob's name, "item"
    number: int
    place: Place

    @property
    def name(self) -> str:
        return PLAYER_NAME if self.kind == "player" else self.kind


class Source:
    """``place``: the origin of relative coordinates and of distances."""

    def __init__(self, entity: Entity, place: Place, work: int = WORK) -> None:
        self.entity = entity
        self.place = place
        self._left = [work]  # shared with every source that acts for this one

    def acting_as(self, entity: Entity, place: Place) -> "Source":
        other = Source(entity, place)
        other._left = self._left
        return other

    def spend(self, work: int) -> None:
        """Count work. Raises TooMuch: the line of chat has used up its share."""
        self._left[0] -= work
        if self._left[0] < 0:
            raise TooMuch
