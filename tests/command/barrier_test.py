"""`rollcall exec --barrier`: processes that start together, on loopback addresses of one machine each."""
import socket

from support import *

THREE = "simple:job.worker=127.0.0.1:{0}+127.0.0.2:{0}+127.0.0.3:{0}"
# Binds its port as a program without SO_REUSEADDR does: that fails while a connection is in TIME_WAIT there.
BIND = "import socket, sys; s = socket.socket(); s.bind((sys.argv[1], int(sys.argv[2]))); print('bound')"


class Barrier(Command):
    def setUp(self):
        super().setUp()
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.target = THREE.format(self.port)

    def environment(self, **variables):
        return super().environment(**{"NO_GCE_CHECK": "true", **variables})

    def task(self, index, *words):
        return self.start("exec", self.target, "--task", f"worker:{index}", "--barrier", *words, "--", sys.executable, "-c", BIND,
                          f"127.0.0.{index + 1}", str(self.port))

    def test_all_start_when_the_last_has_come_and_the_ports_are_free(self):
        early = [self.task(0), self.task(1)]
        for process in early:
            lines_until(process.stderr, "2/3 here · worker:2: not started: its host answers, and nothing listens at 127.0.0.3:")
        for process in [*early, self.task(2)]:
            out, error = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out), (0, "bound\n"), error)

    def test_the_missing_are_named_at_the_end(self):
        done = self.run_it("exec", self.target, "--task", "worker:1", "--barrier", "--timeout", "2s", "--", "echo", "started")
        self.assertEqual((done.returncode, done.stdout), (113, ""))
        self.assertIn("not all tasks have come to the barrier: 1/3 here · worker:0: not ", done.stderr)

    def test_what_fails_here_fails_before_the_barrier(self):
        for code, words, text in ((112, ["--restart-on", "lost"], "cannot be used with --restart-on"),
                                  (112, ["--barrier-port", "0"], "'0' is no port")):
            done = self.run_it("exec", self.target, "--task", "worker:1", "--barrier", *words, "--", "true")
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(text, done.stderr)
        done = self.run_it("exec", "simple:job.worker=a.invalid:1+b.invalid:1", "--barrier", "--", "true")
        self.assertEqual(done.returncode, 111)
        self.assertIn("must know which one it is", done.stderr)
        with socket.create_server(("127.0.0.2", self.port)):
            done = self.run_it("exec", self.target, "--task", "worker:1", "--barrier", "--", "true")
        self.assertEqual(done.returncode, 111)
        self.assertIn(f"port {self.port} of this host, where the others meet, is not free", done.stderr)


if __name__ == "__main__":
    main()
