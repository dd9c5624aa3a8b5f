"""Programs with their strings in single quotes.

An answer is JSON, where a double quote inside a string needs a backslash. A small model forgets
one, which ends the program there.
"""

import io
import tokenize

_TRIPLE, _SINGLE = '"""', '"'


def single_quoted(source: str) -> str:
    """The program with single quotes: strings that would need a backslash then stay as they are."""
    lines = list(io.StringIO(source))  # as tokens count them: str.splitlines knows more line ends
    strings = [
        token
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.STRING
    ]
    for token in reversed(strings):
        (first, start), (last, end) = token.start, token.end
        written = _single_quoted(token.string)
        before, after = lines[first - 1][:start], lines[last - 1][end:]
        lines[first - 1 : last] = io.StringIO(before + written + after)
    return "".join(lines)


def _single_quoted(string: str) -> str:
    for double, single in ((_TRIPLE, "'''"), (_SINGLE, "'")):
        body = string.removeprefix(double).removesuffix(double)
        if string == double + body + double:
            kept = "\\" in body or single in body or body.endswith("'")
            return string if kept else single + body + single
    return string
