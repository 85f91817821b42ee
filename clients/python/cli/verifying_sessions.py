"""An exported session, checked from its folder alone: every file, and every job's proof."""

from __future__ import annotations

import json
from pathlib import Path

from clients.python.cli.verifying import checked
from clients.python.session_export import CONTENTS, FORMAT, JOBS, PROOF, listed_by_bundle
from clients.python.verification.reading import Finding, Trust, count
from mesh.digest import file_digest


def checked_session(folder: Path, trust: Trust | None = None) -> list[Finding]:
    """What was found, up to the first thing that is off."""
    found = [_contents(folder)]
    for proof in sorted((folder / JOBS).glob(f"*/{PROOF}")):
        if not found[-1].ok:
            return found
        name = f"job {proof.parent.name[:8]}"
        checks = checked(proof, trust or Trust())
        wrong = next((check for check in checks if not check.ok), None)
        text = f"{count(len(checks), 'check')} of its proof, {checks[0].detail}"
        found.append(
            Finding(name, True, text)
            if wrong is None
            else Finding(name, False, f"{wrong.name}: {wrong.detail}")
        )
    return found


def _contents(folder: Path) -> Finding:
    """Whether the folder holds what its list says, and nothing else."""
    contents = folder / CONTENTS
    if contents.is_symlink() or not contents.is_file():  # a pipe would be waited for
        return Finding("contents", False, f"{CONTENTS} is no file")
    try:
        value = json.loads(contents.read_bytes())
        if not isinstance(value, dict) or value.get("format") != FORMAT:
            return Finding("contents", False, f"{CONTENTS} is not of the format {FORMAT}")
        listed: dict[str, dict[str, object]] = value["files"]
        for name, one in listed.items():
            path = folder / name
            if not path.is_file() or path.is_symlink() or file_digest(path) != one["sha256"]:
                return Finding("contents", False, f"{name} is gone or has other bytes than listed")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        return Finding("contents", False, f"{CONTENTS} cannot be read: {error}")
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        known = name in listed or name == CONTENTS or listed_by_bundle(name)
        if path.is_file() and not known:
            return Finding("contents", False, f"{name} is not in {CONTENTS}")
    return Finding("contents", True, f"{count(len(listed), 'file')} match their hashes")
