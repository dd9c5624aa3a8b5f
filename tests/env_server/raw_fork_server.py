"""A fork server whose workers also run raw Python: a program, macro or reward that begins with
``# raw`` is neither checked nor rewritten. It stands for code that gets past the language, so that
what is held then is held by the jail alone."""

import builtins
import sys
from types import CodeType

from nodes.env_server.interface import choices
from nodes.env_server.jail import fork_server
from nodes.env_server.programs import CompiledProgram, compiler, looking_functions, reward, running
from nodes.env_server.session import decisions, guards
from worlds.language import Language
from worlds.runtime import Runtime

RAW = "# raw\n"
_compile_program, _compile_reward = compiler.compile_program, reward.compile_reward


def compile_program(source: str, runtime: Runtime) -> CompiledProgram:
    if not source.startswith(RAW):
        return _compile_program(source, runtime)
    mark = compiler.mark_of(source)
    return CompiledProgram(source, runtime, _raw(source), None, frozenset(), mark)


def compile_reward(source: str, language: Language) -> looking_functions.Compiled:
    if not source.startswith(RAW):
        return _compile_reward(source, language)
    return looking_functions.Compiled(_raw(source), None, frozenset())


def _raw(source: str) -> CodeType:
    return compile(source, compiler.file_name(source), "exec")


if __name__ == "__main__":
    decisions.compile_program = choices.compile_program = guards.compile_program = compile_program
    reward.compile_reward = compile_reward
    running.SHARED = looking_functions.SHARED = {**running.SHARED, "__builtins__": builtins}
    sys.exit(fork_server.main(sys.argv[1:]))
