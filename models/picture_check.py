"""Checks a request for pictures, at the start of a node or of a session."""

from messages.world import Pictures

_SIDES = (16, 1024)  # pixels
_MOST = 16  # of one environment
_ROOM = 12 * 2**20  # bytes of all pictures of one answer before compression


def pictures_problem(wanted: Pictures, players: int) -> str:
    """What is wrong with a request in a session with so many players, in one sentence; empty if
    nothing is."""
    for side in (wanted.height, wanted.width):
        if not _SIDES[0] <= side <= _SIDES[1]:
            return f"a picture's sides are {_SIDES[0]} to {_SIDES[1]} pixels, not {side}"
    if not 2 <= wanted.each <= _MOST:
        return f"2 to {_MOST} pictures are taken of each environment, not {wanted.each}"
    if wanted.environments < 1:
        return f"pictures are taken of 1 environment or more, not of {wanted.environments}"
    number = min(wanted.environments, players) * wanted.each
    if number * wanted.height * wanted.width * 3 > _ROOM:
        return (
            f"{number} pictures of {wanted.height} x {wanted.width} are too much for one "
            "answer: take fewer or smaller ones"
        )
    return ""
