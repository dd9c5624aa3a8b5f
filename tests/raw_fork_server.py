"""A fork server whose workers also run raw Python: a program that begins with ``# raw`` is neither
checked nor rewritten. It stands for whoever gets past the language, so that what is held then is
held by the jail alone."""

import builtins
import sys

from messages.program import Program
from nodes.env_server import session
from nodes.env_server.jail import fork_server
from nodes.env_server.programs import CompiledProgram, compiler, running

RAW = "# raw\n"
_compiled = session.compiled


def compiled(program: Program) -> CompiledProgram:
    if not program.source.startswith(RAW):
        return _compiled(program)
    source = program.source
    code = compile(source, compiler.file_name(source), "exec")
    return CompiledProgram(source, code, None, frozenset(), compiler.mark_of(source))


if __name__ == "__main__":
    session.compiled = compiled
    running.SHARED = {**running.SHARED, "__builtins__": builtins}
    sys.exit(fork_server.main(sys.argv[1:]))
