"""Check protos/: buf's lint, and no change that breaks a user: `python -m scripts.contracts`.

The public face, `assay.gateway.v1` and `assay.common.v1`, may not break the code of those who
compiled it (buf's PACKAGE rules). What services say to one another may change in code, not on the
wire (WIRE_JSON), so that replicas of two versions understand each other. Both are held against the
contracts of the last release, in `protos/released.binpb`; `--release` writes that file anew.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROTOS = ROOT / "protos"
RELEASED = PROTOS / "released.binpb"
BUF = Path(sys.executable).parent / "buf"

PUBLIC = ("assay/common", "assay/gateway")
INTERNAL = ("assay/audit", "assay/executor", "assay/memory", "assay/planner")


def breaking(rules: str, folders: tuple[str, ...]) -> int:
    """Hold some packages against the last release; buf's exit code."""
    module = {"path": ".", "breaking": {"use": [rules]}}
    config = json.dumps({"version": "v2", "modules": [module]})
    paths = [part for folder in folders for part in ("--path", folder)]
    wanted = [str(BUF), "breaking", ".", "--against", str(RELEASED), "--config", config, *paths]
    return subprocess.run(wanted, cwd=PROTOS, check=False).returncode


def main(arguments: list[str]) -> int:
    """Lint, then compare; the first exit code of buf's that is not 0."""
    if "--release" in arguments:
        return subprocess.run([BUF, "build", PROTOS, "-o", RELEASED], check=False).returncode
    linted = subprocess.run([BUF, "lint", PROTOS], check=False).returncode
    return linted or breaking("PACKAGE", PUBLIC) or breaking("WIRE_JSON", INTERNAL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
