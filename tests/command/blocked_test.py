"""Readers that do not read, and floods of signals and news: a command still ends when it must."""
import fcntl
import http.client
import urllib.parse

from support import *

TWO = "simple:job.worker=a:1+b:1"
NODES = {"nodes": [{"name": "flaky", "accelerator_type": "v4-8", "timeline": [{"at": "0s", "state": "CREATING"}]}]}
PREEMPTED = {"metadata": {"values": {"instance/preempted": {"timeline": [{"at": "0s", "value": "FALSE"}, {"at": "1s", "value": "TRUE"}]}}}}
# Ends with 42 at USR1, with 43 at TERM.
LISTEN = """
import os, signal
signal.signal(signal.SIGUSR1, lambda n, f: os._exit(42))
signal.signal(signal.SIGTERM, lambda n, f: os._exit(43))
for number in (signal.SIGUSR2, *range(signal.SIGRTMIN, signal.SIGRTMAX + 1)): signal.signal(number, signal.SIG_IGN)
os.write(1, b"ready\\n")
while True: signal.pause()
"""


def full_pipe():
    """A full pipe: its two ends."""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETFL, os.O_NONBLOCK)
    for piece in (b"x" * 65536, b"x"):
        try:
            while True:
                os.write(writer, piece)
        except BlockingIOError:
            pass
    fcntl.fcntl(writer, fcntl.F_SETFL, 0)
    return reader, writer


def status_of(process):
    with open(f"/proc/{process.pid}/status") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)


def wait_until_caught(process, number):
    """Waits until the process has a handler for the signal and only waits for something."""
    while process.poll() is None and not int(status_of(process)["SigCgt"], 16) >> (number - 1) & 1:
        os.sched_yield()
    last, same = None, 0
    while process.poll() is None and same < 2000:
        status = status_of(process)
        now = (status.get("voluntary_ctxt_switches"), status["State"][0])
        same = same + 1 if now == last and now[1] == "S" else 0
        last = now


class Blocked(Command):
    def start_blocked(self, *words, out=False, err=False, stdin=subprocess.DEVNULL, **variables):
        """Output that is not blocked is not read, but could be."""
        reader, writer = full_pipe()
        self.addCleanup(os.close, reader)
        process = subprocess.Popen([ROLLCALL, *words], env=self.environment(**variables), stdin=stdin,
                                   stdout=writer if out else subprocess.PIPE, stderr=writer if err else subprocess.PIPE, text=True)
        os.close(writer)
        self.addCleanup(self.end, process)
        return process, reader

    def expect_end(self, process, code=130):
        process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, code)

    def test_one_signal_ends_commands_that_nobody_reads(self):
        self.simulate(CLOUD)
        fifo = os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "fifo")
        os.mkfifo(fifo)
        unreachable = "simple:job.worker=127.0.0.1:1"
        for number in (signal.SIGTERM, signal.SIGINT):
            for blocked, *words in (({"out": True}, "watch", TWO), ({"out": True}, "watch", TWO, "--format", "json"), ({"err": True}, "watch", TWO, "--verbose"),
                                    ({"err": True}, "wait", unreachable, "--until", "reachable"), ({"out": True}, "discover", "--format", "json", "--targets-from", "-"),
                                    ({"err": True}, "wait", unreachable, "--until", "reachable", "--log", "json"),
                                    ({"err": True}, "exec", unreachable, "--until", "reachable", "--", "true"),
                                    ({"err": True}, "watch", TWO, "--exec", "exit 3")):
                with self.subTest(words=words, number=number):
                    if "-" in words:
                        with tempfile.TemporaryFile() as file:
                            for i in range(50):
                                file.write(f"{TWO},task={i}\ntpu:nobody-{i},project=p,zone=z\n".encode())
                            file.seek(0)
                            process, _ = self.start_blocked(*words, **blocked, stdin=file)
                    else:
                        process, _ = self.start_blocked(*words, **blocked)
                    wait_until_caught(process, number)
                    process.send_signal(number)
                    self.expect_end(process)

    def test_a_simulation_that_nobody_reads_ends(self):
        process, _ = self.start_blocked("sim", CLOUD, out=True)
        wait_until_caught(process, signal.SIGTERM)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
        process, reader = self.start_blocked("sim", CLOUD, err=True)
        self.assertTrue(lines_until(process.stdout, "ROLLCALL_SIM_PID"))
        process.send_signal(signal.SIGTERM)
        self.expect_end(process, 0)

    def test_a_service_whose_log_nobody_reads_answers_and_ends(self):
        self.simulate(CLOUD)
        for words in (["--log", "json"], ["--verbose"]):
            with self.subTest(words=words):
                service, _ = self.start_blocked("serve", "--listen", "127.0.0.1:0", *words, err=True)
                place = urllib.parse.urlsplit(exports(service.stdout.readline())["ROLLCALL_SERVER"]).netloc
                for path in ("/v1/clusters/tpu:none,project=p,zone=z", "/v1/clusters/tpu:%20", "/healthz"):
                    connection = http.client.HTTPConnection(place, timeout=PATIENCE)
                    connection.request("GET", path)
                    answer = connection.getresponse()
                    connection.close()
                self.assertEqual(answer.status, 200)
                service.terminate()
                self.expect_end(service, 0)

    def test_metrics_for_a_reader_who_went(self):
        self.simulate(NODES)
        path = os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "metrics")
        os.mkfifo(path)
        process = self.start("watch", "tpu:flaky", "--metrics", path)
        self.addCleanup(self.end, process)
        with open(path) as file:  # no process reads the later lines
            self.assertIn("rollcall", file.read())
        self.assertIn("cannot write", lines_until(process.stderr, "cannot write")[-1])
        self.interrupt(process, signal.SIGTERM)

    def test_a_supervisor_whose_standard_error_is_full(self):
        self.simulate(PREEMPTED)
        words = ["exec", TWO, "--progress", "none", "--on-preempt", "USR1", "--", sys.executable, "-c", LISTEN]
        process, _ = self.start_blocked(*words, err=True)  # gets the notice of preemption, and is reaped
        self.expect_end(process, 42)

    def test_a_supervisor_whose_standard_error_is_full_passes_signals_on(self):
        process, _ = self.start_blocked("exec", TWO, "--progress", "none", "--on-preempt", "USR1", "--", sys.executable, "-c", LISTEN, err=True,
                                        NO_GCE_CHECK="true")
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.send_signal(signal.SIGTERM)
        self.expect_end(process, 43)

    def test_ten_thousand_signals(self):
        process = self.start("exec", TWO, "--progress", "none", "--on-preempt", "USR1", "--", sys.executable, "-c", LISTEN)
        self.addCleanup(self.end, process)
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.send_signal(signal.SIGSTOP)
        try:
            for _ in range(20000):
                process.send_signal(signal.SIGRTMIN)
        except BlockingIOError:  # the maximum that Linux queues
            pass
        process.send_signal(signal.SIGCONT)
        for _ in range(10000):
            process.send_signal(signal.SIGUSR2)
        process.send_signal(signal.SIGTERM)
        self.expect_end(process, 43)


if __name__ == "__main__":
    main()
