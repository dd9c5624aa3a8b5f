"""The interface of a batch of worlds for the parts of the engine that observe and set up worlds."""

from collections.abc import Sequence
from typing import Any, Protocol

from numpy.typing import NDArray

from voxeldojo.engine.rulebook import Rules
from voxeldojo.engine.state import State


class Batch(Protocol):
    """`EmbeddedWorld` is one; its docstring has what the options mean."""

    size: int
    state: State
    rules: Rules
    image_size: tuple[int, int]
    use_voxel: bool
    voxel_radius: int
    lidar_rays: list[tuple[float, float, float]] | None

    def buffer(self, name: Any, shape: tuple[int, ...], kind: Any) -> NDArray[Any]: ...

    def observe(self, fields: Sequence[str] = ...) -> dict[str, Any]: ...

    def rgb(self, environment: int, height: int, width: int) -> NDArray[Any]: ...

    def lay_item(
        self, environment: int, item: int, variant: int, place: tuple[float, float, float]
    ) -> None: ...
