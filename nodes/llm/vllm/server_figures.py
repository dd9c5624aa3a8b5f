"""The server's own figures, from its metrics in Prometheus's text format."""

import re

_LINE = re.compile(r"^(vllm:[a-z_]+)(?:\{[^}]*\})?\s+(\S+)")

NAMES = {
    "running": ("vllm:num_requests_running",),
    "waiting": ("vllm:num_requests_waiting",),
    "prompt_tokens": ("vllm:prompt_tokens_total",),
    "completion_tokens": ("vllm:generation_tokens_total",),
    "cache_usage": ("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"),
}


def read_metrics(text: str) -> dict[str, float]:
    """Our names for what is there of it; engines are summed up."""
    sums: dict[str, float] = {}
    for line in text.splitlines():
        if match := _LINE.match(line):
            try:
                sums[match[1]] = sums.get(match[1], 0.0) + float(match[2])
            except ValueError:
                continue
    return {
        name: sums[theirs] for name, those in NAMES.items() for theirs in those if theirs in sums
    }
