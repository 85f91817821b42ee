"""Trespasses that are kept for the test to look at."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Noticed:
    """Every trespass: who, what kind of thing, which."""

    all: list[tuple[str, str, str]] = field(default_factory=list)

    def noticed(self, tenant: str, kind: str, identifier: str) -> None:
        self.all.append((tenant, kind, identifier))
