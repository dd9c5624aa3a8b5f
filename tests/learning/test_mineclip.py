"""MineCLIP with random weights in the published layout: reading files, embedding, rewarding, and
what is reported of files that cannot be used."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch.nn import functional

from models.mineclip import MineClip, WeightsError, mineclip
from models.mineclip.byte_pairs import Tokenizer, byte_letters
from models.mineclip.weights import load, published
from tests.learning.mineclip_files import MERGES, layout, random_state, tiny_layout, write


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> MineClip:
    return MineClip(write(tmp_path_factory.mktemp("mineclip")))


def frames(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (count, 3, 40, 64)).astype(np.uint8)


@pytest.mark.parametrize(("variant", "tensors", "numbers"), [
    ("attn", 788, 158_537_730), ("avg", 761, 150_118_402),
])  # fmt: skip
def test_the_networks_have_the_tensors_of_the_published_checkpoints(
    variant: str, tensors: int, numbers: int
) -> None:
    whole = layout(variant)
    assert len(whole) == tensors  # as the published code's state_dict() has
    once = {
        name.removeprefix("reward_head.").replace("image_encoder.", "clip_model.vision_model.")
        if "clip_model" in name or "image_encoder" in name
        else name: shape
        for name, shape in whole.items()
    }
    from models.mineclip.networks import Sizes

    ours = published(Sizes() if variant == "attn" else Sizes(pooling_layers=0))
    assert ours == once
    assert sum(int(np.prod(shape)) for shape in ours.values()) == numbers


@pytest.mark.parametrize("variant", ["attn", "avg"])
def test_rewards_of_a_checkpoint_equal_those_computed_from_its_tensors(
    tmp_path: Path, variant: str
) -> None:
    """The reward, computed again from the tensors by another way of writing it."""
    path = write(tmp_path, variant)
    model, state = MineClip(path), random_state(tiny_layout(variant))
    seen = model.embed(frames(32)).reshape(2, 16, 512)
    video = torch.tensor(seen)
    if variant == "attn":
        video = _pooled(state, video)
    video = video.mean(1)
    adapter = "reward_head.video_adapter"
    hidden = functional.linear(video, state[f"{adapter}.0.weight"], state[f"{adapter}.0.bias"])
    adapted = functional.linear(
        hidden.relu(), state[f"{adapter}.3.weight"], state[f"{adapter}.3.bias"]
    )
    kept = torch.sigmoid(state["reward_head.video_residual_weight"])
    video = kept * video + (1 - kept) * adapted
    prompts = model._network.prompts(
        torch.from_numpy(model._tokenizer(["milk a cow", "cow", "the sky"]))
    )
    likeness = functional.cosine_similarity(video[:, None], prompts[None], dim=-1)
    wanted = (np.exp(3.0) * likeness).softmax(-1)[:, 0] - 1 / 3
    paid = model.reward(seen, "milk a cow", ["cow", "the sky"])
    np.testing.assert_allclose(paid, wanted.clamp(min=0).numpy(), atol=1e-5)
    swapped = [model.reward(seen, p, [q for q in ("milk a cow", "cow", "the sky") if q != p])
               for p in ("milk a cow", "cow", "the sky")]  # fmt: skip
    assert (np.max(swapped, 0) > 0).all()  # some prompt is always likelier than chance
    assert (np.min(swapped, 0) == 0).all()  # and some one is never
    assert (np.array(swapped) < 1).all()


def _pooled(state: dict[str, torch.Tensor], x: torch.Tensor) -> torch.Tensor:
    part = {
        name.removeprefix("temporal_encoder.attn.model."): value for name, value in state.items()
    }
    x = x + part["pos_emb.emb.weight"][:16] / 512**0.5
    for number in range(4):
        layer = f"attn_layers.layers.{number}"
        y = functional.layer_norm(x, (512,), part[f"{layer}.0.0.weight"], part[f"{layer}.0.0.bias"])
        if number % 2 == 0:
            heads = []
            for head in range(8):
                rows = slice(64 * head, 64 * head + 64)
                q, k, v = (y @ part[f"{layer}.1.to_{n}.weight"][rows].T for n in "qkv")
                heads.append((q @ k.transpose(1, 2) / 8).softmax(-1) @ v)
            x = x + torch.cat(heads, -1) @ part[f"{layer}.1.to_out.weight"].T
        else:
            both = y @ part[f"{layer}.1.net.0.proj.weight"].T + part[f"{layer}.1.net.0.proj.bias"]
            gated = both[..., :2048] * functional.silu(both[..., 2048:])
            x = x + gated @ part[f"{layer}.1.net.3.weight"].T + part[f"{layer}.1.net.3.bias"]
    return functional.layer_norm(x, (512,), part["norm.weight"], part["norm.bias"])


def test_frames_are_embedded_each_alone_and_their_order_in_a_clip_matters(model: MineClip) -> None:
    assert (model.height, model.width) == (40, 64)
    seen = frames(70)  # more than one batch
    together = model.embed(seen)
    assert together.shape == (70, 512)
    assert together.dtype == np.float32
    np.testing.assert_allclose(together[65:66], model.embed(seen[65:66]), atol=1e-4)
    assert not np.allclose(together[0], together[1], atol=1e-2)
    clip = together[None, :16]
    forwards, backwards = (
        model._network.temporal_encoder(torch.tensor(c.copy())) for c in (clip, clip[:, ::-1])
    )
    assert not torch.allclose(forwards, backwards, atol=1e-3)


def test_no_frames_have_no_embeddings_and_old_prompts_are_forgotten(model: MineClip) -> None:
    assert model.embed(frames(0)).shape == (0, 512)
    for number in range(70):
        model.reward(np.zeros((0, 16, 512), np.float32), f"dig {number}", ["a cow"])
    assert len(model._prompts) == 64
    assert ("dig 69", "a cow") in model._prompts


def test_a_prompt_is_compared_with_31_different_ones(model: MineClip) -> None:
    assert len(set(mineclip.NEGATIVES)) == len(mineclip.NEGATIVES) >= 32
    for prompt in ("dig a diamond", mineclip.NEGATIVES[0]):
        assert model.reward(np.zeros((0, 16, 512), np.float32), prompt).shape == (0,)
        (kept,) = [key for key in model._prompts if key[0] == prompt]
        assert len(set(kept)) == 32
    with pytest.raises(ValueError, match="one is given twice"):
        model.reward(np.zeros((1, 16, 512), np.float32), "cow", ["cow", "milk"])


def test_prompts_become_the_byte_pair_tokens_of_the_merges(tmp_path: Path) -> None:
    path = write(tmp_path).with_name("bpe_simple_vocab_16e6.txt.gz")
    tokens = Tokenizer(path, 512 + len(MERGES) + 2, 77)
    letters = list(byte_letters().values())
    alone, ending = letters.index, lambda letter: 256 + letters.index(letter)
    begin = 512 + len(MERGES)
    row = tokens(["  Milk\nCOWS, it's 10"])[0]
    assert row.tolist() == [
        begin,
        516,  # mi + lk
        512, alone("w"), ending("s"),  # co, not the cow that ends a word
        ending(","),
        alone("i"), ending("t"), alone("'"), ending("s"), ending("1"), ending("0"),
        begin + 1,
        *[0] * 64,
    ]  # fmt: skip
    assert tokens(["cow"])[0, :3].tolist() == [begin, 513, begin + 1]
    long = tokens(["cow " * 100])[0]
    assert long[-1] == begin + 1
    assert Counter(long.tolist())[513] == 75
    assert tokens(["é"])[0, :4].tolist() == [begin, alone("Ã"), ending("©"), begin + 1]


def test_weights_in_other_files_and_precisions_make_the_same_network(tmp_path: Path) -> None:
    """Bare names, halves, safetensors with each tensor once: the same network."""
    first = load(write(tmp_path)).state_dict()
    state = random_state(tiny_layout())
    torch.save(state, tmp_path / "bare.pth")
    torch.save({"state_dict": {f"model.{n}": v.half() for n, v in state.items()},
                "epoch": 3, "other": {"x": [1, "a"]}}, tmp_path / "half.pth")  # fmt: skip
    once = {n: v for n, v in state.items() if not n.startswith(("image_", "reward_head.clip"))}
    save_file(once, tmp_path / "once.safetensors")
    for name, near in (("bare.pth", 0.0), ("half.pth", 1e-3), ("once.safetensors", 0.0)):
        again = load(tmp_path / name).state_dict()
        assert again.keys() == first.keys()
        for key, value in again.items():
            assert value.dtype == torch.float32
            assert torch.allclose(value, first[key], atol=near, rtol=near)


class Evil:
    def __reduce__(self) -> Any:
        return (Path.touch, (Path("/tmp/never"),))


def changed(**changes: Any) -> dict[str, torch.Tensor]:
    state = random_state(tiny_layout())
    for name, value in changes.items():
        name = name.replace("__", ".")
        if value is None:
            del state[name]
        else:
            state[name] = value
    return state


def test_unusable_weight_files_are_refused_in_a_sentence(tmp_path: Path) -> None:
    good = write(tmp_path)

    def said(content: Any, name: str = "attn.pth") -> str:
        path = tmp_path / "broken" / name
        path.parent.mkdir(exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif content is not None:
            torch.save(content, path)
        with pytest.raises(WeightsError) as refused:
            load(path)
        text = str(refused.value)
        assert str(path) in text
        assert "\n" not in text
        path.unlink(missing_ok=True)
        return text

    assert "github.com/MineDojo/MineCLIP" in said(None)
    assert "cut off" in said(good.read_bytes()[:-5000])
    assert "cut off" in said(b"<html>Google Drive</html>")
    assert "cut off" in said(b"")
    flipped = bytearray(good.read_bytes())
    flipped[len(flipped) // 2] ^= 1
    assert "fails its checksum): it is cut off, damaged" in said(bytes(flipped))
    assert "no state_dict of plain tensors" in said({"w": torch.zeros(3).to_sparse()})
    assert "holds more than weights (getattr)" in said({"state_dict": {}, "x": Evil()})
    assert not Path("/tmp/never").exists()
    assert "no state_dict of plain tensors" in said([1, 2])
    assert "no state_dict of plain tensors" in said({"state_dict": {"model.x": 3}})
    assert "it has no clip_model.vision_model.conv1.weight" in said({"w": torch.zeros(3)})
    odd = {"temporal_encoder__attn__model__attn_layers__layers__1__1__net__3__bias": None}
    assert "layers.1.1.net.3.bias" in said(changed(**odd))
    assert "logit_scale is (2,) and should be ()" in said(
        changed(clip_model__logit_scale=torch.zeros(2), reward_head__clip_model__logit_scale=None)
    )
    assert "MineCLIP has no more" in said(changed(more=torch.zeros(1)))
    assert "is not finite" in said(
        changed(reward_head__video_adapter__0__bias=torch.full((512,), torch.nan))
    )
    whole = random_state(tiny_layout())
    square = {n: v[:26] if n.endswith("vision_model.pos_embed") else v for n, v in whole.items()}
    square["image_encoder.pos_embed"] = square["clip_model.vision_model.pos_embed"]
    assert "positions for 25 patches" in said(square)
    assert "cut off" in said(b"\xff" * 40, "attn.safetensors")
    save_file({"w": torch.zeros(9)}, tmp_path / "w.safetensors")
    assert "cut off" in said((tmp_path / "w.safetensors").read_bytes()[:-1], "attn.safetensors")


def test_unusable_merges_and_devices_are_refused_in_a_sentence(tmp_path: Path) -> None:
    path = write(tmp_path)
    merges = path.with_name("bpe_simple_vocab_16e6.txt.gz")
    whole = merges.read_bytes()
    for broken, sentence in ((b"no gzip", "cannot be read"), (whole[:-9], "cannot be read")):
        merges.write_bytes(broken)
        with pytest.raises(WeightsError, match=sentence):
            MineClip(path)
    merges.unlink()
    with pytest.raises(WeightsError, match=r"missing beside .*github\.com/openai/CLIP"):
        MineClip(path)
    path.with_name("merges.txt").write_text("#version: 0.2\nc o\n")
    with pytest.raises(WeightsError, match="has 6 merges, the file 1"):
        MineClip(path)
    letters = "abcdefghijklmnopqrstuvwxyz"
    pairs = [f"{a}{b} {c}{d}" for a in letters for b in letters for c in letters for d in letters]
    other = tmp_path / "merges.txt"
    other.write_text("\n".join(["#version: 0.2", *pairs[:50_000]]))
    with pytest.raises(WeightsError, match=r"not CLIP's list of merges, but another tokenizer's"):
        Tokenizer(other, 49_408, 77)
    path.with_name("merges.txt").write_text("#version: 0.2\nc o\n")
    for device in ("gpu", "cuda:99", "meta"):
        with pytest.raises(WeightsError, match=f"cannot be put on the device '{device}'"):
            MineClip(path, device)
