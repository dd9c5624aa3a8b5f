"""Checks a program's syntax tree against the language and reports every problem at once."""

import ast
import re
from collections.abc import Mapping, Sequence

from messages.program import Problem
from nodes.env_server.programs import grammar
from worlds.foreign import of_another, other_games
from worlds.language import Language
from worlds.unknown_names import naming_problems

_SPEC = re.compile(r"[<>=^]?[+\- ]?0?\d{0,2},?(\.\d{0,2})?[bdeEfFgGnosxX%]?")
_MAX_NUMBER = 10**15


Signatures = Mapping[str, ast.arguments]


def check(
    tree: ast.Module, language: Language, helpers: Signatures, helpers_that_act: frozenset[str]
) -> tuple[list[Problem], frozenset[str]]:
    """All problems of the program, by line, and the names of its functions and of the helpers that
    act.

    Acting is calling a primitive, directly or through other functions.
    """
    if deep := _too_deep(tree):
        return [Problem(line=deep, message="this is nested too deeply")], frozenset()
    checker = _Checker(tree, language, helpers, helpers_that_act)
    checker.module(tree)
    checker.has_action()
    checker.problems += naming_problems(tree, language)
    return checker.found(), checker.acting


def check_library(tree: ast.Module, language: Language) -> tuple[list[Problem], frozenset[str]]:
    """Check functions that are no program yet."""
    checker = _Checker(tree, language, {}, frozenset())
    checker.module(tree)
    return checker.found(), checker.acting


def check_looking(
    tree: ast.Module,
    language: Language,
    helpers: Signatures,
    helpers_that_act: frozenset[str],
    name: str,
    arguments: Sequence[str],
    what: str,
) -> list[Problem]:
    """All problems of a function that cannot act, as ``def reward(before, after)``; ``what``:
    *a reward*."""
    if deep := _too_deep(tree):
        return [Problem(line=deep, message="this is nested too deeply")]
    checker = _Checker(tree, language, helpers, helpers_that_act)
    checker.module(tree)
    checker.only_looks(name, arguments, what)
    checker.problems += naming_problems(tree, language)
    return checker.found()


def _too_deep(tree: ast.AST) -> int:
    """The line where the tree is deeper than allowed, else 0. Does not recurse."""
    level: list[tuple[ast.AST, int]] = [(tree, 1)]
    for _ in range(grammar.MAX_DEPTH):
        level = [
            (child, getattr(child, "lineno", line))
            for node, line in level
            for child in ast.iter_child_nodes(node)
        ]
        if not level:
            return 0
    return level[0][1]


def _acting(
    functions: dict[str, ast.FunctionDef], helpers: frozenset[str], language: Language
) -> frozenset[str]:
    calls = {
        name: {
            node.func.id
            for node in ast.walk(function)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        for name, function in functions.items()
    }
    acting = set(helpers - functions.keys())
    while True:
        act = acting | language.primitives.keys()
        more = {name for name, called in calls.items() if name not in acting and called & act}
        if not more:
            return frozenset(acting)
        acting |= more


class _Checker(ast.NodeVisitor):
    def __init__(
        self,
        tree: ast.Module,
        language: Language,
        helpers: Signatures,
        helpers_that_act: frozenset[str],
    ) -> None:
        self.problems: list[Problem] = []
        self.language = language
        self.reserved = grammar.api_names(language)
        self.unknown: list[str] = []  # names; each once
        self.functions = {
            node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)
        }
        self.helpers = {n: args for n, args in helpers.items() if n not in self.functions}
        self.acting = _acting(self.functions, helpers_that_act, language)
        self.known = self.reserved | self.functions.keys() | self.helpers.keys() | _bound(tree)
        self.pure_scope = 0  # inside a lambda or comprehension, where nothing can act

    def found(self) -> list[Problem]:
        others = other_games(self.language) if self.unknown else {}
        foreign = [name for name in self.unknown if name in others]
        # Of a program for another game, all other problems come of that. A single such name may be
        # a guess: then it is one unknown name among its real problems.
        if len(foreign) > max(1, len(self.unknown) / 2):
            message = of_another(foreign[0], others[foreign[0]], self.language.game)
            return [Problem(line=1, message=message)]
        unique = dict.fromkeys((p.line, p.message) for p in self.problems)
        return [Problem(line=line, message=message) for line, message in sorted(unique)]

    def problem(self, node: ast.AST, message: str) -> None:
        self.problems.append(Problem(line=getattr(node, "lineno", 1), message=message))

    # ---- top level

    def module(self, tree: ast.Module) -> None:
        for number, node in enumerate(tree.body):
            if isinstance(node, ast.FunctionDef):
                self.function(node)
            elif number == 0 and _is_text(node):
                continue
            elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if isinstance(node, ast.AnnAssign):
                    self.annotation(node.annotation)
                for target in targets:
                    if not isinstance(target, ast.Name):
                        self.problem(node, "only functions and constants at the top level")
                    else:
                        self.stored_name(target, target.id)
                self.constant(node.value)
            elif type(node) in grammar.REASONS:
                self.problem(node, grammar.REASONS[type(node)])
            else:
                self.problem(node, "only functions and constants at the top level")

    def has_action(self) -> None:
        action = self.functions.get("action")
        if action is None:
            self.problems.append(Problem(line=1, message="there is no function: def action(obs)"))
        elif not _takes(action.args, 1):
            self.problem(action, "action takes one argument: def action(obs)")
        elif "action" not in self.acting:
            self.problem(action, "action never acts: it calls no primitive")

    def only_looks(self, name: str, arguments: Sequence[str], what: str) -> None:
        function = self.functions.get(name)
        head = f"def {name}({', '.join(arguments)})"
        if function is None:
            self.problems.append(Problem(line=1, message=f"there is no function: {head}"))
        elif not _takes(function.args, len(arguments)):
            count = "one argument" if len(arguments) == 1 else "two arguments"
            self.problem(function, f"{name} takes {count}: {head}")
        for acting in sorted(self.acting & self.functions.keys()):
            self.problem(self.functions[acting], f"{what} cannot act, and {acting} does")

    def constant(self, node: ast.expr) -> None:
        allowed = (
            ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.UnaryOp, ast.BinOp, ast.Name,
            ast.operator, ast.unaryop, ast.expr_context,
        )  # fmt: skip
        for part in ast.walk(node):
            if not isinstance(part, allowed):
                self.problem(node, "a constant at the top level is a plain value")
                return
        self.visit(node)

    def function(self, node: ast.FunctionDef) -> None:
        self.annotation(node.returns)
        if node.decorator_list:
            self.problem(node, "decorators cannot be used")
        if node.name in self.reserved:
            self.problem(node, f"{node.name} is a name of the API and cannot be defined")
        if self.functions[node.name] is not node:
            self.problem(node, f"{node.name} is defined twice")
        self.name(node, node.name)
        self.arguments(node, node.args)
        for statement in node.body:
            self.visit(statement)

    def arguments(self, node: ast.AST, args: ast.arguments) -> None:
        if args.vararg or args.kwarg:
            self.problem(node, "*args and **kwargs cannot be used")
        for arg in [*args.posonlyargs, *args.args, *args.kwonlyargs]:
            self.stored_name(node, arg.arg)
            self.annotation(arg.annotation)
        for default in [*args.defaults, *args.kw_defaults]:
            if default is not None:
                self.constant(default)

    def annotation(self, node: ast.expr | None) -> None:
        """Annotations are thrown away, so they may be anything that does nothing."""
        plain = (ast.Name, ast.Constant, ast.Subscript, ast.Tuple, ast.List, ast.BinOp, ast.BitOr)
        for part in ast.walk(node) if node is not None else ():
            if not isinstance(part, (*plain, ast.expr_context)):
                self.problem(node or part, "an annotation is the name of a type")
                return

    # ---- names

    def name(self, node: ast.AST, name: str) -> None:
        if name.startswith("_") and name != "_":
            self.problem(node, f"the name {name} begins with an underscore")
        if not name.isascii():
            self.problem(node, f"the name {name!r} is not plain ASCII")

    def stored_name(self, node: ast.AST, name: str) -> None:
        self.name(node, name)
        if name in self.reserved:
            self.problem(node, f"{name} is a name of the API and cannot be assigned")
        elif name in self.functions:
            self.problem(node, f"{name} is a function and cannot be assigned")
        elif name in self.helpers:
            self.problem(node, f"{name} is a function of the API and cannot be assigned")

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.stored_name(node, node.id)
            return
        self.name(node, node.id)
        if node.id in self.language.primitives or node.id in self.acting:
            self.problem(node, f"{node.id} may only be called, not passed around")
        elif node.id in grammar.TYPES:
            self.problem(node, f"{node.id} may only be called or named in isinstance()")
        elif node.id in grammar.EXCEPTIONS:
            self.problem(node, f"{node.id} may only be raised or caught")
        elif node.id == "isinstance":
            self.problem(node, "isinstance may only be called")
        elif node.id not in self.known:
            self.problem(node, f"unknown name {node.id}")
            if node.id not in self.unknown:
                self.unknown.append(node.id)

    # ---- expressions

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.problem(node, "objects are read-only: attributes cannot be assigned")
        elif node.attr not in self.language.fields:
            if self.is_method(node.attr):
                self.problem(node, f".{node.attr} may only be called")
            else:
                self.problem(node, f"unknown attribute .{node.attr}")
        self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        func = node.func
        arguments: list[ast.AST] = [*node.args, *(keyword.value for keyword in node.keywords)]
        if any(keyword.arg is None for keyword in node.keywords):
            self.problem(node, grammar.REASONS[ast.Starred])
        if isinstance(func, ast.Attribute):
            if not self.is_method(func.attr):
                self.problem(node, f"unknown method .{func.attr}()")
            self.visit(func.value)
        elif not isinstance(func, ast.Name):
            self.problem(node, "only functions and methods by name can be called")
            self.visit(func)
        elif func.id in self.language.primitives:
            self.primitive(node, func.id)
        elif func.id in self.helpers:
            if func.id in self.acting:
                self.may_act(node, func.id)
            self.helper(node, func.id, self.helpers[func.id])
        elif func.id in self.acting:
            self.may_act(node, func.id)
        elif func.id == "isinstance":
            self.types(node)
            arguments = arguments[:1]
        elif func.id in grammar.EXCEPTIONS:
            self.problem(node, f"{func.id} may only be raised or caught")
        elif func.id not in grammar.TYPES:
            self.visit(func)
        for argument in arguments:
            self.visit(argument)

    def is_method(self, name: str) -> bool:
        return name in grammar.METHOD_NAMES or name in self.language.methods

    def primitive(self, node: ast.Call, name: str) -> None:
        self.may_act(node, name)
        wanted = self.language.primitives[name]
        if len(node.args) != wanted or node.keywords:
            self.problem(node, f"{name} takes {'one argument' if wanted else 'no arguments'}")

    def helper(self, node: ast.Call, name: str, args: ast.arguments) -> None:
        """Its arguments fit: a mistake would otherwise show only when it is called."""
        names = [arg.arg for arg in args.args]
        given = [*names[: len(node.args)], *(keyword.arg for keyword in node.keywords)]
        required = names[: len(names) - len(args.defaults)]
        if (
            len(node.args) > len(names)
            or len(set(given)) < len(given)
            or not set(required) <= set(given) <= set(names)
        ):
            wanted = [n if n in required else f"{n}=..." for n in names]
            self.problem(node, f"{name} is called as {name}({', '.join(wanted)})")

    def may_act(self, node: ast.AST, name: str) -> None:
        if self.pure_scope:
            self.problem(node, f"{name} acts and cannot be called in a lambda or comprehension")

    def types(self, node: ast.Call) -> None:
        named: list[ast.expr] = []
        if len(node.args) == 2 and not node.keywords:
            kinds = node.args[1]
            named = kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
        if not named or any(
            not isinstance(kind, ast.Name) or kind.id not in grammar.TYPES for kind in named
        ):
            self.problem(node, "isinstance takes a value and types by name, such as (int, float)")

    def pure(self, node: ast.AST) -> None:
        self.pure_scope += 1
        self.generic_visit(node)
        self.pure_scope -= 1

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = pure

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.arguments(node, node.args)
        self.pure_scope += 1
        self.visit(node.body)
        self.pure_scope -= 1

    def visit_comprehension(self, node: ast.comprehension) -> None:
        if node.is_async:
            self.problem(node.target, "async cannot be used")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if value is None or isinstance(value, bool | str):
            return
        if not isinstance(value, int | float):
            self.problem(node, f"{type(value).__name__} values cannot be used")
        elif abs(value) > _MAX_NUMBER:
            self.problem(node, "this number is too large")

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        # To Python's tokenizer it is one token, however much is in its braces.
        if sum(1 for _ in ast.walk(node)) > grammar.MAX_LINE_TOKENS:
            self.problem(node, "this f-string is too long; split it into several")
        self.generic_visit(node)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> None:
        self.visit(node.value)
        spec = node.format_spec
        if spec is None:
            return
        parts = spec.values if isinstance(spec, ast.JoinedStr) else [spec]
        text = "".join(str(p.value) for p in parts if isinstance(p, ast.Constant))
        if any(not isinstance(p, ast.Constant) for p in parts) or not _SPEC.fullmatch(text):
            self.problem(node, "a format may only be a width below 100 and a precision, like :.1f")

    def display(self, node: ast.List | ast.Tuple | ast.Set | ast.Dict) -> None:
        parts = node.keys if isinstance(node, ast.Dict) else node.elts
        if len(parts) > grammar.MAX_DISPLAY:
            self.problem(node, f"at most {grammar.MAX_DISPLAY} elements in one pair of brackets")
        if isinstance(node, ast.Dict) and None in parts:
            self.problem(node, grammar.REASONS[ast.Starred])
        self.generic_visit(node)

    visit_List = visit_Tuple = visit_Set = visit_Dict = display

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) > 1 and any(isinstance(op, ast.In | ast.NotIn) for op in node.ops):
            self.problem(node, "in stands on its own, not in a chain of comparisons")
        self.generic_visit(node)

    # ---- statements

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.problem(node, "functions are defined at the top level only")

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.annotation(node.annotation)
        self.visit(node.target)
        if node.value is not None:
            self.visit(node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Subscript) and any(
            isinstance(part, ast.Call | ast.NamedExpr) for part in ast.walk(node.target)
        ):
            self.problem(node, "give the index a name first, then change the element")
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load) and isinstance(node.slice, ast.Slice):
            self.problem(node, "slices cannot be assigned")
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        error = node.exc
        if node.cause is not None:
            self.problem(node, "raise ... from cannot be used")
        if isinstance(error, ast.Call):
            if error.keywords or len(error.args) > 1:
                self.problem(node, "an error takes one message")
            for argument in error.args:
                self.visit(argument)
            error = error.func
        if error is not None and not (
            isinstance(error, ast.Name) and error.id in grammar.EXCEPTIONS
        ):
            self.problem(node, f"only these can be raised: {', '.join(sorted(grammar.EXCEPTIONS))}")

    def visit_Try(self, node: ast.Try) -> None:
        if node.finalbody:
            self.problem(node.finalbody[0], "finally cannot be used")
        for handler in node.handlers:
            self.handler(handler)
        for statement in [*node.body, *node.orelse]:
            self.visit(statement)

    def handler(self, node: ast.ExceptHandler) -> None:
        if node.type is None:
            self.problem(node, "except needs the name of an error")
        else:
            kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
            for kind in kinds:
                if not isinstance(kind, ast.Name) or kind.id not in grammar.EXCEPTIONS:
                    allowed = ", ".join(sorted(grammar.EXCEPTIONS))
                    self.problem(node, f"only these can be caught: {allowed}")
        if node.name:
            self.stored_name(node, node.name)
        for statement in node.body:
            self.visit(statement)

    def generic_visit(self, node: ast.AST) -> None:
        if type(node) not in grammar.NODES:
            kind = type(node).__name__
            self.problem(node, grammar.REASONS.get(type(node), f"{kind} cannot be used"))
            return
        super().generic_visit(node)


def _takes(args: ast.arguments, count: int) -> bool:
    """Whether a function has this many arguments, all of them to be given in order."""
    return len(args.posonlyargs + args.args) == count and not (args.defaults or args.kwonlyargs)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _bound(tree: ast.AST) -> set[str]:
    """Every name that the program binds somewhere."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
    return names
