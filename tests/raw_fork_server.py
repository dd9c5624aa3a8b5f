"""A fork server whose workers also run raw Python: a program, macro or reward that begins with
``# raw`` is neither checked nor rewritten. It stands for whoever gets past the language, so that
what is held then is held by the jail alone."""

import builtins
import sys
from types import CodeType

from nodes.env_server.interface import choices
from nodes.env_server.jail import fork_server
from nodes.env_server.programs import CompiledProgram, compiler, reward, running
from nodes.env_server.session import coded_actions

RAW = "# raw\n"
_compile_program, _compile_reward = compiler.compile_program, reward.compile_reward


def compile_program(source: str) -> CompiledProgram:
    if not source.startswith(RAW):
        return _compile_program(source)
    return CompiledProgram(source, _raw(source), None, frozenset(), compiler.mark_of(source))


def compile_reward(source: str) -> tuple[CodeType, frozenset[str]]:
    return (_raw(source), frozenset()) if source.startswith(RAW) else _compile_reward(source)


def _raw(source: str) -> CodeType:
    return compile(source, compiler.file_name(source), "exec")


if __name__ == "__main__":
    coded_actions.compile_program = choices.compile_program = compile_program
    reward.compile_reward = compile_reward
    running.SHARED = reward.SHARED = {**running.SHARED, "__builtins__": builtins}
    sys.exit(fork_server.main(sys.argv[1:]))
