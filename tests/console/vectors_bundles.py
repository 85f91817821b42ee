"""Vectors of bundles: whole ones and every kind of change, with what `assay verify` says."""

from __future__ import annotations

import random
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clients.python.cli.verifying import checked
from clients.python.verification import layout
from clients.python.verification.reading import Trust
from mesh.proof.checkpoint import SigningKey
from mesh.proof.cosignature import WitnessSigningKey
from tests.unit.clients import test_bundle_bytes as spoilt
from tests.unit.clients import test_bundle_forged as forged
from tests.unit.clients import test_bundle_spelling as spelt
from tests.unit.clients import test_recorder_lies as lying
from tests.unit.clients.bundles import FRAME_MEMBER, exported, resealed, rewrite, unpacked
from tests.unit.clients.lies import Recorder, bundle_of
from tests.unit.clients.proven import LOG_KEY, TOTAL, WITNESS_KEY, proven_gateway

FLIPS = 8
Change = Callable[[Path], Any]


@dataclass
class _Bundles:
    folder: Path
    told: list[dict[str, Any]] = field(default_factory=list)

    def add(
        self, name: str, path: Path, trust: Trust | None = None, *, encoding: bool = False
    ) -> None:
        """Keep a bundle with what `assay verify` finds. `encoding` is what browsers do not see."""
        place = self.folder / f"bundle-{len(self.told)}.zip"
        if path.is_dir():
            _packed(path, place)
        else:
            shutil.copyfile(path, place)
        trust = trust or Trust()
        found = checked(place, trust)
        self.told.append(
            {
                "name": name,
                "file": place.name,
                "log_key": trust.log_key.encode() if trust.log_key else "",
                "witness_keys": [key.encode() for key in trust.witness_keys],
                "encoding": encoding,
                "checks": [[one.name, one.ok, one.detail] for one in found],
            }
        )

    def changed(
        self, name: str, base: Path, change: Change, *, seal: bool = True, **more: Any
    ) -> None:
        """Keep a bundle with one change."""
        with tempfile.TemporaryDirectory() as place:
            copy = Path(shutil.copyfile(base, Path(place) / "job.zip"))
            folder = unpacked(copy)
            change(folder)
            self.add(name, resealed(folder) if seal else folder, **more)


def _packed(folder: Path, place: Path) -> None:
    files = sorted(
        (p.relative_to(folder).as_posix(), p.read_bytes()) for p in folder.rglob("*") if p.is_file()
    )
    with place.open("wb") as file:
        layout.write_archive(file, ((name, len(content), [content]) for name, content in files))


def _cases(test: Any) -> list[Any]:
    """What a test of Python's checks is parametrized with."""
    return list(test.pytestmark[0].args[1])


async def bundle_vectors(folder: Path) -> list[dict[str, Any]]:
    kept = _Bundles(folder)
    with tempfile.TemporaryDirectory() as place:
        base = await exported(proven_gateway(), Path(place), "job.zip")
        cosigned = await exported(proven_gateway([WITNESS_KEY]), Path(place), "cosigned.zip")
        _whole(kept, base, cosigned)
        _forged(kept, base)
        _spelt(kept, base)
        _spoilt(kept, cosigned)
        _archives(kept, base)
        await _lies(kept, Path(place))
    return kept.told


def _whole(kept: _Bundles, base: Path, cosigned: Path) -> None:
    stranger = SigningKey("assay-1", bytes(range(3, 35))).verifier
    other = WitnessSigningKey("w1", bytes(range(5, 37))).verifier
    own = LOG_KEY.verifier
    kept.add("untouched", base)
    kept.add("untouched, key given", base, Trust(own))
    kept.add("cosigned", cosigned)
    kept.add("cosigned, keys given", cosigned, Trust(own, (WITNESS_KEY.verifier,)))
    kept.add("another log's key given", base, Trust(stranger))
    kept.add("a witness asked for that has not cosigned", base, Trust(own, (WITNESS_KEY.verifier,)))
    kept.add("another witness asked for", cosigned, Trust(None, (other,)))


def _forged(kept: _Bundles, base: Path) -> None:
    test = forged.test_a_forger_who_reseals_the_bundle_is_found_where_he_changed_it
    for forge in _cases(test):
        kept.changed(forge.__name__, base, forge)
    kept.changed("slip_in_a_member", base, forged.slip_in_a_member, seal=False)
    for name, value in forged.ANSWER_FIELDS.items():
        kept.changed(f"answer's {name}", base, _answer(name, value))
    for name, job_value in forged.JOB_FIELDS.items():
        kept.changed(f"job's {name}", base, _updated(layout.JOB, {name: job_value}))
    for change in _cases(forged.test_nothing_of_the_plan_can_be_changed):
        kept.changed(f"plan's {change}", base, _updated(layout.PLAN, change))
    for change in _cases(forged.test_nothing_of_what_was_proposed_can_be_changed):
        kept.changed("proposal", base, _proposed(change))


def _updated(member: str, change: dict[str, Any]) -> Change:
    return lambda folder: rewrite(folder / member, lambda value: value.update(change))


def _answer(name: str, value: Any) -> Change:
    return lambda folder: rewrite(
        folder / layout.JOB, lambda job: job["answer"].update({name: value})
    )


def _proposed(change: Callable[[Any], Any]) -> Change:
    return lambda folder: rewrite(folder / layout.PLAN, lambda plan: change(plan["proposal"]))


def _spelt(kept: _Bundles, base: Path) -> None:
    for name, plain, other in _cases(spelt.test_a_number_in_another_spelling_is_refused):
        kept.changed(f"{name}: {other!r}", base, _replaced(name, plain, other))
    for plain, other in _cases(spelt.test_a_proof_in_another_spelling_is_refused):
        kept.changed(f"proofs: {other!r}", base, _replaced(layout.PROOFS, plain, other))
    for change in _cases(spelt.test_signatures_and_keys_that_are_not_the_logs_are_refused):
        kept.changed(change.__name__, base, change, trust=Trust(LOG_KEY.verifier))
    for encode in _cases(spelt.test_a_frame_in_another_encoding_is_refused_and_named):
        member = FRAME_MEMBER
        kept.changed(encode.__name__, base, _framed(member, encode(TOTAL)), encoding=True)


def _replaced(name: str, plain: bytes, other: bytes) -> Change:
    def change(folder: Path) -> None:
        (folder / name).write_bytes((folder / name).read_bytes().replace(plain, other, 1))

    return change


def _framed(member: str, content: bytes) -> Change:
    return lambda folder: (folder / member).write_bytes(content)


def _spoilt(kept: _Bundles, cosigned: Path) -> None:
    for spoil, _ in _cases(spoilt.test_members_of_a_strange_shape_are_a_finding_and_no_crash):
        kept.changed(spoil.__name__, cosigned, spoil, seal=False)
    chance = random.Random(4)
    with zipfile.ZipFile(cosigned) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for name, content in members.items():
        places = {0, len(content) - 1, *chance.choices(range(len(content)), k=FLIPS)}
        for place in sorted(places):
            changed = bytearray(content)
            changed[place] ^= 1 << chance.randrange(8)
            write = _framed(name, bytes(changed))
            kept.changed(f"{name}, byte {place}", cosigned, write, seal=False)
        for what, other in {"less": content[:-1], "more": content + b"\n", "empty": b""}.items():
            kept.changed(f"{name}, {what}", cosigned, _framed(name, other), seal=False)
        kept.changed(f"{name}, gone", cosigned, _gone(name), seal=False)


def _gone(name: str) -> Change:
    return lambda folder: (folder / name).unlink()


def _archives(kept: _Bundles, base: Path) -> None:
    content = base.read_bytes()
    chance = random.Random(7)
    end = content.index(b"PK\x01\x02")
    places = {*range(0, 31), *range(len(content) - 22, len(content))}
    places |= {chance.randrange(len(content)) for _ in range(20)}
    places |= {chance.randrange(end, len(content)) for _ in range(40)}
    changes = {f"archive, byte {place}": _at(content, place, chance) for place in sorted(places)}
    for cut in (1, 22, 100, 5_000):
        changes[f"archive, {cut} less"] = content[:-cut]
        changes[f"archive, {cut} more"] = content + bytes(cut)
    for change in _cases(spelt.test_an_archive_with_anything_else_in_it_is_refused):
        changes[f"archive, {change.__name__}"] = change(content)
    with tempfile.TemporaryDirectory() as place:
        for name, changed in changes.items():
            path = Path(place) / "job.zip"
            path.write_bytes(changed)
            kept.add(name, path)


def _at(content: bytes, place: int, chance: random.Random) -> bytes:
    changed = bytearray(content)
    changed[place] ^= 1 << chance.randrange(8)
    return bytes(changed)


async def _lies(kept: _Bundles, folder: Path) -> None:
    told = {
        lying.countries: _cases(lying.test_a_lie_about_an_order_is_refused_and_its_sentence_named),
        lying.months: _cases(lying.test_a_lie_about_a_direction_is_refused),
        lying.quarters: _cases(lying.test_a_lie_about_a_course_is_refused),
    }
    for story, lies in told.items():
        for lie in (None, *lies):
            path = await bundle_of(Recorder(story(), lie), folder)
            name = f"{story.__name__}: {lie.__name__ if lie else 'the truth'}"
            kept.add(name, path, Trust(LOG_KEY.verifier))
            path.unlink()
