"""How much personal data is recognised, and how much else is taken for it?

Three sets of forms are read: the recognisers were made looking at one ("tuning"), another
("held_out") was written before them, and the third ("held_out_later") before they learned of
labels, glued letters and odd groups. A form of personal data counts when its own pattern finds
it; a form of nothing is a false alarm when any pattern finds it.

    python -m bench.masking_forms [--misses tuning]
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mesh.policy import NAMED_PATTERNS, Policy

FOLDER = Path(__file__).parent / "masking"
SETS = ("tuning", "held_out", "held_out_later", "held_out_last")
NOTHING = "nothing"


@dataclass(frozen=True)
class Form:
    """One text; `kind` is a named pattern or NOTHING, `found` the pattern that matches it."""

    kind: str
    sort: str
    text: str
    found: str | None

    @property
    def right(self) -> bool:
        """Whether it is masked exactly if it should be."""
        return (self.found is None) == (self.kind == NOTHING)


def judged(name: str) -> Iterator[Form]:
    """Every form of a set."""
    sets: Mapping[str, Mapping[str, Sequence[str]]] = json.loads(
        (FOLDER / f"{name}.json").read_text(encoding="utf-8")
    )
    policy = Policy(blocked_patterns=NAMED_PATTERNS)
    for kind, sorts in sets.items():
        # Its own pattern alone, so that no other hides a miss; for nothing, any of them.
        own = policy if kind == NOTHING else Policy(blocked_patterns=(kind,))
        for sort, texts in sorts.items():
            for text in texts:
                yield Form(kind, sort, text, own.match(text))


def examples() -> Iterator[tuple[str, str]]:
    """The example numbers of every country in libphonenumber, by how they are written."""
    import phonenumbers
    from phonenumbers import PhoneNumberFormat, PhoneNumberType

    written = {
        "international": PhoneNumberFormat.INTERNATIONAL,
        "national": PhoneNumberFormat.NATIONAL,
    }
    for region in sorted(phonenumbers.SUPPORTED_REGIONS):
        for kind in (PhoneNumberType.FIXED_LINE, PhoneNumberType.MOBILE):
            number = phonenumbers.example_number_for_type(region, kind)
            if number is not None:
                for name, form in written.items():
                    yield name, phonenumbers.format_number(number, form)


def main() -> None:
    """Print recall and false alarms, a line a kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misses", choices=SETS, help="print what is wrong in this set")
    wanted = parser.parse_args().misses
    forms = {name: list(judged(name)) for name in SETS}
    for kind in (*NAMED_PATTERNS, NOTHING):
        texts = []
        for name in SETS:
            of_kind = [form for form in forms[name] if form.kind == kind]
            hits = sum(form.found is not None for form in of_kind)
            texts.append(f"{name} {hits}/{len(of_kind)}")
        what = "false alarms" if kind == NOTHING else "recall"
        print(f"{kind:12} {what:12} {'   '.join(texts)}")
    phone = Policy(blocked_patterns=("phone",))
    found: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for name, text in examples():
        seen[name] += 1
        found[name] += phone.match(text) is not None
    for name in seen:
        print(f"phone, libphonenumber's examples, {name}: {found[name]}/{seen[name]}")
    for form in forms.get(wanted, []):
        if not form.right:
            print(f"  {form.kind} ({form.sort}): {form.text!r} -> {form.found}")


if __name__ == "__main__":
    main()
