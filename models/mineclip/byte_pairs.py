"""CLIP's byte-pair encoding of prompts, from the list of merges that was published with CLIP.

The user puts the list beside the weights; it is not downloaded. Letters and digits are recognised
as Python's ``\\w`` and ``\\d`` do, which for English is as CLIP does.
"""

import gzip
import hashlib
import re
import unicodedata
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.mineclip.weights import WeightsError

FILES = ("bpe_simple_vocab_16e6.txt.gz", "bpe_simple_vocab_16e6.txt", "merges.txt")
_WORD = re.compile(r"'s|'t|'re|'ve|'m|'ll|'d|[^\W\d_]+|\d|(?:[^\w\s]|_)+")
_END = "</w>"  # of a word
_PUBLISHED = 48_894, "93e5a1ec9b3adf85"
"""How many merges the published vocabulary has, and the digest of the list. Other tokenizers' lists
(GPT-2's) have the same file name, and made of one of them a prompt is nothing but letters."""


def beside(weights: Path) -> Path:
    """The list of merges in the folder of the weights.

    Raises:
        WeightsError: there is none.
    """
    found = next((p for name in FILES if (p := weights.parent / name).is_file()), None)
    if found is None:
        raise WeightsError(
            f"CLIP's list of merges is missing beside {weights}: on a machine with a network get "
            f"{FILES[0]} from github.com/openai/CLIP, and copy it there (docs/mineclip.md)"
        )
    return found


def byte_letters() -> dict[int, str]:
    """The letter for each byte, in the order of the vocabulary: the byte itself if it can be
    printed, else one from 256 on."""
    printed = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printed]
    return {byte: chr(byte) for byte in printed} | {
        byte: chr(256 + number) for number, byte in enumerate(others)
    }


class Tokenizer:
    """``vocabulary``: tokens that the checkpoint knows, begin and end included; ``context``: the
    most tokens of a prompt, begin and end included.

    Raises:
        WeightsError: the file is no list of merges, has too few, or is not CLIP's.
    """

    def __init__(self, path: Path, vocabulary: int, context: int) -> None:
        self._letters = byte_letters()
        letters = list(self._letters.values())
        merges = _merges(path, vocabulary - 2 * len(letters) - 2)
        entries = [*letters, *(letter + _END for letter in letters), *map("".join, merges)]
        self._numbers = {entry: number for number, entry in enumerate(entries)}
        self._ranks = {pair: rank for rank, pair in enumerate(merges)}
        self._begin, self._context = vocabulary - 2, context
        self._of_word = lru_cache(4096)(self._merged)

    def __call__(self, prompts: list[str]) -> NDArray[np.int64]:
        """(N, context): begin, tokens, end, then 0. Tokens beyond that are left out."""
        tokens = np.zeros((len(prompts), self._context), np.int64)
        for row, prompt in zip(tokens, prompts, strict=True):
            text = unicodedata.normalize("NFC", prompt).lower()
            found = [number for word in _WORD.findall(text) for number in self._of_word(word)]
            del found[self._context - 2 :]
            row[: len(found) + 2] = [self._begin, *found, self._begin + 1]
        return tokens

    def _merged(self, word: str) -> list[int]:
        parts = [self._letters[byte] for byte in word.encode("utf-8")]
        parts[-1] += _END
        while len(parts) > 1:
            pairs = list(pairwise(parts))
            first = min(pairs, key=lambda pair: self._ranks.get(pair, len(self._ranks)))
            if first not in self._ranks:
                break
            joined: list[str] = []
            while parts:
                if tuple(parts[:2]) == first:
                    joined.append("".join(first))
                    del parts[:2]
                else:
                    joined.append(parts.pop(0))
            parts = joined
        return [self._numbers[part] for part in parts]


def _merges(path: Path, count: int) -> list[tuple[str, str]]:
    """The first ``count`` of the file; its first line is a title."""
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    except (OSError, EOFError, ValueError) as error:
        raise WeightsError(f"{path} cannot be read as CLIP's list of merges: {error}") from error
    pairs = [tuple(line.split()) for line in text.split("\n")[1 : count + 1]]
    merges = [(pair[0], pair[1]) for pair in pairs if len(pair) == 2]
    if count < 0 or len(merges) < count:
        raise WeightsError(
            f"{path} is not CLIP's list of merges, or not all of it: the checkpoint's vocabulary "
            f"has {count} merges, the file {len(merges)}"
        )
    if count == _PUBLISHED[0] and _digest(merges) != _PUBLISHED[1]:
        raise WeightsError(
            f"{path} is not CLIP's list of merges, but another tokenizer's, or it is damaged: copy "
            f"{FILES[0]} of github.com/openai/CLIP there (docs/mineclip.md)"
        )
    return merges


def _digest(merges: list[tuple[str, str]]) -> str:
    text = "\n".join(map(" ".join, merges))
    return hashlib.blake2s(text.encode(), digest_size=8).hexdigest()
