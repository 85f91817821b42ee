"""Write docs/semantic_model.schema.json: `python -m scripts.model_schema [--check]`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from services.planner.domain.semantic_model.model import SemanticModel

PAGE = Path(__file__).resolve().parent.parent / "docs" / "semantic_model.schema.json"


def schema() -> str:
    """The form of a semantic model as JSON Schema (2020-12)."""
    made = SemanticModel.model_json_schema()
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return json.dumps({**dialect, **made}, indent=2, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    """Write the schema, or with --check compare; 1 where it differs."""
    fresh = schema()
    if "--check" not in arguments:
        PAGE.write_text(fresh, encoding="utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == fresh:
        return 0
    print(f"docs/{PAGE.name} is not what the semantic model's types say; run make docs")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
