"""The command's output for programs matches docs/output.schema.json, failures included."""
import socket

from json_schema import Schema
from support import *

SCHEMA = Schema(read_json(os.path.join(HERE, "../../docs/output.schema.json")), knows_all=True)
CLOUD_FILE = {
    "project": "p", "zone": "us-central2-b",
    "nodes": [
        {"name": "trainer", "accelerator_type": "v4-32", "endpoints": {"base": "10.0.0.1"}},
        {"name": "late", "accelerator_type": "v4-16", "endpoints": {"base": "10.1.0.1"}, "ready_after": 1},
        {"name": "young", "accelerator_type": "v4-16", "state": "CREATING"},
        {"name": "spot", "accelerator_type": "v4-8", "spot": True, "timeline": [{"at": 0, "state": "READY"}, {"at": 1, "state": "PREEMPTED"}]},
    ],
    "workers": [{"address": "127.84.9.1:8470", "cores": 2}],
}
TRAINER = "tpu:trainer,project=p,zone=us-central2-b"
LISTED = "simple:job.worker=a:1"
OUTPUTS = [  # its definition in the schema, the exit code, and the command
    ("spec", 0, "spec", TRAINER),
    ("spec", 1, "spec", "tpu:nobody"),
    ("spec", 6, "spec", "tpu:nobody", LISTED, "--partial"),
    ("spec", 1, "spec", "tpu:nobody", "tpu:noone", "--partial"),
    ("spec", 1, "spec", "tpu:nobody", LISTED),
    ("spec", 2, "spec", "nonsense:x"),
    ("spec", 2, "spec"),
    ("spec", 2, "spec", "tpu:trainer", "--timeout", "never"),
    ("spec", 2, "spec", "tpu:trainer", "--trace", "/no/such/file"),
    ("spec", 2, "spec", "tpu:trainer", "--token-file", "/dev/null"),
    ("spec", 2, "spec", "tpu:trainer", "--metrics", "/no/such/folder/file"),
    ("wait", 0, "wait", "tpu:late", "--progress", "none"),
    ("wait", 1, "wait", "tpu:nobody"),
    ("wait", 3, "wait", "tpu:young", "--timeout", "200ms"),
    ("devices", 0, "devices", "tpu:trainer", "tpu:grpc://127.84.9.1:8470"),
    ("devices", 1, "devices", "tpu:trainer", "tpu:nobody"),
    ("devices", 6, "devices", "tpu:trainer", "tpu:nobody", "--partial"),
    ("devices", 2, "devices", "nonsense:x"),
    ("devices", 0, "devices", "local", "--no-nvml"),
    ("devices", 2, "devices", "local", "tpu:trainer"),
    ("topology", 0, "topology", "v4-32"),
    ("topology", 0, "topology", "tpu:trainer"),
    ("topology", 1, "topology", "tpu:nobody"),
    ("topology", 2, "topology", "v4-33"),
    ("doctor", 0, "doctor", "tpu:trainer"),
    ("doctor", 1, "doctor", "tpu:nobody"),
    ("doctor", 2, "doctor", "nonsense:x"),
    ("whoami", 0, "whoami", f"simple:job.worker={socket.gethostname()}:1"),
    ("whoami", 1, "whoami", "tpu:nobody"),
    ("whoami", 2, "whoami", "nonsense:x"),
    ("preflight", 0, "preflight", "--checks", "kernel"),
    ("preflight", 118, "preflight", "--checks", "kernel,expect:kernel=none"),
    ("preflight", 2, "preflight", "--checks", "nonsense"),
    ("discover", 0, "discover", "--kind", "tpu"),
    ("discover", 4, "discover", "--project", "other"),
    ("discover", 2, "discover", "--filter", "nonsense=x"),
    ("status", 0, "status", "tpu:trainer"),
    ("status", 7, "status", "tpu:young"),
    ("status", 1, "status", "tpu:nobody"),
    ("status", 2, "status", "tpu:trainer", "--until", "reachable"),
    ("watch", 1, "watch", "tpu:nobody"),
    ("watch", 2, "watch", "nonsense:x"),
    ("fleet", 1, "fleet"),
]


class Outputs(Command):
    def setUp(self):
        self.simulate(CLOUD_FILE)

    def described(self, name, text):
        values = [json.loads(line) for line in text.splitlines()]
        self.assertTrue(values, name)
        for value in values:
            self.assertEqual(SCHEMA.faults(value, name), [], value)
        return values

    def test_every_answer_and_every_failure(self):
        for name, code, *words in OUTPUTS:
            with self.subTest(words=words):
                done = self.run_it(*words, "--format", "json")
                self.assertEqual(done.returncode, code, done.stderr)
                reported = self.described(name, done.stdout)
                if code not in (0, 6, 7, 118) and name not in ("discover", "doctor"):
                    self.assertTrue(reported[-1]["failures"], done.stdout)

    def test_a_failure_tells_what_standard_error_tells(self):
        for words in (["-f", "json"], ["--format=json"], ["--format", "json"]):
            done = self.run_it("spec", "tpu:nobody", *words)
            failure, = json.loads(done.stdout)["failures"]
            self.assertEqual((failure["target"], failure["code"], failure["http_status"]), ("tpu:nobody", "not_found", 404))
            self.assertIn(failure["message"], done.stderr)
            self.assertIn(failure["hint"], done.stderr)
        failure, = json.loads(self.run_it("spec", "tpu:nobody", LISTED, "--format", "json").stdout)["failures"]
        self.assertEqual(failure["target"], "")  # both are one cluster
        failures = json.loads(self.run_it("devices", "tpu:nobody", "tpu:noone", "--format", "json").stdout)["failures"]
        self.assertEqual([failure["target"] for failure in failures], ["tpu:nobody", "tpu:noone"])

    def test_wrong_words_are_answered_however_the_form_is_spelt(self):
        for words in (["-fjson"], ["-ojson"], ["-qf", "json"], ["-o", "json"], ["--format=json"], ["--format", "json", "--timeout"], ["--format", "text", "-fjson"]):
            with self.subTest(words=words):
                done = self.run_it("spec", "tpu:trainer", "--bogus", *words)
                self.assertEqual(done.returncode, 2, done.stderr)
                failure, = self.described("spec", done.stdout)[0]["failures"]
                self.assertEqual((failure["target"], failure["code"]), ("", "invalid_argument"))

    def test_the_last_form_counts(self):
        for words, code in ((["tpu:nobody"], 1), (["tpu:trainer", "--bogus"], 2)):
            done = self.run_it("spec", *words, "--format", "json", "--format", "text")
            self.assertEqual((done.returncode, done.stdout), (code, ""), words)
            done = self.run_it("spec", *words, "--format", "text", "--format", "json")
            self.assertEqual(done.returncode, code, words)
            self.assertTrue(json.loads(done.stdout)["failures"], words)

    def test_text_stays_silent(self):
        for words in (["spec", "tpu:nobody"], ["spec"], ["spec", "tpu:nobody", "--format", "text"], ["spec", "tpu:nobody", "--format", "tf-config"],
                      ["exec", LISTED, "--format", "json", "--", "true"], ["exec", LISTED, "--bogus", "--", "true", "--format", "json"]):
            self.assertEqual(self.run_it(*words).stdout, "", words)

    def test_a_watch_and_its_changes(self):
        process = self.begin("watch", "tpu:spot", "--format", "json")
        changes = self.described("watch", "".join(lines_until(process.stdout, "member_changed")))
        self.assertEqual(changes[0]["change"], "member_joined")

    def test_progress_and_log(self):
        _, waited = self.late_enough_for("waiting for", self.run_it, "tpu:young", "--progress", "json", milliseconds=200)
        self.described("progress", waited.stderr.rsplit("rollcall: ", 1)[0])
        for words in (["wait", "tpu:young", "--timeout", "200ms"], ["spec", "tpu:trainer"], ["devices", "tpu:grpc://127.84.9.1:8470"], ["spec", "nonsense:x"]):
            self.described("log", self.run_it(*words, "--log", "json").stderr)

    def test_progress_of_a_barrier(self):
        words = ["exec", "simple:job.worker=127.0.0.1:1+127.0.0.2:1", "--task", "worker:0", "--barrier", "--barrier-port", str(self.free_port()),
                 "--timeout", "1s"]
        shown = [line for line in self.run_it(*words, "--progress", "json", "--", "true").stderr.splitlines() if '"stage"' in line]
        seen = self.described("barrier", "\n".join(shown))[-1]
        self.assertEqual((seen["here"], seen["total"], seen["missing"][0]["task"]), (1, 2, "worker:1"))
        self.described("log", self.run_it(*words, "--log", "json", "--", "true").stderr)

    @staticmethod
    def free_port():
        with socket.create_server(("127.0.0.1", 0)) as free:
            return free.getsockname()[1]

    def test_a_service(self):
        service = self.begin("serve", "--listen", "127.0.0.1:0", "--log", "json")
        server = exports(service.stdout.readline())
        self.assertEqual(self.run_it("wait", TRAINER, **server).returncode, 0)
        fleet = self.described("fleet", self.run_it("fleet", "--format", "json", **server).stdout)
        self.assertEqual(fleet[0]["clusters"][0]["standing"], "ready")
        self.described("log", "".join(lines_until(service.stderr, "request_served")))


class Schemas(unittest.TestCase):
    def test_they_are_json_schema(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("python3-jsonschema is not installed")
        for name in ("output", "protocol", "simulation"):
            with self.subTest(name):
                jsonschema.Draft202012Validator.check_schema(read_json(os.path.join(HERE, f"../../docs/{name}.schema.json")))

    def test_the_protocol_says_the_same(self):
        output, protocol = (read_json(os.path.join(HERE, f"../../docs/{name}.schema.json"))["$defs"] for name in ("output", "protocol"))
        for name, other in (("code", "code"), ("member", "member"), ("change", "change"), ("notice", "notice"), ("cluster_status", "status"), ("record", "record"),
                            ("device_reports", "devices_result"), ("doctor_report", "doctor_result"), ("layout", "topology_result")):
            self.assertEqual(output[name], protocol[other], name)

    def test_it_refuses(self):
        good = {"cluster": {"worker": ["a:1"]}, "failures": []}
        self.assertEqual(SCHEMA.faults(good, "spec"), [])
        for bad in ({}, {"failures": []}, {**good, "more": 1}, {**good, "failures": [{"code": "not_found"}]}, {"cluster": {"worker": [1]}, "failures": []}, []):
            self.assertNotEqual(SCHEMA.faults(bad, "spec"), [], bad)


if __name__ == "__main__":
    main()
