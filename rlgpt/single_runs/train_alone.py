"""``rlgpt train SPEC.yaml``: one policy, trained by a spec file alone."""

import os
from pathlib import Path

import msgspec

from rlgpt.composing.configuration import check, check_parameters, check_task
from rlgpt.composing.override_keys import changed_key
from rlgpt.composing.spec_file import read_spec_file, training_spec
from rlgpt.launching.launching import launch_composed
from rlgpt.refused import Refused

_LAUNCH = "train"


def train(file: str, overrides: list[str], excluded: list[str]) -> int:
    """Launch env servers and a learner that train, without the nodes that are ``excluded``. Returns
    the exit code."""
    from rlgpt.composing.own_world import compose_in_own_world  # Hydra: only where it is needed

    path = Path(os.path.expanduser(file))
    wanted = read_spec_file(path)
    if any(changed_key(override) == "task" for override in overrides):
        raise Refused(f"the task is the spec's; set `task` in {file}")
    if isinstance(wanted.task, str):
        data = compose_in_own_world(_LAUNCH, [f"task={wanted.task}", *overrides])
    else:
        if own := [each for each in overrides if changed_key(each).startswith("task.")]:
            shown = own[0].lstrip("~")
            raise Refused(f"`{shown}`: the task is written out in the spec; set it in {file}")
        data = compose_in_own_world(_LAUNCH, overrides, wanted.task.game)
        data["task"] = msgspec.to_builtins(wanted.task)
    stack = check({**data, "run": "runs"}, _LAUNCH)
    assert stack.task is not None
    check_parameters(stack, _LAUNCH)
    check_task(stack, str(path))
    gamma = float(stack.learner.get("gamma", 0.99))
    spec = training_spec(wanted, path, stack.task, stack.seed, gamma)
    data |= {"name": f"train-{spec.name}", "training": msgspec.to_builtins(spec)}
    return launch_composed(data, _LAUNCH, excluded)
