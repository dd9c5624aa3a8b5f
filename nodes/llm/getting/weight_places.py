"""Where weights are and are put, by what the user names."""

import os
from pathlib import Path

from nodes.llm.folders import no_folder, unfit_name
from nodes.llm.getting.known_models import adapter_of, catalogue, names, taught_folder
from nodes.llm.getting.refusals import Refused
from nodes.llm.vllm.model_files import weights_folder


def plain_name(name: str) -> str:
    """``name`` itself. Raises Refused where it is no name of a folder in the folder of weights."""
    if wrong := unfit_name(name):
        raise Refused(f"--name {name!r} is no plain name of a folder: {wrong}")
    return name


def weights_at(model: str) -> Path:
    """The folder of weights that ``model`` is: a name of the catalogue, a folder, or the name of
    one in the folder of weights.

    Raises:
        Refused: there is none; with the places.
    """
    weights = weights_folder()
    if known := _known(model):
        if not (weights / known).is_dir():
            raise Refused(
                f"the weights of `{model}` are not in {weights}: `rlgpt llm get {model}` fetches "
                "them"
            )
        return weights / known
    path = Path(os.path.abspath(Path(os.path.expanduser(model))))
    inside = weights / model
    found = [] if not model else [each for each in (path, inside) if each.is_dir()]
    if not found:
        raise Refused(_nowhere(model, path, weights))
    return next((each for each in found if (each / "config.json").is_file()), found[0])


def _known(model: str) -> str | None:
    if model in catalogue():
        return catalogue()[model].folder
    adapter = adapter_of(model)
    return None if adapter is None else taught_folder(catalogue()[adapter.name].folder)


def _nowhere(model: str, path: Path, weights: Path) -> str:
    if not model:
        return "the name of the model is empty"
    if path.exists():
        return f"{path} is a file: name a folder of weights; `rlgpt llm get FILE.gguf` makes one"
    looked = f"{path} and {weights / model}" if unfit_name(model) == "" else f"{path}"
    return (
        f"there is no model `{model}`: it is no folder (looked for {looked}), and no name of "
        f"`rlgpt llm get` ({', '.join(names())})"
    )


def check_holds_model(folder: Path) -> None:
    """Raises Refused where no model is in ``folder``."""
    wrong = no_folder(folder)
    if not wrong and not (folder / "config.json").is_file():
        wrong = "it has no config.json"
    if wrong:
        raise Refused(
            f"{folder} holds no model ({wrong}): `rlgpt llm get NAME` makes such a folder"
        )
