"""The engine as the settings ask for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from services.executor.engines.spark.engine import SparkEngine
    from services.executor.settings import ExecutorSettings


def opened(settings: ExecutorSettings) -> SparkEngine | None:
    """The engine; None where no server is named."""
    if not settings.executor_spark:
        return None
    from services.executor.engines.spark.engine import SparkEngine

    copies = settings.root() / "spark"
    return SparkEngine(settings.executor_spark, copies, byte_limit=settings.executor_result_bytes)
