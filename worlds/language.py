"""The language of coded actions, as far as it is a game's: what its programs may name.

What is the same for every game (syntax, Python's own functions, limits) is the env server's
(`nodes/env_server/programs/grammar.py`), as is all that checks and compiles programs.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path


@dataclass(frozen=True, kw_only=True, eq=False)
class Language:
    """What the programs of one game may use. Two languages are one where their digests are."""

    game: str
    primitives: Mapping[str, int]
    """Primitive actions and how many arguments each takes, 0 or 1."""
    functions: frozenset[str] = frozenset()
    """The game's functions that look at an observation and do not act: ``nearest``."""
    fields: frozenset[str] = frozenset()
    """Attributes that may be read, of observations and of what they hold."""
    methods: frozenset[str] = frozenset()
    """Methods of observations."""
    helpers: frozenset[str] = frozenset()
    """Functions of ``helper_folder`` that programs may call. They are written in this language,
    too, and a program may define its own instead."""
    helper_folder: Path | None = None
    """A folder of Python files with the helpers; None where there are none."""
    stub: Path
    """The API as its users read it, a .pyi file."""
    naming: Mapping[str, Callable[[str], str]] = field(default_factory=dict)
    """For each kind of name, what is wrong with one that is of another kind or that nothing has:
    empty if nothing is. A program that has such a name is refused."""
    named_arguments: Mapping[str, tuple[int, str, str]] = field(default_factory=dict)
    """The named arguments of a primitive, function or helper: which argument is a name, what it is
    called as a keyword, and of what kind it is."""
    named_fields: Mapping[str, str] = field(default_factory=dict)
    """Fields, and methods' results, that are names or are looked up by names: of what kind."""

    @cached_property
    def codes(self) -> dict[str, int]:
        """Codes of the primitives without an argument, from 0 on."""
        plain = [name for name, count in self.primitives.items() if not count]
        return {name: code for code, name in enumerate(plain)}

    @cached_property
    def names(self) -> frozenset[str]:
        """Primitives and functions: names that a program may use and may not define."""
        return self.functions | self.primitives.keys()

    def is_name(self, text: str) -> bool:
        """Whether something of the game is called so: an item, a block or a mob. False where the
        game has no ``naming``."""
        return any(not wrong(text) for wrong in self.naming.values())

    def helper_files(self) -> list[str]:
        """The sources of the helpers, in the order of their files' names."""
        files = [] if self.helper_folder is None else sorted(self.helper_folder.glob("*.py"))
        return [path.read_text("utf-8") for path in files]

    @cached_property
    def digest(self) -> str:
        """The digest of all that decides what a program of this language means."""
        parts = [self.game, repr(sorted(self.primitives.items())), *self.helper_files()]
        parts += [repr(sorted(names)) for names in (self.functions, self.fields, self.methods)]
        named = (self.named_arguments, self.named_fields)
        parts += [repr(sorted(each.items())) for each in named if each]
        parts += [repr(sorted(self.helpers)), self.stub.read_text("utf-8")]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Language) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)
