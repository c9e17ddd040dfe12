"""`rollcall spec`: results, formats, exit codes, and which output goes to which stream."""
import os
import pathlib
import tempfile

from support import *

TRAINER = "".join(f"worker {i} 10.0.0.{i + 1}:8470\n" for i in range(4))


class Results(Case):
    def test_text(self):
        self.assertEqual(self.spec("tpu:trainer"), TRAINER)

    def test_json(self):
        self.assertEqual(json.loads(self.spec("tpu:trainer", "--format", "json")),
                         {"cluster": {"worker": [f"10.0.0.{i + 1}:8470" for i in range(4)]}, "failures": []})

    def test_several_targets_are_one_cluster(self):
        out = self.spec("tpu:single", "simple:job.worker=a:1,job.ps=b:2")
        self.assertEqual(out, "worker 0 10.1.0.1:8470\nworker 1 a:1\nps     0 b:2\n")

    def test_zone_and_project_are_defaults(self):
        self.assertEqual(self.spec("tpu:east", "--zone", "us-east1-d", "--project", "example-proj"), "worker 0 10.2.0.1:8470\n")
        self.assertEqual(self.spec("tpu:east,zone=us-east1-d", "tpu:single", "--zone", "us-central2-b"), "worker 0 10.2.0.1:8470\nworker 1 10.1.0.1:8470\n")

    def test_lists_share_one_request(self):
        self.assertEqual(self.spec("tpu:single", "tpu:trainer", "--lookup", "list").count("\n"), 5)

    def test_targets_from_a_file_and_from_standard_input(self):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as listed:
            listed.write("# all\n\ntpu:single # one\n")
            listed.flush()
            self.assertEqual(self.spec("--targets-from", listed.name), "worker 0 10.1.0.1:8470\n")
        done = self.run_it("spec", "--targets-from", "-", stdin="tpu:single\r\n")
        self.assertEqual((done.returncode, done.stdout), (0, "worker 0 10.1.0.1:8470\n"))

    def test_five_hundred_at_once(self):
        done = self.run_it("spec", "--targets-from", "-", "--partial", stdin="".join(f"tpu:many-{i}\n" for i in range(500)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("\n"), 500)
        self.assertEqual(done.stderr, "")

    def test_an_empty_cluster_is_reported(self):
        done = self.run_it("spec", "tpu:local")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", "rollcall: the cluster has no tasks\n"))
        self.assertEqual(json.loads(self.spec("tpu:local", "--format", "json"))["cluster"], {})

    def test_an_empty_cluster_has_a_reason_where_no_variable_describes_it(self):
        for words in (["spec", "tfconfig:"], ["wait", "tfconfig:", "--progress", "none"], ["status", "tfconfig:"]):
            done = self.run_it(*words)
            self.assertEqual((done.returncode, done.stderr), (0, "rollcall: the cluster has no tasks: TF_CONFIG is not set\n"), words)
            self.assertEqual(self.run_it(*words, "--quiet").stderr, "")
        self.assertEqual(self.run_it("spec", "tfconfig:", TF_CONFIG="{}").stderr, "rollcall: the cluster has no tasks\n")

    def test_an_empty_job_is_reported(self):
        done = self.run_it("spec", "simple:job.worker=")
        self.assertEqual((done.returncode, done.stdout), (0, "worker - -\n"))
        self.assertIn("job 'worker' has no tasks", done.stderr)
        self.assertEqual(self.run_it("spec", "simple:job.worker=", "--quiet").stderr, "")

    def test_environment_without_cloud(self):
        self.assertEqual(self.spec("tfconfig:", TF_CONFIG='{"cluster": {"worker": ["x:1"]}}'), "worker 0 x:1\n")


class Silence(Case):
    def test_a_pipe_sees_the_result_only(self):
        done = self.run_it("spec", "tpu:trainer")
        self.assertEqual((done.stdout, done.stderr), (TRAINER, ""))

    def test_verbose_tells_the_story_on_standard_error(self):
        done = self.run_it("spec", "tpu:busy", "--verbose")
        if done.returncode == 0 and "attempt 2 of 11: HTTP" not in done.stderr:
            self.skipTest("another test has used the faults up")
        self.assertEqual(done.stdout, "worker 0 10.3.0.1:8470\n")
        self.assertIn("attempt 1 of 11: ", done.stderr)
        self.assertIn("503", done.stderr)
        self.assertIn("waiting", done.stderr)
        self.assertIn("(Retry-After)", done.stderr)

    def test_log_json_is_one_object_a_line(self):
        done = self.run_it("spec", "tpu:single", "--log", "json")
        events = [json.loads(line) for line in done.stderr.splitlines()]
        self.assertEqual(events[0]["event"], "call_started")
        self.assertEqual(events[-1]["event"], "call_finished")

    def test_no_token_anywhere(self):
        token = "ya29.this-is-the-token"
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "trace.json")
            done = self.run_it("spec", "tpu:trainer", "--verbose", "--trace", trace, ROLLCALL_ACCESS_TOKEN=token)
            with open(trace) as file:
                self.assertNotIn(token, file.read() + done.stdout + done.stderr)


class Tokens(Case):
    def with_token(self, script, *words, stdin=None):
        return subprocess.run(["bash", "-c", script, ROLLCALL, *words], input=stdin, env={**clean_environment(), **self.sim.environment}, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=PATIENCE)

    def test_from_a_pipe(self):
        # Two zones are two requests, and so two uses.
        done = self.with_token('"$0" spec tpu:single tpu:east,zone=us-east1-d --token-file <(echo ya29.token)')
        self.assertEqual((done.returncode, done.stdout.count("\n")), (0, 2), done.stderr)
        done = self.with_token('"$0" spec tpu:single --token-file /dev/stdin', stdin="ya29.token\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.with_token('cat | "$0" spec tpu:single --token-file /dev/stdin', stdin="ya29.token\n")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_is_no_token(self):
        for script, why in (('"$0" spec tpu:single --token-file <(true)', "is empty"),
                            ('"$0" spec tpu:single --token-file <(head -c 70000 /dev/zero | tr "\\0" x)', "longer than 65536 bytes"),
                            ('head -c 70000 /dev/zero | tr "\\0" x > "$1"; "$0" spec tpu:single --token-file "$1"', "larger than 65536 bytes"),
                            ('"$0" spec tpu:single --token-file /', "Is a directory")):
            with tempfile.TemporaryDirectory() as folder:
                done = self.with_token(script, os.path.join(folder, "token"))
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(why, done.stderr)

    def test_a_silent_pipe_does_not_hang(self):
        done = self.with_token('exec 3<> <(:); "$0" spec tpu:single --timeout 200ms --token-file /dev/fd/3')
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("did not end within the time-out", done.stderr)


class ExitCodes(Case):
    def refused(self, code, *words, **variables):
        done = self.run_it("spec", *words, **variables)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertTrue(done.stderr.startswith("rollcall: "), done.stderr)
        return done.stderr

    def test_failed_for_good(self):
        self.assertIn("nobody", self.refused(1, "tpu:nobody"))
        self.assertRegex(self.refused(1, "tpu:creating"), "CREATING.*: it is on its way: rollcall wait ")

    def test_wrong_usage(self):
        self.assertIn("kubernetes:NAMESPACE/KIND/NAME, slurm:job/ID or tpu:NAME", self.refused(2, "trainer"))
        self.assertIn("did you mean --timeout?", self.refused(2, "tpu:trainer", "--timeut", "3"))
        self.assertIn("did you mean", self.refused(2, "tpu:trainer,zoen=x"))
        self.assertIn("500ms", self.refused(2, "tpu:trainer", "--timeout", "soon"))
        self.assertIn("cannot read", self.refused(2, "--targets-from", "/does/not/exist"))
        self.assertIn("lists no target", self.refused(2, "--targets-from", "/dev/null"))
        self.assertIn("--trace", self.refused(2, "tpu:trainer", "--trace", "/does/not/exist/t.json"))
        self.assertIn("TF_CONFIG", self.refused(2, "tfconfig:", TF_CONFIG="{"))
        self.assertIn("zone= has no value", self.refused(2, "tpu:trainer,zone="))
        self.assertIn("GOOGLE_CLOUD_PROJECT: 'a b'", self.refused(2, "tpu:trainer", GOOGLE_CLOUD_PROJECT="a b"))
        self.assertIn("--ca: the CA file '/dev/null'", self.refused(2, "simple:job.w=a:1", "--ca", "/dev/null"))

    def test_a_target_that_is_named_twice(self):
        twice = "simple:job.worker=a:1"
        for words in (["spec", twice, twice], ["spec", "--partial", twice, twice], ["wait", twice, twice], ["status", twice, twice]):
            done = self.run_it(*words)
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (2, "", f"rollcall: '{twice}' is named already: each target counts once: leave one out\n"))
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as listed:
            listed.write(f"# all\ntpu:single\n{twice}\ntpu:single # again\n")
            listed.flush()
            name = listed.name
            self.assertIn(f"{name}:4: 'tpu:single' is named already, by {name}:2:", self.refused(2, "--targets-from", name))
            self.assertIn(f"{name}:3: '{twice}' is named already:", self.refused(2, twice, "--targets-from", name))

    def test_a_port_that_no_machine_has(self):
        for address in ("a:99999", "a:0", "10.0.0.1:65536", "[fd00::1]:70000"):
            reported = self.refused(2, f"simple:job.worker=b:1+{address}")
            self.assertIn(f"job.worker has '{address}', whose port is not one of 1 to 65535", reported)
        self.assertEqual(self.spec("simple:job.worker=a:65535+b+fd00::9999+fd00::1"), "worker 0 a:65535\nworker 1 b\nworker 2 fd00::9999\nworker 3 fd00::1\n")

    def test_a_file_that_is_not_there_is_named_with_the_reason(self):
        part = "cannot read '/no/such/file': No such file or directory"
        self.assertIn(part, self.refused(1, "file:/no/such/file"))
        done = self.run_it("sim", "/no/such/file")
        self.assertEqual((done.returncode, done.stderr), (2, f"rollcall: {part}\n"))

    def test_timed_out(self):
        self.refused(3, "tpu:mute", "--timeout", "200ms")

    def test_not_allowed(self):
        self.refused(4, "tpu:secret")

    def test_unreachable(self):
        self.refused(5, "tpu:down", "--retries", "1")
        self.assertIn("503", self.refused(5, "tpu:down", "--retries", "0"))

    def test_a_simulation_that_is_over(self):
        for place in ((), ("--project", "p", "--zone", "z")):
            reported = self.refused(5, "tpu:trainer", *place, GCE_METADATA_HOST="127.0.0.1:1")
            self.assertIn("3 attempts", reported)
            self.assertIn("GCE_METADATA_HOST names 127.0.0.1:1: is that simulation over? unset it and its other variables (GCE_METADATA_*, ", reported)

    def test_partial(self):
        done = self.run_it("spec", "--partial", "tpu:single", "tpu:nobody", "nonsense", "tpu:trainer", "--format", "json")
        self.assertEqual(done.returncode, 6, done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual(len(answer["cluster"]["worker"]), 5)
        self.assertEqual(answer["cluster"]["worker"][0], "10.1.0.1:8470")
        self.assertEqual([(f["target"], f["code"]) for f in answer["failures"]], [("tpu:nobody", "not_found"), ("nonsense", "invalid_argument")])
        self.assertEqual(answer["failures"][0]["http_status"], 404)
        self.assertIn("rollcall: tpu:nobody: ", done.stderr)
        self.assertIn("2 of 4 targets resolved, 2 failed", done.stderr)
        self.assertEqual(done.stderr.count("'nonsense'"), 1, done.stderr)
        self.assertNotIn("rollcall: nonsense: ", done.stderr)

    def test_partial_answers_that_are_no_one_cluster(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, tasks in (("a", {"5": "a:1"}), ("b", {"5": "b:1", "7": "c:1"})):
                pathlib.Path(folder, name).write_text(json.dumps({"worker": tasks}))
            done = self.run_it("spec", f"file:{folder}/a", f"file:{folder}/b", f"file:{folder}/none", "--partial", "--format", "json")
        reported = json.loads(done.stdout)
        self.assertEqual((reported["cluster"], [failure["code"] for failure in reported["failures"]]), ({}, ["not_found", "conflict"]))
        self.assertNotEqual(done.returncode, 0)

    def test_partial_without_any_result(self):
        self.refused(4, "--partial", "tpu:nobody", "tpu:secret")
        done = self.run_it("spec", "--partial", "tpu:nobody", "--format", "json")
        self.assertEqual((done.returncode, json.loads(done.stdout)["cluster"]), (1, {}))

    def test_one_bad_target_fails_a_union(self):
        self.refused(1, "tpu:trainer", "tpu:nobody")

    def test_a_full_disk_is_an_error(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([ROLLCALL, "spec", "simple:job.w=a:1"], stdout=full, stderr=subprocess.PIPE, env=clean_environment(), text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write", done.stderr)

    def test_closed_descriptors(self):
        done = subprocess.run(["sh", "-c", '"$0" spec tpu:trainer >&- 2>&-; echo $?', ROLLCALL], stdout=subprocess.PIPE, text=True, timeout=PATIENCE,
                              env={**clean_environment(), **self.sim.environment})
        self.assertEqual(done.stdout, "1\n")


class Trace(Case):
    def spans(self, path):
        with open(path) as file:
            return [e for e in json.load(file)["traceEvents"] if e["ph"] == "X"]

    def test_of_an_answer(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            self.spec("tpu:trainer", "tpu:single", "--trace", path)
            spans = self.spans(path)
        self.assertEqual({s["cat"] for s in spans} & {"call", "request", "phase", "token"}, {"call", "request", "phase", "token"})
        self.assertIn("response", {s["name"] for s in spans})
        for span in spans:
            self.assertGreaterEqual(span["dur"], 0)

    def test_that_cannot_be_written_is_an_error(self):
        done = self.run_it("spec", "tpu:trainer", "--trace", "/dev/full")
        self.assertEqual((done.returncode, done.stdout), (1, TRAINER))
        self.assertIn("--trace: cannot write '/dev/full': No space left", done.stderr)

    def test_is_written_when_the_call_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            self.run_it("spec", "tpu:down", "--retries", "1", "--trace", path)
            spans = self.spans(path)
        self.assertIn("back off", {s["name"] for s in spans})
        self.assertEqual([s["args"]["code"] for s in spans if s["cat"] == "call" and "code" in s["args"]], ["unavailable"])


if __name__ == "__main__":
    main()
