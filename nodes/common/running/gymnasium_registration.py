"""The stack's Gymnasium ids. ``import rlgpt`` registers them, as soon as Gymnasium is imported.

Each task of `voxeldojo` in three forms: ``rlgpt/TASK-v0`` with MineDojo's dictionary,
``rlgpt/TASK-features-v0`` with a vector of what policies see, and ``rlgpt/TASK-pixels-v0`` with a
picture. The last two take numbered actions.
"""

from voxeldojo.environments.registration import register_form

_FLAT = "worlds.minecraft.play.gymnasium.entry_points:"


def register() -> None:
    """Register the ids. A second call changes nothing."""
    register_form("rlgpt", "", "voxeldojo.environments.entry_points:", "")
    for form in ("features", "pixels"):
        register_form("rlgpt", f"-{form}", _FLAT, f"_{form}")
