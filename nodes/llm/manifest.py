"""The manifest of a folder of converted or trained weights, so that a part of one is never taken
for the whole, and a run can record which weights answered."""

import hashlib
from pathlib import Path

import msgspec

from messages.undecodable import UNDECODABLE
from nodes.common.storage.whole_files import write_whole

NAME = "rlgpt.json"
_SMALL = 64_000_000  # bytes: all but weights


class File(msgspec.Struct, frozen=True):
    bytes: int
    sha256: str  # in hexadecimal


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """``files``: all others in the folder, by name."""

    model: str
    licence: str  # "" where it is not stated
    source: str  # the name of the file that it was converted from
    source_sha256: str
    trained: str = ""  # digest of the adapter that was merged into it; "": none
    # Goals that are held out and that it was taught all the same, by runs or as steps to others.
    held_out: list[str] = []
    files: dict[str, File]

    @property
    def digest(self) -> str:
        """One digest for all the files, in hexadecimal: the version of these weights."""
        return self._digest(list(self.files))

    @property
    def weights(self) -> str:
        """One digest for the weights alone, in hexadecimal, by which an adapter knows its base:
        other files are written in another way by other versions of the libraries."""
        return self._digest([name for name in self.files if name.endswith(".safetensors")])

    def _digest(self, names: list[str]) -> str:
        lines = "".join(f"{name} {self.files[name].sha256}\n" for name in sorted(names))
        return hashlib.sha256(lines.encode()).hexdigest()


def read(folder: Path) -> Manifest | None:
    """The manifest of a folder; None where there is none, as in a folder from elsewhere.

    Raises:
        ValueError: it cannot be read.
    """
    try:
        return msgspec.json.decode((folder / NAME).read_bytes(), type=Manifest)
    except FileNotFoundError:
        return None
    except (OSError, *UNDECODABLE) as error:
        raise ValueError(f"{folder / NAME} cannot be read ({error})") from None


def write(folder: Path, manifest: Manifest) -> None:
    """Write it into its folder, whose files everybody may read: safetensors are written for their
    owner alone."""
    for path in folder.rglob("*"):
        if path.is_file():
            path.chmod(0o644)
    text = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
    write_whole(folder / NAME, text)


def described(folder: Path) -> dict[str, File]:
    """The files of a folder, as a manifest has them."""
    return {
        path.name: File(path.stat().st_size, digest_of(path))
        for path in sorted(folder.iterdir())
        if path.is_file() and path.name != NAME
    }


def weights_digest(folder: Path) -> str:
    """One digest for the weights of a folder without a manifest."""
    return digest_of(*sorted(folder.glob("*.safetensors")))


def missing(folder: Path, manifest: Manifest, thorough: bool = False) -> str:
    """What of the files is not as the manifest has it, in words; "" where all are. The digests of
    small files are always compared, and with ``thorough`` those of all, which takes a second or
    more for each GB."""
    for name, file in manifest.files.items():
        path = folder / name
        if not path.is_file():
            return f"{name} is missing"
        if (size := path.stat().st_size) != file.bytes:
            return f"{name} has {size:,} bytes and should have {file.bytes:,}"
    for name, file in manifest.files.items():
        if (thorough or file.bytes <= _SMALL) and digest_of(folder / name) != file.sha256:
            return f"{name} was changed"
    return ""


def digest_of(*paths: Path) -> str:
    """SHA-256 of what the files hold one after another, in hexadecimal."""
    summed = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(2**20):
                summed.update(block)
    return summed.hexdigest()
