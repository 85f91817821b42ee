"""Google BigQuery, asked over its REST interface."""

from services.executor.engines.declared import Declared

ENGINE = Declared(
    name="bigquery",
    product="BigQuery",
    schemes=frozenset({"bigquery"}),
    port="443",
    database="services.executor.engines.bigquery.database",
    needs={"google.cloud.bigquery": "bigquery"},
)
