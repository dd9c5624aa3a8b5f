"""Python source as lines of classified pieces, so that the page can colour it without a script."""

import io
import keyword
import token
import tokenize

from nodes.common.running.plain_text import plain

Piece = tuple[str, str]
"""(class, text): class is "", "k" keyword, "s" string, "n" number, "c" comment, "d" definition."""

_KINDS = {tokenize.COMMENT: "c", token.STRING: "s", token.NUMBER: "n"}


def lines(source: str) -> list[list[Piece]]:
    """The lines of a program; text that cannot be read as Python is left uncoloured."""
    rows = source.rstrip("\n").split("\n")
    marks: list[list[tuple[int, int, str]]] = [[] for _ in rows]
    try:
        before = ""
        for item in tokenize.generate_tokens(io.StringIO(source).readline):
            kind = _KINDS.get(item.type, "")
            if item.type == token.NAME:
                if keyword.iskeyword(item.string):
                    kind = "k"
                elif before in ("def", "class"):
                    kind = "d"
            before = item.string
            if kind:
                _mark(marks, rows, item, kind)
    except (tokenize.TokenError, SyntaxError):
        pass  # the part that could be read is coloured, the rest is plain
    return [_cut(row, found) for row, found in zip(rows, marks, strict=True)]


def _mark(
    marks: list[list[tuple[int, int, str]]], rows: list[str], item: tokenize.TokenInfo, kind: str
) -> None:
    (first, start), (last, end) = item.start, item.end
    for number in range(first, last + 1):
        if number > len(rows):
            return
        left = start if number == first else 0
        right = end if number == last else len(rows[number - 1])
        marks[number - 1].append((left, right, kind))


def _cut(row: str, marks: list[tuple[int, int, str]]) -> list[Piece]:
    pieces: list[Piece] = []
    at = 0
    for left, right, kind in marks:
        if left > at:
            pieces.append(("", plain(row[at:left])))
        pieces.append((kind, plain(row[left:right])))
        at = max(at, right)
    if at < len(row) or not pieces:
        pieces.append(("", plain(row[at:])))
    return pieces
