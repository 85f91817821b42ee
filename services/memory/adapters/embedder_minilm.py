"""Embeddings by meaning: all-MiniLM-L6-v2 on ONNX Runtime, from files made once at set-up."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from mesh.errors import SERVICE_UNAVAILABLE, AssayError
from services.memory.ports import Vectors

if TYPE_CHECKING:
    import onnxruntime
    from tokenizers import Tokenizer

MODEL_NAME = "all-minilm-l6-v2-1"
"""Names the vectors and the folder; the last number rises when equal text gives other vectors."""

MODEL_FILE = "model.onnx"
TOKENIZER_FILE = "tokenizer.json"
LONGEST_TEXT_TOKENS = 256
TEXTS_AT_ONCE = 8
"""Bounds memory (50 MB for 8 long texts) and how long another call waits for its turn."""

THREADS = min(2, os.cpu_count() or 1)


def model_folder() -> Path:
    """Where the model is kept: ASSAY_MODEL_FOLDER, else the platform's cache folder."""
    from platformdirs import user_cache_dir

    chosen = os.environ.get("ASSAY_MODEL_FOLDER")
    return (Path(chosen) if chosen else Path(user_cache_dir("assay")) / "models") / MODEL_NAME


class MiniLmEmbedder:
    """Runs in one thread of its own; the model loads with the first text, in about a second."""

    name = MODEL_NAME
    dimension = 384
    same_meaning = 0.5
    by_meaning = True

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="minilm")

    @staticmethod
    def installed(folder: Path) -> bool:
        """Whether set-up has put the model there."""
        return (folder / MODEL_FILE).is_file() and (folder / TOKENIZER_FILE).is_file()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector of length 1 a text; of each, the first 256 tokens count.

        Raises AssayError (SERVICE_UNAVAILABLE) when the model's files cannot be loaded.
        """
        import numpy as np

        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        loop = asyncio.get_running_loop()
        batches = [
            await loop.run_in_executor(self._thread, self._embed, texts[i : i + TEXTS_AT_ONCE])
            for i in range(0, len(texts), TEXTS_AT_ONCE)
        ]
        return np.concatenate(batches)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        try:
            tokenizer = Tokenizer.from_file(str(self._folder / TOKENIZER_FILE))
        except Exception as error:  # tokenizers raises nothing narrower
            raise self._broken(error) from error
        # The file fixes both at 128 tokens, which wastes time on short text and cuts long text.
        tokenizer.enable_truncation(LONGEST_TEXT_TOKENS)
        tokenizer.no_padding()
        tokenizer.enable_padding()
        return tokenizer

    @cached_property
    def _session(self) -> onnxruntime.InferenceSession:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = THREADS
        # Threads that spin while they wait take time from whatever else a job does meanwhile.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            return onnxruntime.InferenceSession(
                str(self._folder / MODEL_FILE), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime's exceptions share no narrower base
            raise self._broken(error) from error

    def _broken(self, error: Exception) -> AssayError:
        return AssayError(
            SERVICE_UNAVAILABLE,
            f"the model in {self._folder} cannot be loaded ({type(error).__name__})",
            hint="Delete the folder and set MiniLM up again.",
        )

    def _embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        encoded = self._tokenizer.encode_batch(list(texts))
        inputs = {
            "ids": np.array([text.ids for text in encoded], dtype=np.int64),
            "mask": np.array([text.attention_mask for text in encoded], dtype=np.int64),
        }
        vectors: Vectors = self._session.run(None, inputs)[0]
        return vectors
