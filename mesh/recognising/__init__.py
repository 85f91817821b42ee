"""Recognisers of personal data in text: pure, and cheap for text that cannot hold any.

Each has a name, `suspect` (a regular expression in the syntax that Python, RE2 and PostgreSQL
share, case ignored, for a first look) and `found`, which decides.

A column of digits alone is judged as a whole (`columns`).

Not bounded: base64, hexadecimal or other encodings than
percent signs and HTML entities are not undone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mesh.recognising import addresses, electronic_mail, numbers, telephones
from mesh.recognising.folding import ODD, forms

__all__ = ["ODD", "RECOGNISERS", "Recogniser"]


@dataclass(frozen=True, slots=True)
class Recogniser:
    """A kind of personal data: what a column of it is called, and how its text is found.

    What `found` finds in a plain text, `suspect` matches; with ODD it matches any text.
    """

    names: str
    suspect: str
    found: Callable[[str], bool]

    def holds(self, text: str) -> bool:
        """Whether the text holds this kind of data, plain or encoded."""
        return any(self.found(form) for form in forms(text))


def _recogniser(names: str, suspect: str, found: Callable[[str], bool]) -> Recogniser:
    return Recogniser(names, suspect, found)


RECOGNISERS: dict[str, Recogniser] = {
    "email": _recogniser(r"e[-_ ]?mail", electronic_mail.SUSPECT, electronic_mail.found),
    "phone": _recogniser(
        r"phone|telef|cell[-_ ]?(no|nr|num)"
        r"|(^|[_ ])(fax|tel|mobile?|mob|handy|msisdn|whatsapp)([_ ]|$)",
        telephones.SUSPECT,
        telephones.found,
    ),
    "ssn": _recogniser(
        r"(^|[_ ])(ssn|itin)([_ ]|$)|social[-_ ]?sec", numbers.SSN_SUSPECT, numbers.ssn_found
    ),
    "credit_card": _recogniser(
        r"(credit|debit)[-_ ]?card|(card|(^|[_ ])cc)[-_ ]?(no|nr|num)",
        numbers.CARD_SUSPECT,
        numbers.card_found,
    ),
    "iban": _recogniser(r"iban", numbers.IBAN_SUSPECT, numbers.iban_found),
    "ip": _recogniser(r"(^|[_ ])ip([_ ]|$)|ip[-_ ]?addr", addresses.SUSPECT, addresses.found),
}
