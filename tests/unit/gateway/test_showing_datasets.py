"""A causal job's data set is named to everybody; its place on this machine to callers from here."""

from __future__ import annotations

import pytest

from assay.common.v1 import causal_pb2, data_pb2, job_pb2
from gateway.jobs.showing import shown_event, shown_job


@pytest.mark.parametrize(
    "url, elsewhere",
    [
        ("/data/visits.csv", "visits.csv"),
        ("sqlite:////data/shop.sqlite", "shop.sqlite"),
        ("postgresql://db:5432/shop", "postgresql://db:5432/shop"),
    ],
)
def test_a_path_of_this_machine_is_shown_to_nobody_from_elsewhere(url: str, elsewhere: str) -> None:
    info = causal_pb2.DatasetInfo(url=url, name="visits", local_path="/data/visits.csv")
    job = job_pb2.Job(causal_state=causal_pb2.AnalysisState(dataset_info=info))
    assert shown_job(job, local=True).causal_state.dataset_info == info
    shown = shown_job(job, local=False).causal_state.dataset_info
    assert (shown.url, shown.local_path, shown.name) == (elsewhere, "", "visits")


def test_where_a_steps_frame_lies_is_told_on_this_machine_alone() -> None:
    place = data_pb2.FrameLocation(kind=data_pb2.FRAME_LOCATION_KIND_PATH, uri="/data/f.arrow")
    step = job_pb2.Step(frame=data_pb2.FrameRef(digest="d", locations=[place]))
    event = job_pb2.JobEvent(step=step)
    assert shown_event(event, local=True).step.frame.locations == [place]
    assert shown_job(job_pb2.Job(steps=[step]), local=False).steps[0].frame.digest == "d"
    assert not shown_job(job_pb2.Job(steps=[step]), local=False).steps[0].frame.locations
    assert not shown_event(event, local=False).step.frame.locations


def test_a_job_of_another_kind_stays_one() -> None:
    assert not shown_job(job_pb2.Job(), local=False).HasField("causal_result")
