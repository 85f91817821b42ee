"""Check protos/: buf's lint, and no change that breaks a reader: `python -m scripts.contracts`.

What breaks is judged on the wire and in JSON (WIRE_JSON) against the commit before the last one,
so that both a committed and an uncommitted change are seen.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROTOS = ROOT / "protos"
BUF = Path(sys.executable).parent / "buf"


def earlier_contracts(folder: Path) -> str:
    """Put the earlier commit's contracts below `folder`.

    Returns what they are called, or an empty string where there is no earlier commit with
    contracts in it.
    """
    for commit in ("HEAD^", "HEAD"):
        archive = subprocess.run(
            ["git", "archive", "--format=tar", commit, "--", "protos"],
            cwd=ROOT,
            capture_output=True,
            check=False,
        )
        if archive.returncode == 0:
            with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
                tar.extractall(folder, filter="data")
            return commit
    return ""


def main() -> int:
    """Lint, then compare; the first exit code of buf's that is not 0."""
    linted = subprocess.run([BUF, "lint", PROTOS], check=False).returncode
    if linted:
        return linted
    with tempfile.TemporaryDirectory() as scratch:
        commit = earlier_contracts(Path(scratch))
        if not commit:
            print("buf breaking: skipped, there is no earlier commit with contracts to compare")
            return 0
        earlier = Path(scratch) / "protos"
        return subprocess.run(
            [BUF, "breaking", PROTOS, "--against", earlier], check=False
        ).returncode


if __name__ == "__main__":
    sys.exit(main())
