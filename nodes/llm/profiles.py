"""Language-model profiles: what ``llm=<profile>`` picks, by its ``kind``."""

from typing import Any, Literal

import msgspec


class Rulebook(msgspec.Struct, tag_field="kind", tag="rulebook", forbid_unknown_fields=True):
    """No language model: rules and a stock of programs."""


class OpenAI(msgspec.Struct, tag_field="kind", tag="openai", forbid_unknown_fields=True):
    """A server that speaks OpenAI's chat completions."""

    url: str  # up to and with /v1
    model: str
    api_key_variable: str | None = None
    response_format: Literal["json_schema", "json_object", "text"] = "json_schema"
    temperature: float = 0.2
    max_tokens: int = 4096
    timeout: float = 120.0  # seconds for one answer
    extra: dict[str, Any] = {}  # further fields of the request's body


class Vllm(msgspec.Struct, tag_field="kind", tag="vllm", forbid_unknown_fields=True):
    """Weights for vLLM on this machine."""

    model: str
    context: int = 16384  # tokens
    memory_share: float = 0.55
    temperature: float = 0.2
    max_tokens: int = 4096


Profile = Rulebook | OpenAI | Vllm


def read_profile(values: dict[str, Any]) -> Profile:
    """Raises ValueError with what is wrong and where profiles are."""
    try:
        return msgspec.convert(values, type=Profile)
    except msgspec.ValidationError as error:
        raise ValueError(
            f"The language-model profile is not valid: {error}. "
            "The profiles in models/llm/ show what each kind takes."
        ) from None
