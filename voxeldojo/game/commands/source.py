"""Who gives a command and from where, and how much it may still do."""

import msgspec

PLAYER_NAME = "MineDojoAgent0"
WORK = 40_000  # commands, entities looked at and blocks set, for one line of chat

Place = tuple[float, float, float]


class NotDone(Exception):
    """The reason, as a clause."""


class TooMuch(Exception):
    """The line of chat as a whole would do too much."""


class Entity(msgspec.Struct, frozen=True):
    """The player, a mob or an item that lies about. ``number``: of its row among its kind."""

    kind: str  # "player", a mob's name, "item"
    number: int
    place: Place

    @property
    def name(self) -> str:
        return PLAYER_NAME if self.kind == "player" else self.kind


class Source:
    """``place``: where relative coordinates start and distances are measured from."""

    def __init__(self, entity: Entity, place: Place, work: int = WORK) -> None:
        self.entity = entity
        self.place = place
        self._left = [work]  # shared with every source that acts for this one

    def acting_as(self, entity: Entity, place: Place) -> "Source":
        other = Source(entity, place)
        other._left = self._left
        return other

    def spend(self, work: int) -> None:
        """Raises TooMuch: the line of chat has had its share."""
        self._left[0] -= work
        if self._left[0] < 0:
            raise TooMuch
