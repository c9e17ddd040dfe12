"""`rollcall stage`: what processes do before a barrier, in a file of their session and at a service."""
import os
import socket
import stat

from json_schema import Schema
from support import *

AWAY = "simple:job.worker=192.0.2.1:1+192.0.2.2:1+192.0.2.3:1"


class Stages(Command):
    """Each test has a folder for the files of stages, and processes of one session."""

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.runtime = folder.name

    def environment(self, **variables):
        return super().environment(**{"NO_GCE_CHECK": "true", "XDG_RUNTIME_DIR": self.runtime, **variables})

    def logs(self):
        folder = os.path.join(self.runtime, "rollcall")
        return [os.path.join(folder, name) for name in os.listdir(folder)] if os.path.isdir(folder) else []


class StageFile(Stages):
    def test_the_program_runs_with_its_output_and_its_exit_code(self):
        done = self.run_it("stage", "sync", "--", "sh", "-c", "read line; echo out $line; echo err >&2; exit 7", stdin="in\n")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (7, "out in\n", "err\n"))
        (log,) = self.logs()
        self.assertEqual((stat.S_IMODE(os.stat(log).st_mode), stat.S_IMODE(os.stat(os.path.dirname(log)).st_mode)), (0o600, 0o700))
        self.assertEqual(self.run_it("stage", "data").returncode, 0)
        self.assertEqual(self.run_it("stage", "killed", "--", "sh", "-c", "kill -9 $$").returncode, 137)
        with open(log, encoding="utf-8") as file:
            lines = [line.split() for line in file]
        self.assertEqual([(words[0], *words[3:]) for words in lines],
                         [("+", "0", "sync"), ("-", "7", "sync"), ("*", "0", "data"), ("+", "0", "killed"), ("-", "137", "killed")])

    def test_signals_reach_the_program(self):
        process = self.start("stage", "sync", "--", sys.executable, "-c",
                             "import signal, sys; signal.signal(signal.SIGTERM, lambda *_: sys.exit(9)); print('ready', flush=True); signal.pause()")
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 9)

    def test_names_are_checked(self):
        for name in ("", "a" * 65, "a\x1b[31mb", "two\nlines", " a"):
            done = self.run_it("stage", name, "--", "echo", "started")
            self.assertEqual((done.returncode, done.stdout), (112, ""), done.stderr)
            self.assertIn("name of a stage", done.stderr)
            self.assertNotIn("\x1b", done.stderr)
        self.assertEqual(self.run_it("stage", "--", "true").returncode, 112)
        self.assertEqual(self.run_it("stage", "sync", "--").returncode, 112)
        self.assertEqual(self.run_it("stage", "sync", "--", "no-such-program").returncode, 127)
        self.assertEqual(self.logs(), [])

    def test_a_folder_that_others_may_enter_is_not_used_and_the_program_runs(self):
        os.mkdir(os.path.join(self.runtime, "rollcall"))
        os.chmod(os.path.join(self.runtime, "rollcall"), 0o755)
        done = self.run_it("stage", "sync", "--", "echo", "ran")
        self.assertEqual((done.returncode, done.stdout), (0, "ran\n"))
        self.assertIn("is not a folder of this user alone", done.stderr)
        os.rmdir(os.path.join(self.runtime, "rollcall"))
        os.symlink(self.runtime, os.path.join(self.runtime, "rollcall"))
        self.assertIn("is no folder that can be used", self.run_it("stage", "sync", "--", "true").stderr)
        self.assertEqual(self.run_it("stage", "sync", "--quiet", "--", "true").stderr, "")

    def test_another_rank_and_another_session_have_logs_of_their_own(self):
        self.run_it("stage", "a")
        self.run_it("stage", "b", SLURM_PROCID="3", SLURM_JOB_ID="7", SLURM_STEP_NUM_TASKS="8")
        subprocess.run([ROLLCALL, "stage", "c"], env=self.environment(), start_new_session=True, check=True, timeout=PATIENCE)
        self.assertEqual(len(self.logs()), 3)


class StageAtBarrier(Stages):
    @staticmethod
    def end_session(process):
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()

    def test_the_stages_end_with_the_start(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            target = f"simple:job.worker=127.0.0.1:{free.getsockname()[1]}"
        self.run_it("stage", "sync", "--", "true")
        self.assertEqual(len(self.logs()), 1)
        done = self.run_it("exec", target, "--barrier", "--task", "worker:0", "--", "echo", "started")
        self.assertEqual((done.returncode, done.stdout), (0, "started\n"), done.stderr)
        self.assertEqual(self.logs(), [])

    def test_the_service_shows_the_stage_of_a_task_that_is_late(self):
        service = self.begin("serve", "--listen", "127.0.0.1:0")
        url = exports(service.stdout.readline())["ROLLCALL_SERVER"]
        variables = {"ROLLCALL_SERVER": url, "ROLLCALL_TARGET": AWAY}
        schema = Schema(read_json(os.path.join(HERE, "../../docs/output.schema.json")), knows_all=True)
        words = ("exec", AWAY, "--barrier", "--progress", "json")
        # A session each, as tasks of several hosts have them.
        tasks = [subprocess.Popen([ROLLCALL, "stage", "sync", "--target", AWAY, "--task", f"worker:{i}", "--", ROLLCALL, *words, "--task", f"worker:{i}", "--", "echo",
                                   "started"], env=self.environment(ROLLCALL_SERVER=url), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True, start_new_session=True) for i in (0, 1)]
        for task in tasks:
            self.addCleanup(self.end_session, task)
        for task in tasks:
            lines_until(task.stderr, '"here":2')
        late = self.start("stage", "uv sync", "--task", "worker:2", "--", sys.executable, "-c", "import signal; signal.pause()", **variables)
        for task in tasks:
            line = json.loads(lines_until(task.stderr, '"stage":"uv sync"')[-1])
            self.assertEqual(schema.faults(line, "barrier"), [])
            (missing,) = line["missing"]
            self.assertEqual((missing["task"], missing["stage"]), ("worker:2", "uv sync"))
            self.assertRegex(missing["since"], r"^20..-..-..T..:..:..Z$")
            self.assertRegex(line["line"], "^2/3 here · worker:2: `uv sync` for ")
        shown = json.loads(self.run_it("fleet", "--format", "json", ROLLCALL_SERVER=url).stdout)
        self.assertEqual(schema.faults(shown, "fleet"), [])
        self.assertEqual(shown["barriers"][0]["missing"][0]["stage"], "uv sync")
        late.terminate()
        late.communicate(timeout=PATIENCE)
        self.assertEqual(late.returncode, 143)
        for task in tasks:
            lines_until(task.stderr, "`uv sync` has failed with exit status 143")
        last = self.run_it("exec", AWAY, "--barrier", "--task", "worker:2", "--", "echo", "started", **variables)
        self.assertEqual((last.returncode, last.stdout), (0, "started\n"), last.stderr)
        for task in tasks:
            self.assertEqual((task.communicate(timeout=PATIENCE)[0], task.returncode), ("started\n", 0))

    def test_without_a_cluster_the_service_shows_nothing_and_the_program_runs(self):
        done = self.run_it("stage", "sync", "--", "echo", "ran", ROLLCALL_SERVER="http://127.0.0.1:1")
        self.assertEqual((done.returncode, done.stdout), (0, "ran\n"))
        self.assertIn("name it by --target or ROLLCALL_TARGET", done.stderr)
        done = self.run_it("stage", "sync", "--target", "nonsense", "--", "echo", "ran", ROLLCALL_SERVER="http://127.0.0.1:1")
        self.assertEqual((done.returncode, done.stdout), (0, "ran\n"))


if __name__ == "__main__":
    main()
