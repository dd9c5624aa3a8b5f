"""An environment with the CPU build of vLLM, and a tiny random model for it.

    python -m tests.llm.vllm_environment

makes ``.venv-vllm`` (3.5 GB) in the checkout where it is not there yet. docs/vllm.md says why each
step is needed.

    python -m tests.llm.vllm_environment FOLDER

writes the model and a profile of it besides, so that in FOLDER

    rlgpt launch harvest_log llm=tiny

runs the whole stack on a real vLLM whose answers are random.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from nodes.llm.getting import cpu_environment as installer

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / installer.NAME
CONTEXT, MOST_TOKENS = 32768, 4096
"""Of the tiny model, and of one of its answers. Its tokenizer was made of three short texts: a
prompt has nearly as many tokens as characters."""
# Tokenizer and configuration of a model without weights; run by the environment's own Python. With
# "sees" it is an Idefics3: of vLLM's models with eyes one whose import needs no torchvision.
_TINY = """
import json, sys
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

folder, sees = sys.argv[1], "sees" in sys.argv[2:]
tokenizer = Tokenizer(models.BPE())
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
tokenizer.decoder = decoders.ByteLevel()
special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>",
           "<image>", "<fake_token_around_image>", "<global-img>", "<end_of_utterance>"]
trainer = trainers.BpeTrainer(vocab_size=1024, special_tokens=special,
                              initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
tokenizer.train_from_iterator(["dig the log", "find a tree", "def action(obs):"] * 9, trainer)
tokenizer.save(folder + "/tokenizer.json")
template = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\\n"
    "{% if m.content is string %}{{ m.content }}{% else %}{% for part in m.content %}"
    "{% if part.type == 'text' %}{{ part.text }}{% else %}<image>{% endif %}{% endfor %}"
    "{% endif %}<|im_end|>\\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\\n{% endif %}"
)
processor = {"processor_class": "Idefics3Processor"} if sees else {}
ends = {"bos_token_id": 0, "eos_token_id": 2, "pad_token_id": 0}

def write(name, values):
    json.dump(values, open(folder + "/" + name, "w"))

write("tokenizer_config.json", {
    "tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<|im_end|>",
    "pad_token": "<|endoftext|>", "model_max_length": 32768, "chat_template": template,
    **processor})
text = {"hidden_size": 256, "intermediate_size": 768, "num_hidden_layers": 4,
        "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 1024,
        "max_position_embeddings": 32768, "rms_norm_eps": 1e-6, "rope_theta": 10000.0,
        "hidden_act": "silu", **ends}
if not sees:
    write("config.json", {
        **text, "architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2",
        "torch_dtype": "bfloat16", "tie_word_embeddings": True, "use_sliding_window": False})
else:
    eyes = {"model_type": "idefics3_vision", "hidden_size": 64, "intermediate_size": 128,
            "num_hidden_layers": 2, "num_attention_heads": 2, "image_size": 112, "patch_size": 14,
            "hidden_act": "gelu_pytorch_tanh"}
    write("config.json", {
        "architectures": ["Idefics3ForConditionalGeneration"], "model_type": "idefics3",
        "text_config": {**text, "model_type": "llama", "tie_word_embeddings": False},
        "vision_config": eyes, "image_token_id": tokenizer.token_to_id("<image>"),
        "scale_factor": 2, "torch_dtype": "bfloat16", "tie_word_embeddings": False, **ends})
    # A picture is 8 x 8 patches, four of which make a token: 16 of them.
    write("preprocessor_config.json", {
        "image_processor_type": "Idefics3ImageProcessor", "do_convert_rgb": True,
        "do_resize": True, "size": {"longest_edge": 112}, "do_image_splitting": False,
        "max_image_size": {"longest_edge": 112}, "do_rescale": True, "rescale_factor": 1 / 255,
        "do_normalize": True, "image_mean": [0.5] * 3, "image_std": [0.5] * 3, "do_pad": True,
        "resample": 1, **processor})
    write("processor_config.json", {"image_seq_len": 16, **processor})
"""


def made() -> bool:
    """Whether the environment is there, all of it."""
    return installer.made(FOLDER)


def environment() -> Path:
    """The folder of the environment, made on the first call (2 to 6 minutes)."""
    return installer.environment(FOLDER)


def tiny_model(folder: Path, sees: bool = False) -> Path:
    """A Qwen2 of 3.3 million random weights in ``folder``, or one of the size that is shown
    pictures: its configuration and tokenizer only, to be served with ``--load-format dummy``."""
    folder.mkdir(parents=True, exist_ok=True)
    python = environment() / "bin" / "python"
    subprocess.run(
        [str(python), "-c", _TINY, str(folder), *(["sees"] if sees else [])],
        check=True,
        env={"PATH": os.environ["PATH"], "HF_HUB_OFFLINE": "1"},
    )
    return folder


def tiny_profile(folder: Path, sees: bool = False) -> dict[str, object]:
    """A profile that serves the tiny model on this machine's first core, out of others' way."""
    return {
        "kind": "vllm",
        "model": "tiny",
        "path": str(tiny_model(folder, sees)),
        "vision": sees,
        "command": [str(environment() / "bin" / "vllm"), "serve"],
        "arguments": ["--load-format", "dummy"],
        "device": "cpu",
        "cores": [min(os.sched_getaffinity(0))],
        "niceness": 19,
        "context": CONTEXT,
        "sequences": 16,
        "kv_cache_memory": "512M",
        "eager": True,
        "max_tokens": MOST_TOKENS,
        "temperature": 1.0,
        "timeout": 300.0,
    }


def write_profile(folder: Path) -> Path:
    """The tiny model and, where a launch from ``folder`` finds it, its profile."""
    path = folder / "launch" / "llm" / "tiny.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    # Answers of random weights end by chance: short ones waste less time on those that do not.
    profile = {**tiny_profile((folder / "tiny").absolute()), "max_tokens": 1024}
    path.write_text(json.dumps(profile, indent=1))  # which is YAML, too
    return path


if __name__ == "__main__":
    print(environment())
    for argument in sys.argv[1:]:
        print(write_profile(Path(argument)))
