"""Fine-tunes a model with LoRA: a program for the Python of the vLLM environment.

    python tune.py SETTINGS.json

reads the examples (one JSON object a line, with `kind`, `system`, `user` and `answer`), trains, and
writes the adapter and the weights that it was merged into. Each line that it prints is JSON.

Examples of one kind begin with the same system message. A pack of them computes its keys and values
once, and the gradient flows through them: exact, and several times cheaper than each by itself.
With `frozen_prefix` it does not, which saves the backward pass over the system message.
"""

import json
import random
import sys
import time
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from torch.utils.checkpoint import checkpoint
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.cache_utils import DynamicCache

_MODULES = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
_LOGITS = 256  # tokens whose logits are in memory at once
_MOST_IN_VAIN = 8  # steps in a row without a finite gradient
_WARM_UP = 0.06  # of the training, during which the learning rate rises


class Pack:
    """Examples of one kind as token ids: what they begin with, and each one's rest with answer."""

    def __init__(self, kind: str, prompts: list[list[int]], answers: list[list[int]]) -> None:
        self.kind = kind
        first, last = min(prompts), max(prompts)  # what these two share, all share
        pairs = zip(first, last, strict=False)
        shared = next((at for at, (one, other) in enumerate(pairs) if one != other), len(first))
        shared = min(shared, *(len(prompt) - 1 for prompt in prompts))
        self.prefix = prompts[0][:shared]
        self.rests = [prompt[shared:] for prompt in prompts]
        self.answers = answers

    @property
    def tokens(self) -> int:
        """The tokens of all that is computed, without the padding."""
        return len(self.prefix) + sum(map(len, self.rests)) + sum(map(len, self.answers))


def packs(examples: list[dict[str, str]], tokenizer: Any, each: int) -> list[Pack]:
    """Examples of one kind, ``each`` at a time, the longest together so that little is padded."""
    found: list[Pack] = []
    ends = tokenizer.encode("<|im_end|>\n", add_special_tokens=False)
    if len(ends) > 3:  # another template: the end of the text has to do
        ends = [tokenizer.eos_token_id]
    for kind in sorted({example["kind"] for example in examples}):
        prompts: list[str] = []
        answers: list[str] = []
        for example in examples:
            if example["kind"] == kind:
                messages = [
                    {"role": "system", "content": example["system"]},
                    {"role": "user", "content": example["user"]},
                ]
                text = tokenizer.apply_chat_template(
                    messages, tokenize=False, add_generation_prompt=True
                )
                prompts.append(text)
                answers.append(example["answer"])
        asked, answered = (
            tokenizer(texts, add_special_tokens=False)["input_ids"] for texts in (prompts, answers)
        )
        rows = [(each, answer + ends) for each, answer in zip(asked, answered, strict=True)]
        rows.sort(key=lambda row: len(row[0]) + len(row[1]))
        for first in range(0, len(rows), each):
            some = rows[first : first + each]
            found.append(Pack(kind, [row[0] for row in some], [row[1] for row in some]))
    return found


def backward(model: Any, pack: Pack, frozen_prefix: bool, together: int = 0) -> float:
    """Add the gradient of the mean cross entropy of the answers' tokens, and return that mean.
    ``model``: with its adapters in it; ``together``: see ``groups``."""
    cache = DynamicCache(config=model.config)
    with torch.set_grad_enabled(not frozen_prefix):
        _run(model, [pack.prefix], cache)
    shared = [part for layer in cache.layers for part in (layer.keys, layer.values)]
    # A few examples after the others, forward and back from copies of what is shared, so that the
    # memory is that of a few; then back through what is shared.
    copies = [part.detach().requires_grad_(not frozen_prefix) for part in shared]
    count, total = sum(map(len, pack.answers)), 0.0
    for group in groups(pack, together):
        cache = DynamicCache(config=model.config)
        for layer in range(len(copies) // 2):
            keys, values = (
                copy.expand(len(group), -1, -1, -1) for copy in copies[2 * layer : 2 * layer + 2]
            )
            cache.update(keys, values, layer)
        rows = [pack.rests[at] + pack.answers[at] for at in group]
        states = _run(model, rows, cache)
        hidden = torch.cat(
            [
                state[len(pack.rests[at]) - 1 : len(row) - 1]
                for state, row, at in zip(states, rows, group, strict=True)
            ]
        )
        wanted = torch.tensor([token for at in group for token in pack.answers[at]])
        loss = cross_entropy(model.lm_head, hidden, wanted.to(model.device)) / count
        loss.backward()
        total += loss.item()
    if not frozen_prefix:
        torch.autograd.backward(shared, [copy.grad for copy in copies])
    return total


def groups(pack: Pack, together: int) -> list[list[int]]:
    """Which of a pack's examples are computed at once, by number: as many as have ``together``
    tokens with their padding, at least one. A CPU is as fast with each by itself, and nothing is
    padded; a GPU is not."""
    found: list[list[int]] = []
    for at in range(len(pack.rests)):
        group = [*found[-1], at] if found else [at]
        longest = max(len(pack.rests[each]) + len(pack.answers[each]) for each in group)
        if found and longest * len(group) <= together:
            found[-1] = group
        else:
            found.append([at])
    return found


def _run(model: Any, rows: list[list[int]], cache: DynamicCache) -> torch.Tensor:
    """Hidden states (rows, longest, width) of the tokens, which follow what is in the cache. Rows
    are padded at their ends, where nothing looks: attention is causal."""
    longest = max(map(len, rows))
    ids = torch.tensor([row + [0] * (longest - len(row)) for row in rows], device=model.device)
    return model.model(input_ids=ids, past_key_values=cache, use_cache=True).last_hidden_state


def cross_entropy(head: Any, hidden: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """Sum over the tokens ``wanted`` (n,) after ``hidden`` (n, width). Logits are worked out some
    tokens at a time and once more for the gradient: a whole pack's at once take gigabytes."""

    def part(some: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.cross_entropy(head(some).float(), tokens, reduction="sum")

    parts = zip(hidden.split(_LOGITS), wanted.split(_LOGITS), strict=True)
    losses = [checkpoint(part, *each, use_reentrant=False) for each in parts]
    return torch.stack(losses).sum()


class Masters:
    """The optimiser's copies of the adapters, in 32 bits: steps are smaller than 16 bits can
    hold."""

    def __init__(self, weights: list[torch.nn.Parameter], rate: float) -> None:
        self._weights = weights
        self._copies = [each.detach().float().requires_grad_() for each in weights]
        self._optimiser = torch.optim.AdamW(self._copies, lr=rate, weight_decay=0.0)

    def step(self, rate: float) -> bool:
        """False: the gradient was not finite, and nothing was changed. One such step, applied,
        would make all weights NaN; in bfloat16 on a GPU about one in a hundred is."""
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        for each, copy in zip(self._weights, self._copies, strict=True):
            copy.grad = None if each.grad is None else each.grad.float()
            each.grad = None
        norm = torch.nn.utils.clip_grad_norm_(self._copies, 1.0)
        if not torch.isfinite(norm):
            return False
        self._optimiser.step()
        with torch.no_grad():
            for each, copy in zip(self._weights, self._copies, strict=True):
                each.copy_(copy)
        return True


def train(model: Any, adapted: Any, order: list[Pack], settings: dict[str, Any]) -> dict[str, Any]:
    """One optimiser step a pack, until all were seen or the minutes are over."""
    masters = Masters([e for e in adapted.parameters() if e.requires_grad], settings["rate"])
    began, seen, step, passed, in_vain = time.monotonic(), 0, 0, 0.0, 0
    while step < len(order) and passed < 1:
        loss = backward(model, order[step], settings["frozen_prefix"], settings["together"])
        # By what has passed: a training that the minutes end may see few of its lessons. With this
        # step, as the first is not to be of rate 0.
        rise = min(1.0, (passed + 1 / len(order)) / _WARM_UP)
        taken = masters.step(settings["rate"] * rise * max(0.05, 1 - passed))
        in_vain = 0 if taken else in_vain + 1
        if in_vain == _MOST_IN_VAIN:
            raise SystemExit(
                f"the gradients of {in_vain} steps in a row were not finite: take a lower --rate"
            )
        seen += order[step].tokens
        step += 1
        spent = time.monotonic() - began
        passed = max(step / len(order), spent / (settings["minutes"] * 60))
        report(
            step=step, of=len(order), kind=order[step - 1].kind, loss=round(loss, 4),
            tokens=seen, seconds=round(spent, 1), cpu=round(time.process_time(), 1),
        )  # fmt: skip
    return {"steps": step, "tokens": seen, "seconds": round(time.monotonic() - began, 1)}


def main() -> int:
    settings = json.loads(Path(sys.argv[1]).read_bytes())
    if settings["device"] == "cuda" and not torch.cuda.is_available():
        raise SystemExit(
            f"torch {torch.__version__} of the environment .venv-vllm sees no GPU: take --device "
            "cpu, or make that environment with vLLM for your GPU and peft (docs/llm.md)"
        )
    torch.set_num_threads(settings["threads"])
    torch.manual_seed(settings["seed"])
    chance = random.Random(settings["seed"])
    examples = examples_of(Path(settings["examples"]))
    tokenizer = AutoTokenizer.from_pretrained(settings["base"], local_files_only=True)
    model = AutoModelForCausalLM.from_pretrained(
        settings["base"], dtype=getattr(torch, settings["numbers"]), local_files_only=True
    ).to(settings["device"])
    adapted = _adapted(model, settings)
    # Its name, not where it lies here.
    adapted.peft_config["default"].base_model_name_or_path = Path(settings["base"]).name
    every = packs(examples, tokenizer, settings["pack"])
    order: list[Pack] = []
    for _ in range(settings["rounds"]):
        order += chance.sample(every, len(every))
    done = train(model, adapted, order, settings)
    adapter = Path(settings["into"]) / "adapter"
    adapted.save_pretrained(str(adapter))
    merged = adapted.merge_and_unload().to(torch.bfloat16)  # as the base is
    merged.save_pretrained(settings["into"])
    tokenizer.save_pretrained(settings["into"])
    report(done=done)
    return 0


def examples_of(file: Path) -> list[dict[str, str]]:
    """One of each line. Lines end with a newline alone: other line ends may be in what is said."""
    with file.open("rb") as lines:
        return [json.loads(line) for line in lines]


def _adapted(model: Any, settings: dict[str, Any]) -> Any:
    """The model with the adapter to train in it: a new one, or the one to go on from."""
    if settings["adapter"]:
        adapted = PeftModel.from_pretrained(
            model, settings["adapter"], is_trainable=True, autocast_adapter_dtype=False
        )
        return adapted.to(model.dtype)
    config = LoraConfig(
        r=settings["rank"],
        lora_alpha=2 * settings["rank"],
        target_modules=_MODULES,
        task_type="CAUSAL_LM",
    )
    return get_peft_model(model, config, autocast_adapter_dtype=False)


def report(**values: Any) -> None:
    print(json.dumps(values), flush=True)


if __name__ == "__main__":
    sys.exit(main())
