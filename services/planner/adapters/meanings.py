"""Which names mean what a phrase means, by vectors that memory makes and this process keeps."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from services.planner.domain.catalogue import Likeness
from services.planner.ports import Embedded, Embeddings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TEXTS_AT_ONCE = 64
_KEPT = 20_000
"""Vectors kept, the latest used: of 384 numbers each, 30 MB at most."""
_NEAREST = 4
_DIGITS = 2


class RemoteMeanings:
    """The MeaningLookup of a planner.

    A text is embedded once, so the names of a catalogue cost time with the first question that
    needs them; what was embedded before a time limit struck is kept for the next. Does not bound
    how many names are compared: whoever asks does.
    """

    def __init__(self, embeddings: Embeddings) -> None:
        self._embeddings = embeddings
        self._embedder = ""
        self._vectors: OrderedDict[str, NDArray[np.float32]] = OrderedDict()

    async def __call__(self, phrases: Sequence[str], names: Sequence[str]) -> Sequence[Likeness]:
        """The four nearest names of each phrase, best first, equally near ones by name.

        None where no model is set up. Raises AssayError when memory is away.
        """
        import numpy as np

        if not phrases or not names:
            return []
        # The phrases first: they tell at little cost whether meaning is known at all.
        if not await self._embed(phrases) or not await self._embed([*phrases, *names]):
            return []
        matrix = np.stack([self._vectors[name] for name in names])
        found: list[Likeness] = []
        for phrase in phrases:
            cosines = [round(float(c), _DIGITS) for c in matrix @ self._vectors[phrase]]
            nearest = sorted(zip(cosines, names, strict=True), key=lambda pair: (-pair[0], pair[1]))
            found += [
                Likeness(phrase=phrase, name=name, similarity=cosine)
                for cosine, name in nearest[:_NEAREST]
            ]
        return found

    async def vectors(self, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The vector of each text, of length 1; none of them where no model is set up.

        Raises AssayError when memory is away.
        """
        if not texts or not await self._embed(texts):
            return {}
        return {text: self._vectors[text] for text in texts}

    async def _embed(self, texts: Sequence[str]) -> bool:
        """Have the vectors of all these texts; False where the embedder knows no meaning."""
        while missing := [text for text in dict.fromkeys(texts) if text not in self._vectors]:
            batch = missing[:TEXTS_AT_ONCE]
            made = await self._embeddings.embed(batch)
            if len(made.vectors) != len(batch):
                return False
            self._keep(batch, made)
        for text in texts:
            self._vectors.move_to_end(text)
        while len(self._vectors) > max(_KEPT, len(texts)):
            self._vectors.popitem(last=False)
        return True

    def _keep(self, texts: Sequence[str], made: Embedded) -> None:
        import numpy as np

        if made.embedder != self._embedder:  # vectors of two embedders mean nothing to each other
            self._vectors.clear()
            self._embedder = made.embedder
        for text, vector in zip(texts, made.vectors, strict=True):
            self._vectors[text] = np.asarray(vector, dtype=np.float32)
