"""What is wrong with a program, as `env_server/check_program` reports it."""

from messages.program import CheckProgram, Problem
from nodes.env_server.programs.compiler import ProgramRefused, compile_program
from nodes.env_server.programs.condition import compile_condition
from nodes.env_server.programs.reward import compile_reward
from worlds.runtime import Runtime


def problems_of(request: CheckProgram, runtime: Runtime) -> list[Problem]:
    """All problems of a program at once; none: the program may run."""
    try:
        if request.kind == "reward":
            compile_reward(request.program.source, runtime.language)
        elif request.kind == "when":
            compile_condition(request.program.source, runtime.language)
        else:
            compile_program(request.program.source, runtime)
    except ProgramRefused as refused:
        return refused.problems
    return []
