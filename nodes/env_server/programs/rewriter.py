"""Rewrites a checked program: primitives become yields, loops burn fuel, growth is guarded.

Names that begin with an underscore are the host's; the checker lets no program use them.
"""

import ast
import copy
from collections.abc import Sequence

from nodes.env_server.programs import grammar
from worlds.language import Language

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "_add",
    ast.Sub: "_sub",
    ast.Mult: "_mul",
    ast.Mod: "_mod",
    ast.Pow: "_pow",
    ast.LShift: "_lshift",
    ast.BitOr: "_or",
    ast.BitAnd: "_and",
    ast.BitXor: "_xor",
}

_IN_PLACE = {
    name: name.replace("_", "_i") for name in ("_add", "_sub", "_mul", "_or", "_and", "_xor")
}
"""What has another guard in ``x += y``: a list, set or dict stays the same object there, which
other names may stand for."""


def rewrite(tree: ast.Module, language: Language, acting: frozenset[str]) -> ast.Module:
    """The tree as it is executed. ``tree`` must have passed the checker; it is changed."""
    new = _Rewriter(language, acting).visit(tree)
    return ast.fix_missing_locations(new)


def _call(where: ast.AST, name: str, *arguments: ast.expr) -> ast.Call:
    function = ast.copy_location(ast.Name(name, ast.Load()), where)
    return ast.copy_location(ast.Call(function, list(arguments), []), where)


def _ticks(body: Sequence[ast.AST], where: ast.AST) -> list[ast.expr]:
    """As many fuel ticks as the body is long, so that one turn of a loop, or one call of a
    function, costs what it does."""
    nodes = sum(1 for part in body for _ in ast.walk(part))
    return [_call(where, "_tick") for _ in range(1 + nodes // grammar.NODES_PER_TICK)]


def _statements(ticks: Sequence[ast.expr]) -> list[ast.stmt]:
    return [ast.copy_location(ast.Expr(tick), tick) for tick in ticks]


def _number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def _literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) or _number(node)


def _literals(node: ast.expr) -> bool:
    return isinstance(node, ast.Tuple | ast.List) and all(map(_literal, node.elts))


def _passes(tick: ast.expr) -> ast.expr:
    """A fuel tick as a condition that holds."""
    none = ast.copy_location(ast.Constant(None), tick)
    return ast.copy_location(ast.Compare(tick, [ast.Is()], [none]), tick)


_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class _Rewriter(ast.NodeTransformer):
    def __init__(self, language: Language, acting: frozenset[str]) -> None:
        self.language = language
        self.acting = acting

    # ---- statements

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        for arg in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
            arg.annotation = None
        node.returns = None
        ticks = _ticks(node.body, node)
        self.generic_visit(node)
        node.body = [*_statements(ticks), *node.body]
        return node

    def loop(self, node: ast.For | ast.While) -> ast.AST:
        ticks = _ticks([node.test, *node.body] if isinstance(node, ast.While) else node.body, node)
        self.generic_visit(node)
        node.body = [*_statements(ticks), *node.body]
        return node

    visit_For = visit_While = loop

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(
            ast.Assign([self.visit(node.target)], self.visit(node.value)), node
        )

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        target, name = node.target, _OPERATORS.get(type(node.op))
        value = self.visit(node.value)
        if isinstance(target, ast.Name) and (
            name is None or (name in ("_add", "_sub") and _number(node.value))
        ):
            node.value = value
            return node
        before = copy.deepcopy(target)
        before.ctx = ast.Load()
        old, new = self.visit(before), self.visit(target)
        if name is None:
            result: ast.expr = ast.BinOp(old, node.op, value)
        else:
            result = _call(node, _IN_PLACE.get(name, name), old, value)
        return ast.copy_location(ast.Assign([new], ast.copy_location(result, node)), node)

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        if isinstance(node.exc, ast.Call):
            node.exc.args = [_call(node, "_text", self.visit(arg)) for arg in node.exc.args]
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        self.generic_visit(node)
        if node.msg is not None:
            node.msg = _call(node, "_text", node.msg)
        return node

    # ---- expressions

    def visit_Call(self, node: ast.Call) -> ast.AST:
        func = node.func
        name = func.id if isinstance(func, ast.Name) else ""
        if name == "isinstance":
            node.args[0] = self.visit(node.args[0])
            return node
        if isinstance(func, ast.Attribute):
            method = ast.copy_location(ast.Constant(func.attr), func)
            call = _call(node, "_method", self.visit(func.value), method)
            call.args += [self.visit(arg) for arg in node.args]
            call.keywords = [self.visit(keyword) for keyword in node.keywords]
            return call
        self.generic_visit(node)
        if name in self.language.codes:
            return ast.copy_location(ast.Yield(ast.Constant(self.language.codes[name])), node)
        if name in self.language.primitives:
            return ast.copy_location(ast.Yield(_call(node, "_" + name, *node.args)), node)
        if name in self.acting:
            return ast.copy_location(ast.YieldFrom(node), node)
        if name in grammar.TYPES:
            node.func = ast.copy_location(ast.Name("_" + name, ast.Load()), func)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        left_number, right_number = _number(node.left), _number(node.right)
        self.generic_visit(node)
        name = _OPERATORS.get(type(node.op))
        if name is None or (left_number and right_number and name in ("_add", "_sub")):
            return node
        if name in ("_add", "_sub") and (left_number or right_number):
            return node
        return _call(node, name, node.left, node.right)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        operands = [node.left, *node.comparators]
        free = [_literal(operand) for operand in operands]
        listed = _literals(node.comparators[-1])
        self.generic_visit(node)
        if isinstance(node.ops[0], ast.In | ast.NotIn):
            if free[0] and (free[1] or listed):
                return node
            found = _call(node, "_in", node.left, node.comparators[0])
            if isinstance(node.ops[0], ast.In):
                return found
            return ast.copy_location(ast.UnaryOp(ast.Not(), found), node)
        if len(node.ops) == 1 and (any(free) or isinstance(node.ops[0], ast.Is | ast.IsNot)):
            return node
        operands = [
            operand if known else _call(operand, "_small", operand)
            for operand, known in zip([node.left, *node.comparators], free, strict=True)
        ]
        node.left, node.comparators = operands[0], operands[1:]
        return node

    def key(self, node: ast.expr, guard: str = "_key") -> ast.expr:
        """``node``, already rewritten, where it will be hashed; by ``_key`` where it will stay."""
        return node if _literal(node) else _call(node, guard, node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.slice, ast.Slice):
            node.value = _call(node, "_long", node.value)
        elif isinstance(node.ctx, ast.Load):
            node.slice = self.key(node.slice, "_small")
        else:
            node.slice = self.key(node.slice)
        if not isinstance(node.ctx, ast.Load):
            node.value = _call(node, "_room", node.value)
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        self.generic_visit(node)
        node.keys = [None if key is None else self.key(key) for key in node.keys]
        return node

    def visit_Set(self, node: ast.Set) -> ast.AST:
        self.generic_visit(node)
        node.elts = [self.key(element) for element in node.elts]
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        ticks = _ticks([node.body], node)
        self.generic_visit(node)
        node.body = ast.copy_location(ast.BoolOp(ast.Or(), [*ticks, node.body]), node)
        return node

    def comprehension(self, node: _Comprehension) -> ast.AST:
        """A turn of any of its loops costs what all of it does: one of them has the elements."""
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        for loop in node.generators:
            parts += [loop.target, *loop.ifs]
        every = [_ticks(parts, loop.target) for loop in node.generators]
        self.generic_visit(node)
        for loop, ticks in zip(node.generators, every, strict=True):
            loop.ifs = [*map(_passes, ticks), *loop.ifs]
        if isinstance(node, ast.SetComp):
            node.elt = self.key(node.elt)
        elif isinstance(node, ast.DictComp):
            node.key = self.key(node.key)
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = comprehension

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return _call(node, "_fstring", *[self.visit(part) for part in node.values])

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        value = self.visit(node.value)
        if node.conversion in (ord("r"), ord("a")):
            value = _call(node, "_repr", value)
        if isinstance(node.format_spec, ast.JoinedStr):
            spec = "".join(
                str(p.value) for p in node.format_spec.values if isinstance(p, ast.Constant)
            )
            return _call(node, "_format", value, ast.copy_location(ast.Constant(spec), node))
        return _call(node, "_text", value)
