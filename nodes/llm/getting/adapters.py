"""An adapter that `rlgpt llm train` wrote, and whether it is for some weights."""

from pathlib import Path

from nodes.llm import manifest
from nodes.llm.folders import no_folder
from nodes.llm.getting.refusals import Refused
from nodes.llm.manifest import Manifest


def whole_adapter(adapter: Path) -> Manifest:
    """The manifest of the adapter in a folder. Raises Refused: there is none, or it is not
    whole."""
    if wrong := no_folder(adapter):
        raise Refused(f"{adapter} is no adapter ({wrong}): name the folder of one")
    try:
        about = manifest.read(adapter)
        wrong = manifest.missing(adapter, about, thorough=True) if about is not None else ""
    except ValueError as error:
        about, wrong = None, str(error)
    if wrong:
        raise Refused(f"{adapter} is not whole: {wrong}")
    if about is None or not (adapter / "adapter_config.json").is_file():
        below = adapter / "adapter"
        meant = f"; did you mean {below}?" if (below / "adapter_config.json").is_file() else ""
        raise Refused(f"{adapter} holds no adapter that `rlgpt llm train` wrote{meant}")
    return about


def check_is_for(about: Manifest, adapter: Path, base: Path) -> None:
    """Raises Refused where the adapter was trained on other weights than those in ``base``."""
    if weights_version(base) != about.source_sha256:
        raise Refused(
            f"{adapter} is for {about.source}, version {about.source_sha256[:16]}, not for the "
            f"weights in {base}: name its own, or train without --adapter"
        )


def weights_version(folder: Path) -> str:
    """By what an adapter names these weights; "" where there are none. Of a folder from elsewhere,
    which has no manifest, all weights are read. What is served has another version, which includes
    the other files (vllm/weight_digest.py).

    Raises:
        ValueError: its manifest cannot be read.
    """
    if (known := manifest.read(folder)) is not None:
        return known.weights
    return manifest.weights_digest(folder) if (folder / "config.json").is_file() else ""
