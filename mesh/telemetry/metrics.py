"""Recording what `mesh.telemetry.instruments` declares.

Whoever measures calls `record`, or gives `observe` a way to look a gauge up. Until `install` was
called, which `mesh.telemetry.tracing` does where somebody asked for metrics, nothing is kept and
nothing imported.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from mesh import context as calls
from mesh.errors import AssayError
from mesh.telemetry.instruments import (
    CACHE_LOOKUPS,
    FRAME_BYTES,
    INSTRUMENTS,
    SERVICE,
    Instrument,
    Kind,
)

if TYPE_CHECKING:
    from opentelemetry.metrics import Meter

log = logging.getLogger("assay.telemetry")

Reading = tuple[float, Mapping[str, str]]
Look = Callable[[], Iterable[Reading]]
"""A gauge's values with their attributes. Called in a thread of the exporter's: it may block."""

_recorders: dict[str, Callable[[float, Mapping[str, str]], None]] = {}
_looks: dict[str, list[tuple[str, Look]]] = {}
_process_service = ""


def record(
    instrument: Instrument, value: float, attributes: Mapping[str, str], service: str = ""
) -> None:
    """Keep one measurement for the service that runs, or `service` where it is told; nothing where
    nobody asked for metrics.

    Attributes without a value are left out.
    """
    if (recorder := _recorders.get(instrument.name)) is None:
        return
    service = service or calls.current().service or _process_service
    texts = {key: text for key, text in attributes.items() if text}
    recorder(value, {SERVICE: service, **texts})


def looked_up(cache: str, hit: bool) -> None:
    """Keep that something was looked up in a cache, and whether it was there."""
    texts = {"assay.cache": cache, "assay.cache.result": "hit" if hit else "miss"}
    record(CACHE_LOOKUPS, 1, texts)


def moved(way: str, size: int) -> None:
    """Keep that so many bytes of a frame went a way; `instruments` lists the ways."""
    record(FRAME_BYTES, size, {"assay.frame.way": way})


def observe(instrument: Instrument, service: str, look: Look) -> Callable[[], None]:
    """Have a gauge of a service looked up whenever somebody asks; call what it returns to stop."""
    watched = (service, look)
    _looks.setdefault(instrument.name, []).append(watched)

    def stop() -> None:
        _looks[instrument.name].remove(watched)

    return stop


def install(meter: Meter, service: str) -> None:
    """Record on `meter` from now on; `service` is told where no call says which service runs."""
    global _process_service
    _process_service = service
    for instrument in INSTRUMENTS:
        if instrument.kind is Kind.GAUGE:
            meter.create_observable_gauge(
                instrument.name, [_looking(instrument)], instrument.unit, instrument.meaning
            )
        elif instrument.kind is Kind.COUNTER:
            counter = meter.create_counter(instrument.name, instrument.unit, instrument.meaning)
            _recorders[instrument.name] = counter.add
        else:
            histogram = meter.create_histogram(
                instrument.name,
                instrument.unit,
                instrument.meaning,
                explicit_bucket_boundaries_advisory=instrument.buckets,
            )
            _recorders[instrument.name] = histogram.record


def uninstall() -> None:
    """Record nothing any more."""
    _recorders.clear()


def failure_of(error: BaseException) -> str:
    """What to call a failure in a metric, a span or a log: never what its message says."""
    if isinstance(error, AssayError):
        return error.reason.code
    category = getattr(error, "category", None)  # of a ToolError, which is heavy to import
    return str(category) if isinstance(category, str) else type(error).__name__


def _looking(instrument: Instrument) -> Callable[[Any], Iterator[Any]]:
    def look(_options: Any) -> Iterator[Any]:
        from opentelemetry.metrics import Observation

        for service, look in tuple(_looks.get(instrument.name, ())):
            try:
                readings = list(look())
            except Exception as error:  # one that cannot be looked up must not hide the others
                log.warning("%s cannot be looked up: %s", instrument.name, failure_of(error))
                continue
            for value, attributes in readings:
                yield Observation(value, {SERVICE: service, **attributes})

    return look
