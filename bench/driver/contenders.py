"""The contenders: how each is started, the stub that all of them ask, and the rounds in which they take turns."""
import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from row import Series

BENCH = pathlib.Path(__file__).resolve().parent.parent
ROOT = BENCH.parent
PEERS = ROOT / "build/peers"
PYTHON = PEERS / "venv/bin/python"
BUILD = pathlib.Path(os.environ.get("BENCH_BUILD", ROOT / "build/release"))
LIMIT = 240  # maximum of seconds for a contender's round
# A contender's environment is only this.
SURROUNDINGS = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": "/nonexistent", "LC_ALL": "C.UTF-8", "ROLLCALL_ACCESS_TOKEN": "test-token"}


def say(*words):
    print(*words, file=sys.stderr, flush=True)


class Stub:
    """bench/stub.cpp while the context is entered. With `python` it is bench/tpu_stub.py, which speaks gRPC."""

    handshakes = resumed = 0  # of TLS, in the time of the last take()

    def __init__(self, *words, python=None, tls=False):
        self._command = [python, BENCH / "tpu_stub.py", *words] if python else [BUILD / "bench_stub", *words]
        self._is_python = python is not None
        self._authority = tempfile.NamedTemporaryFile(suffix=".pem") if tls else None
        if tls:
            self._command += ["--tls", self.ca]

    def __enter__(self):
        self._process = subprocess.Popen([*map(str, self._command)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.port = self._process.stdout.readline().split()[-1]
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait()
        if self._authority:
            self._authority.close()

    @property
    def ca(self):
        """The file with the authority of a stub that speaks https, or nothing."""
        return self._authority.name if self._authority else ""

    @property
    def surroundings(self):
        return {**SURROUNDINGS, "BENCH_CA": self.ca} if self.ca else SURROUNDINGS

    def take(self):
        """Requests, and the stub's CPU seconds, since the last time."""
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        requests, cpu, *of_tls = self._process.stdout.readline().split()
        self.handshakes, self.resumed = map(int, of_tls or (0, 0))
        return int(requests), float(cpu)


@dataclasses.dataclass
class Contender:
    """`command` is followed by PORT COUNT IN_FLIGHT. A slow contender does a part of the work, in fewer rounds: results are per answer."""

    name: str
    kind: str
    command: list
    part: float = 1
    rounds: float = 1
    words: tuple = ()  # that follow the numbers
    missing: str = ""  # why it cannot be measured
    variables: dict = dataclasses.field(default_factory=dict)  # of the environment, besides those of all


def go(name, program, **others):
    path = PEERS / program
    reason = "" if path.exists() else "not set up: --peers makes it with Go 1.24 or later"
    return Contender(name, "peer", [path], missing=reason, **others)


def python(name, program, **others):
    reason = "" if PYTHON.exists() else "not set up: --peers makes it with packages of PyPI"
    return Contender(name, "peer", [PYTHON, BENCH / f"peers/python/{program}.py"], missing=reason, **others)


def ours():
    return Contender("rollcall", "ours", [BUILD / "bench_resolve", "rollcall"])


def ours_by_http1():
    """By 64 connections at most, the usual number."""
    return Contender("rollcall, HTTP/1.1", "floor", [BUILD / "bench_resolve", "http1.1"])


def raw():
    return Contender("raw Asio", "floor", [BUILD / "bench_resolve", "raw"])


def run(command, environment=None):
    """The last line that the contender printed, as JSON; a sentence instead if there was none."""
    try:
        done = subprocess.run([*map(str, command)], env=environment or SURROUNDINGS, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return f"took over {LIMIT} s"
    except OSError as error:
        return str(error)
    if done.returncode != 0:
        return f"ended with {done.returncode}: {' '.join((done.stderr or done.stdout).split()[-25:])}"
    return json.loads(done.stdout.splitlines()[-1])


def take_turns(stub, contenders, count, in_flight, rounds):
    """Each contender's lines of JSON by its name, and its Series without values, which has the reason where the work was not done.

    The stub's count of requests must match the work exactly: otherwise the contender's row is void.
    """
    lines = {one.name: [] for one in contenders}
    series = {one.name: Series(one.name, one.kind, note=one.missing) for one in contenders}
    for number in range(rounds):
        for one in contenders:
            if series[one.name].note or number >= max(1, round(rounds * one.rounds)):
                continue
            stub.take()
            work = max(1, round(count * one.part))
            line = run([*one.command, stub.port, work, in_flight, *one.words], {**stub.surroundings, **one.variables})
            asked, stub_cpu = stub.take()
            if isinstance(line, str):
                series[one.name].note = line
            elif asked != line["requests"]:
                series[one.name].note = f"void: the stub was asked {asked} times for the work of {line['requests']}"
            else:
                lines[one.name].append({**line, "count": work, "stub_us": stub_cpu / asked * 1e6, "handshakes": stub.handshakes})
        say(f"  round {number + 1} of {rounds}")
    for one in series.values():
        if one.note:
            say(f"  {one.name}: {one.note}")
    return lines, series


def each(lines, series, value):
    """The Series of all contenders, with `value` applied to each line."""
    return [dataclasses.replace(one, values=[] if one.note else [value(line) for line in lines[name]]) for name, one in series.items()]


def launch(command, environment=None):
    """Measures a process from its start to its end: {wall, cpu, highest_kb}, or a sentence."""
    return run([BUILD / "bench_launch", *command], environment)


def program(name, quick, is_judge=False):
    """Runs one of our own programs, shows its output, and returns its figures: lists by name. A non-zero exit is an error, unless the program only judges times."""
    with tempfile.NamedTemporaryFile("r") as figures:
        environment = {**os.environ, "BENCH_FIGURES": figures.name, **({"BENCH_QUICK": "1"} if quick else {})}
        status = subprocess.run([str(BUILD / f"bench_{name}")], env=environment, stdout=sys.stderr).returncode
        found = {}
        for line in figures.read().splitlines():
            key, value = line.split()
            found.setdefault(key, []).append(float(value))
    if status != 0 and not is_judge:
        raise ValueError(f"bench_{name} ended with {status}")
    return found


def ceiling(lines):
    """A sentence about the stub: the number of requests it could answer if it did nothing else."""
    used = [line["stub_us"] for line in lines["raw Asio"]]
    return f"the stub answers {1e6 / statistics.median(used):,.0f} requests a second at most" if used else ""
