"""Stands for the module `ray` where there is none: an actor is an object of this process, and its
calls are made when their answers are asked for."""

from collections.abc import Callable
from typing import Any

from rlgpt.cluster.host_process import HostProcess

HOST = "127.0.0.1"
ID = "of this host"


class _Method:
    def __init__(self, method: Callable[..., Any]) -> None:
        self._method = method

    def remote(self, *arguments: Any) -> Callable[[], Any]:
        return lambda: self._method(*arguments)


class _Actor:
    def __init__(self, ray: "DirectRay", made: HostProcess) -> None:
        self._ray = ray
        self._made = made

    def __getattr__(self, name: str) -> _Method:
        if name == "host_id":  # which asks Ray
            return _Method(lambda: ID)
        return _Method(
            lambda *arguments: self._ray.called(name, getattr(self._made, name))(*arguments)
        )


class DirectRay:
    """``called(name, method)`` is what is called in place of a method of the actor."""

    class exceptions:  # as it is called in Ray
        class RayError(Exception):
            pass

        class RayActorError(RayError):
            pass

        class GetTimeoutError(RayError, TimeoutError):
            pass

    def __init__(self, called: Callable[[str, Callable[..., Any]], Callable[..., Any]]) -> None:
        self.called = called
        self.asked: dict[str, Any] = {}
        self.made: list[HostProcess] = []

    def remote(self, _: type) -> "DirectRay":
        return self

    def options(self, **asked: Any) -> "_Maker":
        self.asked = asked
        return _Maker(self)

    def get(self, answer: Callable[[], Any], timeout: float = 0.0) -> Any:
        return answer()

    def wait(self, answers: list[Any], timeout: float) -> tuple[list[Any], list[Any]]:
        return answers, []

    def nodes(self) -> list[dict[str, str]]:
        return [{"NodeID": ID, "NodeManagerAddress": HOST}]


class _Maker:
    def __init__(self, ray: DirectRay) -> None:
        self._ray = ray

    def remote(self, *arguments: Any) -> _Actor:
        made = HostProcess(*arguments)
        self._ray.made.append(made)
        return _Actor(self._ray, made)
