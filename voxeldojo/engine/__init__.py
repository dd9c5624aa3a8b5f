"""The embedded world: Minecraft's rules as far as MineDojo's interface shows them, compiled."""

from voxeldojo.engine.compiled import discard_stale_kernels

discard_stale_kernels()

from voxeldojo.engine.embedded import EmbeddedWorld  # noqa: E402  (needs fresh ones)

__all__ = ["EmbeddedWorld"]
