"""What a column is for (seed 002): told from its type, its name and its statistics."""

from __future__ import annotations

from mesh.text.stemming import stem
from services.executor.domain.description import ColumnRole, DataType
from services.executor.sources.manifest import ColumnStatistics
from services.executor.sources.naming import words_of


def _endings(words: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words.split())


_KEY_ENDINGS = _endings("id key uuid guid rownames ssn isbn")
_CODE_ENDINGS = _endings("code number no num nr ref index")
_CATEGORY_ENDINGS = _endings(
    "year month quarter week weekday day hour minute decade zip zipcode postcode phone fax "
    "code number no num type status class category flag group level grade rank season "
    "version floor room gender sex latitude longitude"
)
_AMOUNT_ENDINGS = _endings("rank level grade number day minute")
_MANY_VALUES = 50


def role(
    name: str, kind: DataType, found: ColumnStatistics, *, rows: int, is_key: bool
) -> ColumnRole:
    """The role of a column; `is_key` says that it is part of a declared or inferred key."""
    words = words_of(name)
    last = words[-1] if words else ""
    unique = rows > 1 and found.distinct == rows and not found.nulls
    if kind in (DataType.DATE, DataType.DATETIME):
        return ColumnRole.TIMESTAMP
    if is_key or last in _KEY_ENDINGS or (last in _CODE_ENDINGS and unique):
        return ColumnRole.ID
    if kind in (DataType.STRING, DataType.BOOLEAN):
        return ColumnRole.DIMENSION
    if last in _CATEGORY_ENDINGS:
        many = last in _AMOUNT_ENDINGS and found.distinct > _MANY_VALUES
        return ColumnRole.MEASURE if many or kind is DataType.FLOAT else ColumnRole.DIMENSION
    return ColumnRole.MEASURE
