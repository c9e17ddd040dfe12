"""Runs the command as a process, mostly against a simulated cloud. Nothing here sleeps: tests wait for lines and for exits."""
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

ROLLCALL = os.environ.get("ROLLCALL", "rollcall")
SANITIZED = bool(os.environ.get("ASAN_OPTIONS") or os.environ.get("TSAN_OPTIONS"))  # whose memory is the sanitizer's own
HERE = os.path.dirname(os.path.abspath(__file__))
CLOUD = os.path.join(HERE, "cloud.json")
EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(HERE)), "examples")
PATIENCE = 60  # seconds until a test counts as hung; no result depends on it
CTRL_C = b"\x03"


def clean_environment():
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "LANG", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")}
    kept["TERM"] = "xterm"
    return kept


def exports(text):
    return dict(re.findall(r"^export ([A-Z_0-9]+)='([^']*)'$", text, re.MULTILINE))


def lines_until(stream, part):
    """The lines up to the first one that has `part`."""
    lines = []
    for line in stream:
        lines.append(line)
        if part in line:
            break
    return lines


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def later(value, times):
    """The description of a cloud in which all happens so many times later."""
    if isinstance(value, list):
        return [later(one, times) for one in value]
    if isinstance(value, dict):
        return {key: later_time(one, times) if key in ("at", "from", "created_at") else later(one, times) for key, one in value.items()}
    return value


def later_time(text, times):
    number, unit = re.fullmatch(r"(\d+)(ms|s)", text).groups()
    return f"{int(number) * times}{unit}"


def environment_of(process):
    """Empty if it has ended, or belongs to another user."""
    try:
        with open(f"/proc/{process}/environ", "rb") as file:
            return file.read()
    except OSError:
        return b""


class Simulation:
    """`rollcall sim` in the foreground; `environment` points clients at it. `cloud` is a file, or its content."""

    def __init__(self, cloud=CLOUD, *arguments):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:  # read when the first line has come
            if isinstance(cloud, dict):
                json.dump(cloud, file)
                file.flush()
                cloud = file.name
            self.process = subprocess.Popen([ROLLCALL, "sim", cloud, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                            env=clean_environment(), text=True)
            lines = "".join(lines_until(self.process.stdout, "ROLLCALL_SIM_PID"))
        self.environment = exports(lines)
        if "ROLLCALL_SIM_PID" not in self.environment:
            raise AssertionError("the simulation did not start: " + lines + self.process.communicate()[1])

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.counts = self.process.communicate(timeout=PATIENCE)[1]
        return self.process.returncode


class Command(unittest.TestCase):
    """Runs the command with `sim` as its only cloud."""

    maxDiff = None
    sim = None

    def simulate(self, cloud, *arguments):
        """Serves until the test ends. Its time begins with the first request, so that tests see its beginning on a slow machine, too."""
        self.sim = Simulation(cloud, "--await-request", *arguments)
        self.addCleanup(self.sim.stop)

    def slowness(self):
        """How many times longer than a quarter of a second the command takes here to start a program of Python, but at least 1."""
        began = time.monotonic()
        done = self.run_it("exec", "simple:job.worker=a:1", "--", sys.executable, "-c", "")
        self.assertEqual(done.returncode, 0, done.stderr)
        return max(1, round((time.monotonic() - began) * 4))

    def environment(self, **variables):
        return {**clean_environment(), **(self.sim.environment if self.sim else {}), **variables}

    def program(self, _words):
        """The command that is started for the words: a test of two versions has two."""
        return ROLLCALL

    def run_it(self, *words, stdin=None, **variables):
        given = {"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin}
        return subprocess.run([self.program(words), *words], env=self.environment(**variables), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=PATIENCE, **given)

    def late_enough_for(self, answer, wait, *words, milliseconds, **variables):
        """A time-out in seconds, and what `wait` returns for a wait that ends by it and had that answer before: on a slow machine the time-out is longer."""
        while True:
            done = wait("wait", *words, "--timeout", f"{milliseconds}ms", **variables)
            if answer in str(done):
                return f"{milliseconds / 1000:g}", done
            milliseconds *= 2
            self.assertLess(milliseconds, PATIENCE * 1000, done)

    def start(self, *words, **variables):
        return subprocess.Popen([self.program(words), *words], env=self.environment(**variables), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def begin(self, *words, **variables):
        """As `start`, until the test ends."""
        process = self.start(*words, **variables)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def interrupt(self, process, number=signal.SIGINT):
        """Ends the process of `start`: the rest of its standard output and standard error."""
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130, err)
        return out, err

    def check_none_left(self, variable, value):
        """Waits until no process has that variable, which the test has given to those that it started."""
        mark = f"{variable}={value}\0".encode()
        end = time.monotonic() + PATIENCE
        while any(mark in environment_of(process) for process in filter(str.isdigit, os.listdir("/proc"))):
            self.assertLess(time.monotonic(), end, "a process is left behind")

    def spec(self, *words, **variables):
        done = self.run_it("spec", *words, **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def on_terminal(self, *words, keys=(), columns=None, **variables):
        """With a terminal for standard output and standard error: exit status and output. `keys` are pairs of a pattern and keys: at the first match of the pattern the
        terminal's user presses the keys, one pair after the other."""
        pid, terminal = pty.fork()
        if pid == 0:
            if columns:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            os.execve(ROLLCALL, [ROLLCALL, *words], self.environment(**variables))
        shown = b""
        pending = list(keys)
        while True:
            ready, _, _ = select.select([terminal], [], [], PATIENCE)
            if not ready:
                os.kill(pid, signal.SIGKILL)
                raise AssertionError("hung; shown: " + repr(shown))
            try:
                piece = os.read(terminal, 65536)
            except OSError:  # the other side is closed
                break
            if not piece:
                break
            shown += piece
            if pending and re.search(pending[0][0], shown):
                os.write(terminal, pending.pop(0)[1])
        os.close(terminal)
        _, status = os.waitpid(pid, 0)
        return os.waitstatus_to_exitcode(status), shown.decode()


class Case(Command):
    """All tests of a class share a simulation of `cloud`."""

    cloud = CLOUD

    @classmethod
    def setUpClass(cls):
        cls.sim = Simulation(cls.cloud)

    @classmethod
    def tearDownClass(cls):
        cls.sim.stop()


def main():
    unittest.main(module="__main__", verbosity=1)
