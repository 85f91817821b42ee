"""Words inside names: `CustomerID`, `customer_id` and `Customers.Id` speak of the same things."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from mesh.text.stemming import stem

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")


@lru_cache(maxsize=65_536)
def words_of(name: str) -> tuple[str, ...]:
    """The stemmed words of a table or column name, split at case, digits and punctuation."""
    return tuple(stem(word.lower()) for word in _WORD.findall(name))


def plain(text: str) -> str:
    """Text for comparing: no case, no accents, single spaces, no punctuation around words."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    kept = "".join(c for c in decomposed if not unicodedata.combining(c))
    return " ".join(re.findall(r"[\w&+#@./-]*\w", kept)) or kept.strip()


def stemmed(text: str) -> str:
    """Plain text with every word stemmed."""
    return " ".join(stem(word) for word in plain(text).split())
