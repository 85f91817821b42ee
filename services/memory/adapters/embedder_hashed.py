"""Embeddings by spelling: hashed character n-grams, for where no model is installed.

Two texts are alike when they share words and word parts; synonyms are strangers. Deterministic
across processes and machines.
"""

from __future__ import annotations

import asyncio
import unicodedata
import zlib
from collections import Counter
from collections.abc import Sequence

from services.memory.ports import Vectors

SHORTEST, LONGEST = 3, 5


class HashedEmbedder:
    """An embedder that needs no file."""

    name = "hashed-ngrams-1"
    dimension = 384
    same_meaning = 0.5
    by_meaning = False

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector of length 1 a text."""
        return await asyncio.to_thread(self._embed, texts)

    def _embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for gram, count in Counter(_ngrams(text)).items():
                bits = zlib.crc32(gram.encode("utf-8", "surrogatepass"))
                # A sign of its own makes n-grams that share a place cancel out, not add up.
                row[bits % self.dimension] += (1 if bits >> 31 else -1) * count**0.5
            length = float(np.linalg.norm(row))
            if length:
                row /= length
            else:
                row[0] = 1.0
        return vectors


def _ngrams(text: str) -> list[str]:
    """Whole words and their parts; `<` and `>` mark where a word begins and ends."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = "".join(c if c.isalnum() else " " for c in folded).split() or [folded]
    grams: list[str] = []
    for word in (f"<{word}>" for word in words):
        grams.append(word)
        for size in range(SHORTEST, min(LONGEST, len(word) - 1) + 1):
            grams += [word[i : i + size] for i in range(len(word) - size + 1)]
    return grams
