"""Which object stores an executor uses: folders of its own, or a bucket it shares."""

from __future__ import annotations

from collections.abc import Mapping

from mesh.storage.objects.folder import FolderObjects
from mesh.storage.objects.port import ObjectStore
from services.executor.settings import ExecutorSettings


def object_stores(settings: ExecutorSettings) -> Mapping[str, ObjectStore]:
    """The stores of frames, artifacts, calls and files, by these names."""
    root = settings.root()
    if settings.executor_store_url:
        return {name: _bucket(settings, name) for name in ("frames", "artifacts", "calls", "files")}
    return {
        "artifacts": FolderObjects(settings.folder("artifacts")),
        **{name: FolderObjects(root / name) for name in ("frames", "calls", "files")},
    }


def _bucket(settings: ExecutorSettings, name: str) -> ObjectStore:
    from mesh.storage.objects.bucket import BucketObjects, BucketPlace
    from mesh.storage.objects.cache import ObjectCache

    bucket, _, prefix = settings.executor_store_url.removeprefix("s3://").partition("/")
    place = BucketPlace(
        bucket=bucket,
        prefix=prefix,
        endpoint=settings.executor_store_endpoint,
        region=settings.executor_store_region,
        access_key=settings.executor_store_key.get_secret_value(),
        secret_key=settings.executor_store_secret.get_secret_value(),
    )
    folder = settings.root() / "cache"
    # The four share the room: each gets a quarter.
    cache = ObjectCache(folder / name, settings.executor_cache_bytes // 4)
    return BucketObjects(place, name, cache, settings.root() / "sending")
