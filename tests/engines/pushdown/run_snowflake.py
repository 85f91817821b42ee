"""Runs fakesnow on the port that is named, by the Python of its own environment. It knows of no
settings of a session, and takes them without doing anything."""

import sys
from importlib import import_module

import uvicorn

server = import_module("fakesnow.server")
connect = server.shared_fs.connect
server.shared_fs.connect = lambda *given, **terms: connect(
    *given, **{**terms, "nop_regexes": ["^ALTER SESSION"]}
)
uvicorn.run(server.app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
