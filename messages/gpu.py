"""The GPU conversation: the language model and the learner share one GPU.

In the mode ``turns`` the learner leases the GPU from the llm node before it trains, which puts its
server to sleep, and gives it back afterwards. A lease ends by itself when its holder stops renewing
it, so a learner that was killed does not keep the language model asleep.
"""

import msgspec

from messages.bounds import Lease
from messages.empty import Empty
from messages.interface import Service, Topic


class TakeGpu(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Take the GPU, or renew a lease: its holder takes it again under the same name."""

    holder: str  # the goal that the GPU is for
    seconds: Lease  # for how long, unless it is renewed


class GpuLease(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """The holder has the GPU. ``slept``: seconds that putting the server to sleep took, 0 for a
    renewal."""

    holder: str
    seconds: float
    slept: float = 0.0


class GiveBackGpu(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    holder: str


class Gpu(msgspec.Struct, frozen=True, kw_only=True):
    """One GPU, in MiB."""

    index: int
    name: str
    total: int
    used: int
    free: int


class ServerState(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """The language model's server, published when it changes and every few seconds. The counts are
    the server's own, since it was started."""

    state: str  # "starting", "ready", "asleep", "stopped" or "failed"
    model: str
    pid: int = 0
    restarts: int = 0
    holder: str = ""  # the goal that has the GPU now, if it is not the server
    running: int = 0  # requests being answered
    waiting: int = 0  # requests in the queue
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cache_usage: float = 0.0  # share of the KV cache in use
    gpus: list[Gpu] = []


TAKE_GPU = Service("llm/take_gpu", TakeGpu, GpuLease, idempotent=True, timeout=600.0)
GIVE_BACK_GPU = Service("llm/give_back_gpu", GiveBackGpu, Empty, idempotent=True, timeout=30.0)
SERVER = Topic("llm/server", ServerState, latched=True)
