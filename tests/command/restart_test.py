"""`rollcall exec --restart-on`: a program that is kept running. A simulated cluster has the losses; nothing is mocked."""
from blocked_test import full_pipe
from support import *

TWO = "simple:job.worker=a:1+b:1"
TRAINER = "kubernetes:train,job.worker=batch.kubernetes.io/job-name=trainer"
# One line for each run: its number, and its cluster. Then the program does what its argument for that run says, the last argument for all further runs: `0` ends with that
# status, `wait` waits for TERM and ends with 0, `deaf` ignores TERM, `twice` ends with 42 at the second TERM.
PROGRAM = """
import os, signal, sys
def say(text): os.write(1, (text + "\\n").encode())
run = int(os.environ["ROLLCALL_RESTART_COUNT"])
what = sys.argv[1:][min(run, len(sys.argv) - 2)]
heard = []
def hear(number, frame):
    heard.append(number)
    say(signal.Signals(number).name)
    if what == "wait": os._exit(0)
    if what == "twice" and len(heard) == 2: os._exit(42)
for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT): signal.signal(number, hear)
say("run %d: %s" % (run, " ".join(os.environ.get(k, "-") for k in ("ROLLCALL_TASK_INDEX", "ROLLCALL_ADDRESSES"))))
if what.isdigit(): os._exit(int(what))
while True: signal.pause()
"""
CMD = [sys.executable, "-c", PROGRAM]


def pods(count, **excepted):
    """An Indexed Job with that many pods; `excepted` has the differences of a pod, by its number: _1=[…] is a timeline."""
    return {"metadata": False, "kubernetes": {"namespace": "train", "pods": [
        {"kind": "indexed_job", "name": "trainer", "count": count,
         "except": [{"pod": int(name[1:]), **({"timeline": what} if isinstance(what, list) else what)} for name, what in excepted.items()]}]}}


def gone_and_back(*times):
    """A pod that goes and comes at these times in turn, each time another one under its name."""
    timeline = [{"at": "0s", "phase": "Running"}]
    for i, at in enumerate(times):
        timeline.append({"at": at, "deleted": True} if i % 2 == 0 else {"at": at, "phase": "Running"})
    return timeline


class Restart(Command):
    def simulate(self, cloud):
        super().simulate(later(cloud, self.slowness()))

    def environment(self, **variables):
        return super().environment(**{"NO_GCE_CHECK": "true", **variables})

    def exec(self, target, *options, cmd=("wait",), **variables):
        return self.run_it("exec", target, "--restart-on", "lost", "--progress", "lines", *options, "--", *CMD, *cmd, **variables)

    def begin(self, target, *options, cmd=("wait",), **variables):
        return super().begin("exec", target, "--restart-on", "lost", "--progress", "lines", *options, "--", *CMD, *cmd, **variables)

    def test_a_lost_members_replacement_rejoins_and_all_programs_run_again(self):
        self.simulate(pods(2, _1=gone_and_back("3s", "4500ms")))
        words = [TRAINER, "--task"]
        first, second = self.begin(*words, "worker:0", cmd=("wait", "0")), self.begin(*words, "worker:1", cmd=("wait", "0"))
        for index, process in enumerate((first, second)):
            out, err = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, 0, err)
            self.assertEqual(out, f"run 0: {index} 10.128.0.2:8470,10.128.0.3:8470\nSIGTERM\nrun 1: {index} 10.128.0.2:8470,10.128.0.3:8470\n", err)
            self.assertIn("left: TERM to ", err)
            self.assertIn("restart 1 of 3 in ", err)
            self.assertIn("waiting for worker 1", err)

    def test_a_member_that_was_made_anew_between_two_looks_is_lost(self):
        self.simulate({"nodes": [{"name": "quick", "accelerator_type": "v4-8", "timeline": [
            {"at": "0s", "state": "READY", "id": "1", "endpoints": ["127.0.8.1"]}, {"at": "1s", "state": "READY", "id": "2", "endpoints": ["127.0.8.1"]}]}]})
        done = self.exec("tpu:quick", cmd=("wait", "0"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("recreated: TERM to ", done.stderr)

    def test_a_tpu_that_is_preempted_deleted_and_made_anew(self):
        self.simulate({"nodes": [{"name": "spot", "accelerator_type": "v4-8", "timeline": [
            {"at": "0s", "state": "READY", "endpoints": ["127.0.8.1"]}, {"at": "1s", "state": "PREEMPTED", "endpoints": []}, {"at": "3s", "state": "DELETED"},
            {"at": "5s", "state": "CREATING"}, {"at": "6s", "state": "READY", "endpoints": ["127.0.8.2"]}]}]})
        done = self.exec("tpu:spot", "--task", "worker:0", cmd=("wait", "0"))
        self.assertEqual((done.returncode, done.stdout), (0, "run 0: 0 127.0.8.1:8470\nSIGTERM\nrun 1: 0 127.0.8.2:8470\n"), done.stderr)

    def test_the_end_with_0_is_the_end(self):
        self.simulate(pods(2, _1=[{"at": "0s", "phase": "Running"}, {"at": "1s", "phase": "Succeeded"}]))
        process = self.begin(TRAINER, "--max-restarts", "1000", cmd=("wait",))
        self.assertIn("run 0", process.stdout.readline())
        # The other member ended with success, which is not a loss: this one gets no signal until it is asked to end.
        watch = self.start("watch", TRAINER)
        lines_until(watch.stdout, "Succeeded")
        self.interrupt(watch)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual((process.returncode, out), (0, "SIGTERM\n"), err)
        self.assertNotIn("TERM to", err)
        self.assertEqual(self.exec(TWO, cmd=("0",)).stdout, "run 0: - a:1,b:1\n")

    def test_a_failure_is_a_loss_when_a_look_shows_one(self):
        # It fails at once; the service reports that only a second later.
        self.simulate({"nodes": [{"name": "late", "accelerator_type": "v4-8", "timeline": [
            {"at": "0s", "state": "READY"}, {"at": "1s", "state": "PREEMPTED"}, {"at": "8s", "state": "READY", "id": "2"}]}]})
        done = self.exec("tpu:late", cmd=("7", "0"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"ended with status 7: .*PREEMPTED.*; restart 1 of 3 in ")

    def test_a_failure_without_a_loss_is_the_end(self):
        done = self.exec(TWO, cmd=("7", "0"))
        self.assertEqual((done.returncode, done.stdout), (7, "run 0: - a:1,b:1\n"), done.stderr)

    def test_a_failure_is_a_reason_where_it_is_said_to_be(self):
        done = self.run_it("exec", TWO, "--restart-on", "failed", "--max-restarts", "2", "--progress", "none", "--", *CMD, "3", "4", "0")
        self.assertEqual((done.returncode, done.stdout), (0, "run 0: - a:1,b:1\nrun 1: - a:1,b:1\nrun 2: - a:1,b:1\n"), done.stderr)
        done = self.run_it("exec", TWO, "--restart-on", "failed", "--max-restarts", "1", "--progress", "none", "--", *CMD, "3", "4", "0")
        self.assertEqual(done.returncode, 124, done.stderr)
        self.assertIn("ended with status 4; no restart of 1 is left", done.stderr)

    def test_a_cluster_that_flaps_uses_the_restarts_up(self):
        times = [f"{600 + 300 * i}ms" for i in range(1000)]  # longer than any wait, also on a slow machine
        self.simulate(pods(2, _1=gone_and_back(*times)))
        done = self.exec(TRAINER, "--max-restarts", "2")
        # A run may be ended before it can print its line.
        self.assertEqual((done.returncode, done.stderr.count(": TERM to ")), (124, 3), done.stderr)
        self.assertLessEqual(done.stdout.count("run "), 3)
        self.assertEqual([line.split(";")[1] for line in done.stderr.splitlines() if "restart" in line][-1], " no restart of 2 is left")

    def test_a_cluster_that_is_not_had_again(self):
        self.simulate(pods(2, _1=gone_and_back("1s")))
        done = self.exec(TRAINER, "--timeout", f"{2 * self.slowness()}s")
        self.assertEqual((done.returncode, done.stdout.count("run ")), (124, 1), done.stderr)
        self.assertIn("missing: worker 1", done.stderr)
        self.assertEqual(self.exec("simple:job.worker=127.0.0.1:1", "--until", "reachable", "--timeout", "300ms").returncode, 113)

    def test_trouble_is_no_loss(self):
        self.simulate({"nodes": [{"name": "fine", "accelerator_type": "v4-8"}],
                       "faults": [{"match": {"path": "*/nodes/fine"}, "from": "1s", "status": 503}]})
        process = self.begin("tpu:fine", "--retries", "0", "--verbose", cmd=("twice",))
        reported = [lines_until(process.stderr, "503") for _ in range(6)]  # of several polls: the first ones are already handled
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual((process.returncode, out.count("run ")), (42, 1), err)
        self.assertNotIn(": TERM to ", str(reported) + err)

    def test_a_failure_while_the_service_is_away_is_none_of_a_member(self):
        self.simulate({"nodes": [{"name": "fine", "accelerator_type": "v4-8"}],
                       "faults": [{"match": {"path": "*/nodes/fine"}, "after": 1, "status": 503}]})
        self.assertEqual(self.exec("tpu:fine", "--retries", "0", cmd=("7",)).returncode, 7)

    def test_who_does_not_hear_is_killed_with_all_that_it_has_started(self):
        self.simulate(pods(2, _1=gone_and_back("3s", "4500ms")))
        # The first run leaves a deaf process in a session of its own and one in another group; the second looks for them.
        program = """
import os, signal, subprocess, sys
if os.environ["ROLLCALL_RESTART_COUNT"] == "0":
    started = [subprocess.Popen(["sh", "-c", "trap '' TERM; echo; sleep 1000; sleep 1000"], stdout=subprocess.PIPE, start_new_session=True) for _ in range(3)]
    for one in started: one.stdout.read(1)
    open(sys.argv[1], "w").write(" ".join(str(one.pid) for one in started))
    if sys.argv[2] == "deaf": signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.write(1, b"run 0\\n")
    while True: signal.pause()
print([pid for pid in open(sys.argv[1]).read().split() if os.path.exists("/proc/" + pid)])
"""
        folder = self.enterContext(tempfile.TemporaryDirectory())
        started = [self.start("exec", TRAINER, "--restart-on", "lost", "--grace", "300ms", "--", sys.executable, "-c", program, os.path.join(folder, how), how)
                   for how in ("deaf", "hearing")]
        for process, part in zip(started, ("has not ended in its time: KILL", "has left ")):
            out, err = process.communicate(timeout=PATIENCE)
            self.assertEqual((process.returncode, out), (0, "run 0\n[]\n"), err)
            self.assertIn(part, err)

    def test_what_a_program_has_started_lives_on_when_its_work_is_done(self):
        done = self.run_it("exec", TWO, "--restart-on", "lost", "--", "sh", "-c", "sleep 1000 </dev/null >/dev/null 2>&1 & echo $!")
        self.assertEqual(done.returncode, 0, done.stderr)
        os.kill(int(done.stdout), signal.SIGKILL)

    def test_what_was_there_before_is_left_alone(self):
        self.simulate(pods(2, _1=gone_and_back("3s", "4s")))
        words = [ROLLCALL, "exec", TRAINER, "--restart-on", "lost", "--", *CMD, "wait", "0"]
        script = "sleep 1000 </dev/null >/dev/null 2>&1 & echo $!; exec \"$@\""
        done = subprocess.run(["sh", "-c", script, "sh", *words], env=self.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stdout.count("run ")), (0, 2), done.stderr)
        os.kill(int(done.stdout.split()[0]), signal.SIGKILL)

    def test_the_signal_of_a_preemption_takes_the_place_of_term(self):
        self.simulate(pods(2, _1=gone_and_back("3s", "4s")))
        done = self.exec(TRAINER, "--on-preempt", "USR1", "--grace", "200ms", cmd=("deaf", "0"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line for line in done.stdout.splitlines() if "run" not in line], ["SIGUSR1"])
        self.assertIn("status 137", done.stderr)

    def test_on_a_machine_that_is_taken_away_nothing_is_started_anew(self):
        self.simulate({"metadata": {"values": {"instance/preempted": {"timeline": [{"at": "0s", "value": "FALSE"}, {"at": "1s", "value": "TRUE"}]}}}})
        done = self.exec(TWO, NO_GCE_CHECK="")
        self.assertEqual((done.returncode, done.stdout), (124, "run 0: - a:1,b:1\nSIGTERM\n"), done.stderr)
        self.assertIn("this machine: preemption announced (TRUE)", done.stderr)
        self.assertIn("it is not restarted here", done.stderr)

    def test_signals_from_outside_end_it_for_good(self):
        self.simulate(pods(2, _1=gone_and_back("3s")))
        process = self.begin(TRAINER, cmd=("twice",))
        self.assertIn("run 0", process.stdout.readline())
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.stdout.readline(), "SIGTERM\n")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual((process.returncode, out), (42, "SIGINT\n"), err)

    def test_term_in_the_time_of_grace(self):
        self.simulate(pods(2, _1=gone_and_back("1s", "2s")))
        process = self.begin(TRAINER, cmd=("twice",))
        lines_until(process.stdout, "SIGTERM")  # for the loss
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual((process.returncode, out), (42, "SIGTERM\n"), err)

    def test_signals_that_come_while_the_cluster_is_awaited_again(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            self.simulate(pods(2, _1=gone_and_back("1s")))
            process = self.begin(TRAINER)
            lines_until(process.stderr, "waiting for worker 1")
            process.send_signal(signal.SIGUSR1)  # there is no program to pass it on to
            self.interrupt(process, number)

    def test_one_that_is_lost_while_the_cluster_is_awaited_again(self):
        self.simulate(pods(3, _1=gone_and_back("1s", "3s"), _2=gone_and_back("2s", "4s")))
        done = self.exec(TRAINER, cmd=("wait", "0"))
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (0, "run 1: - 10.128.0.2:8470,10.128.0.3:8470,10.128.0.4:8470"), done.stderr)
        self.assertIn("waiting for worker 1-2", done.stderr)

    def test_a_standard_error_that_nobody_reads(self):
        self.simulate(pods(2, _1=gone_and_back("3s", "4500ms")))
        reader, writer = full_pipe()
        self.addCleanup(os.close, reader)
        process = subprocess.Popen([ROLLCALL, "exec", TRAINER, "--restart-on", "lost", "--progress", "none", "--", *CMD, "wait", "0"],
                                   env=self.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=writer, text=True)
        os.close(writer)
        self.addCleanup(self.end, process)
        self.assertEqual(process.communicate(timeout=PATIENCE)[0].count("run "), 2)
        self.assertEqual(process.returncode, 0)

    def test_an_elastic_job_goes_on_with_those_that_are_left(self):
        self.simulate(pods(3, _1=gone_and_back("3s")))
        done = self.exec(TRAINER, "--min-members", "2", "--last-call", "200ms", "--task", "worker:2", cmd=("wait", "0"))
        self.assertEqual((done.returncode, done.stdout), (0, "run 0: 2 10.128.0.2:8470,10.128.0.3:8470,10.128.0.4:8470\nSIGTERM\n"
                                                             "run 1: 1 10.128.0.2:8470,10.128.0.4:8470\n"), done.stderr)
        done = self.exec(TRAINER, "--min-members", "2", "--last-call", "200ms", "--task", "worker:1", "--timeout", "5s")
        self.assertEqual(done.returncode, 111)
        self.assertIn("not among the members that are ready", done.stderr)

    def test_an_elastic_job_grows(self):
        self.simulate(pods(3, _2={"created_at": "3s"}))
        done = self.exec(TRAINER, "--members", "3", "--min-members", "2", "--last-call", "100ms", "--max-restarts", "0", "--task", "worker:0", cmd=("wait", "0"))
        self.assertEqual((done.returncode, done.stdout), (0, "run 0: 0 10.128.0.2:8470,10.128.0.3:8470\nSIGTERM\n"
                                                             "run 1: 0 10.128.0.2:8470,10.128.0.3:8470,10.128.0.4:8470\n"), done.stderr)

    def test_a_key_on_the_terminal_reaches_the_program_once_and_ends_it_for_good(self):
        self.simulate(pods(2, _1=gone_and_back("30s")))
        program = "trap 'echo got INT' INT; echo ready; read x; echo read; read y; exit 5"
        code, shown = self.on_terminal("exec", TRAINER, "--restart-on", "lost,failed", "--progress", "none", "--", "sh", "-c", program,
                                       keys=[(b"ready", CTRL_C), (b"got INT", b"\n"), (b"read\r\n", b"\n")])
        self.assertEqual((code, shown.count("got INT")), (5, 1), shown)


if __name__ == "__main__":
    main()
