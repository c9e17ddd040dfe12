"""`rollcall watch` against a simulated cloud whose machines come and go."""
from support import *

# By the number of the poll, not by time: on a slow machine the first poll comes late.
COMING_AND_GOING = {
    "nodes": [{"name": "trainer", "accelerator_type": "v4-8", "endpoints": ["10.0.0.1"]}],
    "faults": [{"match": {"route": "nodes.get"}, "after": 1, "status": 200,
                "body": {"name": "projects/example-proj/locations/us-central2-b/nodes/trainer", "acceleratorType": "v4-8", "state": "PREEMPTED",
                         "networkEndpoints": [{"ipAddress": "10.0.0.1", "port": 8470}]}}]}


class Watch(Command):
    def setUp(self):
        self.simulate(COMING_AND_GOING)

    def test_a_line_for_every_change(self):
        process = self.start("watch", "tpu:trainer")
        lines = lines_until(process.stdout, "cluster_broken")
        for line in lines:
            self.assertRegex(line, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ [a-z_]+ .")
        self.assertEqual([line.split()[1] for line in lines], ["member_joined", "cluster_ready", "member_changed", "cluster_broken"])
        self.interrupt(process)

    def test_the_signal_that_ends_it_is_no_error(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start("watch", "tpu:trainer")
            lines_until(process.stdout, "member_joined")
            self.assertEqual(self.interrupt(process, number)[1], "")

    def test_json(self):
        process = self.start("watch", "tpu:trainer", "--format", "json")
        changes = [json.loads(line) for line in lines_until(process.stdout, '"member_changed"')]
        self.interrupt(process)
        self.assertEqual(changes[0]["member"]["address"], "10.0.0.1:8470")
        self.assertEqual((changes[-1]["before"]["state"], changes[-1]["member"]["state"]), ("ready", "lost"))

    def hook(self, command, *more):
        process = self.start("watch", "tpu:trainer", "--exec", command, *more)
        lines = lines_until(process.stderr, "cluster_broken")
        return "".join(lines) + self.interrupt(process)[1]

    def test_a_command_for_every_change(self):
        reported = self.hook('echo "$ROLLCALL_CHANGE $ROLLCALL_JOB $ROLLCALL_INDEX $ROLLCALL_ADDRESS"')
        self.assertEqual(reported.splitlines()[:4], ["member_joined worker 0 10.0.0.1:8470", "cluster_ready   ", "member_changed worker 0 10.0.0.1:8470",
                                                 "cluster_broken   "])

    def test_a_command_that_fails_is_reported_and_the_watch_goes_on(self):
        reported = self.hook("echo $ROLLCALL_CHANGE >&2; exit 3")
        self.assertIn("rollcall: --exec for member_joined: exit status 3", reported)
        self.assertIn("cluster_broken", reported)

    def test_a_command_that_hangs_is_ended_with_all_that_it_started(self):
        reported = self.hook("echo $ROLLCALL_CHANGE; sleep 1000 & sleep 1000", "--exec-timeout", "100ms")
        self.assertIn("--exec for member_joined: the command took too long and was ended", reported)

    def test_the_command_inherits_no_descriptor(self):
        reported = self.hook("ls /proc/self/fd | tr '\\n' ' '; echo; echo $ROLLCALL_CHANGE")
        self.assertEqual(reported.splitlines()[0].split(), ["0", "1", "2", "3"])  # the last is the listing's own

    def test_the_command_inherits_what_a_program_of_exec_does(self):
        tell = "echo ${GRPC_VERBOSITY-unset}; grep SigIgn /proc/self/status; ls /proc/self/fd | tr '\\n' ' '; echo"
        for given, expected in (({}, "unset"), ({"GRPC_VERBOSITY": "ERROR"}, "ERROR")):
            with open("/dev/null") as extra:
                process = subprocess.Popen([ROLLCALL, "watch", "tpu:trainer", "--exec", tell], env=self.environment(**given),
                                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                           pass_fds=[extra.fileno()],
                                           preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))  # as nohup does
            verbosity, (_, ignored), descriptors = [process.stderr.readline().split() for _ in range(3)]
            self.interrupt(process)
            # glibc's posix_spawn ignores its own signals 32 and 33 in the child; ls has one more descriptor, for the folder.
            self.assertEqual((verbosity, int(ignored, 16) & ~0x180000000, descriptors), ([expected], 1, ["0", "1", "2", "3"]))

    def test_ctrl_c_while_a_command_runs_ends_both(self):
        process = self.start("watch", "tpu:trainer", "--exec", "echo $$; exec sleep 1000")
        child = int(process.stderr.readline())
        self.interrupt(process)
        with self.assertRaises(ProcessLookupError):
            os.kill(child, 0)

    def test_a_parent_that_blocked_signals_is_no_reason_to_miss_the_end_of_a_command(self):
        process = subprocess.Popen([ROLLCALL, "watch", "tpu:trainer", "--exec", "echo $ROLLCALL_CHANGE", "--exec-timeout", "1000s"],
                                   env=self.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD, signal.SIGINT]))
        lines_until(process.stderr, "cluster_ready")  # the last of several commands
        self.interrupt(process)

    def test_what_a_late_command_started_is_ended_with_it(self):
        process = self.start("watch", "tpu:trainer", "--exec", "(trap '' TERM; exec sleep 1000) & echo $!; wait", "--exec-timeout", "200ms")
        end = os.pidfd_open(int(process.stderr.readline()))
        self.addCleanup(os.close, end)
        self.assertTrue(select.select([end], [], [], PATIENCE)[0])
        self.interrupt(process)

    def test_what_does_not_exist_is_no_cluster_to_watch(self):
        done = self.run_it("watch", "tpu:nobody")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("not found", done.stderr)


if __name__ == "__main__":
    main()
