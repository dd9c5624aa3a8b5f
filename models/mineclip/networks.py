"""MineCLIP's networks: a CLIP of ViT-B/16 for single frames and prompts, and the pooling of 16
frames into one vector.

Modules are named so that the keys of a state dict are those of the published checkpoints
(`weights.py` has the few that are not). The linear layers, norms and their order are those of the
published model (MineDojo/MineCLIP, and x-transformers 0.27.1 for the pooling); the code is our own.
"""

import msgspec
import torch
from torch import Tensor, nn
from torch.nn import functional

EMBEDDING = 512
"""Numbers in the embedding of a frame, a clip or a prompt."""
HEAD = 64  # width of an attention head, everywhere
_POOLED = 32  # frames that the pooling has positions for


class Sizes(msgspec.Struct, frozen=True, kw_only=True):
    """The sizes of a checkpoint's networks; the defaults are those of the published ``attn``."""

    width: int = 768  # of the picture's transformer
    layers: int = 12
    patch: int = 16  # pixels
    rows: int = 10  # of patches: 160 pixels
    columns: int = 16  # 256 pixels
    text_width: int = 512
    text_layers: int = 12
    context: int = 77  # tokens of a prompt, begin and end included
    vocabulary: int = 49408
    pooling_layers: int = 2  # 0: the mean of the frames, the published ``avg``

    @property
    def height(self) -> int:
        """Pixels of a frame."""
        return self.rows * self.patch

    @property
    def breadth(self) -> int:
        """Pixels of a frame."""
        return self.columns * self.patch


class _QuickGelu(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * torch.sigmoid(1.702 * x)


class _Block(nn.Module):
    """Attention and a perceptron, each after a norm and with a residual: (B, L, width)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.attn = nn.MultiheadAttention(width, width // HEAD, batch_first=True)
        self.ln_1 = nn.LayerNorm(width)
        self.mlp = nn.Sequential()
        self.mlp.add_module("c_fc", nn.Linear(width, 4 * width))
        self.mlp.add_module("gelu", _QuickGelu())
        self.mlp.add_module("c_proj", nn.Linear(4 * width, width))
        self.ln_2 = nn.LayerNorm(width)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        seen = self.ln_1(x)
        x = x + self.attn(seen, seen, seen, need_weights=False, attn_mask=mask)[0]
        return x + self.mlp(self.ln_2(x))


class FrameEncoder(nn.Module):
    """Normalised frames (B, 3, height, breadth) -> (B, EMBEDDING)."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        width, patch = sizes.width, sizes.patch
        self.conv1 = nn.Conv2d(3, width, patch, patch, bias=False)
        self.cls_token = nn.Parameter(torch.empty(width))
        self.pos_embed = nn.Parameter(torch.empty(sizes.rows * sizes.columns + 1, width))
        self.ln_pre = nn.LayerNorm(width)
        self.blocks = nn.ModuleList(_Block(width) for _ in range(sizes.layers))
        self.ln_post = nn.LayerNorm(width)
        self.projection = nn.Parameter(torch.empty(width, EMBEDDING))

    def forward(self, frames: Tensor) -> Tensor:
        patches = self.conv1(frames).flatten(2).transpose(1, 2)
        first = self.cls_token.expand(len(patches), 1, -1)
        x = self.ln_pre(torch.cat([first, patches], 1) + self.pos_embed)
        for block in self.blocks:
            x = block(x)
        return self.ln_post(x[:, 0]) @ self.projection


class PromptEncoder(nn.Module):
    """Tokens int64 (B, context), 0 after the end -> (B, EMBEDDING)."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        width = sizes.text_width
        self.token_embedding = nn.Embedding(sizes.vocabulary, width)
        self.pos_embed = nn.Parameter(torch.empty(sizes.context, width))
        self.blocks = nn.ModuleList(_Block(width) for _ in range(sizes.text_layers))
        self.ln_final = nn.LayerNorm(width)
        self.projection = nn.Parameter(torch.empty(width, EMBEDDING))

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.token_embedding(tokens) + self.pos_embed
        length = tokens.shape[1]
        causal = torch.full((length, length), -torch.inf, dtype=x.dtype, device=x.device).triu(1)
        for block in self.blocks:
            x = block(x, causal)
        # The end has the highest number of all tokens; the positions after it are padding.
        ends = self.ln_final(x)[torch.arange(len(x), device=x.device), tokens.argmax(-1)]
        return ends @ self.projection


class Clip(nn.Module):
    """Both encoders, and the logarithm of the factor of their similarity."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.vision_model = FrameEncoder(sizes)
        self.text_model = PromptEncoder(sizes)
        self.logit_scale = nn.Parameter(torch.empty(()))


class _PoolingAttention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.to_q = nn.Linear(EMBEDDING, EMBEDDING, bias=False)
        self.to_k = nn.Linear(EMBEDDING, EMBEDDING, bias=False)
        self.to_v = nn.Linear(EMBEDDING, EMBEDDING, bias=False)
        self.to_out = nn.Linear(EMBEDDING, EMBEDDING, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (
            part(x).unflatten(-1, (-1, HEAD)).transpose(1, 2)
            for part in (self.to_q, self.to_k, self.to_v)
        )
        heads = functional.scaled_dot_product_attention(q, k, v)
        return self.to_out(heads.transpose(1, 2).flatten(2))


class _GatedLinear(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.proj = nn.Linear(EMBEDDING, 8 * EMBEDDING)

    def forward(self, x: Tensor) -> Tensor:
        value, gate = self.proj(x).chunk(2, -1)
        return value * functional.silu(gate)


class _PoolingPerceptron(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        # The two in the middle are placeholders of the published layout.
        self.net = nn.Sequential(
            _GatedLinear(), nn.Identity(), nn.Identity(), nn.Linear(4 * EMBEDDING, EMBEDDING)
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.net(x)


class _Positions(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.emb = nn.Embedding(_POOLED, EMBEDDING)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.emb.weight[: x.shape[1]] * EMBEDDING**-0.5


class _PoolingLayers(nn.Module):
    """Attention and perceptron in turn, each a list of (norms, layer)."""

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            nn.ModuleList([nn.ModuleList([nn.LayerNorm(EMBEDDING)]), layer])
            for _ in range(layers)
            for layer in (_PoolingAttention(), _PoolingPerceptron())
        )

    def forward(self, x: Tensor) -> Tensor:
        for norms, layer in self.layers:  # type: ignore[misc]
            x = x + layer(norms[0](x))
        return x


class _PoolingTransformer(nn.Module):
    def __init__(self, layers: int) -> None:
        super().__init__()
        self.pos_emb = _Positions()
        self.attn_layers = _PoolingLayers(layers)
        self.norm = nn.LayerNorm(EMBEDDING)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(self.attn_layers(self.pos_emb(x)))


class Pooling(nn.Module):
    """Frames' embeddings in their order (B, L, EMBEDDING) -> (B, EMBEDDING)."""

    def __init__(self, layers: int) -> None:
        super().__init__()
        if layers:
            self.attn = nn.ModuleDict({"model": _PoolingTransformer(layers)})
        self._attends = bool(layers)

    def forward(self, frames: Tensor) -> Tensor:
        return (self.attn["model"](frames) if self._attends else frames).mean(1)


class RewardHead(nn.Module):
    """Adapts a clip's vector to the prompts': (B, EMBEDDING) -> (B, EMBEDDING)."""

    def __init__(self) -> None:
        super().__init__()
        self.video_residual_weight = nn.Parameter(torch.empty(()))
        # The second is a placeholder of the published layout.
        self.video_adapter = nn.Sequential(
            nn.Linear(EMBEDDING, EMBEDDING),
            nn.Identity(),
            nn.ReLU(),
            nn.Linear(EMBEDDING, EMBEDDING),
        )

    def forward(self, video: Tensor) -> Tensor:
        kept = torch.sigmoid(self.video_residual_weight)
        return kept * video + (1 - kept) * self.video_adapter(video)


class Network(nn.Module):
    """All of MineCLIP."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.sizes = sizes
        self.clip_model = Clip(sizes)
        self.temporal_encoder = Pooling(sizes.pooling_layers)
        self.reward_head = RewardHead()

    def frames(self, frames: Tensor) -> Tensor:
        """Normalised frames (B, 3, height, breadth) -> (B, EMBEDDING)."""
        return self.clip_model.vision_model(frames)

    def prompts(self, tokens: Tensor) -> Tensor:
        """Tokens (N, context) -> (N, EMBEDDING)."""
        return self.clip_model.text_model(tokens)

    def logits(self, clips: Tensor, prompts: Tensor) -> Tensor:
        """Frames' embeddings (B, L, EMBEDDING) and prompts' (N, EMBEDDING) -> similarity (B, N)."""
        video = functional.normalize(self.reward_head(self.temporal_encoder(clips)), dim=-1)
        text = functional.normalize(prompts, dim=-1)
        return self.clip_model.logit_scale.exp() * video @ text.T
