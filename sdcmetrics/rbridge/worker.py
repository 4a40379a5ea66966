"""The process that runs R: ``python -m sdcmetrics.rbridge.worker``, told what to do over a pipe.

rpy2 is imported here and nowhere else, so that R can hang, run out of memory or crash without
taking the user's session with it.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

from sdcmetrics.rbridge.wire import read_message, write_message

_MEGABYTE = 1 << 20


class _EmbeddedR:
    """R inside this process, with synthpop and the adapters loaded."""

    def __init__(self, adapters: str) -> None:
        from rpy2 import rinterface as ri
        from rpy2.rinterface_lib import callbacks, embedded

        from sdcmetrics.rbridge.values import Values

        self._printed: list[str] = []
        callbacks.consolewrite_print = self._printed.append
        callbacks.consolewrite_warnerror = self._printed.append
        # Data of an earlier session (.RData) must not be found under the adapters' names.
        embedded.set_initoptions(("rpy2", "--quiet", "--no-save", "--no-restore"))
        ri.initr()
        suppressed = "suppressWarnings(suppressPackageStartupMessages(library(synthpop)))"
        ri.evalr(suppressed)
        ri.globalenv["adapters_file"] = ri.StrSexpVector([adapters])
        ri.evalr("sys.source(adapters_file, envir = globalenv())")
        self._values = Values()
        self._respond = ri.globalenv["respond"]
        self.versions = {
            "r": str(ri.evalr("as.character(getRversion())")[0]),
            "synthpop": str(ri.evalr("as.character(packageVersion('synthpop'))")[0]),
        }
        self._printed.clear()

    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        to_r = self._values.to_r
        answer = self._values.from_r(self._respond(to_r(name), to_r(arguments)))
        answer["output"] = "".join(self._printed)
        self._printed.clear()
        return dict(answer)


def main() -> None:
    """Answer requests until the other end is gone."""
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what C code prints must not get between the replies
    settings = read_message(requests)
    try:
        r = _EmbeddedR(settings["adapters"])
    except Exception as error:  # noqa: BLE001  (whatever it is, the other end must learn of it)
        write_message(replies, {"failed": f"{type(error).__name__}: {error}".strip()})
        return
    if settings["memory_mb"] is not None:
        _limit_memory(settings["memory_mb"])
    write_message(replies, {"ready": r.versions})
    while True:
        try:
            name, arguments = read_message(requests)
        except EOFError:
            return
        try:
            reply = r.call(name, arguments)
        except MemoryError:
            reply = {"error": "cannot allocate memory", "from": name}
        except Exception as error:  # noqa: BLE001  (a failed conversion is an answer, too)
            reply = {"broken": f"{type(error).__name__}: {error}"}
        write_message(replies, reply)


def _end_with(parent: int) -> None:
    """End this process soon after the one that started it, even if that was killed."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _limit_memory(megabytes: int) -> None:
    """Allow this process so much more address space than it has now."""
    import resource  # not on Windows, where there is no such limit

    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    limit = pages * resource.getpagesize() + megabytes * _MEGABYTE
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


if __name__ == "__main__":
    main()
    sys.stdout.flush()
