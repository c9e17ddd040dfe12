"""`rollcall exec --barrier`: processes that start together, on loopback addresses of one machine each."""
import socket
import urllib.request

from json_schema import Schema
from support import *

THREE = "simple:job.worker=127.0.0.1:{0}+127.0.0.2:{0}+127.0.0.3:{0}"
# Binds its port as a program without SO_REUSEADDR does: that fails while a connection is in TIME_WAIT there.
BIND = "import socket, sys; s = socket.socket(); s.bind((sys.argv[1], int(sys.argv[2]))); print('bound')"


class BarrierCase(Command):
    def setUp(self):
        super().setUp()
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.target = THREE.format(self.port)

    def environment(self, **variables):
        return super().environment(**{"NO_GCE_CHECK": "true", **variables})


class Barrier(BarrierCase):
    def task(self, index, *words):
        return self.start("exec", self.target, "--task", f"worker:{index}", "--barrier", *words, "--", sys.executable, "-c", BIND,
                          f"127.0.0.{index + 1}", str(self.port))

    def test_all_start_when_the_last_has_come_and_the_ports_are_free(self):
        early = [self.task(0), self.task(1)]
        for process in early:
            lines_until(process.stderr, "2/3 here · worker:2: not started: its host answers, and nothing listens at 127.0.0.3:")
        for process in [*early, self.task(2)]:
            out, error = process.communicate(timeout=PATIENCE)
            self.assertEqual((process.returncode, out), (0, "bound\n"), error)

    def test_hosts_of_both_families_start_together(self):
        target = "simple:job.worker=[::1]:{0}+127.0.0.1:{0}+127.0.0.2:{0}".format(self.port)
        tell = "import os; print(os.environ['ROLLCALL_TASK_INDEX'])"
        all_tasks = [self.start("exec", target, "--task", f"worker:{i}", "--barrier", "--", sys.executable, "-c", tell) for i in range(3)]
        for index, process in enumerate(all_tasks):
            out, error = process.communicate(timeout=PATIENCE)
            self.assertEqual((process.returncode, out), (0, f"{index}\n"), error)

    def test_tasks_that_share_a_secret_start_and_one_without_is_named(self):
        with tempfile.NamedTemporaryFile("w", suffix=".secret") as file:
            file.write("a secret of that many bytes\n")
            file.flush()
            waiting = [self.task(0, "--secret-file", file.name), self.task(1, "--secret-file", file.name)]
            for process in waiting:
                lines_until(process.stderr, "2/3 here")
            stranger = self.task(2, "--timeout", f"{3 * self.slowness()}s")
            for process in waiting:
                lines_until(process.stderr, "2/3 here · worker:2: a program from 127.0.0.1 says that it is this task, and it has no secret")
            out, error = stranger.communicate(timeout=PATIENCE)
            self.assertEqual((stranger.returncode, out), (113, ""), error)
            self.assertIn("it has a secret, which the task that heard it has not", error)
            self.assertIn("give all tasks the same --secret-file", error)
            right = self.start("exec", self.target, "--task", "worker:2", "--barrier", "--", "echo", "started", ROLLCALL_SECRET_FILE=file.name)
            for process in [*waiting, right]:
                out, error = process.communicate(timeout=PATIENCE)
                self.assertEqual((process.returncode, out), (0, "started\n" if process is right else "bound\n"), error)

    def test_the_missing_are_named_at_the_end(self):
        done = self.run_it("exec", self.target, "--task", "worker:1", "--barrier", "--timeout", f"{2 * self.slowness()}s", "--", "echo", "started")
        self.assertEqual((done.returncode, done.stdout), (113, ""))
        self.assertIn("not all tasks have come to the barrier: 1/3 here · worker:0: not ", done.stderr)

    def test_what_fails_here_fails_before_the_barrier(self):
        few = ["--restart-on", "lost", "--min-members"]
        for code, words, text in ((112, ["--barrier-port", "0"], "'0' is no port"), (112, ["--secret-file", "/nonexistent"], "cannot read"),
                                  (112, [*few, "2", "--members", "4"], "--min-members must be more than half of --members"),
                                  (111, [*few, "1"], "--min-members 1 is not more than half of the 3 members")):
            done = self.run_it("exec", self.target, "--task", "worker:1", "--barrier", *words, "--", "true")
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(text, done.stderr)
        done = self.run_it("exec", "simple:job.worker=a.invalid:1+b.invalid:1", "--barrier", "--", "true")
        self.assertEqual(done.returncode, 111)
        self.assertIn("must know which one it is", done.stderr)
        with socket.create_server(("127.0.0.2", self.port)):
            done = self.run_it("exec", self.target, "--task", "worker:1", "--barrier", "--", "true")
        self.assertEqual(done.returncode, 111)
        self.assertIn(f"port {self.port} of this host is not free", done.stderr)

    def test_a_port_that_this_user_may_not_have(self):
        with open("/proc/sys/net/ipv4/ip_unprivileged_port_start", encoding="ascii") as first:
            if int(first.read()) <= 81:
                self.skipTest("any user may listen at any port")
        # In a user namespace of its own it has no right over the machine's ports.
        words = ["unshare", "--user", ROLLCALL, "exec", "simple:job.worker=127.0.0.1:81+127.0.0.2:81", "--task", "worker:1", "--barrier", "--", "true"]
        done = subprocess.run(words, capture_output=True, text=True, env=self.environment(), timeout=PATIENCE, check=False)
        if "unshare" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 111)
        self.assertIn("this user may not listen on port 81 of this host", done.stderr)
        self.assertIn("choose a port from 1024 on", done.stderr)


# Says which start it is, and does then what its argument for that run says: ends with a status, or waits for a signal.
RUN = ("import os, signal, sys; e = os.environ; run = int(e['ROLLCALL_RESTART_COUNT']); what = sys.argv[1 + run]; "
       "print(run, e['ROLLCALL_GENERATION'], e['ROLLCALL_TASK_INDEX'], e['ROLLCALL_ADDRESSES'].replace(':' + sys.argv[-1], ''), flush=True); "
       "sys.exit(int(what)) if what.isdigit() else signal.pause()")


class BarrierAgain(BarrierCase):
    def simulate(self, cloud):
        super().simulate(later(cloud, self.slowness()))

    def kept(self, index, *runs, target=None, words=("--restart-on", "failed")):
        return self.start("exec", target or self.target, "--task", f"worker:{index}", "--barrier", *words, "--", sys.executable, "-c", RUN,
                          *runs, str(self.port))

    def test_a_task_that_restarts_alone_meets_the_others_as_they_restart(self):
        all_tasks = [self.kept(0, "wait", "0"), self.kept(1, "3", "0"), self.kept(2, "wait", "0")]
        for index, process in enumerate(all_tasks):
            self.assertEqual(process.stdout.readline(), f"0 1 {index} 127.0.0.1,127.0.0.2,127.0.0.3\n")
        lines_until(all_tasks[1].stderr, "1/3 here · worker:0: not started")
        for index in (0, 2):
            all_tasks[index].send_signal(signal.SIGUSR1)  # ends the program
        for index, process in enumerate(all_tasks):
            out, error = process.communicate(timeout=PATIENCE)
            self.assertEqual((process.returncode, out), (0, f"1 2 {index} 127.0.0.1,127.0.0.2,127.0.0.3\n"), error)

    def test_the_others_that_do_not_come_again_are_named(self):
        words = ("--restart-on", "failed", "--timeout", f"{3 * self.slowness()}s")
        first, second = self.kept(0, "wait", words=words), self.kept(1, "3", "0", words=words)
        third = self.kept(2, "wait", words=words)
        error = second.communicate(timeout=PATIENCE)[1]
        self.assertEqual(second.returncode, 124, error)
        self.assertIn("not all tasks have come to the barrier: 1/3 here · worker:0: not started", error)
        for process in (first, third):
            process.send_signal(signal.SIGTERM)
            self.assertEqual((process.communicate(timeout=PATIENCE)[0], process.returncode), (f"0 1 {0 if process is first else 2} 127.0.0.1,127.0.0.2,127.0.0.3\n", 143))

    def pods(self, **excepted):
        return {"metadata": False, "kubernetes": {"namespace": "train", "pods": [
            {"kind": "indexed_job", "name": "trainer", "count": 3, "host_ips": ["127.0.0.1"],
             "except": [{"pod": int(name[1:]), "timeline": what} for name, what in excepted.items()]}]}}

    def target_of_pods(self):
        return f"kubernetes:train,port={self.port},job.worker=batch.kubernetes.io/job-name=trainer"

    def test_a_replaced_member_and_the_others_start_together(self):
        self.simulate(self.pods(_2=[{"at": "0s", "phase": "Running"}, {"at": "4s", "deleted": True}, {"at": "5500ms", "phase": "Running"}]))
        words = ("--restart-on", "lost")
        all_tasks = [self.kept(i, "wait", "0", target=self.target_of_pods(), words=words) for i in range(3)]
        for index, process in enumerate(all_tasks):
            out, error = process.communicate(timeout=PATIENCE)
            self.assertEqual((process.returncode, [line.split()[:3] for line in out.splitlines()]),
                             (0, [["0", "1", str(index)], ["1", "2", str(index)]]), error)

    def test_a_list_that_changes_at_the_barrier_is_left_for_the_next(self):
        self.simulate(self.pods(_2=[{"at": "0s", "phase": "Running"}, {"at": "3s", "deleted": True}, {"at": "4s", "phase": "Running"}]))
        early = [self.kept(i, "0", target=self.target_of_pods()) for i in range(2)]
        for process in early:
            lines_until(process.stderr, "barrier: left, since the cluster has changed: ")
        for index, process in enumerate([*early, self.kept(2, "0", target=self.target_of_pods())]):
            out, error = process.communicate(timeout=PATIENCE)
            self.assertEqual((process.returncode, out.split()[:3]), (0, ["0", "1", str(index)]), error)

    def test_more_than_half_start_without_the_rest(self):
        self.simulate(self.pods(_1=[{"at": "0s", "phase": "Pending"}]))
        words = ("--restart-on", "lost", "--min-members", "2", "--members", "3", "--last-call", "1s")
        for index, process in enumerate([self.kept(i, "0", target=self.target_of_pods(), words=words) for i in (0, 2)]):
            out, error = process.communicate(timeout=PATIENCE)
            self.assertEqual((process.returncode, out), (0, f"0 1 {index} 127.0.0.1,127.0.0.3\n"), error)


class BarrierAtService(BarrierCase):
    def test_tasks_that_cannot_reach_each_other_meet_at_the_service(self):
        service = self.begin("serve", "--listen", "127.0.0.1:0")
        url = exports(service.stdout.readline())["ROLLCALL_SERVER"]
        target = "simple:job.worker=192.0.2.1:1+192.0.2.2:1+192.0.2.3:1"
        tell = "import os; print(os.environ['ROLLCALL_TASK_INDEX'], os.environ['ROLLCALL_GENERATION'])"

        def task(index):
            return self.start("exec", target, "--task", f"worker:{index}", "--barrier", "--", sys.executable, "-c", tell, ROLLCALL_SERVER=url)
        early = [task(0), task(1)]
        for process in early:
            lines_until(process.stderr, "2/3 here · worker:2: not heard from")
        with urllib.request.urlopen(f"{url}/v1/runs", timeout=20) as answer:
            runs = json.load(answer)["runs"]
        self.assertEqual([(run["tasks"], run["roll"]["here"]) for run in runs], [("worker:0-2", 2)])
        shown = self.run_it("fleet", ROLLCALL_SERVER=url)
        self.assertEqual(shown.stdout.splitlines()[-1], "barrier worker:0-2: 2/3 here · worker:2: not heard from", shown.stderr)
        listed = self.run_it("fleet", "--format", "json", ROLLCALL_SERVER=url).stdout
        schema = Schema(read_json(os.path.join(HERE, "../../docs/output.schema.json")), knows_all=True)
        self.assertEqual(schema.faults(json.loads(listed), "fleet"), [], listed)
        self.assertEqual([(one["here"], one["total"], one["state"]) for one in json.loads(listed)["barriers"]], [(2, 3, "waiting")])
        for index, process in enumerate([*early, task(2)]):
            out, error = process.communicate(timeout=PATIENCE)
            self.assertEqual((process.returncode, out), (0, f"{index} 1\n"), error)
        service.send_signal(signal.SIGTERM)
        service.communicate(timeout=PATIENCE)
        self.assertEqual(service.returncode, 0)


if __name__ == "__main__":
    main()
