"""`--metrics FILE`: the numbers, the times of writes, and that promtool accepts them where it is installed."""
import fcntl
import shutil

from support import *

FLAPPING = {"nodes": [{"name": "soon", "accelerator_type": "v4-16", "timeline": [
    {"at": "0s", "state": "CREATING", "endpoints": []}, {"at": "3s", "state": "READY", "endpoints": ["127.0.9.1", "127.0.9.2"]}]}],
    "faults": [{"match": {"route": "nodes.get"}, "status": 503, "times": 1}]}


def values(text):
    return dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))


class Metrics(Command):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.simulate(FLAPPING)
        self.path = os.path.join(self.folder.name, "rollcall.prom")

    def text(self):
        with open(self.path, encoding="utf-8") as file:
            return file.read()

    def test_requests_are_counted(self):
        done = self.run_it("spec", "tpu:soon", "--metrics", self.path)
        self.assertEqual(done.returncode, 1, done.stderr)  # still CREATING
        seen = values(self.text())
        self.assertEqual(seen['rollcall_calls_total{operation="cluster_spec",outcome="not_ready"}'], "1")
        self.assertEqual(seen['rollcall_retries_total{reason="503"}'], "1")
        statuses = {key.split('status="')[1][:3]: int(value) for key, value in seen.items() if key.startswith("rollcall_requests_total")}
        self.assertEqual(statuses["503"], 1)
        self.assertGreaterEqual(statuses["200"], 1)
        self.assertEqual(seen["rollcall_requests_in_flight"], "0")
        self.assertEqual(os.listdir(self.folder.name), ["rollcall.prom"])  # no other file is left beside it
        self.assertEqual(os.stat(self.path).st_mode & 0o777, 0o666 & ~self.mask())
        promtool = shutil.which("promtool") or os.environ.get("PROMTOOL")
        if promtool:
            checked = subprocess.run([promtool, "check", "metrics"], input=self.text(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            self.assertEqual((checked.returncode, checked.stdout), (0, ""))

    @staticmethod
    def mask():
        mask = os.umask(0)
        os.umask(mask)
        return mask

    def test_members_are_counted(self):
        done = self.run_it("wait", "tpu:soon", "--progress", "none", "--metrics", self.path)
        self.assertEqual(done.returncode, 0, done.stderr)
        seen = values(self.text())
        self.assertEqual((seen['rollcall_cluster_members{standing="ready"}'], seen['rollcall_cluster_members{standing="waiting"}']), ("2", "0"))
        self.assertEqual(seen["rollcall_cluster_members_expected"], "2")
        self.assertEqual((seen['rollcall_members_awaited{state="ready"}'], seen['rollcall_members_awaited{state="waiting"}']), ("2", "0"))

    def test_a_watch_writes_as_it_goes(self):
        process = self.start("watch", "tpu:soon", "--metrics", self.path)
        lines_until(process.stdout, "is ready")
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGIO])  # which shows that a file was renamed
        folder = os.open(self.folder.name, os.O_RDONLY)
        self.addCleanup(os.close, folder)
        fcntl.fcntl(folder, fcntl.F_NOTIFY, fcntl.DN_RENAME | fcntl.DN_MULTISHOT)
        while values(self.text()).get('rollcall_cluster_members{standing="ready"}') != "2":  # within the second
            self.assertIsNotNone(signal.sigtimedwait([signal.SIGIO], PATIENCE), self.text())
        self.interrupt(process)
        self.assertIn('operation="watch",outcome="cancelled"', self.text())

    def test_the_parent_of_a_program_goes_on(self):
        self.simulate({"nodes": [{"name": "spot", "accelerator_type": "v4-8", "timeline": [
            {"at": "0s", "state": "READY", "endpoints": ["127.0.9.3"]}, {"at": "2s", "state": "PREEMPTED", "endpoints": []}]}]})
        done = self.run_it("exec", "tpu:spot", "--progress", "none", "--metrics", self.path, "--on-preempt", "TERM", "--",
                           sys.executable, "-c", "import signal, sys; signal.signal(signal.SIGTERM, lambda *_: sys.exit(7)); signal.pause()")
        self.assertEqual(done.returncode, 7, done.stderr)
        seen = values(self.text())
        self.assertEqual((seen['rollcall_cluster_members{standing="lost"}'], seen['rollcall_cluster_members{standing="ready"}']), ("1", "0"))

    def test_files_of_all_kinds(self):
        target = ["spec", "simple:job.worker=a:1", "--metrics"]
        done = self.run_it(*target, "/no/such/folder/x")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--metrics: cannot write '/no/such/folder/x': No such file or directory", done.stderr)
        done = self.run_it(*target, "/dev/stderr")
        self.assertEqual(done.returncode, 0)
        self.assertIn('rollcall_calls_total{operation="cluster_spec",outcome="ok"} 1', done.stderr)
        link = self.path + ".link"
        os.symlink(self.path, link)
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("old")
        self.assertEqual(self.run_it(*target, link).returncode, 0)
        self.assertTrue(os.path.islink(link))
        self.assertIn("rollcall_calls_total", self.text())


if __name__ == "__main__":
    main()
