"""Checkpoints of random numbers in the layout that MineCLIP was published in, for tests."""

import gzip
from pathlib import Path

import torch
from torch import Tensor

Shapes = dict[str, tuple[int, ...]]
LETTERS = "abcdefghijklmnopqrstuvwxyz"
MERGES = [("c", "o"), ("co", "w</w>"), ("m", "i"), ("l", "k</w>"), ("mi", "lk</w>"), ("t", "h")]


def _block(width: int) -> Shapes:
    return {
        "attn.in_proj_weight": (3 * width, width),
        "attn.in_proj_bias": (3 * width,),
        "attn.out_proj.weight": (width, width),
        "attn.out_proj.bias": (width,),
        "ln_1.weight": (width,),
        "ln_1.bias": (width,),
        "mlp.c_fc.weight": (4 * width, width),
        "mlp.c_fc.bias": (4 * width,),
        "mlp.c_proj.weight": (width, 4 * width),
        "mlp.c_proj.bias": (width,),
        "ln_2.weight": (width,),
        "ln_2.bias": (width,),
    }


def _under(prefix: str, shapes: Shapes) -> Shapes:
    return {f"{prefix}.{name}": shape for name, shape in shapes.items()}


def layout(
    variant: str = "attn",
    *,
    width: int = 768,
    layers: int = 12,
    patch: int = 16,
    patches: int = 160,
    text_width: int = 512,
    text_layers: int = 12,
    vocabulary: int = 49408,
) -> Shapes:
    """Names and shapes of the published checkpoint, those included that it has twice or thrice;
    read off MineDojo/MineCLIP and x-transformers 0.27.1."""
    vision: Shapes = {
        "conv1.weight": (width, 3, patch, patch),
        "cls_token": (width,),
        "pos_embed": (patches + 1, width),
        "projection": (width, 512),
    }
    text: Shapes = {
        "token_embedding.weight": (vocabulary, text_width),
        "pos_embed": (77, text_width),
        "projection": (text_width, 512),
    }
    for norms, wide, part in (
        (("ln_pre", "ln_post"), width, vision),
        (("ln_final",), text_width, text),
    ):
        for norm in norms:
            part |= {f"{norm}.weight": (wide,), f"{norm}.bias": (wide,)}
    for number in range(layers):
        vision |= _under(f"blocks.{number}", _block(width))
    for number in range(text_layers):
        text |= _under(f"blocks.{number}", _block(text_width))
    clip = _under("vision_model", vision) | _under("text_model", text) | {"logit_scale": ()}
    found = _under("clip_model", clip) | _under("reward_head.clip_model", clip)
    found |= _under("image_encoder", vision)
    found |= {
        "reward_head.video_residual_weight": (),
        **{f"reward_head.video_adapter.{n}.weight": (512, 512) for n in (0, 3)},
        **{f"reward_head.video_adapter.{n}.bias": (512,) for n in (0, 3)},
    }
    if variant == "attn":
        pooling: Shapes = {"pos_emb.emb.weight": (32, 512)}
        pooling |= {"norm.weight": (512,), "norm.bias": (512,)}
        for number in range(4):
            here = f"attn_layers.layers.{number}"
            pooling |= {f"{here}.0.0.weight": (512,), f"{here}.0.0.bias": (512,)}
            if number % 2 == 0:
                pooling |= {f"{here}.1.to_{n}.weight": (512, 512) for n in ("q", "k", "v", "out")}
            else:
                pooling |= {
                    f"{here}.1.net.0.proj.weight": (4096, 512),
                    f"{here}.1.net.0.proj.bias": (4096,),
                    f"{here}.1.net.3.weight": (512, 2048),
                    f"{here}.1.net.3.bias": (512,),
                }
        found |= _under("temporal_encoder.attn.model", pooling)
    return found


def tiny_layout(variant: str = "attn") -> Shapes:
    """Frames of 40 x 64 pixels, narrow layers, a vocabulary of six merges."""
    return layout(
        variant, width=64, layers=2, patch=8, patches=40, text_width=64, text_layers=2,
        vocabulary=2 * 256 + len(MERGES) + 2,
    )  # fmt: skip


def random_state(shapes: Shapes, seed: int = 0) -> dict[str, Tensor]:
    """Numbers for them; what is there under several names is one tensor."""
    generator = torch.Generator().manual_seed(seed)
    made: dict[str, Tensor] = {}
    for name, shape in shapes.items():
        one = name.removeprefix("reward_head.")
        one = one.replace("image_encoder.", "clip_model.vision_model.")
        if one not in made:
            made[one] = 0.1 * torch.randn(shape, generator=generator)
            if "ln_" in name or "norm." in name or ".0.0." in name:
                made[one] += name.endswith("weight")
        made[name] = made[one]
    made["clip_model.logit_scale"].fill_(3.0)
    return {name: made[name] for name in shapes}


def write(folder: Path, variant: str = "attn", shapes: Shapes | None = None) -> Path:
    """A checkpoint and a list of merges beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    state = random_state(shapes or tiny_layout(variant))
    path = folder / f"{variant}.pth"
    torch.save({"state_dict": {f"model.{name}": value for name, value in state.items()}}, path)
    lines = ['"bpe_simple_vocab_16e6.txt#version: 0.2', *(" ".join(pair) for pair in MERGES), ""]
    merges = gzip.compress("\n".join(lines).encode())
    (folder / "bpe_simple_vocab_16e6.txt.gz").write_bytes(merges)
    return path
