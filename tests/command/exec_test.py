"""`rollcall exec`: the program's environment, the state that it inherits, and the signals that its parent passes on."""
import socket
import stat
import tempfile

from support import *

TWO = "simple:job.worker=a:1+b:1"
PREEMPTED = {"metadata": {"values": {"instance/preempted": {"timeline": [{"at": "0s", "value": "FALSE"}, {"at": "1s", "value": "TRUE"}]}}}}
LOST = {"nodes": [{"name": "gone", "accelerator_type": "v4-8", "timeline": [{"at": "0s", "state": "READY", "endpoints": ["127.0.8.1"]},
                                                                            {"at": "1s", "state": "PREEMPTED", "endpoints": []}]}]}

# Prints what this process inherited, as JSON.
TELL = """
import json, os, sys
status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
fds = sorted(int(fd) for fd in os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd/" + fd))
print(json.dumps({"argv": sys.argv[1:], "fds": fds, "pid": os.getpid(), "ppid": os.getppid(),
                  "ignored": status["SigIgn"].strip(), "blocked": status["SigBlk"].strip(), "caught": status["SigCgt"].strip(),
                  "environment": {k: v for k, v in os.environ.items() if k.startswith(("ROLLCALL", "TF_", "GRPC", "KEPT"))}}))
"""
# As Python ignores SIGPIPE and SIGXFSZ itself, the signals are read by a shell's child.
STATUS = ["sh", "-c", "grep -E 'Sig(Ign|Blk)' /proc/self/status; ls /proc/self/fd | wc -l"]
# Prints that it is ready, then the signals that come, until TERM.
LISTEN = """
import os, signal, sys
def say(text): os.write(1, (text + "\\n").encode())
for name in ("INT", "HUP", "USR1", "USR2", "QUIT", "WINCH"):
    signal.signal(getattr(signal, "SIG" + name), lambda n, f: say(signal.Signals(n).name))
def end(n, f):
    say("TERM"); sys.exit(42)
signal.signal(signal.SIGTERM, end)
say("ready")
while True: signal.pause()
"""


class Exec(Command):
    def environment(self, **variables):
        return super().environment(**{"NO_GCE_CHECK": "true", **variables})

    def exec(self, *words, **variables):
        return self.run_it("exec", *words, **variables)

    both = ([], ["--on-preempt", "TERM"])

    def test_the_program_is_reported_its_cluster(self):
        for mode in self.both:
            done = self.exec(TWO, "--task", "worker:1", "--progress", "none", *mode, "--", sys.executable, "-c", TELL, "two words", "--", "-x", "",
                             KEPT="yes", ROLLCALL_JOB_NAME="outer", TF_CONFIG="outer")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            reported = json.loads(done.stdout)
            self.assertEqual(reported["argv"], ["two words", "--", "-x", ""])
            self.assertEqual(reported["environment"], {
                "KEPT": "yes", "ROLLCALL_CLUSTER": '{"worker":["a:1","b:1"]}', "ROLLCALL_NUM_TASKS": "2", "ROLLCALL_ADDRESSES": "a:1,b:1",
                "ROLLCALL_JOB_NAME": "worker", "ROLLCALL_TASK_INDEX": "1", "ROLLCALL_ADDRESS": "b:1",
                "TF_CONFIG": '{"cluster":{"worker":["a:1","b:1"]},"task":{"type":"worker","index":1}}'})

    def test_a_cluster_too_large_for_a_variable_is_reported_in_forms_that_are_short(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "hosts")
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(f"10.0.{index // 250}.{index % 250 + 1}:8470\n" for index in range(9000))
            target = f"file:{path},format=lines"
            done = self.exec(target, "--task", "worker:7", "--progress", "none", "--", "true")
            self.assertEqual(done.returncode, 111)
            self.assertIn("TF_CONFIG would have", done.stderr)
            done = self.exec(target, "--task", "worker:7", "--progress", "none", "--as", "torchrun", "--", "sh", "-c",
                             "echo $PET_NODE_RANK $PET_NNODES ${ROLLCALL_CLUSTER-none}", ROLLCALL_CLUSTER="outer")
            self.assertEqual((done.returncode, done.stdout), (0, "7 9000 none\n"))
            self.assertIn("ROLLCALL_* is not set", done.stderr)

    def test_a_task_that_a_list_lacks_is_refused_before_the_wait(self):
        for mode in self.both:
            done = self.exec("simple:job.worker=198.51.100.1:1", "--until", "reachable", "--task", "worker:9", "--timeout", "1m", *mode, "--", "true")
            self.assertEqual((done.returncode, done.stderr),
                             (111, "rollcall: no task 9 in job 'worker', which has 1 task: the first is 0, the last 0\n"))
        done = self.exec("simple:job.worker=a:1", "--task", "evaluator:0", "--progress", "none", "--", "sh", "-c", "echo $TF_CONFIG")
        self.assertIn('"type":"evaluator"', done.stdout)  # of a job that no list has

    def test_a_form_that_is_none_names_those_that_a_program_is_reported_in(self):
        done = self.exec(TWO, "--as", "torch", "--", "true")
        self.assertEqual(done.returncode, 112)
        self.assertIn("'torch' is no form for a program's environment; accepted are tf-config, jax, pjrt, megascale, torchrun, torch-env, torch-xla", done.stderr)
        self.assertNotIn("ansible", done.stderr)

    def test_an_unknown_rank_is_reported_in_few_words(self):
        done = self.exec(TWO, "--as", "jax", "--progress", "none", "--", "true")
        self.assertEqual(done.returncode, 111)
        self.assertIn("no variable names this process's task (a launcher's, such as JOB_COMPLETION_INDEX, SLURM_PROCID or RANK: none is set)", done.stderr)
        self.assertLessEqual(done.stderr.count("none of them"), 1, done.stderr)

    def test_half_a_task_is_not_completed_by_an_address_that_contradicts_it(self):
        here = socket.gethostname()
        cluster = {"worker": [here + ":1", "b:1"], "ps": ["q:1"]}
        for task, reported_task in (({"type": "worker"}, {"type": "worker", "index": 0}), ({"type": "ps"}, None), ({"index": 1}, None)):
            with self.subTest(task=task):
                done = self.exec("tfconfig:", "--until", "endpoints", "--progress", "none", "--", sys.executable, "-c", TELL,
                                 TF_CONFIG=json.dumps({"cluster": cluster, "task": task}))
                self.assertEqual(json.loads(json.loads(done.stdout)["environment"]["TF_CONFIG"]).get("task"), reported_task)

    def test_a_process_that_slurm_does_not_count_is_no_task(self):
        here = socket.gethostname()
        done = self.exec("slurm:", "--until", "endpoints", "--progress", "none", "--", sys.executable, "-c", TELL, SLURM_PROCID="99",
                         SLURM_STEP_NUM_TASKS="2", SLURM_STEP_TASKS_PER_NODE="1(x2)", SLURM_STEP_NODELIST=here + ",zz")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("ROLLCALL_TASK_INDEX", json.loads(done.stdout)["environment"])

    def test_the_task_is_not_guessed(self):
        done = self.exec(TWO, "--progress", "none", "--", sys.executable, "-c", TELL, ROLLCALL_TASK_INDEX="7")
        reported = json.loads(done.stdout)["environment"]
        self.assertEqual(reported["TF_CONFIG"], '{"cluster":{"worker":["a:1","b:1"]}}')
        self.assertNotIn("ROLLCALL_TASK_INDEX", reported)
        pod = {"TPU_WORKER_HOSTNAMES": "w-0,w-1", "TPU_WORKER_ID": "1"}
        done = self.exec("auto:", "--progress", "none", "--", "sh", "-c", "echo $ROLLCALL_JOB_NAME $ROLLCALL_TASK_INDEX $ROLLCALL_ADDRESS", **pod)
        self.assertEqual((done.stdout, done.stderr), ("worker 1 w-1:8470\n", ""))

    def test_what_a_form_does_not_set_stays(self):
        trainer = {"PET_NNODES": "2", "PET_NODE_RANK": "1", "PET_NPROC_PER_NODE": "gpu", "PET_MASTER_ADDR": "a", "PET_MASTER_PORT": "23456"}
        print_them = ["--", "sh", "-c", "echo $PET_NPROC_PER_NODE $PET_MASTER_PORT $TF_CONFIG"]
        for mode in self.both:
            words = [TWO, "--task", "worker:1", "--progress", "none", "--as", "torchrun", *mode]
            self.assertEqual(self.exec(*words, *print_them, TF_CONFIG="kept", **trainer).stdout, "gpu 23456 kept\n")
            self.assertEqual(self.exec(*words, "--coordinator-port", "29511", *print_them, **trainer).stdout, "gpu 29511\n")
            self.assertEqual(self.exec(*words, "--slots", "4", *print_them, **dict(trainer, PET_MASTER_ADDR="other")).stdout, "4 29500\n")
        done = self.exec(TWO, "--task", "worker:1", "--progress", "none", "--as", "torchrun", *print_them, TF_CONFIG="outer",
                         ROLLCALL_CLUSTER='{"worker":["x:1"]}')
        self.assertEqual(done.stdout, "29500\n")  # an outer rollcall's

    def test_a_tf_config_keeps_what_is_not_of_the_cluster(self):
        print_it = ["--progress", "none", "--", "sh", "-c", "echo $TF_CONFIG"]
        config = {"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": "1"}, "environment": "cloud", "trial": {"id": "7"}}
        reported = json.loads(self.exec("tfconfig:", *print_it, TF_CONFIG=json.dumps(config)).stdout)
        self.assertEqual(reported, dict(config, task={"type": "worker", "index": 1}))
        done = self.exec("tfconfig:", *print_it, TF_CONFIG=json.dumps(dict(config, ps=["c:1"])))
        self.assertEqual((done.returncode, done.stderr), (0, "rollcall: left out of TF_CONFIG: the addresses in 'ps', which stands beside the cluster\n"))
        for empty in ('{"environment":"cloud"}', '{"task":{"type":"worker","index":0}}'):
            self.assertEqual(self.exec("tfconfig:", *print_it, TF_CONFIG=empty).stdout, empty + "\n")

    def test_a_task_of_a_job_that_is_not_there_is_refused(self):
        jobs = "its jobs are chief, worker_hosts"
        cluster = {"chief": ["c:1"], "worker_hosts": ["w:1"]}
        for mode in self.both:
            done = self.exec("tfconfig:", *mode, "--", "true", TF_CONFIG=json.dumps({"cluster": cluster, "task": {"type": "worker", "index": 0}}))
            self.assertEqual(done.returncode, 111)
            self.assertIn(jobs, done.stderr)
            done = self.exec("simple:job.chief=c:1,job.worker_hosts=w:1", "--task", "worker:0", *mode, "--", "true")
            self.assertEqual(done.returncode, 111)
            self.assertIn(jobs, done.stderr)
        for words in (["spec", "--format", "torch-env"], ["spec", "--format", "tf-config"], ["flags", "--for", "torchrun"]):
            done = self.run_it(words[0], "simple:job.chief=c:1,job.worker_hosts=w:1", "--task", "worker:0", *words[1:])
            self.assertEqual(done.returncode, 1)
            self.assertIn(jobs, done.stderr)

    def test_nothing_of_ours_is_inherited(self):
        for mode in self.both:
            with open("/dev/null") as extra:
                done = subprocess.run([ROLLCALL, "exec", TWO, "--progress", "none", *mode, "--", *STATUS], env=self.environment(),
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, timeout=PATIENCE, pass_fds=[extra.fileno()],
                                      preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGCHLD]))
            blocked, ignored, descriptors = [line.split()[-1] for line in done.stdout.splitlines()]
            # glibc's posix_spawn ignores its own signals 32 and 33 in the child; ls has one more descriptor, for the folder.
            self.assertEqual((blocked, int(ignored, 16) & ~0x180000000, descriptors), ("0" * 16, 0, "4"), mode)
            reported = json.loads(self.exec(TWO, "--progress", "none", *mode, "--", sys.executable, "-c", TELL).stdout)
            self.assertEqual(reported["fds"], [0, 1, 2])
        hung = subprocess.run([ROLLCALL, "exec", TWO, "--progress", "none", "--", *STATUS], env=self.environment(), stdout=subprocess.PIPE, text=True,
                              timeout=PATIENCE, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.assertIn("SigIgn:\t0000000000000001", hung.stdout)  # under nohup

    def test_it_becomes_the_program(self):
        process = self.start("exec", TWO, "--progress", "none", "--", sys.executable, "-c", TELL)
        reported = json.loads(process.communicate(timeout=PATIENCE)[0])
        self.assertEqual(reported["pid"], process.pid)

    def test_exit_statuses(self):
        for mode in self.both:
            quiet = [TWO, "--progress", "none", *mode, "--"]
            self.assertEqual(self.exec(*quiet, "sh", "-c", "exit 7").returncode, 7)
            killed = self.exec(*quiet, "sh", "-c", "kill -KILL $$").returncode
            self.assertEqual(killed, 137 if mode else -9)
            for code, part, *words in ((127, "cannot execute 'no-such-program': No such file", "no-such-program"),
                                       (127, "cannot execute '/no/such': No such file", "/no/such"), (127, "cannot execute ''", ""),
                                       (126, "cannot execute '/etc/passwd': Permission denied", "/etc/passwd"),
                                       (126, "cannot execute '/etc': Is a directory", "/etc")):
                done = self.exec(*quiet, *words)
                self.assertEqual((done.returncode, done.stdout), (code, ""))
                self.assertIn(part, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)

    def test_a_program_that_is_missing_is_reported_before_the_wait(self):
        done = self.exec("tfconfig:", "--", "no-such-program", TF_CONFIG="{")
        self.assertEqual((done.returncode, "no-such-program" in done.stderr), (127, True))

    def test_scripts_without_an_interpreter_are_the_shells(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a script")
            with open(path, "w", encoding="utf-8") as file:
                file.write("echo \"$1\" $ROLLCALL_NUM_TASKS\nexit 3\n")
            os.chmod(path, stat.S_IRWXU)
            binary = os.path.join(folder, "broken")
            with open(binary, "wb") as file:
                file.write(b"#!/no/such/interpreter\n")
            os.chmod(binary, stat.S_IRWXU)
            for mode in self.both:
                done = self.exec(TWO, "--progress", "none", *mode, "--", path, "x y")
                self.assertEqual((done.returncode, done.stdout), (3, "x y 2\n"))
                done = self.exec(TWO, "--progress", "none", *mode, "--", "a script", "x y", PATH="/no/such:" + folder + ":/bin:/usr/bin")
                self.assertEqual((done.returncode, done.stdout), (3, "x y 2\n"))
                self.assertEqual(self.exec(TWO, "--progress", "none", *mode, "--", binary).returncode, 127)

    def test_own_failures_say_their_kind_and_are_none_of_the_program_s(self):
        self.simulate({"nodes": [{"name": "secret", "accelerator_type": "v4-8"}], "faults": [{"match": {"path": "**/nodes/secret"}, "status": 403}]})
        for code, words in ((112, (TWO,)), (112, (TWO, "--")), (112, ("--", "true")), (112, ("nonsense:x", "--", "true")),
                            (112, (TWO, "--task", "worker", "--", "true")), (111, (TWO, "--task", "worker:9", "--", "true")),
                            (112, (TWO, "--on-preempt", "NONE", "--", "true")), (112, (TWO, "--unknown", "--", "true")),
                            (111, ("tpu:nobody", "--", "true")), (114, ("tpu:secret", "--", "true")),
                            (115, ("simple:job.worker=nobody.invalid:1+b:1", "--as", "torchrun", "--task", "worker:1", "--probe", "--", "true")),
                            (113, ("simple:job.worker=127.0.0.1:1", "--until", "reachable", "--timeout", "300ms", "--progress", "none", "--", "true"))):
            for mode in ([], ["--restart-on", "lost"]):
                done = self.exec(*mode, *words)
                self.assertEqual((done.returncode, done.stdout), (code, ""), (words, done.stderr))
                self.assertTrue(done.stderr.splitlines()[-1].startswith("rollcall: "), done.stderr)
        self.assertEqual(self.exec("--help").returncode, 0)

    def test_a_program_without_a_rank_is_reported_of(self):
        for mode in self.both:
            done = self.exec(TWO, "--progress", "none", *mode, "--", "echo", "started")
            self.assertEqual((done.returncode, done.stdout), (0, "started\n"))
            self.assertEqual(done.stderr, "rollcall: it is not known which task of the cluster this host is: echo starts without a rank (name it by --task JOB:INDEX)\n")
            done = self.exec(TWO, "--quiet", *mode, "--", "echo", "started")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "started\n", ""))
            done = self.exec(TWO, "--require-task", "--quiet", *mode, "--", "echo", "started")
            self.assertEqual((done.returncode, done.stdout), (111, ""))
            self.assertIn("it is not known which task of the cluster this host is", done.stderr)
            done = self.exec(TWO, "--require-task", "--task", "worker:0", "--quiet", *mode, "--", "echo", "started")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "started\n", ""))

    def test_ctrl_c_while_waiting(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start("exec", "simple:job.worker=127.0.0.1:1", "--until", "reachable", "--on-preempt", "TERM", "--",
                                 "echo", "started")
            lines_until(process.stderr, "connection refused")
            out, rest = self.interrupt(process, number)
            self.assertEqual(out, "", rest)

    def test_signals_are_passed_on(self):
        process = self.start("exec", TWO, "--task", "worker:0", "--progress", "none", "--on-preempt", "USR2", "--", sys.executable, "-c", LISTEN)
        self.assertEqual(process.stdout.readline(), "ready\n")
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGQUIT, signal.SIGWINCH):
            process.send_signal(number)
            self.assertEqual(process.stdout.readline(), number.name + "\n")
        process.send_signal(signal.SIGTERM)
        out, rest = process.communicate(timeout=PATIENCE)
        self.assertEqual((process.returncode, out, rest), (42, "TERM\n", ""))

    def test_a_key_on_the_terminal_reaches_the_program_once(self):
        program = "trap 'echo got INT' INT; echo ready; read x; echo read; read y; exit 5"
        code, shown = self.on_terminal("exec", TWO, "--progress", "none", "--on-preempt", "TERM", "--", "sh", "-c", program,
                                       keys=[(b"ready", CTRL_C), (b"got INT", b"\n"), (b"read\r\n", b"\n")])
        self.assertEqual(code, 5, shown)
        self.assertEqual(shown.count("got INT"), 1, shown)

    def test_a_preemption_is_announced_to_the_program(self):
        self.simulate(PREEMPTED)
        done = self.exec(TWO, "--progress", "none", "--on-preempt", "SIGTERM", "--", sys.executable, "-c", LISTEN, NO_GCE_CHECK="")
        self.assertEqual((done.returncode, done.stdout), (42, "ready\nTERM\n"), done.stderr)
        self.assertIn("this machine: preemption announced (TRUE): TERM to ", done.stderr)

    def test_a_member_that_is_lost_is_announced_to_the_program(self):
        self.simulate(later(LOST, self.slowness()))
        done = self.exec("tpu:gone", "--progress", "none", "--on-preempt", "TERM", "--", sys.executable, "-c", LISTEN)
        self.assertEqual((done.returncode, done.stdout), (42, "ready\nTERM\n"), done.stderr)
        self.assertIn("PREEMPTED", done.stderr)
        self.assertIn(": TERM to ", done.stderr)

    def test_as_process_1_orphans_are_reaped(self):
        unshare = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"]
        if subprocess.run([*unshare, "true"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode != 0:
            self.skipTest("this machine gives no process namespaces of one's own")
        # The inner shell ends at once, so that its child becomes process 1's; it ends while only process 1 can wait for it.
        # Process 1 handles signals in order: when one has come back from it, it has handled the end of the orphan, or does so next.
        program = """
import os, select, signal, subprocess, time
assert os.getppid() == 1
held, freed = os.pipe()
orphan = int(subprocess.check_output(["sh", "-c", "cat <&%d >/dev/null & echo $!" % held], pass_fds=[held]))
end = os.pidfd_open(orphan)
os.close(freed)
select.select([end], [], [])
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
deadline = time.monotonic() + 30
while os.path.exists("/proc/%d" % orphan) and time.monotonic() < deadline:
    os.kill(1, signal.SIGUSR1)
    signal.sigtimedwait([signal.SIGUSR1], 30)
print("reaped" if not os.path.exists("/proc/%d" % orphan) else open("/proc/%d/stat" % orphan).read())
"""
        for mode in (["--on-preempt", "TERM"], ["--restart-on", "lost"]):
            done = subprocess.run([*unshare, ROLLCALL, "exec", TWO, "--progress", "none", *mode, "--", sys.executable, "-c", program],
                                  env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
            self.assertEqual((done.returncode, done.stdout), (0, "reaped\n"), done.stderr)


if __name__ == "__main__":
    main()
