"""From source to something that runs: limits, parse, check, rewrite, compile."""

import ast
import io
import tokenize
import warnings
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType

from messages.program import Problem
from nodes.env_server.programs import grammar, library
from nodes.env_server.programs.checker import check
from nodes.env_server.programs.pulse import PULSE, mark_of
from nodes.env_server.programs.rewriter import rewrite
from worlds.language import Language
from worlds.runtime import Runtime
from worlds.syntax_problems import syntax_problem, syntax_problem_at

_MARKS = (tokenize.NL, tokenize.COMMENT)
_TOO_LONG = (
    f"the statement that begins here has more than {grammar.MAX_LINE_TOKENS} words and signs; "
    "split it into several"
)


class ProgramRefused(ValueError):
    """The program may not run; ``problems`` has every reason."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("; ".join(f"line {p.line}: {p.message}" for p in problems))
        self.problems = problems


@dataclass(frozen=True)
class CompiledProgram:
    """A checked and rewritten program.

    ``code`` is a module body that defines the generator function ``action``; it is executed again
    for each run, so that nothing is left over from the last one; ``helpers``, if any, before it.
    ``fields`` are the observation's fields that the program and its helpers mention, ``mark`` is
    a number of its source.
    """

    source: str
    runtime: Runtime
    code: CodeType
    helpers: CodeType | None
    fields: frozenset[str]
    mark: int


@lru_cache(maxsize=512)
def _compiled(source: str, runtime: Runtime) -> CompiledProgram | tuple[Problem, ...]:
    language = runtime.language
    problem = problem_before_parsing(source)
    if problem is not None:
        return (problem,)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the program's text, which is no concern of ours
            tree = ast.parse(source)
            signatures, acting = library.signatures(language), library.acting(language)
            problems, acting = check(tree, language, signatures, acting)
            if problems:
                return tuple(problems)
            fields = {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
            called = helpers_of(tree, language)
            helpers = None
            if called:
                helpers, read = library.compiled(language, called)
                fields |= read
                library.rename(tree, called)
                acting |= {library.PREFIX + name for name in called & library.acting(language)}
            new = rewrite(tree, language, acting)
            code = compile(new, file_name(source), "exec", dont_inherit=True, optimize=0)
    except SyntaxError as error:
        return (syntax_problem(error, source),)
    except (ValueError, MemoryError, RecursionError, OverflowError) as error:
        reason = str(error) or type(error).__name__
        return (Problem(line=1, message=f"the program cannot be read: {reason[:200]}"),)
    read = frozenset(fields) & (language.fields | language.methods)
    return CompiledProgram(source, runtime, code, helpers, read, mark_of(source))


def helpers_of(tree: ast.Module, language: Language) -> frozenset[str]:
    """Helpers that the program calls and does not define itself."""
    own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return (language.helpers & used) - own


FILE_NAME = "<coded action "
"""How the file name in the tracebacks of programs begins, by which their own lines are known from
ours. The source's mark follows, so that a traceback also shows which program's line it is."""


def file_name(source: str) -> str:
    return f"{FILE_NAME}{mark_of(source):x}>"


def compile_program(source: str, runtime: Runtime) -> CompiledProgram:
    """Check, rewrite and compile a program of the runtime's language.

    Raises:
        ProgramRefused: with all problems and their lines in ``source``.
    """
    with PULSE.inside(mark_of(source)):
        result = _compiled(source, runtime)
    if isinstance(result, CompiledProgram):
        return result
    raise ProgramRefused(list(result))


def problem_before_parsing(source: str) -> Problem | None:
    """Why Python's own parser, which recurses in C, may not be given the text; None: it may."""
    if len(source) > grammar.MAX_SOURCE:
        return Problem(line=1, message=f"longer than {grammar.MAX_SOURCE} characters")
    if "\0" in source:
        return Problem(line=1, message="there is a null character in the text")
    brackets: list[int] = []  # the lines on which those that are open were opened
    indents = tokens = 0
    line = begun = 1
    try:
        for token in tokenize.generate_tokens(io.StringIO(source, newline=None).readline):
            line = token.start[0]
            if token.type == tokenize.NEWLINE:
                tokens = 0
            elif token.type not in _MARKS:
                begun = begun if tokens else line
                tokens += 1
            if token.type == tokenize.OP and token.string in "([{":
                brackets.append(line)
            elif token.type == tokenize.OP and token.string in ")]}":
                if not brackets:
                    return syntax_problem_at(line, f"unmatched '{token.string}'", source)
                brackets.pop()
            elif token.type == tokenize.INDENT:
                indents += 1
            elif token.type == tokenize.DEDENT:
                indents -= 1
            if len(brackets) > grammar.MAX_BRACKETS or indents > grammar.MAX_INDENTS:
                return Problem(line=line, message="this is nested too deeply")
            if tokens > grammar.MAX_LINE_TOKENS:
                return Problem(line=begun, message=_TOO_LONG)
    except tokenize.TokenError as error:  # the text ended inside a bracket or a string
        message, (line, _) = error.args
        if brackets:
            message, line = "a bracket that is opened here is not closed", brackets[-1]
        return syntax_problem_at(line, message, source)
    except SyntaxError as error:
        return syntax_problem(error, source)
    except (ValueError, RecursionError) as error:
        return Problem(line=line, message=f"the program cannot be read: {str(error)[:200]}")
    return None
