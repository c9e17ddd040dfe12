"""A command that dies, hangs, violates the protocol, speaks another version or is missing: each question ends with one clear exception, and the next one works."""
from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from pathlib import Path

import pytest

import rollcall_cluster as r
from conftest import FAKE, Ask, run
from rollcall_cluster import _child

pytestmark = pytest.mark.usefixtures("fake")

DEATHS = {
    "die": "ended with exit code 3; it said: fake: fell \\\\x1b\\[31mover",
    "kill": "was ended by SIGKILL",
    "half": "ended with exit code 0 in the middle of a line",
    "garbage": "not of the protocol .* 'Segmentation fault'",
    "deep": "not of the protocol",
    "list": "not of the protocol .*no object",
    "binary": "not of the protocol",
    "null": "it did not understand a line: .*no JSON",
    "neither": "not of the protocol",
    "text": "the result is no object",
    "shape": "answer to resolve is not of the protocol",
    "closed": "closed its output",
}


@pytest.mark.parametrize("how", DEATHS)
def test_what_is_no_answer_is_one_exception_and_the_next_question_works(ask: Ask, how: str) -> None:
    with pytest.raises(r.CommandFailed, match=DEATHS[how]) as caught:
        ask("resolve", "fake:" + how)
    assert caught.value.code == "command_failed"
    assert ask("resolve", "fake:fine").num_tasks() == 3


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("how", ["die", "kill", "half"])
def test_a_command_that_ends_is_noticed_although_a_child_of_its_own_keeps_its_output(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ask: Ask, how: str) -> None:
    script = tmp_path / "rollcall"
    script.write_text(f"#!/bin/sh\nsleep 600 &\necho $! >{tmp_path}/pid\nexec {sys.executable} {FAKE}\n")
    script.chmod(0o755)
    monkeypatch.setenv("ROLLCALL_COMMAND", str(script))
    try:
        with pytest.raises(r.CommandFailed, match=DEATHS[how]):
            ask("resolve", "fake:" + how, timeout=20)
    finally:
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)  # which still exists


def test_a_child_that_closed_its_output_but_lives_does_not_hold_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_child, "_EXIT_PATIENCE", 0.5)

    async def main() -> None:
        question = asyncio.ensure_future(r.resolve("fake:closed"))
        longest, turn = 0.0, time.monotonic()
        while not question.done():
            await asyncio.sleep(0)
            longest, turn = max(longest, time.monotonic() - turn), time.monotonic()
        assert longest < 0.25
        with pytest.raises(r.CommandFailed, match="closed its output"):
            question.result()
        assert not _child._children

    run(main())


def test_everything_that_was_open_fails_with_the_child() -> None:
    async def main() -> None:
        held = [asyncio.ensure_future(r.resolve("fake:held")) for _ in range(20)]
        dying = asyncio.ensure_future(r.resolve("fake:die"))
        ends = await asyncio.gather(*held, dying, return_exceptions=True)
        assert {type(one) for one in ends} == {r.CommandFailed}
        assert len({id(one) for one in ends}) == 21
        assert (await r.resolve("fake:fine"))["worker"] == ["a:1", "b:1"]

    run(main())


HELLOS = {
    "die": (r.CommandFailed, "ended with exit code 7; it said: fake: cannot find my feet"),
    "garbage": (r.CommandFailed, r"not of the protocol .*Usage: rollcall \[OPTIONS\]"),
    "refuse": (r.CommandMismatch, "1 is not spoken here, but 2"),
    "newer": (r.CommandMismatch, "speaks version 2 of the protocol; this package speaks 1"),
    "options": (r.InvalidArgument, "/nowhere cannot be read"),
    "infinite": (r.CommandFailed, "not of the protocol .*cannot convert float infinity"),
}


@pytest.mark.parametrize("how", HELLOS)
def test_a_bad_start(ask: Ask, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_HELLO", how)
    kind, words = HELLOS[how]
    with pytest.raises(kind, match=words):
        ask("resolve", "fake:fine")


@pytest.mark.usefixtures("impatient")
def test_a_start_that_hangs_ends_with_the_time_out(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_HELLO", "hang")
    with pytest.raises((r.CommandFailed, r.DeadlineExceeded), match=r"hangs|did not answer within the 0\.01 s"):
        ask("resolve", "fake:fine", timeout=0.01)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("how", ["hang", "held"])
def test_a_question_without_an_answer_ends_with_its_time_out(ask: Ask, how: str) -> None:
    ask("resolve", "fake:fine")
    with pytest.raises((r.CommandFailed, r.DeadlineExceeded), match=r"hangs|did not answer within the 0\.01 s"):
        ask("resolve", "fake:" + how, timeout=0.01)
    assert ask("resolve", "fake:fine").num_tasks() == 3


@pytest.mark.parametrize("named", ["/nowhere/rollcall", str(Path(__file__).parent), __file__])
def test_a_command_that_is_named_must_be_one(ask: Ask, named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLCALL_COMMAND", named)
    with pytest.raises(FileNotFoundError, match="ROLLCALL_COMMAND names") as caught:
        ask("resolve", "fake:fine")
    assert isinstance(caught.value, r.CommandNotFound)


def test_no_command_anywhere_says_where_it_was_looked_for(ask: Ask, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("ROLLCALL_COMMAND")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(_child, "__file__", str(tmp_path / "_child.py"))
    with pytest.raises(r.CommandNotFound, match=r"ROLLCALL_COMMAND is not set, .*/bin/rollcall is not there, and PATH has none"):
        ask("resolve", "fake:fine")


def test_a_text_in_place_of_the_command_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLCALL_COMMAND", "#!/bin/sh\nTOKEN=hush\n")
    with pytest.raises(r.CommandNotFound, match=r"^ROLLCALL_COMMAND holds a text of 21 characters, which is no program's path$"):
        _child.find_command()


def test_the_command_in_the_package_comes_before_the_one_on_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("ROLLCALL_COMMAND")
    for folder in ("package/bin", "path"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "rollcall").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setattr(_child, "__file__", str(tmp_path / "package/_child.py"))
    assert _child.find_command() == str(tmp_path / "package/bin/rollcall")
    os.remove(tmp_path / "package/bin/rollcall")
    assert _child.find_command() == str(tmp_path / "path/rollcall")


def test_what_cannot_be_executed(ask: Ask, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = tmp_path / "rollcall"
    script.write_text("#!/nowhere/interpreter\n")
    script.chmod(0o755)
    monkeypatch.setenv("ROLLCALL_COMMAND", str(script))
    with pytest.raises(r.CommandFailed, match="cannot be started"):
        ask("resolve", "fake:fine")


def test_a_line_without_end_is_given_up(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_child, "_MAX_LINE", 1 << 20)
    with pytest.raises(r.CommandFailed, match="a line of more than 1048576 bytes"):
        ask("resolve", "fake:endless")


def test_a_command_that_does_not_know_the_question_is_too_old(ask: Ask) -> None:
    with pytest.raises(r.CommandMismatch, match="too old for this question: unknown method"):
        ask("resolve", "fake:unheard")


@pytest.mark.parametrize("timeout", [None, 366 * 86400, 1e-9, 7])
def test_times_of_any_length(ask: Ask, timeout: float | None) -> None:
    assert ask("resolve", "fake:fine", timeout=timeout).num_tasks() == 3


def test_strangers_and_noise_are_passed_over(ask: Ask) -> None:
    assert ask("resolve", "fake:strangers").num_tasks() == 3
    assert ask("resolve", "fake:noise").num_tasks() == 3


def test_progress_of_another_form(ask: Ask) -> None:
    with pytest.raises(r.CommandFailed, match="the command's progress is not of the protocol"):
        ask("wait", "fake:badprogress", on_progress=print)


BAD = [
    ((), {}, r.InvalidArgument, "no target"),
    ((7,), {}, TypeError, "a target is a text .*, not int 7"),
    ((b"tpu:x",), {}, TypeError, "not bytes"),
    ((None,), {}, TypeError, "not NoneType"),
    (("tpu:\udc80",), {}, r.InvalidArgument, r"^'tpu:\\udc80' is no Unicode text: it has a lone surrogate"),
    (("x" * (1 << 20),), {}, r.InvalidArgument, "the question has 1048.* bytes"),
    (("tpu:x",), {"timeout": float("nan")}, r.InvalidArgument, "timeout is nan"),
    (("tpu:x",), {"timeout": 0}, r.InvalidArgument, "timeout is 0"),
    (("tpu:x",), {"timeout": "30"}, TypeError, "timeout is a number of seconds, not str '30'"),
    (("tpu:x",), {"timeout": True}, TypeError, "not bool"),
    (("tpu:x",), {"timeout": 10**400}, r.InvalidArgument, "at most 366 days"),
    (("tpu:x",), {"timeout": 1e12}, r.InvalidArgument, "at most 366 days"),
    (("tpu:x",), {"nonsense": 1}, TypeError, "nonsense"),
]


@pytest.mark.parametrize(("targets", "options", "kind", "words"), BAD)
def test_bad_arguments_are_reported_before_anything_is_asked(ask: Ask, targets: tuple[object, ...], options: dict[str, object], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        ask("resolve", *targets, **options)


def test_bad_arguments_of_a_wait(ask: Ask) -> None:
    with pytest.raises(r.InvalidArgument, match="members is 0"):
        ask("wait", "tpu:x", members=0)
    with pytest.raises(r.InvalidArgument, match="on_progress is 'loud'"):
        ask("wait", "tpu:x", on_progress="loud")
    for until, kind in (([1], "int 1"), (7, "int 7"), (b"state", "bytes")):
        with pytest.raises(TypeError, match=f"until takes texts, not {kind}"):
            ask("wait", "tpu:x", until=until)


@pytest.mark.parametrize("question", ["wait", "barrier", "preflight"])
def test_a_coroutine_function_is_no_report_of_progress(ask: Ask, question: str) -> None:
    async def show(progress: object) -> None: ...

    with pytest.raises(TypeError, match="on_progress is a plain function, not a coroutine function"):
        ask(question, "tpu:x", on_progress=show)


@pytest.mark.parametrize("task", ["worker", "worker:-1", 7, ("worker",), ("worker", 0, 1)])
def test_what_is_no_task_is_named(ask: Ask, task: object) -> None:
    with pytest.raises(r.InvalidArgument if isinstance(task, str) else TypeError, match=r"task is .*'worker:3'"):
        ask("barrier", "tpu:x", task=task)


def test_texts_that_are_no_ascii_arrive(ask: Ask) -> None:
    with pytest.raises(r.RollcallError) as caught:
        ask("resolve", "fake:error:naïve-ü-漢-\u2028")
    assert caught.value.code == "naïve-ü-漢-\u2028"
