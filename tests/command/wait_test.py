"""`rollcall wait` against a simulated cloud whose machines come up while somebody waits."""
from support import *

COMING_UP = {"nodes": [
    {"name": "soon", "accelerator_type": "v4-16", "endpoints": ["127.0.7.1", "127.0.7.2"], "workers": {"runtime": "tensorflow"},
     "timeline": [{"at": "0s", "state": "CREATING", "endpoints": []}, {"at": "1s", "state": "READY", "endpoints": ["127.0.7.1", "127.0.7.2"]}]},
    {"name": "half", "accelerator_type": "v4-16", "endpoints": ["127.0.7.3", "127.0.7.4"],
     "workers": {"runtime": "tensorflow", "except": [{"worker": 1, "runtime": "none"}]}},
    {"name": "lost", "accelerator_type": "v4-8", "state": "PREEMPTED"}]}


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
        done = self.run_it("wait", "tpu:half", "--until", "reachable", "--timeout", "2500ms", "--progress", "json")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        *events, message = done.stderr.splitlines()
        self.assertIn("1 of 2 ready; missing: worker 1 (127.0.7.4:8470): connection refused for 2.", message)
        last = json.loads(events[-1])
        self.assertEqual((last["ready"], last["total"], last["phase"]), (1, 2, "running"))
        self.assertEqual([(m["job"], m["index"], m["address"], m["why"]) for m in last["missing"]],
                         [("worker", 1, "127.0.7.4:8470", "connection refused")])

    def test_what_is_lost_fails_at_once(self):
        done = self.run_it("wait", "tpu:lost")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"worker 0 .* will not become ready: PREEMPTED")

    def test_ctrl_c(self):
        process = self.start("wait", "tpu:half", "--until", "reachable")
        lines_until(process.stderr, "connection refused")
        out, rest = self.interrupt(process)
        self.assertEqual(out, "", rest)

    def test_a_table_on_a_terminal(self):
        code, shown = self.on_terminal("wait", "tpu:half", "--until", "reachable",
                                       keys=[(b"worker 1 .127.0.7.4:8470.  connection refused", CTRL_C)])
        self.assertEqual(code, 130, shown)
        self.assertIn("1/2 ready · ", shown)

    def test_wrong_words(self):
        done = self.run_it("wait", "tpu:soon", "--until", "reachabel")
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean reachable?", done.stderr)
        self.assertEqual(self.run_it("wait", "tpu:soon", "--members", "0").returncode, 2)


if __name__ == "__main__":
    main()
