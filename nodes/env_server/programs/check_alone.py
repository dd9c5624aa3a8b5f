"""Checks programs in a process of its own, without an env server: ``rlgpt ask``.

It reads ``{"game": ..., "checks": [...]}`` on standard input and prints the problems of each, in
that order.
"""

import sys

import msgspec

import worlds
from messages.program import CheckProgram
from nodes.common.running.command import ended
from nodes.env_server.programs.checking import problems_of


class _Request(msgspec.Struct):
    game: str
    checks: list[CheckProgram]


def main() -> int:
    request = msgspec.json.decode(sys.stdin.buffer.read(), type=_Request)
    runtime = worlds.play(request.game).programs
    found = [problems_of(check, runtime) for check in request.checks]
    print(msgspec.json.encode(found).decode())
    return 0


if __name__ == "__main__":
    sys.exit(ended(main))
