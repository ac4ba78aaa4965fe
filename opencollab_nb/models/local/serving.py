"""The child process: llama.cpp with its own OpenAI-compatible server, until its input is closed.

Started by `server.py` by path, so that it needs nothing of this package. It reads its settings, the key
among them, as one line of JSON, says where it listens as another, and ends with whoever started it.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any


def serve(settings: dict[str, Any]) -> Any:
    """The server, listening on a free port of this machine only."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = settings["weights"]
    parameters.model_alias = {settings["name"]}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.api_keys = [settings["key"]]
    parameters.n_ctx = settings["window"]
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = settings["threads"]
    parameters.cpuparams_batch.n_threads = settings["threads"]
    parameters.cache_ram_mib = 0
    parameters.use_jinja = True
    parameters.ui = False
    parameters.cors_origins = ""
    parameters.verbosity = 1
    # The same request gets the same reply, and a small model says the same again and again if it is let.
    parameters.sampling.temp = 0.0
    parameters.sampling.seed = 0
    parameters.sampling.penalty_repeat = 1.1
    return xllamacpp.Server(parameters)


def main() -> None:
    """Serve until the input ends."""
    settings = json.loads(sys.stdin.readline())
    server = serve(settings)
    sys.stdout.write(json.dumps({"address": server.listening_address}) + "\n")
    sys.stdout.flush()
    sys.stdin.read()
    os._exit(0)  # a reply in the making is not waited for


if __name__ == "__main__":
    main()
