"""The embedded world: compiled kernels of Minecraft's rules, as far as MineDojo's interface shows
them."""

from voxeldojo.engine.compiling.stale_kernels import discard_stale_kernels

discard_stale_kernels()

from voxeldojo.engine.embedded_world import EmbeddedWorld  # noqa: E402  (needs fresh ones)

__all__ = ["EmbeddedWorld"]
