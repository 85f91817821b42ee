"""A question of cause and effect, as a person gives it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.common.v1.causal_pb2 import (
    CausalArrow,
    CausalKnowledge,
    CausalOrigin,
    CausalPair,
    CausalTier,
)
from mesh.errors import INVALID_ARGUMENT, KNOWLEDGE_INVALID, AssayError

_NAMES = ("unit", "time", "running", "notes")
_LISTS = ("instruments", "negative_outcomes")
_ALL = {*_NAMES, *_LISTS, "tiers", "forbidden", "required", "descriptions", "cutoff", "randomised"}


@dataclass(frozen=True, slots=True)
class Study:
    """Which effect, of which table, with what is known beside the data.

    `knowledge` is the path of a YAML file as docs/causal.md shows it, `metadata` that of the
    dataset's own description in JSON. `origin` is an investigation, of which `explanation` (by its
    rank) or `finding` is asked about, in place of data; the first that has a segment where neither
    is named. The effect is told group by group `by` columns.
    Of a treatment with several values `treated` is judged, against `reference`. `pairs` such as
    "price -> sales" are estimated beside.
    """

    treatment: str = ""
    outcome: str = ""
    table: str = ""
    knowledge: str = ""
    metadata: str = ""
    max_iterations: int | None = None
    rows: int | None = None
    seed: int = 0
    origin: str = ""
    explanation: int = 0
    finding: str = ""
    by: tuple[str, ...] = ()
    treated: str = ""
    reference: str = ""
    pairs: tuple[str, ...] = ()

    def further(self) -> list[CausalPair]:
        """Pairs that are estimated beside, of texts such as "price -> sales". Raises AssayError."""
        found = []
        for text in self.pairs:
            ends = [end.strip() for end in text.split("->")]
            if len(ends) != 2 or not all(ends):
                raise AssayError(
                    INVALID_ARGUMENT,
                    f"{text!r} is no pair",
                    hint='Write it as --pair "treatment -> outcome".',
                )
            found.append(CausalPair(treatment=ends[0], outcome=ends[1]))
        return found

    def handed_over(self) -> CausalOrigin | None:
        """The finding that is asked about, where one is. Raises AssayError(INVALID_ARGUMENT)."""
        if not self.origin:
            if self.explanation or self.finding:
                raise AssayError(
                    INVALID_ARGUMENT,
                    "an explanation or a finding is named, and no investigation",
                    hint="Name it: --from JOB.",
                )
            return None
        return CausalOrigin(
            job_id=self.origin, explanation=self.explanation, finding_id=self.finding
        )

    def known(self) -> CausalKnowledge:
        """What the file of knowledge says. Raises AssayError(KNOWLEDGE_INVALID)."""
        if not self.knowledge:
            return CausalKnowledge()
        import yaml  # here, because every command loads this module

        try:
            value = yaml.safe_load(Path(self.knowledge).expanduser().read_text("utf-8"))
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise _wrong(f"{self.knowledge} cannot be read: {error}") from error
        if not isinstance(value, dict):
            raise _wrong(f"{self.knowledge} holds no names with what they mean")
        strange = sorted(map(str, set(value) - _ALL))
        if strange:
            raise _wrong(
                f"{self.knowledge} says {strange[0]!r}; known are {', '.join(sorted(_ALL))}"
            )
        try:
            return _knowledge(value)
        except (TypeError, ValueError, AttributeError) as error:
            raise _wrong(f"{self.knowledge} is not laid out as knowledge is: {error}") from error

    def described(self) -> str:
        """The dataset's metadata as they are in their file. Raises AssayError."""
        if not self.metadata:
            return ""
        try:
            return Path(self.metadata).expanduser().read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise _wrong(f"{self.metadata} cannot be read: {error}") from error


def _knowledge(values: dict[str, Any]) -> CausalKnowledge:
    known = CausalKnowledge(
        tiers=[CausalTier(columns=map(str, names)) for names in values.get("tiers") or ()],
        forbidden=[_arrow(pair) for pair in values.get("forbidden") or ()],
        required=[_arrow(pair) for pair in values.get("required") or ()],
        descriptions={str(k): str(v) for k, v in (values.get("descriptions") or {}).items()},
        randomised=bool(values.get("randomised")),
    )
    for name in _NAMES:
        setattr(known, name, str(values.get(name) or ""))
    for name in _LISTS:
        getattr(known, name).extend(str(one) for one in values.get(name) or ())
    if values.get("cutoff") is not None:
        known.cutoff = float(values["cutoff"])
    return known


def _arrow(pair: Any) -> CausalArrow:
    """An edge: `[cause, effect]`, or "cause -> effect"."""
    ends = pair.split("->") if isinstance(pair, str) else list(pair)
    if len(ends) != 2:
        raise ValueError(f"{pair!r} is no edge: write [cause, effect]")
    source, target = (str(end).strip() for end in ends)
    return CausalArrow(source=source, target=target)


def _wrong(what: str) -> AssayError:
    return AssayError(KNOWLEDGE_INVALID, what, hint="docs/causal.md shows how it is written.")
