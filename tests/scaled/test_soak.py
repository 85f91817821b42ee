"""The short form of `make soak`: a mesh of five processes at work holds no more after a while."""

from __future__ import annotations

import os

import pytest

from bench.load.soak import Samples, soaked

SECONDS = 180.0
SLACK = 2.0
"""Three minutes show a leak that an hour makes large, and not whether caches have filled."""


@pytest.mark.timeout(1_500)
async def test_memory_files_threads_and_tasks_of_a_mesh_at_work_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not os.environ.get("ASSAY_SOAK"):
        pytest.skip("what a healthy mesh holds after three minutes was not measured: ASSAY_SOAK=1")
    monkeypatch.setenv("ASSAY_EMBEDDER", "hashed")
    figures = await soaked(SECONDS, SLACK)
    assert figures["answers"] > 0
    for service, told in figures["services"].items():
        assert told["bytes_after"] > 0, service
        assert told["tasks_after"] > 0, service
    assert figures["grown"] == {}


@pytest.mark.parametrize("kind", ["bytes", "files", "threads", "tasks"])
def test_what_grows_is_found(kind: str) -> None:
    """By a leak of a hundredth of what is held with each sample, or of one file, thread or task."""
    samples = Samples()
    for number in range(90):
        samples.at.append(float(number))
        samples.answers.append(number)
        for each in samples.held:
            start, step = (200e6, 2e6) if each == "bytes" else (20.0, 1.0)
            samples.held[each].append(start + (step * number if each == kind else 0.0))
    (fault,) = samples.grown(SLACK)
    assert fault.startswith(kind)
    assert samples.slope(kind, samples.at) > 0
