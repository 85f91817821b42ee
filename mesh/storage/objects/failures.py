"""What goes wrong in a store, as errors for people. The store's own words are only logged."""

from __future__ import annotations

import errno
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager

from mesh.errors import RESOURCE_EXHAUSTED, SERVICE_UNAVAILABLE, AssayError

log = logging.getLogger("assay.objects")

_FULL = {errno.ENOSPC, errno.EDQUOT}
_CODE = re.compile(r"AWS Error (\w+)(?: \(HTTP status (\d+)\))?")
_BUCKET_FULL = re.compile(
    r"QuotaExceeded|StorageFull|InsufficientCapacity|HTTP status 507", re.IGNORECASE
)


@contextmanager
def disk_failures() -> Iterator[None]:
    """A full disk becomes AssayError(RESOURCE_EXHAUSTED); other errors come out unchanged."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise _full("The disk that keeps frames and files is full.") from error
        raise


@contextmanager
def bucket_failures(bucket: str) -> Iterator[None]:
    """Errors of S3 become AssayErrors, except that an object is not there."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno in _FULL:
            raise _full("The disk that keeps frames and files is full.") from error
        if _BUCKET_FULL.search(str(error)):
            raise _full(f"The bucket {bucket} takes no more.") from error
        # Not the whole message: what a server says may quote the request it refused.
        code = _CODE.search(str(error))
        log.error("bucket %s: %s", bucket, code.group(0) if code else type(error).__name__)
        raise AssayError(
            SERVICE_UNAVAILABLE,
            f"The bucket {bucket}, which keeps frames and files, cannot be used now.",
            hint="Check ASSAY_EXECUTOR_STORE_URL, its endpoint, region and credentials; "
            "the executor's log has the error's code.",
            metadata={"bucket": bucket},
        ) from None


def _full(message: str) -> AssayError:
    return AssayError(
        RESOURCE_EXHAUSTED,
        message,
        hint="Delete sessions and files that are no longer needed, or give the executor more room.",
    )
