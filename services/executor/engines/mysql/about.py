"""MySQL and MariaDB, where the statement runs in the database that holds the data."""

from services.executor.engines.declared import Declared

ENGINE = Declared(
    name="mysql",
    product="MySQL or MariaDB",
    schemes=frozenset({"mysql", "mariadb"}),
    port="3306",
    database="services.executor.engines.mysql.database",
    needs={"pymysql": "mysql"},
)
