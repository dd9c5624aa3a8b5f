"""An adapter and the weights that it is for, as one folder of weights that vLLM serves."""

import json
import shutil
from pathlib import Path

from nodes.common.storage.whole_files import write_whole
from nodes.llm.getting.adapters import weights_version, whole_adapter
from nodes.llm.getting.disk_room import check_room, size_of
from nodes.llm.getting.folder_lock import alone
from nodes.llm.getting.in_environment import describe_merged, run
from nodes.llm.getting.known_models import taught_folder
from nodes.llm.getting.refusals import Refused
from nodes.llm.getting.weight_places import plain_name
from nodes.llm.manifest import Manifest
from nodes.llm.vllm.wholeness import problem

_PROGRAM = Path(__file__).with_name("merge_adapter.py")


def merge(adapter: Path, weights: Path, name: str | None) -> Path:
    """Write the merged weights into the folder ``weights``, which also holds the base, and return
    where they are. ``name``: of their folder; None: the base's with ``-taught``.

    Raises:
        Refused: ``name`` is no plain one, ``adapter`` is none or is not whole, no whole base of it
            is in ``weights``, what is to be written is there, or the disk is too full for it.
        Failed: the merging ended in any other way; nothing is left of it.
    """
    named = None if name is None else plain_name(name)
    about = whole_adapter(adapter)
    base = _base(about, weights)
    into = weights / (named or taught_folder(base.name))
    if into.exists():
        raise Refused(f"{into} is there already: delete it, or name another with --name")
    part = into.with_name(f".{into.name}.part")
    with alone(part, f"merging {into.name}", keep=False):
        check_room(weights, size_of(base))
        merged = part / "merged"
        shutil.rmtree(merged, ignore_errors=True)
        merged.mkdir()
        settings = {"base": str(base), "adapter": str(adapter), "into": str(merged)}
        write_whole(part / "settings.json", json.dumps(settings).encode())
        run(_PROGRAM, part / "settings.json", "the merging")
        describe_merged(merged, base, about)
        merged.rename(into)
    return into


def _base(about: Manifest, weights: Path) -> Path:
    """The first whole folder of the weights that the adapter is for. Raises Refused: there is
    none."""
    broken: list[str] = []
    for folder in sorted(weights.iterdir()) if weights.is_dir() else []:
        try:
            version = weights_version(folder)
        except ValueError as error:  # of which weights it is, only its name tells
            if folder.name == about.source:
                broken.append(f"{folder} ({error})")
            continue
        if version != about.source_sha256:
            continue
        if not (wrong := problem(folder, [], thorough=True)):
            return folder
        broken.append(f"{folder} ({wrong})")
    if broken:
        raise Refused(
            f"the adapter is for {about.source}, of which no whole weights are in {weights}: "
            f"{'; '.join(broken)}"
        )
    raise Refused(
        f"the adapter is for {about.source}, whose weights are not in {weights}: "
        "`rlgpt llm get NAME` fetches them; a folder of them from elsewhere belongs there, too"
    )
