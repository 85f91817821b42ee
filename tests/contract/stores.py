"""Object stores of both kinds, for the suites that run over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from mesh.storage.objects.bucket import BucketObjects, BucketPlace
from mesh.storage.objects.cache import ObjectCache
from mesh.storage.objects.folder import FolderObjects
from mesh.storage.objects.port import ObjectStore
from mesh.testing.object_server import ObjectServerAbsent, fresh_bucket, object_server


@dataclass(frozen=True)
class Host:
    """One machine's view of a store that others may share."""

    objects: ObjectStore
    disk: Path


NewHost = Callable[[], Host]


@pytest.fixture(scope="session")
def s3() -> Iterator[BucketPlace]:
    try:
        with object_server() as place:
            yield place
    except ObjectServerAbsent as absence:
        pytest.skip(str(absence))


def on_host(place: BucketPlace, disk: Path, most_bytes: int = 1 << 30) -> Host:
    """A bucket as a machine with that disk sees it."""
    cache = ObjectCache(disk / "cache", most_bytes)
    return Host(BucketObjects(place, "frames", cache, disk / "sending"), disk)


@pytest.fixture(params=["folder", "bucket"])
def new_host(request: pytest.FixtureRequest, tmp_path: Path) -> NewHost:
    """Gives one store, each time as another process or machine sees it."""
    if request.param == "folder":
        return lambda: Host(FolderObjects(tmp_path / "shared"), tmp_path / "shared")
    place = fresh_bucket(request.getfixturevalue("s3"))
    numbers = iter(range(100))
    return lambda: on_host(place, tmp_path / f"host-{next(numbers)}")


def damage(objects: ObjectStore, key: str, change: Callable[[bytes], bytes]) -> None:
    """Overwrite an object behind everybody's back."""
    objects.write(key, change(objects.read(key)))
