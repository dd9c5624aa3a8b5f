"""Which of many texts are the most like another one: cosine similarity of weighted words (TF-IDF).

Each text counts every word once, with the weight that it is rare among all texts. Names of what a
text is about are left out by the caller, so that two texts are alike by what is to be done.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence

_WORD = re.compile(r"[a-z][a-z0-9_]*")

Words = frozenset[str]


def words(text: str, without: frozenset[str] = frozenset()) -> Words:
    """The distinct words of a text in lower case, but for those of the names in ``without``: a name
    as it is (``iron_ingot``) and its parts."""
    left_out = {part for name in without for part in (name, *re.split(r"[ _]", name))}
    return frozenset(_WORD.findall(text.lower())) - left_out


class Index:
    """Over texts that do not change."""

    def __init__(self, texts: Sequence[Words]) -> None:
        self._texts = texts
        counts = Counter(word for text in texts for word in text)
        self._weights = {word: math.log(len(texts) / count) for word, count in counts.items()}
        self._unknown = math.log(max(1, len(texts)))  # of a word that none of the texts has
        self._lengths = [self._length(text) for text in texts]

    def nearest(self, text: Words, count: int) -> list[int]:
        """The numbers of the texts that are the most like it, the most first; of those that are
        alike the earlier ones."""
        length = self._length(text)
        found = [
            self._product(text & other) / (length * long or 1.0)
            for other, long in zip(self._texts, self._lengths, strict=True)
        ]
        return sorted(range(len(found)), key=lambda number: -found[number])[:count]

    def _length(self, text: Words) -> float:
        return math.sqrt(self._product(text))

    def _product(self, common: Words) -> float:
        return sum(self._weights.get(word, self._unknown) ** 2 for word in common)
