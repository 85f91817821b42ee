"""What a dataset's own metadata tell: Kaggle's `dataset-metadata.json` and Data Package files.

Formats: https://github.com/Kaggle/kaggle-api/wiki/Dataset-Metadata and
https://specs.frictionlessdata.io/data-package/.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from services.planner.domain.causal.data_models import DatasetInfo
from services.planner.domain.causal.knowledge import Knowledge

_DOMAINS = {
    "healthcare": ("health", "medic", "clinic", "patient", "disease", "hospital"),
    "economics": ("econom", "income", "wage", "labor", "labour", "price", "market"),
    "education": ("educat", "school", "student", "exam"),
    "marketing": ("marketing", "campaign", "customer", "advert"),
    "social science": ("crime", "politic", "survey", "social"),
}
_LONG = 200


def described_columns(metadata: Mapping[str, Any]) -> dict[str, str]:
    """What each column means, as far as the metadata say."""
    found: dict[str, str] = {}
    for resource in _listed(metadata.get("resources")) + _listed(metadata.get("data")):
        schema = resource.get("schema") or resource
        fields = schema.get("fields") if isinstance(schema, Mapping) else None
        for field in _listed(fields) + _listed(resource.get("columns")):
            name, value = field.get("name"), field.get("description") or field.get("title")
            if name and value:
                found[str(name)] = str(value)
    return found


def dataset_info(
    url: str,
    metadata: Mapping[str, Any],
    columns: Sequence[str] = (),
    *,
    called: str = "",
    **known: Any,
) -> DatasetInfo:
    """The dataset with what its metadata tell; named as it is `called` where they give no title."""
    description = str(metadata.get("description") or metadata.get("subtitle") or "") or None
    tags = metadata.get("keywords") or metadata.get("tags") or ()
    names = tuple(
        str(tag.get("name", "")) if isinstance(tag, Mapping) else str(tag) for tag in tags
    )
    given = {
        "name": str(metadata.get("title") or called) or None,
        "kaggle_description": description,
        "kaggle_column_descriptions": described_columns(metadata),
        "kaggle_tags": names,
        "kaggle_domain": _domain(" ".join((description or "", *names))),
        "metadata_quality": quality_of(metadata, columns),
    }
    return DatasetInfo(url=url, **{**given, **{k: v for k, v in known.items() if v is not None}})


def quality_of(
    metadata: Mapping[str, Any], columns: Sequence[str]
) -> Literal["high", "medium", "low", "unknown"]:
    """How much the metadata say: high where most columns and the whole are described."""
    if not metadata:
        return "unknown"
    described = described_columns(metadata)
    share = sum(name in described for name in columns) / len(columns) if columns else 0.0
    long = len(str(metadata.get("description") or "")) >= _LONG
    if share >= 0.8 and long:
        return "high"
    return "medium" if share >= 0.3 or long else "low"


def knowledge_of_metadata(metadata: Mapping[str, Any], columns: Sequence[str]) -> Knowledge:
    """Descriptions of the columns there are; metadata say nothing of causes."""
    known = {name: text for name, text in described_columns(metadata).items() if name in columns}
    return Knowledge(descriptions=known)


def _domain(words: str) -> str | None:
    text = words.lower()
    counts = {name: sum(text.count(w) for w in marks) for name, marks in _DOMAINS.items()}
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] else None


def _listed(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []
