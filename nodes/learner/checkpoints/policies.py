"""The folders of policies: one each, with the spec it was trained on and its checkpoints."""

from pathlib import Path

import msgspec

from messages.bus import ServiceError
from messages.training import Policy, TrainingSpec
from nodes.common.goals.goal_ids import file_name
from nodes.common.skills.skills import SPEC
from nodes.common.storage.whole_files import write_whole


def policy_folder(learner: Path, policy: str) -> Path:
    """The folder of a policy inside the learner's, named after its id."""
    try:
        return learner / file_name(policy)
    except ValueError:
        raise ServiceError(f"{policy!r} can't name a policy: it is the id of no goal.") from None


def folder_of(learner: Path, policy: Policy) -> Path:
    """The folder of a policy: in the learner's folder, or for a policy with an absolute path (one
    of the skill library) the folder of that path."""
    checkpoint = Path(policy.checkpoint)
    return checkpoint.parent if checkpoint.is_absolute() else policy_folder(learner, policy.id)


def save_spec(folder: Path, spec: TrainingSpec) -> None:
    """Write the spec that a policy is trained on."""
    folder.mkdir(exist_ok=True)  # a run folder that was removed stays so
    write_whole(folder / SPEC, msgspec.json.format(msgspec.json.encode(spec)))


def load_spec(folder: Path, policy: str) -> TrainingSpec:
    """The spec that a policy was trained on.

    Raises:
        ServiceError: ``unknown_policy``, there is no such policy here, or its spec is damaged.
    """
    try:
        return msgspec.json.decode((folder / SPEC).read_bytes(), type=TrainingSpec)
    except FileNotFoundError:
        raise ServiceError(
            f"There is no policy {policy!r} here: train it first, under that goal id.",
            code="unknown_policy",
        ) from None
    except (OSError, ValueError) as error:  # msgspec's errors and broken UTF-8 are ValueErrors
        why = (error.strerror if isinstance(error, OSError) else None) or error
        raise ServiceError(
            f"The spec of the policy {policy!r}, {folder / SPEC}, cannot be read ({why}): train "
            "it again.",
            code="unknown_policy",
        ) from error
