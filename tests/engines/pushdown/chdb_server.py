"""ClickHouse's interface for HTTP over chDB, which is ClickHouse in a library: what its servers do
with a request, as far as the tests need it. Run as a process of its own: `python chdb_server.py`
prints its port.
"""

from __future__ import annotations

import base64
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

USER, PASSWORD = "ann", "s3cret/word"
_OF_HTTP = frozenset(
    """
    database query_id session_id client_protocol_version default_format wait_end_of_query compress
    enable_http_compression send_progress_in_http_headers http_headers_progress_interval_ms
    buffer_size query http_write_exception_in_output_format role
    cancel_http_readonly_queries_on_client_close
    """.split()
)
_IN_SESSION = frozenset(("session_timezone",))


class Asked(ThreadingHTTPServer):
    """The server; `log` is what it was sent, `killed` the queries it was told to end."""

    daemon_threads = True

    def __init__(self) -> None:
        self.kept = self.connect()
        self.killed: list[str] = []
        self.log: list[str] = []
        super().__init__(("127.0.0.1", 0), _Handler)

    @staticmethod
    def connect() -> Any:
        """A connection to the one database of this process."""
        import chdb

        connect: Any = chdb.connect
        return connect(":memory:")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Asked

    def log_message(self, format: str, *args: object) -> None:
        del format, args

    def do_GET(self) -> None:
        told = {"killed": self.server.killed, "log": self.server.log}
        self._answer(200, json.dumps(told).encode())

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        given = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
        sql = (given.get("query", "") + "\n" + body).strip()
        if not self._known():
            self._answer(403, b"Code: 516. DB::Exception: Authentication failed", 516)
        elif sql.startswith("KILL QUERY"):
            killed = sql.split("'")[1]
            self.server.killed.append(killed)
            # chDB gives its queries ids of its own.
            self._run(f"KILL QUERY WHERE query LIKE '/*{killed}*/%' ASYNC", {})
        else:
            self._run(sql, given)

    def _known(self) -> bool:
        given = self.headers.get("Authorization", "")
        basic = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        default = base64.b64encode(b"default:").decode()
        return given in ("", f"Basic {basic}", f"Basic {default}")

    def _run(self, sql: str, given: dict[str, str]) -> None:
        sql, _, form = sql.partition("\n FORMAT ") if "\n FORMAT " in sql else (sql, "", "")
        settings = ", ".join(
            f"{name} = '{value}'" for name, value in given.items() if name not in _OF_HTTP
        )
        self.server.log.append(sql)
        connection = self.server.connect()
        try:
            if given.get("database"):
                connection.query(f"USE `{given['database']}`")
            reads = sql.lstrip("( \n").upper().startswith(("SELECT", "WITH", "INSERT"))
            tail = f" SETTINGS {settings}" if settings and reads else ""
            asked = f"/*{given['query_id']}*/ {sql}{tail}" if "query_id" in given else sql + tail
            form = form.strip() or given.get("default_format", "TabSeparated")
            result = connection.query(asked, form)
            told = bytes(result.bytes() or b"") if result is not None else b""
        except Exception as error:
            text = str(error)
            code = text.partition("Code: ")[2].partition(".")[0]
            self._answer(500, text.encode(), int(code) if code.isdigit() else 1001)
        else:
            self._answer(200, told)
        finally:
            connection.close()

    def _answer(self, status: int, body: bytes, code: int = 0) -> None:
        self.send_response(status)
        if code:
            self.send_header("X-ClickHouse-Exception-Code", str(code))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    with Asked() as server:
        print(server.server_address[1], flush=True)

        def wait() -> None:
            sys.stdin.read()
            server.shutdown()

        threading.Thread(target=wait, daemon=True).start()
        server.serve_forever()
