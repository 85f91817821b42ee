"""Sources under names: added once, asked about by name, or by none where there is one alone."""

from __future__ import annotations

import shutil
from pathlib import Path

from assay.common.v1 import data_pb2, job_pb2
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.gateway.v1 import source_service_pb2 as sources_pb
from tests.mesh import shared
from tests.mesh.support import Caller, question, refusal

pytestmark = shared.ON_ONE_LOOP
ann, bob = shared.ann, shared.bob


def adding(name: str, path: Path) -> sources_pb.AddSourceRequest:
    return sources_pb.AddSourceRequest(name=name, source=data_pb2.DataSource(file_path=str(path)))


def on(*names: str) -> jobs_pb.CreateJobRequest:
    request = question("total quantity by region")
    request.analysis.data_sources.extend(data_pb2.DataSource(source_name=name) for name in names)
    return request


async def test_a_source_is_named_once_and_asked_about_by_its_name(ann: Caller, sales: Path) -> None:
    added = await ann.sources.AddSource(adding("Shop", sales))
    assert added.source.name == "shop", "upper case counts as lower"
    assert list(added.tables) == ["sales"]

    job = await ann.asked(on("SHOP"))
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    (source,) = job.analysis.data_sources
    assert (source.name, source.file_path) == ("shop", str(sales)), "an answer tells of what it is"

    unnamed = await ann.asked(on())
    assert unnamed.state == job_pb2.JOB_STATE_COMPLETED, unnamed.failure
    assert unnamed.answer.table.digest == job.answer.table.digest


async def test_which_of_several_must_be_said(ann: Caller, sales: Path, tmp_path: Path) -> None:
    other = Path(shutil.copy(sales, tmp_path / "other.csv"))
    await ann.sources.AddSource(adding("shop", sales))
    await ann.sources.AddSource(adding("shop", sales))  # again changes nothing
    await ann.sources.AddSource(adding("other", other))

    error = await refusal(ann.create(on()))
    assert error.reason.code == "NO_DATA_SOURCES" and error.hint == "There is other, shop."
    error = await refusal(ann.create(on("shopp")))
    assert error.reason.code == "NOT_FOUND" and error.hint == "There is other, shop."
    taken = await refusal(ann.sources.AddSource(adding("shop", other)))
    assert taken.reason.code == "NAME_TAKEN"

    await ann.sources.RemoveSource(sources_pb.RemoveSourceRequest(name="shop"))
    listed = await ann.sources.ListSources(sources_pb.ListSourcesRequest())
    assert [known.name for known in listed.sources] == ["other"]
    assert sales.exists(), "a name is forgotten, not what it named"
    assert (await ann.asked(on())).analysis.data_sources[0].name == "other"


async def test_names_are_each_users_own(ann: Caller, bob: Caller, sales: Path) -> None:
    await ann.sources.AddSource(adding("shop", sales))
    assert (await refusal(bob.create(on("shop")))).reason.code == "NOT_FOUND"
    assert (await refusal(bob.create(on()))).reason.code == "NO_DATA_SOURCES"
    get = sources_pb.GetSourceRequest(name="shop")
    error = await refusal(bob.sources.GetSource(get))
    assert error.reason.code == "NOT_FOUND" and "shop" not in error.hint


async def test_what_cannot_be_read_or_named_is_not_kept(ann: Caller, sales: Path) -> None:
    for request, reason in (
        (adding("shop", sales.with_name("nowhere.csv")), "SOURCE_NOT_FOUND"),
        (adding("my shop", sales), "INVALID_ARGUMENT"),
        (adding("", sales), "INVALID_ARGUMENT"),
        (
            sources_pb.AddSourceRequest(name="x", source=data_pb2.DataSource(file_id="0" * 32)),
            "INVALID_ARGUMENT",
        ),
        (sources_pb.AddSourceRequest(name="x"), "INVALID_ARGUMENT"),
    ):
        assert (await refusal(ann.sources.AddSource(request))).reason.code == reason
    assert not (await ann.sources.ListSources(sources_pb.ListSourcesRequest())).sources
