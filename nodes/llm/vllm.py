"""vLLM profiles. The node does not start vLLM yet; it says how to use one that was started."""

from importlib.util import find_spec

from nodes.llm.profiles import Vllm


def explain(profile: Vllm) -> str:
    """Why a vllm profile cannot be used as it is, and what to do."""
    serve = (
        f"vllm serve {profile.model} --max-model-len {profile.context} "
        f"--gpu-memory-utilization {profile.memory_share}"
    )
    use = f"llm=openai llm.url=http://127.0.0.1:8000/v1 llm.model={profile.model}"
    if find_spec("vllm") is None:
        return (
            "vLLM is an optional part and is not installed here: install it in an environment of "
            f"its own (docs/vllm.md), start it with `{serve}`, and launch with `{use}`."
        )
    return f"Start vLLM by hand with `{serve}`, and launch with `{use}` (docs/vllm.md)."
