"""Runs the command as a process against a simulated cloud of its own. Nothing here sleeps: tests wait for lines and for exits."""
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import unittest

ROLLCALL = os.environ.get("ROLLCALL", "rollcall")
HERE = os.path.dirname(os.path.abspath(__file__))
CLOUD = os.path.join(HERE, "cloud.json")
PATIENCE = 60  # seconds until a test is taken for hung; no result depends on it


def clean_environment():
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "LANG", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")}
    kept["TERM"] = "xterm"
    return kept


def exports(text):
    return dict(re.findall(r"^export ([A-Z_0-9]+)='([^']*)'$", text, re.MULTILINE))


class Simulation:
    """`rollcall sim` in the foreground; `environment` points clients at it."""

    def __init__(self, path=CLOUD, *arguments):
        self.process = subprocess.Popen([ROLLCALL, "sim", path, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=clean_environment(), text=True)
        lines = ""
        for line in self.process.stdout:
            lines += line
            if "ROLLCALL_SIM_PID" in line:
                break
        self.environment = exports(lines)
        if "ROLLCALL_SIM_PID" not in self.environment:
            raise AssertionError("the simulation did not start: " + lines + self.process.communicate()[1])

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.counts = self.process.communicate(timeout=PATIENCE)[1]
        return self.process.returncode


class Case(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.sim = Simulation()

    @classmethod
    def tearDownClass(cls):
        cls.sim.stop()

    def run_it(self, *words, stdin=None, **variables):
        environment = {**clean_environment(), **self.sim.environment, **variables}
        return subprocess.run([ROLLCALL, *words], env=environment, input=stdin, stdin=None if stdin is not None else subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)

    def start(self, *words, **variables):
        environment = {**clean_environment(), **self.sim.environment, **variables}
        return subprocess.Popen([ROLLCALL, *words], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def spec(self, *words, **variables):
        done = self.run_it("spec", *words, **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def on_terminal(self, *words, stop_at=None, **variables):
        """With a terminal for standard output and standard error: exit status and what was shown. At the first match of
        `stop_at` the terminal's user presses Ctrl-C."""
        environment = {**clean_environment(), **self.sim.environment, **variables}
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(ROLLCALL, [ROLLCALL, *words], environment)
        shown = b""
        has_stopped = False
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
            if stop_at and not has_stopped and re.search(stop_at, shown):
                has_stopped = True
                os.write(terminal, b"\x03")
        os.close(terminal)
        _, status = os.waitpid(pid, 0)
        return os.waitstatus_to_exitcode(status), shown.decode()


def main():
    unittest.main(module="__main__", verbosity=1)
