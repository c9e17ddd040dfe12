"""For tests of programs that wait for clusters: a simulated cloud, as `rollcall sim` serves it.

    with SimulatedCloud("cloud.json"):
        spec = rollcall_cluster.resolve_sync("tpu:trainer")

With pytest the fixture `simulated_cloud` makes and ends them: `def test_it(simulated_cloud): simulated_cloud("cloud.json")`.
"""
from __future__ import annotations

import contextlib
import json
import os
import re
import select
import subprocess
import tempfile
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from ._child import find_command
from ._errors import CommandFailed

_START_PATIENCE = 30.0  # seconds for its start
_EXPORT = re.compile(r"^export ([A-Za-z_][A-Za-z_0-9]*)='([^']*)'$", re.M)
# The simulation ends when this process ends for any reason: the shell's input ends, and the shell ends the simulation.
_KEEPER = '"$@" </dev/null & trap "" INT; read -r _; kill $! 2>/dev/null; wait $!'


class SimulatedCloud:
    """A cloud of a simulation file, served on this machine while the context is entered.

    Args:
        cloud: the file, or its content as a mapping.
        arguments: further arguments of `rollcall sim`, such as `--ca-out`.
        sets_environ: point this process at the cloud too, by `os.environ`; restored at the end.
        command: the program `rollcall`; default as for a Client.

    Attributes:
        environment: the variables that point a program at the cloud.
    """

    def __init__(
        self,
        cloud: str | os.PathLike[str] | Mapping[str, Any],
        *arguments: str,
        sets_environ: bool = True,
        command: str | os.PathLike[str] | None = None,
    ) -> None:
        self.environment: dict[str, str] = {}
        self._cloud = cloud
        self._arguments = arguments
        self._sets_environ = sets_environ
        self._command = command
        self._before: dict[str, str | None] = {}
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> SimulatedCloud:
        """Raises CommandFailed, with the simulation's messages, when it does not start to serve."""
        with contextlib.ExitStack() as stack:
            name = self._cloud
            if isinstance(name, Mapping):
                file = stack.enter_context(tempfile.NamedTemporaryFile("w", suffix=".json"))
                json.dump(name, file)
                file.flush()
                name = file.name
            self._begin([find_command(self._command), "sim", os.fspath(name), "--quiet", *self._arguments])
        if self._sets_environ:
            self._before = {key: os.environ.get(key) for key in self.environment}
            os.environ.update(self.environment)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for key, value in self._before.items():
            if value is None:
                os.environ.pop(key, None)
            else:
                os.environ[key] = value
        self._before = {}
        self._end()

    @property
    def environ(self) -> dict[str, str]:
        """A whole environment for a program, or for a Client's `environ=`: this process's with the cloud's variables."""
        return {**os.environ, **self.environment}

    def _begin(self, command: list[str]) -> None:
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", _KEEPER, "sh", *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
        assert self._process.stdout is not None and self._process.stderr is not None
        text = b""
        until = time.monotonic() + _START_PATIENCE
        while b"export ROLLCALL_SIM_PID" not in text or not text.endswith(b"\n"):
            ready, _, _ = select.select([self._process.stdout, self._process.stderr], [], [], max(0.0, until - time.monotonic()))
            if self._process.stderr in ready:
                trouble = os.read(self._process.stderr.fileno(), 65536)
                self._end()
                raise CommandFailed(f"the simulation did not start: {trouble.decode(errors='backslashreplace').strip()}")
            chunk = os.read(self._process.stdout.fileno(), 65536) if ready else b""
            if not chunk:
                self._end()
                raise CommandFailed(f"the simulation did not start: it {'ended' if ready else 'was silent'}; it had said {text!r}")
            text += chunk
        self.environment = dict(_EXPORT.findall(text.decode()))

    def _end(self) -> None:
        if self._process is None:
            return
        process, self._process = self._process, None
        for stream in (process.stdin, process.stdout, process.stderr):
            assert stream is not None
            stream.close()
        process.wait()
