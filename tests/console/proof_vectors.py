"""Vectors for the checks that the console makes in the browser, with what Python says of each.

`python -m tests.console.proof_vectors FOLDER` writes them; they are read by
clients/console/tests/proof.test.ts.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from tests.console.vectors_bundles import bundle_vectors
from tests.console.vectors_frames import cell_vectors, frame_vectors
from tests.console.vectors_plain import json_vectors, merkle_vectors


def write(folder: Path) -> None:
    """Write all vectors into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    values = {
        "json": json_vectors(),
        "merkle": merkle_vectors(),
        "cells": cell_vectors(folder),
        "frames": frame_vectors(folder),
        "bundles": asyncio.run(bundle_vectors(folder)),
    }
    for name, vectors in values.items():
        (folder / f"{name}.json").write_text(json.dumps(vectors), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
