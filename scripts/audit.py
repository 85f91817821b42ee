"""What the locked distributions are: `python -m scripts.audit [--vulnerabilities [--sure]]`.

Without a network: every requirement of every lock is one version with hashes from an index (no
address, no folder, nothing editable), nothing that the image holds is missing from what is tested,
and every distribution that is installed has a licence that is allowed. With --vulnerabilities,
pip-audit also asks its service for known ones of what the image holds. What it could not look up
is named as not checked, never as sound; with --sure it fails as a vulnerability does.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "requirements"
TESTED, SHIPPED = REQUIREMENTS / "lock.txt", REQUIREMENTS / "image.txt"
PIP_AUDIT = "pip-audit@2.9.0"

ALLOWED = frozenset(
    "MIT MIT-0 MIT-CMU Apache-2.0 BSD-2-Clause BSD-3-Clause 0BSD ISC PSF-2.0 CNRI-Python NCSA Zlib "
    "CC0-1.0 Unlicense".split()
) | {
    "Apache-2.0 WITH LLVM-exception",
    "MPL-2.0",  # asks something only of whoever changes the files it is on, and none is changed
}
"""Licences (SPDX) under which a distribution may be used."""

_OLD_NAMES = {
    "MIT License": "MIT",
    "BSD License": "BSD-3-Clause",
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache Software License": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "Apache": "Apache-2.0",
    "ISC License (ISCL)": "ISC",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
_SAYS_NOTHING = {"DFSG approved", "OSI Approved"}


def requirements(lock: Path) -> Iterator[tuple[str, list[str]]]:
    """Each requirement of a lock and its hashes; whatever else stands there, with none."""
    joined = lock.read_text(encoding="utf-8").replace("\\\n", " ")
    for line in joined.splitlines():
        written = line.split(" #")[0].strip()
        if written and not written.startswith("#"):
            what, *hashes = written.split("--hash=")
            yield what.strip(), [each.strip() for each in hashes]


def faults_of_lock(lock: Path) -> list[str]:
    """What is wrong with a lock, in words."""
    faults = []
    for what, hashes in requirements(lock):
        place = f"requirements/{lock.name}: {what.split(';')[0].strip()}"
        try:
            required = Requirement(what)
        except InvalidRequirement:
            faults.append(f"{place}: is no requirement from an index")
            continue
        pins = [each for each in required.specifier if each.operator == "=="]
        if required.url:
            faults.append(f"{place}: comes from an address rather than an index")
        elif len(pins) != 1 or len(required.specifier) != 1 or "*" in pins[0].version:
            faults.append(f"{place}: is not one version")
        if not hashes or not all(re.fullmatch(r"sha256:[0-9a-f]{64}", each) for each in hashes):
            faults.append(f"{place}: has no SHA-256 of its files")
    return faults


def versions(lock: Path) -> dict[str, str]:
    """The version of each distribution that a lock names."""
    return {
        required.name: str(required.specifier)
        for required in (Requirement(what) for what, _ in requirements(lock))
    }


def faults_between() -> list[str]:
    """What the image holds in another version than was tested, or untested."""
    tested = versions(TESTED)
    return [
        f"requirements/image.txt: {name}{version}: what is tested is {tested.get(name, 'none')}"
        for name, version in versions(SHIPPED).items()
        if tested.get(name) != version
    ]


def licence(name: str) -> str | None:
    """The licence that an installed distribution states, as SPDX; None where it is not installed,
    as what other systems need is not."""
    try:
        package_metadata = metadata(name)
    except PackageNotFoundError:
        return None
    if expressions := package_metadata.get_all("License-Expression"):
        return str(expressions[0])
    classified = [
        each.rsplit(" :: ", 1)[-1]
        for each in package_metadata.get_all("Classifier") or []
        if each.startswith("License ::")
    ]
    stated = [each for each in classified if each not in _SAYS_NOTHING]
    if not stated:
        stated = [
            str(each).strip().partition("\n")[0]
            for each in package_metadata.get_all("License") or [""]
        ]
    return " AND ".join(_OLD_NAMES.get(each, each) for each in stated)


def allowed(expression: str) -> bool:
    """Whether what an expression demands is allowed: of each choice all, of some choice."""
    choices = expression.replace("(", "").replace(")", "").split(" OR ")
    return any(all(each in ALLOWED for each in one.split(" AND ")) for one in choices)


def faults_of_licences() -> list[str]:
    """Distributions whose licence is none that is allowed."""
    return [
        f"{name}: its licence is {stated or 'not stated'}"
        for name in versions(TESTED)
        if (stated := licence(name)) is not None and not allowed(stated)
    ]


def asked_service() -> list[dict[str, Any]] | None:
    """What pip-audit's service says of each distribution that is shipped; None where it cannot be
    asked at all."""
    uv = Path(sys.executable).parent / "uv"
    ask = ["tool", "run", PIP_AUDIT, "--disable-pip", "--require-hashes", "--format", "json"]
    command = [str(uv), *ask, "--requirement", str(SHIPPED)]
    asked = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        found: list[dict[str, Any]] = json.loads(asked.stdout)["dependencies"]
    except (json.JSONDecodeError, KeyError):
        return None
    return found


@dataclass(frozen=True, slots=True)
class Looked:
    """What is known of some distributions: `unchecked` names those that nothing was found out of,
    as all are where the service is away, or is a mirror of an index, which knows none."""

    vulnerabilities: list[str]
    checked: list[str]
    unchecked: list[str]

    @property
    def sentence(self) -> str:
        """How much was looked up, and what came of it."""
        every = len(self.checked) + len(self.unchecked)
        if not self.checked:
            return f"NOT CHECKED for known vulnerabilities: none of {every} could be looked up"
        found = f"{len(self.vulnerabilities)} known vulnerabilities in {len(self.checked)}"
        if not self.unchecked:
            return f"{found} distributions, which are all"
        return f"{found} of {every} distributions; NOT CHECKED: {', '.join(self.unchecked)}"


def looked(values: list[dict[str, Any]] | None, asked: Iterable[str]) -> Looked:
    """What the service said of the distributions that it was asked for. What it does not speak of,
    or speaks of without saying which vulnerabilities it has, was not checked."""
    checked = {each["name"]: each for each in values or [] if "vulns" in each}
    return Looked(
        [
            f"{name} {each['version']}: {one['id']}"
            for name, each in checked.items()
            for one in each["vulns"]
        ],
        list(checked),
        sorted({canonicalize_name(name) for name in asked} - set(map(canonicalize_name, checked))),
    )


def main(arguments: list[str]) -> int:
    """Print what is wrong; 1 where something is."""
    faults = [
        fault for lock in sorted(REQUIREMENTS.glob("*.txt")) for fault in faults_of_lock(lock)
    ]
    faults = faults or faults_between() + faults_of_licences()
    if "--vulnerabilities" in arguments:
        found = looked(asked_service(), versions(SHIPPED))
        print(f"audit: {found.sentence}")
        faults += found.vulnerabilities
        if "--sure" in arguments and found.unchecked:
            faults.append(f"{len(found.unchecked)} distributions are not checked, and SURE asks it")
    for fault in faults:
        print(f"audit: {fault}")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
