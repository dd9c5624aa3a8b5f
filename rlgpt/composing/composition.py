"""Composes a launch file with its groups and overrides, by Hydra, once for the whole stack."""

import re
from functools import partial
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from hydra.core.config_store import ConfigStore
from hydra.errors import HydraException, OverrideParseException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import MissingMandatoryValue, OmegaConfBaseException
from yaml import YAMLError

import rlgpt
from nodes.common.storage.yaml_problem import yaml_problem
from rlgpt.composing.launch_file_check import check_launch_file, undecodable
from rlgpt.composing.references import compose_with
from rlgpt.composing.replicas import with_replicas
from rlgpt.refused import Refused, did_you_mean, instead

CHECKOUT = Path(rlgpt.__file__).resolve().parent.parent
VERSION_BASE = "1.3"
PRIMARY = "rlgpt_primary"

# Keys that an override may set though the launch file does not mention them; `configuration.check`
# refuses wrong ones.
FREE = re.compile(
    r"(run|seed|keys|bag|engine|task\.game|task\.(world|inventory)\.\w+|nodes(\.\w+)+"
    r"|hosts(\.\w+)*)="
)


# By its name another option is the nearest one.
_MEANT = {("world", "minecraft"): "embedded"}

# Paths and words are taken as they are: Hydra's grammar rejects a path with `~` or an umlaut, and
# words with a comma.
PATH = re.compile(
    r"(?P<key>run|keys|skills|mineclip\.weights|prompt|task\.id)=(?P<path>(?!null$|['\"]).+)",
    re.DOTALL,
)


def launch_folders() -> list[Path]:
    """Where launch files are looked for; the user's own come first."""
    folders = [Path.cwd() / "launch", CHECKOUT / "launch"]
    return list(dict.fromkeys(folder.resolve() for folder in folders if folder.is_dir()))


def launch_files() -> dict[str, Path]:
    """Name -> file of everything that can be launched from here."""
    found: dict[str, Path] = {}
    for folder in launch_folders():
        for path in sorted(folder.glob("*.yaml")):
            if not path.is_dir():
                found.setdefault(path.stem, path)
    return found


def group_options(group: str) -> list[str]:
    """What a group may be chosen from (``task``, ``method``, ``llm``), by name."""
    found = (p.stem for f in _folders() for p in sorted((f / group).glob("*.yaml")))
    return list(dict.fromkeys(found))


def _folders() -> list[Path]:
    """Where groups are looked for."""
    return [*launch_folders(), CHECKOUT / "models"]


def compose_launch(name: str, overrides: list[str]) -> dict[str, Any]:
    """The resolved launch as plain data.

    ``name`` is a launch file's name or a path to one. Raises Refused, in one sentence, for an
    unknown file, an override that does not apply and a file that does not parse.
    """
    path = _find(name)
    for override in overrides:
        _check_override(override)
    check_launch_file(path, [path.parent, *_folders()], overrides)
    try:
        arguments = [_argument(override) for override in overrides]
        config = compose_with(arguments, partial(_compose, path))
        data = OmegaConf.to_container(config, resolve=True, throw_on_missing=True)
    except UnicodeDecodeError:
        file = undecodable([path.parent, *_folders()])
        raise Refused(f"{file or path} is not text in UTF-8") from None
    except (HydraException, OmegaConfBaseException, OSError, ValueError) as error:
        raise Refused(_sentence(error, path, overrides)) from None
    except RecursionError:
        raise Refused(f"{path.name}: its `defaults` lead back to itself") from None
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        name = f"{mark.name}, " if mark else ""
        raise Refused(f"a launch file is not valid YAML: {name}{yaml_problem(error)}") from None
    if not isinstance(data, dict):
        raise Refused(f"{path} is no launch file: it should be a mapping")
    composed = _with_goal({str(key): value for key, value in data.items()})
    composed = with_replicas(composed, path.stem)
    if composed.get("name") is None:
        composed["name"] = path.stem
    return composed


def _with_goal(composed: dict[str, Any]) -> dict[str, Any]:
    task = composed.get("task")
    if "prompt" not in composed and not (isinstance(task, dict) and "named" in task):
        return composed
    from rlgpt.composing.named_goals import (
        with_goal,  # the game's tasks are read only where one is named
    )

    return with_goal(composed)


def _compose(path: Path, arguments: list[str]) -> DictConfig:
    folders = list(dict.fromkeys([path.parent, *launch_folders()]))
    # The primary config only names the launch file. So the folders are searched in the order above
    # for it and for every group alike, and `./launch/task/mine.yaml` serves any launch file.
    ConfigStore.instance().store(name=PRIMARY, node={"defaults": [path.stem, "_self_"]})
    search = ",".join(hydra_quoted(f"file://{f}") for f in [*folders[1:], CHECKOUT / "models"])
    with initialize_config_dir(str(folders[0]), version_base=VERSION_BASE):
        return compose(PRIMARY, [*arguments, f"hydra.searchpath=[{search}]"])


def _check_override(override: str) -> None:
    """Raises Refused for what Hydra would refuse in its own words, or take without an effect."""
    key, equals, text = override.partition("=")
    if equals and not key.strip("+~ "):
        raise Refused(f"`{override}` is no override; write key=value")
    if key.lstrip("+~").split(".")[0] == "hydra":
        raise Refused(f"`{override}`: Hydra's own settings have no effect on a launch")
    if not re.fullmatch(r"\w+", key):
        return
    options = group_options(key)
    if options and (text == "null" or re.match(r"[-+\d\[]", text)) and text not in options:
        known = ", ".join(options)
        raise Refused(f"`{override}`: write {key}=NAME, one of a group of files ({known})")


def _argument(override: str) -> str:
    """An override as Hydra is given it."""
    if path := PATH.fullmatch(override):
        override = f"{path['key']}={hydra_quoted(path['path'])}"
    return f"++{override}" if FREE.match(override) or _of_learner(override) else override


def _of_learner(override: str) -> bool:
    """Whether it sets a hyper-parameter, of which a launch file mentions only some."""
    return override.partition("=")[0] in _hyperparameters()


def _hyperparameters() -> list[str]:
    from nodes.common.parameters.hyperparameters import Hyperparameters

    return [f"learner.{name}" for name in Hyperparameters.__struct_fields__]


def _find(name: str) -> Path:
    if name.endswith(".yaml") or "/" in name:
        path = Path(name if name.endswith(".yaml") else f"{name}.yaml").resolve()
        if path.is_file():
            return path
        if Path(name).is_file():
            raise Refused(f"{name} is no launch file: its name does not end in .yaml")
        raise Refused(
            f"there is no launch file {name}{did_you_mean(Path(name).stem, launch_files())}"
        )
    found = launch_files()
    if name in found and not found[name].exists():
        raise Refused(f"{found[name]} is a link to a file that there is not")
    if name not in found:
        raise Refused(f"there is no launch file `{name}`{instead(name, sorted(found))}")
    return found[name]


def hydra_quoted(text: str) -> str:
    """As the value of an override, whatever its characters."""
    # Hydra takes a backslash as it is, but before a quote.
    quoted = re.sub(r"(\\*)('|\Z)", lambda f: f[1] * 2 + ("\\'" if f[2] else ""), text)
    return f"'{quoted}'"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _sentence(error: Exception, path: Path, overrides: list[str]) -> str:
    text = str(error)
    refused = re.search(r"Could not (?:override|append|delete)[^']*'([^']+)'", text)
    if refused:
        key = refused[1].lstrip("+~").split("=")[0]
        override = next((o for o in overrides if o.lstrip("+~").startswith(key)), key)
        others = [each for each in overrides if each != override]
        return f"`{override}`: {_absent(key, path, override, others)}"
    absent = re.search(r"Could not find '([^']+)'", text)
    if absent:
        group, _, option = absent[1].partition("/")
        there = re.search(r"Available options in .*?:\n((?:\t.+\n?)+)", text)
        options = there[1].split() if there else []
        listed = f" (there are: {', '.join(options)})" if options else ""
        meant = _MEANT.get((group, option))
        hint = f"; did you mean `{meant}`?" if meant else did_you_mean(option, options)
        return f"there is no {group} `{option}`{hint}{listed}"
    missing = re.search(r"Could not load '([^']+)'", text)
    if missing:
        known = launch_files()
        return (
            f"{path.name}: there is no launch file `{missing[1]}`{did_you_mean(missing[1], known)}"
        )
    if isinstance(error, OverrideParseException):
        broken = next((o for o in overrides if _argument(o) == error.override), error.override)
        return f"`{broken}` is no override; write key=value, with values as Hydra reads them"
    several = re.match(r"Ambiguous value for argument '\+*([^']+)'", text)
    if several:
        return f"`{several[1]}` is several values, and a launch takes one: rlgpt table runs several"
    unfit = re.match(r"Error merging override (\S.*)", text)
    if unfit:
        return (
            f"`{unfit[1]}` is of another kind than what it replaces, a mapping of names to values"
        )
    if isinstance(error, OmegaConfBaseException):
        where = getattr(error, "full_key", None)
        if isinstance(error, MissingMandatoryValue) and where:
            return f"`{where}` has to be given: add {where}=VALUE"
        place = f"`{where}`: " if where else ""
        first = text.splitlines()[0] if text else type(error).__name__
        first = re.sub(r"^KeyError raised while resolving interpolation: ", "", first).strip("\"'")
        return f"{path.name}: {place}{first[0].lower()}{first[1:]}"
    why = _one_line(text.split("See https")[0])
    return f"{path.name}: {why or 'it cannot be read as a launch; is each key a name?'}"


def _absent(key: str, path: Path, override: str, others: list[str]) -> str:
    """What is wrong with an override of ``key``, with the nearest key that there is. ``others``:
    the other overrides, which may choose the groups that it is about."""
    known: list[str] = []
    for with_these in (others, []):  # one of the others may be wrong, too
        try:
            config = _compose(path, [_argument(each) for each in with_these])
            known = _keys(OmegaConf.to_container(config, resolve=True))
        except Exception:  # the complaint about the override is what the user needs
            continue
        break
    if not known:
        return "there is no such key in the launch file"
    if key in known and override.startswith("~"):
        return f"`{key}` is written out in the launch file: leave it out there"
    if key in known and override.startswith("+"):
        return f"`{key}` is there already; `{override.lstrip('+')}` sets it"
    if key in known:
        return (
            "it cannot be set so, and is no group of files to choose from; "
            f"what it lacks is added by `+{key}.NAME=VALUE`"
        )
    if "learner" in known:
        known += _hyperparameters()
    sentence = f"there is no `{key}` in the launch file"
    hint = did_you_mean(key, [k for k in [*known, "run", "seed"] if not key.startswith(f"{k}.")])
    parent = key.rpartition(".")[0]
    # A launch file mentions only a part of these groups' keys.
    lacks = parent in known and (not hint or parent.split(".")[0] in ("world", "llm"))
    if (lacks or group_options(key)) and not override.startswith("~"):
        sentence += f"; `+{override}` adds it"
    return sentence + hint


def _keys(data: Any, prefix: str = "") -> list[str]:
    if not isinstance(data, dict):
        return []
    keys: list[str] = []
    for key, value in data.items():
        keys += [f"{prefix}{key}", *_keys(value, f"{prefix}{key}.")]
    return keys
