"""The embedded world: compiled kernels of Minecraft's rules, as far as MineDojo's interface shows
them."""

from voxeldojo.engine.compiled import discard_stale_kernels

discard_stale_kernels()

from voxeldojo.engine.embedded import EmbeddedWorld  # noqa: E402  (needs fresh ones)

__all__ = ["EmbeddedWorld"]
