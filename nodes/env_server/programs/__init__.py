"""Coded actions: a checked language, compiled to generators of primitive actions.

What is covered (the language layer): a program is parsed, checked against an allow-list of syntax,
names and attributes, rewritten with guards, and only then executed, with builtins of our own. It
cannot import, reach Python's object model, keep state between runs, or refuse to be stopped: the
host stops it by not sending again. Loops, recursion, large numbers, long texts, large or deeply
nested containers use up fuel or raise an error in the program.

What is not covered: memory is bounded only through fuel (a hostile program may still hold some
hundred megabytes), and a fault in CPython itself or in this checker is not contained. That is what
the jailed process around it is for (`nodes/env_server/jail/`).
"""

from nodes.env_server.programs.compiler import CompiledProgram, ProgramRefused, compile_program
from nodes.env_server.programs.running import Batch, Ending, Run

__all__ = [
    "Batch",
    "CompiledProgram",
    "Ending",
    "ProgramRefused",
    "Run",
    "compile_program",
]
