"""`rollcall status`: the members that are ready or missing, and why, by one poll; and ROLLCALL_TARGET, --quiet and -o."""
from support import *

CLOUD_OF_STATES = {
    "project": "p", "zone": "z",
    "nodes": [{"name": "ready", "accelerator_type": "v4-16", "endpoints": {"base": "10.0.0.1"}},
              {"name": "creating", "accelerator_type": "v4-16", "state": "CREATING"},
              {"name": "gone", "accelerator_type": "v4-16", "state": "PREEMPTED"},
              {"name": "secret", "accelerator_type": "v4-8"}],
    "faults": [{"match": {"path": "**/nodes/secret"}, "status": 403}]}


class Status(Case):
    cloud = CLOUD_OF_STATES

    def status(self, *words, **variables):
        return self.run_it("status", *words, **variables)

    def test_ready(self):
        done = self.status("tpu:ready")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "tpu:ready: 2/2 ready\nworker 0 10.0.0.1:8470 ready\nworker 1 10.0.0.2:8470 ready\n")

    def test_not_ready_is_a_code_of_its_own(self):
        done = self.status("tpu:creating")
        self.assertEqual((done.returncode, done.stderr), (7, ""))
        self.assertEqual(done.stdout, "tpu:creating: 0/2 ready\nworker 0 creating CREATING\nworker 1 creating CREATING\n")

    def test_what_is_lost_says_so(self):
        done = self.status("tpu:gone")
        self.assertEqual(done.returncode, 7)
        self.assertIn("PREEMPTED", done.stdout)
        self.assertIn("will not become ready", done.stderr)

    def test_failures_have_their_own_codes(self):
        for code, words in ((1, ["tpu:nobody"]), (4, ["tpu:secret"]), (2, ["nonsense:x"]), (2, ["tpu:ready", "--until", "reachable"]),
                            (5, ["tpu:x,endpoint=http://127.0.0.1:1", "--retries", "0"])):
            done = self.status(*words)
            self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)

    def test_several_targets_and_members_that_nobody_is_yet(self):
        done = self.status("tpu:ready", "simple:job.worker=a:1", "--members", "6")
        self.assertEqual(done.returncode, 7)
        self.assertTrue(done.stdout.startswith("all targets: 3/6 "), done.stdout)
        self.assertTrue(done.stdout.endswith("worker   2 a:1           listed, not asked\nworker 3-5 -             not there yet\n"), done.stdout)

    def test_of_a_job_without_pods_somebody_is_missing_and_of_no_other(self):
        self.simulate({"kubernetes": {"namespace": "train", "pods": [{"kind": "indexed_job", "name": "web", "count": 2, "labels": {"app": "web"}}]}})
        done = self.status("kubernetes:train,job.worker=app=web,job.ps=nope=y")
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertEqual([line.split()[:2] for line in done.stdout.splitlines()[1:]], [["worker", "0"], ["worker", "1"], ["ps", "0"]], done.stdout)
        self.assertRegex(done.stdout, r"\nps +0 +- +not there yet\n$")

    def test_json_is_the_protocol_s_status(self):
        done = self.status("tpu:creating", "-o", "json")
        self.assertEqual(done.returncode, 7)
        status = json.loads(done.stdout)
        self.assertEqual((status["phase"], status["expected"]), ("provisioning", 2))
        self.assertEqual([(m["job"], m["index"], m["address"], m["state"], m["state_text"]) for m in status["members"]],
                         [("worker", 0, "", "waiting", "CREATING"), ("worker", 1, "", "waiting", "CREATING")])

    def test_the_letter_o_is_format(self):
        for words in (["spec", "tpu:ready"], ["wait", "tpu:ready"], ["hosts", "tpu:ready"], ["discover", "--kind", "tpu"]):
            form = "horovod" if words[0] == "hosts" else "json"
            by_letter, by_name = (self.run_it(*words, "--quiet", *option) for option in (["-o", form], ["--format", form]))
            self.assertEqual((by_letter.returncode, by_letter.stdout), (0, by_name.stdout), by_letter.stderr)

    def test_quiet(self):
        done = self.run_it("wait", "tpu:ready", "-q")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.run_it("wait", "tpu:creating", "-q", "--timeout", "300ms")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (3, 1), done.stderr)
        self.assertEqual(self.run_it("spec", "simple:job.worker=", "-q").stderr, "")
        self.assertEqual(self.run_it("hosts", "tpu:creating", "-q").stderr, "")
        self.assertEqual(self.run_it("spec", "tpu:ready", "-q", "-v").returncode, 2)

    def test_the_default_target(self):
        for command in ("spec", "wait", "status", "hosts", "doctor"):
            self.assertIn(self.run_it(command, "-q", ROLLCALL_TARGET="tpu:ready").returncode, (0, 1) if command == "doctor" else (0,), command)
        done = self.run_it("spec", ROLLCALL_TARGET="tpu:ready")
        self.assertEqual((done.returncode, done.stdout.count("\n"), done.stderr), (0, 2, ""))
        done = self.run_it("exec", "-q", "--", "sh", "-c", "echo $ROLLCALL_ADDRESSES; exit 3", ROLLCALL_TARGET="tpu:ready")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (3, "10.0.0.1:8470,10.0.0.2:8470\n", ""))
        self.assertIn("v4-16", self.run_it("topology", ROLLCALL_TARGET="tpu:ready").stdout)
        self.assertEqual(self.spec("simple:job.worker=a:1", ROLLCALL_TARGET="tpu:nobody"), "worker 0 a:1\n")
        self.assertEqual(self.run_it("spec", ROLLCALL_TARGET="").returncode, 2)
        self.assertIn("ROLLCALL_TARGET", self.run_it("spec").stderr)

    def test_the_default_target_is_named_where_it_matters(self):
        note = "rollcall: the target is tpu:nobody, of ROLLCALL_TARGET\n"
        for words in (["spec"], ["exec", "--", "true"], ["exec", "--on-preempt", "TERM", "--", "true"]):
            done = self.run_it(*words, ROLLCALL_TARGET="tpu:nobody")
            self.assertIn(done.returncode, (1, 111))
            self.assertTrue(done.stderr.endswith(note), done.stderr)
        self.assertTrue(self.run_it("spec", "-v", ROLLCALL_TARGET="tpu:nobody").stderr.startswith(note))
        self.assertNotIn("ROLLCALL_TARGET", self.run_it("exec", "--on-preempt", "TERM", "-q", "--", "sh", "-c", "exit 1", ROLLCALL_TARGET="tpu:ready").stderr)


if __name__ == "__main__":
    main()
