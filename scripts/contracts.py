"""Check protos/: buf's lint, and no change that breaks a user: `python -m scripts.contracts`.

The public face, `assay.gateway.v1` and `assay.common.v1`, may not break the code of those who
compiled it (buf's PACKAGE rules). What services say to one another may change in code, not on the
wire (WIRE_JSON), so that replicas of two versions understand each other. Both are held against a
base, `protos/released-VERSION.binpb`: what the contracts were when pyproject.toml's version became
VERSION. A base of another version than that fails, since nothing would hold what was added between
them; `--release` writes it anew.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROTOS = ROOT / "protos"
BUF = Path(sys.executable).parent / "buf"

PUBLIC = ("assay/common", "assay/gateway")
INTERNAL = ("assay/audit", "assay/executor", "assay/memory", "assay/planner")


def version() -> str:
    """The version that pyproject.toml states."""
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return str(stated["project"]["version"])


def base(protos: Path, of: str) -> Path:
    """Where the contracts of a version are, or are to be."""
    return protos / f"released-{of}.binpb"


def bases(protos: Path) -> list[Path]:
    """The bases that there are: one, of this version, where all is well."""
    return sorted(protos.glob("released*.binpb"))


def fault_of_base(protos: Path, wanted: str) -> str | None:
    """What is wrong with the base, in words, or None."""
    found = [path.name for path in bases(protos)]
    if found == [base(protos, wanted).name]:
        return None
    return (
        f"the contracts are held against {', '.join(found) or 'nothing'} in protos/, and this is "
        f"version {wanted}: what was added since is not protected. Run `make release-contracts` "
        "and commit what it writes with the new version."
    )


def breaking(protos: Path, against: Path, rules: str, folders: tuple[str, ...]) -> int:
    """Hold some packages against a base; buf's exit code."""
    module = {"path": ".", "breaking": {"use": [rules]}}
    config = json.dumps({"version": "v2", "modules": [module]})
    paths = [part for folder in folders for part in ("--path", folder)]
    wanted = [str(BUF), "breaking", ".", "--against", str(against), "--config", config, *paths]
    return subprocess.run(wanted, cwd=protos, check=False).returncode


def released(protos: Path, of: str) -> int:
    """Write the base of a version from what is there, in place of every other; buf's exit code."""
    new = base(protos, of)
    built = subprocess.run([BUF, "build", protos, "-o", new], check=False).returncode
    if not built:
        for path in bases(protos):
            if path != new:
                path.unlink()
    return built


def checked(protos: Path, of: str) -> int:
    """Lint, then compare; the first exit code that is not 0."""
    if linted := subprocess.run([BUF, "lint", protos], check=False).returncode:
        return linted
    if fault := fault_of_base(protos, of):
        print(f"contracts: {fault}", file=sys.stderr)
        return 1
    against = base(protos, of)
    return breaking(protos, against, "PACKAGE", PUBLIC) or breaking(
        protos, against, "WIRE_JSON", INTERNAL
    )


def main(arguments: list[str]) -> int:
    """Check, or with --release write the base anew."""
    return (released if "--release" in arguments else checked)(PROTOS, version())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
