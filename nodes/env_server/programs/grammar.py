"""The language of coded actions, as far as every game has it: syntax, Python's own names, limits.

What a game adds to it: `worlds/language.py`.
"""

import ast
from functools import cache

from worlds.language import Language

NODES: frozenset[type[ast.AST]] = frozenset(
    {
        ast.Module, ast.FunctionDef, ast.arguments, ast.arg, ast.Return, ast.Assign, ast.AugAssign,
        ast.AnnAssign, ast.For, ast.While, ast.If, ast.Break, ast.Continue, ast.Pass, ast.Expr,
        ast.Raise, ast.Try, ast.ExceptHandler, ast.Assert, ast.BoolOp, ast.BinOp, ast.UnaryOp,
        ast.Compare, ast.Call, ast.keyword, ast.IfExp, ast.Lambda, ast.ListComp, ast.SetComp,
        ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.Constant, ast.Name, ast.Attribute,
        ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.JoinedStr,
        ast.FormattedValue, ast.NamedExpr, ast.Load, ast.Store, ast.And, ast.Or, ast.Not,
        ast.Invert, ast.UAdd, ast.USub, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod,
        ast.Pow, ast.LShift, ast.RShift, ast.BitOr, ast.BitAnd, ast.BitXor, ast.Eq, ast.NotEq,
        ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Is, ast.IsNot, ast.In, ast.NotIn,
    }
)  # fmt: skip
"""Everything else of Python's syntax is refused."""

REASONS: dict[type[ast.AST], str] = {
    ast.Import: "nothing can be imported, and nothing needs to be",
    ast.ImportFrom: "nothing can be imported, and nothing needs to be",
    ast.ClassDef: "classes cannot be defined",
    ast.AsyncFunctionDef: "async cannot be used",
    ast.Await: "async cannot be used",
    ast.AsyncFor: "async cannot be used",
    ast.AsyncWith: "async cannot be used",
    ast.Yield: "yield cannot be used: call a primitive, it returns the next observation",
    ast.YieldFrom: "yield cannot be used: call a primitive, it returns the next observation",
    ast.Global: "global cannot be used: pass values and return them",
    ast.Nonlocal: "nonlocal cannot be used: pass values and return them",
    ast.Delete: "del cannot be used",
    ast.With: "with cannot be used",
    ast.Match: "match cannot be used: write if and elif",
    ast.Starred: "* and ** cannot be used to unpack",
    ast.MatMult: "the operator @ cannot be used",
}
"""The reasons for refused syntax where its name alone would not help."""

PURE = frozenset(
    {
        "abs", "all", "any", "divmod", "enumerate", "len", "max", "min", "range", "reversed",
        "round", "sorted", "sum", "zip", "sqrt", "hypot", "sin", "cos", "atan2", "degrees",
        "radians", "floor", "ceil",
    }
)  # fmt: skip
"""Host functions that every game has. None of them acts."""

TYPES = frozenset({"bool", "int", "float", "str", "list", "tuple", "dict", "set"})
"""Types: may be called, and named in isinstance()."""

EXCEPTIONS = frozenset(
    {
        "Exception", "ArithmeticError", "AssertionError", "AttributeError", "IndexError",
        "KeyError", "LookupError", "NotImplementedError", "OverflowError", "RuntimeError",
        "TypeError", "ValueError", "ZeroDivisionError",
    }
)  # fmt: skip

METHODS: dict[type, frozenset[str]] = {
    list: frozenset(
        {"append", "extend", "insert", "pop", "remove", "index", "count", "sort", "reverse",
         "copy", "clear"}
    ),
    dict: frozenset(
        {"get", "keys", "values", "items", "pop", "popitem", "setdefault", "update", "copy",
         "clear"}
    ),
    set: frozenset(
        {"add", "discard", "remove", "pop", "copy", "clear", "update", "union", "intersection",
         "difference", "symmetric_difference", "intersection_update", "difference_update",
         "symmetric_difference_update", "issubset", "issuperset", "isdisjoint"}
    ),
    tuple: frozenset({"index", "count"}),
    str: frozenset(
        {"startswith", "endswith", "split", "strip", "lstrip", "rstrip", "lower", "upper", "title",
         "replace", "join", "find", "count", "removeprefix", "removesuffix", "isdigit", "index",
         "rfind", "rindex", "partition", "rpartition", "rsplit", "splitlines", "capitalize",
         "swapcase", "isalpha", "isalnum", "isspace", "islower", "isupper"}
    ),
}  # fmt: skip
"""Methods by type; they may only be called."""

METHOD_NAMES = frozenset().union(*METHODS.values())

_OWN_NAMES = PURE | TYPES | EXCEPTIONS | {"isinstance"}


@cache
def api_names(language: Language) -> frozenset[str]:
    """Names that a program may use and may not define.

    Raises:
        ValueError: the language has a name that every language has.
    """
    if twice := _OWN_NAMES & (language.names | language.helpers):
        raise ValueError(
            f"the language of {language.game} has {', '.join(sorted(twice))}, which every game's "
            "programs have from Python: choose another name"
        )
    return _OWN_NAMES | language.names


MAX_SOURCE = 20_000  # characters
MAX_LINE_TOKENS = 500  # tokens of one logical line, and nodes of an f-string, which is one token
MAX_BRACKETS = 20  # nested
MAX_INDENTS = 12  # nested
MAX_DEPTH = 80  # of the syntax tree
MAX_DISPLAY = 256  # elements written in one pair of brackets
NODES_PER_TICK = 200  # a loop's body of more nodes pays more fuel a turn
