"""Weights into the folder of weights: fetched, checked, converted, there whole or not at all."""

import difflib
import os
import shutil
from pathlib import Path

from nodes.llm import manifest
from nodes.llm.folders import unfit_name
from nodes.llm.getting.adapters import weights_version
from nodes.llm.getting.cpu_environment import NAME, environment
from nodes.llm.getting.disk_room import GB, check_room, size_of
from nodes.llm.getting.folder_lock import alone, check_place
from nodes.llm.getting.gguf_header import check_usable, read_header
from nodes.llm.getting.known_models import (
    Model,
    adapter_of,
    catalogue,
    name_of,
    names,
    taught_folder,
)
from nodes.llm.getting.merging import merge
from nodes.llm.getting.packages import fetch
from nodes.llm.getting.refusals import Failed, Refused
from nodes.llm.getting.weight_conversion import convert
from nodes.llm.manifest import Manifest
from nodes.llm.vllm.model_files import weightless, weights_folder
from nodes.llm.vllm.wholeness import problem


def get(what: str, into: Path, accepted: list[str]) -> None:
    """Put a model of the catalogue, or the one in a GGUF file, into a folder below ``into``. A
    fine-tuned model is its base, which is got first, with the project's adapter merged into it.

    Raises:
        Refused: it cannot be had, or another process works on it; nothing half-written is left in
            its place.
    """
    check_place(into)
    adapter = adapter_of(what)
    known = catalogue().get(what if adapter is None else adapter.name)
    if known is not None:
        _get(known.folder, known, None, known.licence, into)
        if adapter is not None:
            _fine_tune(what, known, adapter, into)
        return
    file = Path(os.path.expanduser(what)).absolute()
    if not file.is_file():
        raise Refused(_unknown(what))
    header = read_header(file)
    known = _in_catalogue(file)
    if known is None and (wrong := unfit_name(file.stem)):
        raise Refused(f"the folder cannot be called {file.stem} ({wrong}): rename {file.name}")
    if known is None:
        check_usable(file, header, accepted)
        _get(file.stem, None, file, header.licence, into)
    else:
        _get(known.folder, known, file, known.licence, into)


def _in_catalogue(file: Path) -> Model | None:
    """The known model that the file holds; None: another one."""
    alike = [each for each in catalogue().values() if each.bytes == file.stat().st_size]
    digest = manifest.digest_of(file) if alike else ""
    return next((each for each in alike if each.sha256 == digest), None)


def _unknown(what: str) -> str:
    if not what:
        return "the name of the model is empty"
    if Path(os.path.expanduser(what)).is_dir():
        return _folder(what)
    if "/" in what or what.endswith(".gguf"):
        return f"there is no file {what}"
    known = names()
    near = difflib.get_close_matches(what, known, n=1)
    meant = f"; did you mean `{near[0]}`?" if near else ""
    return f"there is no model `{what}` to get{meant} (there are: {', '.join(known)})"


def _folder(what: str) -> str:
    if (Path(os.path.expanduser(what)) / "config.json").is_file():
        return (
            f"{what} is a folder of weights, and is served as it is: "
            f"rlgpt launch harvest_log llm=local llm.path={what}"
        )
    return f"{what} is a folder: name a GGUF file, or a model ({', '.join(names())})"


def _fine_tune(name: str, base: Model, adapter: Path, into: Path) -> None:
    place = into / taught_folder(base.folder)
    recorded = manifest.read(adapter)
    if place.exists():
        sentence = _there(place)
        _check_is_of(recorded, place)
        print(sentence, flush=True)
        return
    size = base.converted / GB
    below = into / base.folder
    version = weights_version(below)
    if recorded is not None and version != recorded.source_sha256:
        raise Refused(
            f"{below} has other weights than those that the adapter is for (version "
            f"{version[:16]}, not {recorded.source_sha256[:16]}): delete the folder, or move it "
            "elsewhere, and get it again"
        )
    print(f"the adapter of {adapter.name} is merged into them: {size:.2f} GB more", flush=True)
    merge(adapter, into, place.name)
    print(f"{place} is there; {_use(name, place)}", flush=True)


def _get(name: str, known: Model | None, file: Path | None, licence: str, into: Path) -> None:
    place = into / name
    print(_about(name, known, file, licence, place), flush=True)
    if place.exists():
        print(_there(place), flush=True)
        return
    part = into / f".{name}.part"
    with alone(part, f"getting {name}"):
        if not place.exists():  # another call may have just made it
            _make(name, known, file, part, place, licence)
        shutil.rmtree(part)
    print(f"{place} is there; {_use(name_of(known.model) if known else None, place)}", flush=True)


def _make(
    name: str, known: Model | None, file: Path | None, part: Path, place: Path, licence: str
) -> None:
    """Make the folder ``place`` by way of ``part``, in which no other process works."""
    _check_room(known, file, part)
    environment(Path(NAME).absolute())
    gguf = file
    if gguf is None:
        assert known is not None
        gguf = part / known.file
        # Joined by an earlier call, which may have ended before all of it was on the disk.
        if gguf.exists() and manifest.digest_of(gguf) != known.sha256:
            gguf.unlink()
        if not gguf.exists():
            gguf = fetch(known, part, lambda line: print(line, flush=True))
        print(f"its digest is the model's own: {known.sha256[:16]}...", flush=True)
    try:
        _convert(name, known, gguf, part, place, licence)
    except BaseException:  # also where it is interrupted
        shutil.rmtree(part / "converted", ignore_errors=True)
        if file is not None:  # nothing was fetched that a later call could go on with
            shutil.rmtree(part)
        raise


def _convert(
    name: str, known: Model | None, gguf: Path, part: Path, place: Path, licence: str
) -> None:
    converted = part / "converted"
    shutil.rmtree(converted, ignore_errors=True)
    converted.mkdir()
    print("dequantising; takes a minute or more", flush=True)
    folder = Path(NAME).absolute()
    conversion = convert(folder, gguf, converted, known.tied if known else None)
    if known is not None and conversion.parameters != known.parameters:
        raise Failed(
            f"{gguf.name} became {conversion.parameters:,} parameters instead of "
            f"{known.parameters:,}: the environment's transformers reads it differently from the "
            "tested one"
        )
    recorded = Manifest(
        model=known.model if known else name,
        licence=licence,
        source=gguf.name,
        source_sha256=known.sha256 if known else manifest.digest_of(gguf),
        files=manifest.described(converted),
    )
    manifest.write(converted, recorded)
    converted.rename(place)


def _about(name: str, known: Model | None, file: Path | None, licence: str, place: Path) -> str:
    if known is None:
        assert file is not None
        stated = f"licence {licence}" if licence else "no licence is stated"
        size = file.stat().st_size / GB
        return f"{name}, a file of yours: {stated}, {size:.2f} GB; {place} is made of it"
    fetched = f"{known.bytes / GB:.2f} GB are fetched, " if file is None else ""
    count = known.packages.parts
    whose = f" ({count} packages)" if file is None and count > 1 else ""
    return (
        f"{known.model}: licence {licence}, {known.parameters / 1e6:,.0f} million "
        f"parameters; {fetched}{known.converted / GB:.2f} GB are kept in {place}{whose}"
    )


def _check_is_of(adapter: Manifest | None, place: Path) -> None:
    """Raises Refused where the weights are another training's, such as the user's own, which has
    the same name where none was given."""
    found = manifest.read(place)
    if found is None or (adapter is not None and found.trained != adapter.digest):
        raise Refused(
            f"{place} holds weights of another training: rename or delete the folder to get the "
            f"project's, or use these as they are with llm=local llm.model={place.name} "
            f"llm.path={place}"
        )


def _there(place: Path) -> str:
    """The sentence about a folder that is there. Raises Refused where it is not whole."""
    if not place.is_dir():
        raise Refused(f"{place} is a file where the folder of the weights would be: delete it")
    try:
        recorded = manifest.read(place)
        wrong = manifest.missing(place, recorded, thorough=True) if recorded is not None else ""
    except ValueError as error:
        wrong, recorded = str(error), None
    if wrong:
        raise Refused(f"{place} is not whole ({wrong}): delete the folder and get it again")
    if recorded is None:
        if wrong := _unusable(place):
            raise Refused(
                f"{place} exists, was not made by this command and cannot be used ({wrong}): "
                "delete the folder and get it again"
            )
        return f"{place} exists and was not made by this command; it is used unchanged"
    return f"{place} is there and whole; nothing is fetched"


def _unusable(place: Path) -> str:
    """What is wrong with a folder of weights from elsewhere, in words; "" where nothing is."""
    if not (place / "config.json").is_file():
        return "it has no config.json"
    return problem(place, []) or weightless(place, [])


def _check_room(known: Model | None, file: Path | None, part: Path) -> None:
    """Raises Refused where the disk is too full. The parts are there twice while they are joined,
    the file and what it becomes while it is converted."""
    size = known.bytes if known is not None else file.stat().st_size if file is not None else 0
    becomes = known.converted if known is not None else 4 * size
    needed = becomes if file is not None else size + max(size, becomes)
    advice = "free some, or name a folder on another disk with --into DIR"
    check_room(part.parent, needed - size_of(part), advice)


def _use(profile: str | None, place: Path) -> str:
    """``profile``: the model's; None: it has none."""
    if profile is None:
        return f"rlgpt launch harvest_log llm=local llm.model={place.name} llm.path={place}"
    elsewhere = "" if place.parent == weights_folder() else f" llm.path={place}"
    return f"rlgpt launch harvest_log llm={profile}{elsewhere}"
