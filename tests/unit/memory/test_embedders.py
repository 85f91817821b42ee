"""Embedders: what holds for any, for the hashed one, and how one is chosen."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from mesh.errors import AssayError
from services.memory.adapters.embedder_hashed import HashedEmbedder
from services.memory.adapters.embedder_minilm import MODEL_FILE, TOKENIZER_FILE, MiniLmEmbedder
from services.memory.adapters.embedders import EmbedderChoice, choose_embedder

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Settings:
    embedder: EmbedderChoice = "auto"
    model_folder: Path | None = None


@pytest.mark.asyncio
async def test_hashed_vectors_have_length_one_whatever_the_text() -> None:
    texts = ["revenue by month", "", "  ", "a", "!?", "売上 🧾", "x" * 10_000, "\x00"]
    vectors = await HashedEmbedder().embed(texts)
    assert vectors.shape == (len(texts), 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(texts)), abs=1e-6)


@pytest.mark.asyncio
async def test_hashed_vectors_ignore_case_and_see_word_parts() -> None:
    asked, same, inflected, unrelated = await HashedEmbedder().embed(
        ["Revenue by Month", "revenue  by month", "revenues by months", "employee count"]
    )
    assert asked @ same == pytest.approx(1.0, abs=1e-6)
    assert asked @ inflected > 0.6 > 0.2 > asked @ unrelated


def test_hashed_vectors_are_the_same_in_every_process() -> None:
    script = (
        "import asyncio, hashlib\n"
        "from services.memory.adapters.embedder_hashed import HashedEmbedder\n"
        "v = asyncio.run(HashedEmbedder().embed(['Umsätze by month']))\n"
        "print(hashlib.sha256(v.tobytes()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", script],
            cwd=ROOT,
            env={"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_without_a_model_the_choice_is_hashing_and_says_so(tmp_path: Path) -> None:
    chosen = choose_embedder(Settings(model_folder=tmp_path))
    assert isinstance(chosen.embedder, HashedEmbedder)
    assert "minilm_setup" in chosen.remark


def test_a_model_asked_for_by_name_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="model is not in") as refused:
        choose_embedder(Settings("minilm", tmp_path))
    assert "minilm_setup" in refused.value.remedy


def test_hashing_can_be_asked_for(tmp_path: Path) -> None:
    assert isinstance(choose_embedder(Settings("hashed", tmp_path)).embedder, HashedEmbedder)


def test_where_the_model_is_set_up_it_is_chosen_without_a_remark(tmp_path: Path) -> None:
    for name in (MODEL_FILE, TOKENIZER_FILE):
        (tmp_path / name).write_bytes(b"-")
    chosen = choose_embedder(Settings(model_folder=tmp_path))
    assert isinstance(chosen.embedder, MiniLmEmbedder)
    assert chosen.remark == ""


@pytest.mark.asyncio
async def test_a_model_that_cannot_be_loaded_says_what_to_do(tmp_path: Path) -> None:
    for name in (MODEL_FILE, TOKENIZER_FILE):
        (tmp_path / name).write_bytes(b"-")
    with pytest.raises(AssayError, match="cannot be loaded") as refused:
        await MiniLmEmbedder(tmp_path).embed(["text"])
    assert "Delete the folder" in refused.value.remedy


def test_importing_memory_brings_no_heavy_library() -> None:
    script = (
        "import sys, services.memory.app\n"
        "import services.memory.adapters.embedders\n"
        "import services.memory.adapters.qdrant_edge, services.memory.adapters.qdrant_served\n"
        "heavy = ('numpy', 'onnx', 'onnxruntime', 'tokenizers', 'qdrant_client', 'qdrant_edge')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == "[]"
