"""`python -m services`: what it does besides serving."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from mesh.errors import AssayError
from services.__main__ import WITH_DATABASES, main, serve


def called(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["services", *arguments])
    main()


def test_migrate_brings_every_database_to_what_the_services_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where services themselves may not: that is who runs it there."""
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path))
    monkeypatch.setenv("ASSAY_MIGRATIONS", "check")
    for name in WITH_DATABASES:
        with pytest.raises(AssayError, match="SCHEMA_BEHIND"):
            asyncio.run(serve([name]))
    called(monkeypatch, "migrate")
    told = capsys.readouterr().out.splitlines()
    assert told == [f"assay: the {name}'s database is ready" for name in WITH_DATABASES]


def test_a_word_that_is_no_service_is_answered_with_the_usage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(SystemExit, match=r"usage: .* all \| gateway .* \| migrate"):
        called(monkeypatch, "migrat")
