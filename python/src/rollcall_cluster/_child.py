"""The command as a child process that stays: its path, its pipes, its end, and its handling when this process forks or ends.

The child has a session of its own, so that Ctrl-C on the terminal reaches only this process, which decides. When this process ends for any reason, the child's input ends, and so
does the child.
"""
from __future__ import annotations

import atexit
import os
import signal
import subprocess
import time
import weakref
from collections.abc import Mapping, Sequence

from ._errors import CommandFailed, CommandNotFound

_CHUNK = 1 << 18
_MAX_LINE = 1 << 28  # an answer of a million tasks is a quarter of this
_STDERR_TAIL = 4096
_LARGEST_PIPE = 1 << 20  # the usual capacity of a pipe
_EXIT_PATIENCE = 1.0  # seconds for all children together when this process ends

_children: weakref.WeakSet[Child] = weakref.WeakSet()
_is_exiting = False


def find_command(chosen: str | os.PathLike[str] | None = None) -> str:
    """The command: `chosen`, else `ROLLCALL_COMMAND`, else the one inside the package, else the one on PATH. Raises CommandNotFound."""
    where = "command=" if chosen is not None else "ROLLCALL_COMMAND"
    named = os.fspath(chosen) if chosen is not None else os.environ.get("ROLLCALL_COMMAND")
    if named:
        found = _which(named)
        if found is None and not named.isprintable():  # a file's content, or a command's output
            raise CommandNotFound(f"{where} holds a text of {len(named)} characters, which is no program's path")
        if found is None:
            raise CommandNotFound(f"{where} names {named!r}, which is no program that can be run")
        return found
    inside = os.path.join(os.path.dirname(__file__), "bin", "rollcall")
    found = _which(inside) or _which("rollcall")
    if found is None:
        raise CommandNotFound(f"there is no command rollcall: ROLLCALL_COMMAND is not set, {inside} is not there, and PATH has none; install one or set ROLLCALL_COMMAND")
    return found


def _which(program: str) -> str | None:
    if os.path.dirname(program):
        return program if os.path.isfile(program) and os.access(program, os.X_OK) else None
    import shutil  # it imports the compressors, half of the imports for a first question

    return shutil.which(program)


class Child:
    """`COMMAND ARGUMENTS…` with pipes for its standard streams. Raises CommandFailed when it cannot be started."""

    def __init__(self, command: Sequence[str], environ: Mapping[str, str] | Mapping[bytes, bytes] | None) -> None:
        self.command = command[0]
        try:
            # close_fds: the child must not keep sockets open that frameworks have opened without CLOEXEC.
            self._process = subprocess.Popen(
                list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0, close_fds=True, start_new_session=True, env=environ
            )
        except (OSError, ValueError, RuntimeError) as trouble:  # the highest number in some sub-interpreters
            raise CommandFailed(f"{self.command} cannot be started: {trouble}") from trouble
        stdin, stdout, stderr = self._process.stdin, self._process.stdout, self._process.stderr
        assert stdin is not None and stdout is not None and stderr is not None
        self._stdin, self._stdout, self._stderr = stdin, stdout, stderr
        self._fds = (stdin.fileno(), stdout.fileno(), stderr.fileno())
        self._exit_fd = _open_exit_fd(self._process.pid)
        for fd in self._fds:
            os.set_blocking(fd, False)
        self._is_started = True
        self._unsent = bytearray()
        self._parts: list[bytes] = []  # of the incomplete line
        self._part_size = 0
        self._tail = b""
        self._stderr_ended = False
        self._end_until = 0.0  # by when a child that has closed its output must end
        self.has_ended = False
        self.is_forked = False
        _children.add(self)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def read_fds(self) -> tuple[int, ...]:
        if self.has_ended:
            return ()
        # True when the process and its output have ended; a process that it started may hold the output open for longer.
        return (self._fds[1:2] if self._stderr_ended else self._fds[1:]) + ((self._exit_fd,) if self._exit_fd >= 0 else ())

    @property
    def write_fd(self) -> int:
        return self._fds[0]

    @property
    def has_unsent(self) -> bool:
        return bool(self._unsent) and not self._stdin.closed

    def send(self, line: bytes) -> None:
        self._unsent += line

    def flush(self) -> None:
        if self._stdin.closed:
            return
        try:
            while self._unsent:
                del self._unsent[: _write(self._fds[0], self._unsent[:_CHUNK])]
        except BlockingIOError:
            return
        except OSError:  # it does not read any more: the end of its output will show why
            self._unsent.clear()

    def receive(self) -> list[bytes]:
        if _is_exiting:
            raise SystemExit  # only daemon threads still ask now, and none of them may print that its child has ended
        is_over = not self.has_ended and self._process.poll() is not None  # before the last read: no output of its own can follow
        self._read_stderr()
        lines: list[bytes] = []
        taken = 0
        while not self.has_ended:
            try:
                chunk = os.read(self._fds[1], _CHUNK)
            except BlockingIOError:
                self.has_ended = is_over
                break
            if not chunk:
                self.has_ended = True  # closed later, when no poll watches the descriptor any more
                break
            self._take(chunk, lines)
            taken += len(chunk)
            if is_over:
                self.has_ended = taken >= _LARGEST_PIPE  # all of its own output has come; the rest is from a process that it left behind
            elif len(chunk) < _CHUNK:
                break
        return lines

    def _take(self, chunk: bytes, lines: list[bytes]) -> None:
        first, *more = chunk.split(b"\n")
        self._parts.append(first)
        self._part_size += len(first)
        if self._part_size > _MAX_LINE:
            raise LookupError(f"printed a line of more than {_MAX_LINE} bytes")
        if more:
            lines.append(b"".join(self._parts))
            lines += more[:-1]
            self._parts = [more[-1]]
            self._part_size = len(more[-1])

    def _read_stderr(self) -> None:
        if self._stderr_ended or self._stderr.closed:
            return
        try:
            text = os.read(self._fds[2], _CHUNK)
        except BlockingIOError:
            return
        self._stderr_ended = not text
        self._tail = (self._tail + text)[-_STDERR_TAIL:]

    def finish_input(self) -> None:
        self._unsent.clear()
        self._stdin.close()

    def kill(self) -> None:
        if not self.is_forked and self._process.poll() is None:
            self._process.kill()

    def describe_end(self) -> str | None:
        if self.is_forked:
            return "belongs to the process that this one was forked from"
        self._read_stderr()
        half = " in the middle of a line" if self._part_size else ""
        code = self._process.poll()
        if code is None:
            self._end_until = self._end_until or time.monotonic() + _EXIT_PATIENCE
            if time.monotonic() < self._end_until:
                return None
            self.kill()
            return f"closed its output{half}"
        self._read_stderr()
        words = " ".join(self._tail.decode("utf-8", "backslashreplace").split())
        words = "".join(one if one.isprintable() else f"\\x{ord(one):02x}" for one in words)
        how = f"ended with exit code {code}" if code >= 0 else f"was ended by {_signal_name(-code)}"
        return f"{how}{half}" + (f"; it said: {words}" if words else "")

    def wait_for_end(self, seconds: float) -> None:
        self._unsent.clear()
        self.has_ended = True  # first: a thread that reads a stream which another thread closes checks this before it reads
        self._close()
        if self.is_forked:
            return
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        _children.discard(self)

    def leave_to_parent(self) -> None:
        """In a forked child: closes its copies of the pipes, so that the end of the parent's pipes is still seen; the process is the parent's."""
        self.is_forked = True
        self.has_ended = True
        self._unsent.clear()
        self._close()
        self._process.returncode = 0  # not our child: nothing to reap, no warning

    def _close(self) -> None:
        for stream in (self._stdin, self._stdout, self._stderr):
            stream.close()
        if self._exit_fd >= 0:
            os.close(self._exit_fd)
            self._exit_fd = -1

    def __del__(self) -> None:
        if getattr(self, "_is_started", False) and not self.is_forked and self._process.returncode is None:
            self.wait_for_end(_EXIT_PATIENCE)


def _open_exit_fd(pid: int) -> int:
    """Readable once the process has ended; -1 where the system has no such descriptor: then the end of its output shows it."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return -1


def _write(fd: int, data: bytearray) -> int:
    """os.write; a child that has ended must not end a program that has made SIGPIPE fatal."""
    if signal.getsignal(signal.SIGPIPE) is not signal.SIG_DFL:
        return os.write(fd, data)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGPIPE,))
    try:
        return os.write(fd, data)
    except BrokenPipeError:
        if signal.SIGPIPE not in before and signal.SIGPIPE in signal.sigpending():
            signal.sigwait((signal.SIGPIPE,))  # it is pending for this thread
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _leave_all_to_parent() -> None:
    for child in list(_children):
        child.leave_to_parent()
    _children.clear()


def _end_all() -> None:
    """First asks all of them to end, so that they end at the same time."""
    global _is_exiting
    _is_exiting = True
    children = list(_children)
    for child in children:
        child.finish_input()
    until = time.monotonic() + _EXIT_PATIENCE
    for child in children:
        child.wait_for_end(max(0.0, until - time.monotonic()))


os.register_at_fork(after_in_child=_leave_all_to_parent)
atexit.register(_end_all)
