"""What happens when the process that runs R misbehaves; a fake takes its place."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sdcmetrics import rbridge
from sdcmetrics.errors import RError
from sdcmetrics.rbridge.process import WORKER
from sdcmetrics.rbridge.session import Patience, _answer
from sdcmetrics.rbridge.utility import utility_tab

FAKE = """
import os, signal, sys, time
from sdcmetrics.rbridge.wire import read_message, write_message
requests, replies = os.fdopen(0, "rb"), os.fdopen(os.dup(1), "wb")
settings = read_message(requests)
BEHAVIOUR
write_message(replies, {"ready": {"r": "0", "synthpop": "0"}})
while True:
    name, arguments = read_message(requests)
    if name == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if name == "hang":
        time.sleep(60)
    if name == "leave":
        sys.stderr.write("last words")
        sys.exit(3)
    if name == "stop":
        write_message(replies, {"error": ["it will not"], "from": [""], "warnings": ["careful"]})
    elif name == "big":
        write_message(replies, {"error": ["cannot allocate vector of size 9 Gb"], "from": [""]})
    elif name == "broken":
        write_message(replies, {"broken": "TypeError: no twin"})
    else:
        write_message(replies, {"value": [name, os.getpid(), arguments], "output": "printed"})
"""

Make = Callable[..., rbridge.Session]


@pytest.fixture
def fake(tmp_path: Path) -> Iterator[Make]:
    sessions = []

    def make(behaviour: str = "", *, timeout: float = 20) -> rbridge.Session:
        script = tmp_path / "fake.py"
        script.write_text(FAKE.replace("BEHAVIOUR", behaviour))
        command = (sys.executable, str(script))
        sessions.append(rbridge.Session(timeout=timeout, command=command))
        return sessions[-1]

    yield make
    for session in sessions:
        session.close()


def test_an_answer_comes_with_what_r_printed(fake: Make) -> None:
    answer = fake().call("echo", x=1)
    assert answer.value[0] == "echo"
    assert answer.value[2] == {"x": 1}
    assert answer.output == "printed"


def test_one_process_answers_all_calls(fake: Make) -> None:
    session = fake()
    assert session.call("echo").value[1] == session.call("echo").value[1] == session.pid


def test_a_crash_is_told_with_its_signal_and_the_next_call_works(fake: Make) -> None:
    session = fake()
    first = session.call("echo").value[1]
    with pytest.raises(RError, match=r"killed by signal 11 \(SIGSEGV, .*\).* in crash") as caught:
        session.call("crash")
    assert caught.value.kind == "died"
    assert not session.running
    assert session.call("echo").value[1] != first


def test_a_hang_ends_at_the_time_limit(fake: Make) -> None:
    session = fake(timeout=0.5)
    session.timeout = 20
    session.call("echo")
    session.timeout = 0.5
    started = time.monotonic()
    with pytest.raises(RError, match=r"no answer in 0\.5 s in hang") as caught:
        session.call("hang")
    assert time.monotonic() - started < 10
    assert caught.value.kind == "timeout"
    session.timeout = 20
    assert session.call("echo").value[0] == "echo"


def test_an_exit_is_told_with_its_status_and_last_words(fake: Make) -> None:
    with pytest.raises(RError, match="exit status 3") as caught:
        fake().call("leave")
    assert caught.value.output == "last words"


def test_why_r_does_not_start_is_told_in_its_own_words(fake: Make) -> None:
    script = 'sys.stderr.write("Fatal error: no room"); sys.stderr.flush()'
    session = fake(f'{script}; write_message(replies, {{"failed": "StopIteration:"}})')
    with pytest.raises(RError, match=r"Rscript ended without an answer \(Fatal error: no room\)$"):
        session.call("echo")


def test_only_the_last_words_are_kept(fake: Make) -> None:
    session = fake('sys.stderr.write("first" + "x" * 1999 + "."); sys.stderr.flush(); sys.exit(0)')
    with pytest.raises(RError, match="exit status 0") as caught:
        session.call("echo")
    assert caught.value.output == "x" * 1999 + "."


@pytest.mark.parametrize(
    ("reply", "kind", "reason"),
    [
        ({"error": ["MemoryError"]}, "memory", "R ran out of memory in tell: MemoryError"),
        ({"error": "memory exhausted"}, "memory", "R ran out of memory in tell: memory exhausted"),
        ({"error": [" it", "stops "]}, "error", "it stops"),
        ({"error": "it stops"}, "error", "it stops"),
        (
            {"broken": "no twin", "error": "x"},
            "broken",
            "could not be passed to or from R: no twin",
        ),
    ],
)
def test_errors_are_told_apart_by_their_words(reply: Any, kind: str, reason: str) -> None:
    entries = {"messages": ["one ", "two "], "output": "three", "warnings": [1, "w"]}
    with pytest.raises(RError) as caught:
        _answer("tell", reply | entries)
    assert caught.value.kind == kind
    assert reason in caught.value.reason
    assert caught.value.output == "one two three"
    assert caught.value.warnings == ("1", "w")
    for none in ({}, dict.fromkeys(entries)):
        answer = _answer("tell", {"value": 3, **none})
        assert (answer.value, answer.output, answer.warnings) == (3, "", ())


def test_an_error_of_r_leaves_the_process_alive(fake: Make) -> None:
    session = fake()
    with pytest.raises(RError, match="it will not") as caught:
        session.call("stop")
    assert caught.value.warnings == ("careful",)
    assert caught.value.kind == "error"
    assert session.running


def test_lack_of_memory_is_told_apart(fake: Make) -> None:
    with pytest.raises(RError, match="out of memory in big") as caught:
        fake().call("big")
    assert caught.value.kind == "memory"


def test_a_value_that_cannot_be_passed_is_no_error_of_synthpop(fake: Make) -> None:
    with pytest.raises(RError, match="could not be passed") as caught:
        fake().call("broken")
    assert caught.value.kind == "broken"


@pytest.mark.parametrize(
    ("reason", "remedy"),
    [
        ("ModuleNotFoundError: No module named 'rpy2'", "pip install .sdcmetrics.r.."),
        ("ffi.error: symbol 'R_getVar' not found", "rpy2-rinterface<3.6.6"),
        ("ffi.error: symbol 'Rf_findVarInFrame' not found", "rpy2-rinterface>=3.6.6"),
        ("there is no package called 'synthpop'", "install.R"),
        ("ValueError: openrlib.R_HOME cannot be None.", "R was not found"),
    ],
)
def test_what_is_missing_is_told_with_the_remedy(fake: Make, reason: str, remedy: str) -> None:
    session = fake(f'write_message(replies, {{"failed": "{reason}"}}); sys.exit()')
    with pytest.raises(RError, match=remedy) as caught:
        session.call("echo")
    assert caught.value.kind == "unavailable"


def test_a_process_that_dies_at_once_is_told(fake: Make) -> None:
    with pytest.raises(RError, match=r"exit status 7 after .* s starting"):
        fake("sys.exit(7)").call("echo")


def test_data_are_sent_once_and_again_after_a_crash(fake: Make) -> None:
    session = fake()
    frame = pd.DataFrame({"x": ["a", "b"]})
    synds = rbridge.as_synds(frame, frame, session=session)
    synds.send()
    assert session._sent == {synds.id}
    synds.send()
    with pytest.raises(RError):
        session.call("crash")
    assert session._sent == set()
    synds.send()
    assert session._sent == {synds.id}


def test_what_r_does_not_have_need_not_be_dropped_and_an_end_forgets_all(fake: Make) -> None:
    session = fake()
    session.forget("other")
    assert session._forgotten == []
    frame = pd.DataFrame({"x": ["a", "b"]})
    synds = rbridge.as_synds(frame, frame, session=session)
    synds.send()
    session.forget(synds.id)
    session.close()
    assert (session._sent, session._forgotten) == (set(), [])


def test_only_what_ends_r_tries_patience() -> None:
    patience = Patience(rbridge.Session())
    asked: list[str] = []

    def fail(kind: str) -> None:
        asked.append(kind)
        reason = "why"
        raise RError(reason, kind=kind)

    for kind in ("error", "died", "error", "timeout", "error", "memory", "error", "died"):
        patience.ask(lambda kind=kind: fail(kind))  # type: ignore[misc]
    assert asked == ["error", "died", "error", "timeout", "error", "memory"]
    assert patience.ask(lambda: 1).reason.startswith("R was given up after it failed 3 times")  # type: ignore[union-attr]
    assert Patience(rbridge.Session()).ask(lambda: 1) == 1


def test_data_that_nobody_holds_any_more_are_dropped(fake: Make) -> None:
    session = fake()
    frame = pd.DataFrame({"x": ["a", "b"]})
    synds = rbridge.as_synds(frame, frame, session=session)
    synds.send()
    name = synds.id
    del synds
    assert session._forgotten == [name]
    session.call("echo")
    assert session._forgotten == []


def test_a_handle_survives_as_a_failure_with_a_reason(fake: Make) -> None:
    session = fake("os.kill(os.getpid(), signal.SIGKILL)")
    frame = pd.DataFrame({"x": ["a", "b"]})
    with pytest.raises(RError, match=r"SIGKILL, by hand, or by the system because memory ran out"):
        utility_tab((frame, frame), "x", session=session)


def test_leaving_the_session_ends_the_process(fake: Make) -> None:
    with fake() as session:
        session.call("echo")
        assert session.running
    assert not session.running
    assert session.pid is None


def test_rpy2_is_imported_by_the_worker_only() -> None:
    assert WORKER[1:] == ("-m", "sdcmetrics.rbridge.worker")
    assert "rpy2" not in sys.modules


def test_the_bridge_leaves_the_handler_of_ctrl_c_alone() -> None:
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from sdcmetrics.rbridge import process, session; "
        "assert signal.getsignal(signal.SIGINT) is signal.default_int_handler"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_memory_limit_is_beyond_the_address_space_that_is_in_use_already() -> None:
    code = (
        "import mmap, resource\n"
        "from sdcmetrics.rbridge.worker import _limit_memory\n"
        "held = mmap.mmap(-1, 2 << 30)  # address space, no memory\n"
        "_limit_memory(256)\n"
        "low, high = resource.getrlimit(resource.RLIMIT_AS)\n"
        "assert low == high > (2 << 30) + (256 << 20), (low, high)\n"
        "more = bytearray(128 << 20)\n"
        "try:\n"
        "    bytearray(256 << 20)\n"
        "except MemoryError:\n"
        "    print('limited')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "limited\n", done.stderr
