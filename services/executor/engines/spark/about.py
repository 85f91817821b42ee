"""Spark, through Spark Connect: for files that are too large for one machine."""

from services.executor.engines.declared import Declared

ENGINE = Declared(
    name="spark",
    product="Spark",
    opens="services.executor.engines.spark.opening",
    setting="ASSAY_EXECUTOR_SPARK=sc://HOST:PORT",
)
