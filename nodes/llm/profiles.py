"""Language-model profiles: what ``llm=<profile>`` picks, by its ``kind``."""

from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import msgspec

from messages.bounds import Amount, NotNegative, Positive

PositiveShare = Annotated[float, msgspec.Meta(gt=0, le=1)]
Port = Annotated[int, msgspec.Meta(ge=0, le=65535)]
Seconds = Annotated[float, msgspec.Meta(gt=0)]
Temperature = Annotated[float, msgspec.Meta(ge=0, le=100)]  # servers take 2 at most, or any


class Rulebook(msgspec.Struct, tag_field="kind", tag="rulebook", forbid_unknown_fields=True):
    """No language model: rules and a stock of programs."""

    rules: str = "rules.yaml"  # the rule file, one of the game's (worlds/<game>/card/rules/)
    # The method that guards are proposed by first, where the rules know one for it; null: as the
    # rules have it.
    guards_by: Literal["code", "rl"] | None = None


class Replay(msgspec.Struct, tag_field="kind", tag="replay", forbid_unknown_fields=True):
    """No language model: the answers of a recorded run."""

    transcript: str  # a run folder, its llm folder or the transcript itself
    compare_prompts: bool = True  # false: after an edit of the prompts, only the questions count


class Requests(msgspec.Struct, kw_only=True):
    """How requests are sent. What OpenAI-compatible servers and our own vLLM have in common."""

    temperature: Temperature = 0.2
    max_tokens: Positive = 4096
    timeout: Seconds = 120.0  # for one answer
    patience: Amount = 30.0  # seconds to wait for a server that was lost, or takes no question now
    # json_schema: the server holds the model to the answer's schema. json_object: JSON of any
    # shape. text: the server knows neither, the answer is searched for JSON.
    response_format: Literal["json_schema", "json_object", "text"] = "json_schema"
    bound_prose: bool = True  # strings have a `maxLength` in the schema; false: it is refused there
    # Does a model that can do both think before it answers? null: as its template has it.
    thinking: bool | None = None
    stream: bool = True  # the answer is published on llm/tokens as it is written
    # Tokens, prompt and answer together; null: as the server reports.
    context: Positive | None = None
    vision: bool = False  # does the model see? Then the critic may show it pictures
    # `rulebook`, or a file of `rlgpt llm examples`: similar ones are shown with a question.
    examples: str | None = None
    shown: Positive = 2  # how many of them with each question
    # Questions that they are shown with; empty: all. Weights need fewer for what they were taught.
    shown_for: list[Literal["plan", "decompose", "program", "guard", "spec"]] = []
    # For the planner: whether it states how many of each item a plan takes, or the model counts.
    quantities: bool = False
    extra: dict[str, Any] = {}  # further fields of the request's body


class OpenAI(Requests, tag_field="kind", tag="openai", forbid_unknown_fields=True, kw_only=True):
    """A server that speaks OpenAI's chat completions."""

    url: str  # up to and with /v1
    model: str
    api_key_variable: str | None = None
    bound_prose: bool = False  # many hosted servers refuse it; llama.cpp and vLLM do not


class Vllm(Requests, tag_field="kind", tag="vllm", forbid_unknown_fields=True, kw_only=True):
    """Weights on this machine, served by a vLLM that the node starts and watches."""

    model: str  # as Hugging Face names it
    path: str | None = None  # folder of the weights; null: looked for, see docs/vllm.md
    adapter: str | None = None  # folder of a LoRA adapter for these weights; null: none
    # The folder in which `rlgpt llm serve` serves these weights; null: the node has a server of its
    # own, started by `command`.
    served: str | None = None
    command: list[str] = msgspec.field(default_factory=lambda: ["vllm", "serve"])
    arguments: list[str] = []  # further ones, as `vllm serve` takes them
    environment: dict[str, str] = {}  # further variables

    quantization: str | None = None  # null: as in the weights' config.json
    context: Positive = 16384  # tokens, prompt and answer together
    sequences: Positive = 8  # answers at once, at most
    tensor_parallel: Positive = 1  # cards that the model is split over
    memory_share: PositiveShare = 0.55  # of each card's whole memory
    kv_cache_memory: str | None = None  # "4G": instead of what the share leaves; needed on a CPU
    eager: bool = False  # no CUDA graphs: starts faster, answers slower
    # Tokens at a time that are guessed from the prompt, which programs repeat (n-gram
    # speculation); the answers are the same, sooner. 0: none. On a CPU at temperature 0 only.
    speculative_tokens: NotNegative = 0
    reasoning_parser: str | None = None  # of models that think, so that their answers fit a schema
    sleep_mode: bool = True

    # cpu: the learner is on the CPU and the card the model's alone. turns: the model sleeps while
    # the learner trains. shares: both at once, each within its share.
    gpu: Literal["turns", "shares", "cpu"] = "cpu"
    learner_memory: Amount = 5.0  # GiB that a learner on the same card needs

    device: Literal["cuda", "cpu"] = "cuda"  # cpu: the CPU build of vLLM
    cores: list[NotNegative] = []  # the cores that the server may use; empty: all
    niceness: int = 0

    port: Port = 0  # that the server listens on; 0: one that is free
    start_timeout: Seconds = 600.0
    restarts: NotNegative = 5  # starts in a row that may fail

    # For the memory arithmetic where there are no weights to measure.
    weights_gb: float | None = None
    kv_kib_per_token: float | None = None


Profile = Rulebook | Replay | OpenAI | Vllm


def read_profile(values: dict[str, Any]) -> Profile:
    """Raises ValueError with what is wrong and where profiles are."""
    try:
        profile = msgspec.convert(values, type=Profile)
    except msgspec.ValidationError as error:
        raise ValueError(
            f"The language-model profile is not valid: {error}. "
            "The profiles in models/llm/ show what each kind takes."
        ) from None
    if isinstance(profile, OpenAI):
        _check_url(profile.url)
    if isinstance(profile, Vllm):
        _check_speculation(profile)
    return profile


def _check_speculation(profile: Vllm) -> None:
    """Raises ValueError where the answers would be wrong: at temperature 0.2 the CPU build of vLLM
    0.32 wrote tokens that nothing leads to, whether its guesses were taken or not."""
    if profile.device == "cpu" and profile.speculative_tokens and profile.temperature > 0:
        raise ValueError(
            f"llm.speculative_tokens={profile.speculative_tokens} with llm.temperature="
            f"{profile.temperature:g}: vLLM's CPU build guesses right at temperature 0 only; set "
            "llm.temperature=0, or llm.speculative_tokens=0."
        )


def _check_url(url: str) -> None:
    """Raises ValueError where it is no address of a server."""
    try:
        _check_address(url)
    except ValueError:
        if "@" in url:  # what stands before it may be a password, which is not to be repeated
            raise ValueError(
                "llm.url has a name or a password in it (what stands before an @), and none would "
                "be sent: put the server's key into an environment variable and name that in "
                "llm.api_key_variable."
            ) from None
        raise


def _check_address(url: str) -> None:
    if "?" in url or "#" in url:  # its words are not repeated: a key may be among them
        raise ValueError(
            "llm.url has a ? or # in it, and what stands after it would not be sent: let it end "
            "with the path, up to and with /v1."
        )
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"llm.url must start with http:// or https://, not {url!r}.")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
        host.encode("idna")  # as every look-up of the name does
    except ValueError as error:
        raise ValueError(f"llm.url is {url!r}, which is no address: {error}.") from None
    words = f"{host}{parts.path}"
    printable = words.isprintable() and " " not in words and parts.path.isascii()
    if not host or not printable or "@" in parts.netloc:
        raise ValueError(
            f"llm.url is {url!r}, which is no address; one is http://127.0.0.1:8000/v1."
        )
