"""`rollcall wait` against a simulated cloud whose machines start during the wait."""
from support import *

COMING_UP = {"nodes": [
    {"name": "soon", "accelerator_type": "v4-16", "endpoints": ["127.0.7.1", "127.0.7.2"], "workers": {"runtime": "tensorflow"},
     "timeline": [{"at": "0s", "state": "CREATING", "endpoints": []}, {"at": "1s", "state": "READY", "endpoints": ["127.0.7.1", "127.0.7.2"]}]},
    {"name": "half", "accelerator_type": "v4-16", "endpoints": ["127.0.7.3", "127.0.7.4"],
     "workers": {"runtime": "tensorflow", "except": [{"worker": 1, "runtime": "none"}]}},
    {"name": "lost", "accelerator_type": "v4-8", "state": "PREEMPTED"},
    {"name": "spot", "accelerator_type": "v4-8", "endpoints": ["127.0.7.5"],
     "timeline": [{"at": "0s", "state": "PREEMPTED"}, {"at": "1s", "state": "DELETED"}, {"at": "3s", "state": "READY", "endpoints": ["127.0.7.5"]}]}]}


class Wait(Case):
    cloud = COMING_UP

    def test_until_ready(self):
        done = self.run_it("wait", "tpu:soon", "--until", "state,devices")
        self.assertEqual((done.returncode, done.stdout), (0, "worker 0 127.0.7.1:8470\nworker 1 127.0.7.2:8470\n"), done.stderr)
        self.assertEqual(done.stderr.splitlines()[-1], "2/2 ready")

    def test_several_targets_are_one_cluster(self):
        done = self.run_it("wait", "tpu:soon", "tpu:half", "--format", "json", "--progress", "none")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(json.loads(done.stdout)["cluster"]["worker"]), 4)

    def test_the_deadline_names_who_is_missing(self):
        _, done = self.late_enough_for("connection refused for ", self.run_it, "tpu:half", "--until", "reachable", "--progress", "json", milliseconds=2500)
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        *events, message = done.stderr.splitlines()
        self.assertRegex(message, r"1 of 2 ready; missing: worker 1 \(127.0.7.4:8470\): connection refused for [\d.]+ s")
        last = json.loads(events[-1])
        self.assertEqual((last["ready"], last["total"], last["phase"]), (1, 2, "running"))
        self.assertEqual([(m["job"], m["index"], m["address"], m["why"]) for m in last["missing"]],
                         [("worker", 1, "127.0.7.4:8470", "connection refused")])

    def test_the_deadline_is_reported_once(self):
        timeout, done = self.late_enough_for("connection refused", self.run_it, "tpu:half", "--until", "reachable", "--progress", "none", milliseconds=1500)
        self.assertRegex(done.stderr, rf"^rollcall: tpu:half: not ready within {timeout}(\.0)? s: .*: raise the time-out, or look after what is missing\n$")
        self.assertNotIn("(after ", done.stderr)

    def test_more_time_is_no_cure_where_more_members_are_awaited_than_there_are(self):
        _, done = self.late_enough_for("it has 2 members", self.run_it, "tpu:half", "--members", "9", "--progress", "none", milliseconds=500)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertTrue(done.stderr.endswith(": it has 2 members, and 9 are awaited: look after what should make the others, or ask for fewer "
                                             "(members, --members)\n"), done.stderr)

    def test_a_list_that_cannot_grow_is_not_waited_for(self):
        step = {"SLURM_PROCID": "0", "SLURM_STEP_NODELIST": "n1", "SLURM_STEP_TASKS_PER_NODE": "1", "SLURM_STEP_NUM_TASKS": "1"}
        for target, variables in (("simple:job.worker=10.255.255.1:1", {}), ("tpu:grpc://10.0.0.1:8470", {}), ("slurm:", step),
                                  ("tfconfig:", {"TF_CONFIG": '{"cluster":{"worker":["10.0.0.1:1"]}}'}),
                                  ("sagemaker:", {"SM_HOSTS": '["algo-1"]', "SM_CURRENT_HOST": "algo-1"})):
            with self.subTest(target=target):
                done = self.run_it("wait", target, "--members", "9", "--timeout", "10m", "--progress", "none", **variables)
                self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
                self.assertIn("it has 1 member and gets no more: 9 are awaited", done.stderr)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "hosts")
            with open(path, "w", encoding="utf-8") as file:
                file.write("10.0.0.1\n")
            done = self.run_it("wait", "file:" + path, "--members", "9", "--timeout", "500ms", "--progress", "none")
            self.assertEqual(done.returncode, 3, done.stderr)  # it is read again, and may have grown

    def test_more_time_is_no_cure_for_a_member_without_a_port(self):
        done = self.run_it("wait", "simple:job.worker=a", "--until", "reachable", "--timeout", "500ms", "--progress", "none")
        self.assertIn("worker 0 (a): its address has no port", done.stderr)
        self.assertTrue(done.stderr.endswith(": give every address a port: without one its member cannot be asked\n"), done.stderr)

    def test_more_time_is_no_cure_where_nothing_matches(self):
        self.simulate({"kubernetes": {"namespace": "train", "pods": [{"kind": "indexed_job", "name": "web", "count": 2, "labels": {"app": "web"}}]}})
        _, done = self.late_enough_for("no pods of job", self.run_it, "kubernetes:train,job.worker=app=wbe", "--progress", "none", milliseconds=500)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("no pods of job 'worker' (app=wbe)", done.stderr)
        self.assertTrue(done.stderr.endswith(": nothing of it is there: look at its names and selectors, or raise the time-out if it is still to be made\n"), done.stderr)

    def test_more_time_is_no_cure_for_a_service_that_is_away(self):
        done = self.run_it("wait", "tpu:half,project=p,zone=z", "--timeout", "2s", "--progress", "none", ROLLCALL_SERVER="http://127.0.0.1:9")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("; last trouble: no server answers: the server http://127.0.0.1:9: ", done.stderr)
        self.assertTrue(done.stderr.endswith(": look after the servers, or set ROLLCALL_SERVER_FALLBACK=now to ask the cloud directly\n"), done.stderr)
        self.assertEqual(done.stderr.count("http://127.0.0.1:9"), 1, done.stderr)

    def test_what_is_lost_fails_at_once(self):
        done = self.run_it("wait", "tpu:lost")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"worker 0 .* will not become ready: PREEMPTED")

    def test_what_nobody_asks_is_not_called_ready(self):
        done = self.run_it("wait", "simple:job.worker=10.255.255.1:1")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "worker 0 10.255.255.1:1\n", "1/1 listed, not asked\n"))
        done = self.run_it("wait", "simple:job.ps=10.255.255.1:1", "tpu:half", "--progress", "json")
        last = json.loads(done.stderr.splitlines()[-1])
        self.assertEqual((last["ready"], last["listed"], last["line"]), (3, 1, "3/3 ready (1 of them listed, not asked)"))
        self.assertRegex(last["time"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$")

    def test_through_a_preemption(self):
        self.simulate({"nodes": [{**COMING_UP["nodes"][-1], "timeline": [{**entry, **({"endpoints": ["127.0.7.9"]} if "endpoints" in entry else {})} for entry in COMING_UP["nodes"][-1]["timeline"]], "endpoints": ["127.0.7.9"]}]})
        done = self.run_it("wait", "tpu:spot", "--for-return")
        self.assertEqual((done.returncode, done.stdout), (0, "worker 0 127.0.7.9:8470\n"), done.stderr)
        self.assertIn("PREEMPTED", done.stderr)
        done = self.run_it("wait", "tpu:nobody", "--for-return")  # it was never there
        self.assertEqual(done.returncode, 1, done.stderr)

    def test_one_of_several_comes_back(self):
        self.simulate({"nodes": [COMING_UP["nodes"][-1], {"name": "busy", "accelerator_type": "v4-8"}],
                       "faults": [{"match": {"path": "*/nodes/busy"}, "times": 2, "status": 503}]})
        done = self.run_it("wait", "tpu:spot", "tpu:busy", "--for-return")
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (0, 2), done.stderr)

    def test_ctrl_c(self):
        process = self.start("wait", "tpu:half", "--until", "reachable")
        lines_until(process.stderr, "connection refused")
        out, rest = self.interrupt(process)
        self.assertEqual(out, "", rest)

    def test_a_table_on_a_terminal(self):
        code, shown = self.on_terminal("wait", "tpu:half", "--until", "reachable",
                                       keys=[(b"worker 1 .127.0.7.4:8470.  \x1b.33mconnection refused", CTRL_C)])
        self.assertEqual(code, 130, shown)
        self.assertRegex(shown, r"tpu:half\x1b\[0m \x1b\[33m1/2 ready\x1b\[0m · [0-9.]+ s of 30 m")

    def test_the_table_stays_when_there_is_no_answer(self):
        def end(shown):  # the lines on the screen below the last erased line
            return shown.rpartition("\x1b[J")[2]

        code, shown = self.on_terminal("wait", "tpu:half", "--until", "reachable", NO_COLOR="1",
                                       keys=[(b"worker 1 .127.0.7.4:8470.  connection refused", CTRL_C)])
        self.assertEqual(code, 130, shown)
        self.assertRegex(end(shown), r"tpu:half 1/2 ready · .* of 30 m\r\n  worker 1 \(127.0.7.4:8470\)  connection refused .*\r\nrollcall: interrupted\r\n$")
        timeout, (code, shown) = self.late_enough_for("connection refused for ", self.on_terminal, "tpu:half", "--until", "reachable", milliseconds=1500, NO_COLOR="1")
        self.assertEqual(code, 3, shown)
        self.assertRegex(end(shown), rf"(?s)connection refused .*\r\nrollcall: tpu:half: not ready within {timeout}(\.0)? s.*\r\n +hint: ")
        code, shown = self.on_terminal("wait", "simple:job.worker=10.255.255.1:1", NO_COLOR="1")
        self.assertIn("1/1 listed, not asked", shown)
        code, shown = self.on_terminal("wait", "tpu:soon", NO_COLOR="1")  # an answer replaces it
        self.assertEqual(code, 0, shown)
        self.assertNotIn("of 30 m", end(shown))

    def test_a_dumb_terminal_gets_lines(self):
        code, shown = self.on_terminal("wait", "tpu:half", TERM="dumb")
        self.assertEqual((code, shown.splitlines()[0]), (0, "2/2 ready"))
        self.assertNotIn("\x1b", shown)

    def test_quiet_leaves_the_note_on_an_unknown_task_out(self):
        for command in (["spec"], ["wait", "--progress", "none"]):
            words = [*command, "simple:job.worker=10.255.255.1:1+10.255.255.2:1", "--format", "tf-config"]
            done = self.run_it(*words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, r"^rollcall: it is not known which task of the cluster this host is, .*\n$")
            quiet = self.run_it(*words, "--quiet")
            self.assertEqual((quiet.returncode, quiet.stdout, quiet.stderr), (0, done.stdout, ""))

    def test_wrong_words(self):
        done = self.run_it("wait", "tpu:soon", "--until", "reachabel")
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean reachable?", done.stderr)
        self.assertEqual(self.run_it("wait", "tpu:soon", "--members", "0").returncode, 2)


if __name__ == "__main__":
    main()
