"""`rollcall topology`: types without a request, targets that ask the API, pictures, refusals."""
import tempfile
import xml.etree.ElementTree

from support import *

SVG = "{http://www.w3.org/2000/svg}"


class Topology(Case):
    def topology(self, *words, **variables):
        done = self.run_it("topology", *words, **variables)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def refused(self, code, *words, **variables):
        done = self.run_it("topology", *words, **variables)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertTrue(done.stderr.startswith("rollcall: "), done.stderr)
        return done.stderr

    def picture(self, text):
        root = xml.etree.ElementTree.fromstring(text)
        self.assertEqual(root.tag, SVG + "svg")
        return [group.find(SVG + "title").text for group in root.iter(SVG + "g")]


class Types(Topology):
    def test_text(self):
        out = self.topology("v5litepod-16", GCE_METADATA_HOST="127.0.0.1:1")
        self.assertIn("hosts           4\ntopology        4x4\n", out)
        self.assertIn("+-----+\n| 0 1 |\n| 2 3 |\n+-----+\n", out)
        self.assertNotIn("target", out)

    def test_json(self):
        answer = json.loads(self.topology("v4-4x4x8", "--format", "json"))
        self.assertEqual((answer["type"], answer["chips"], answer["cores"], answer["hosts"]), ("v4-256", 128, 256, 32))
        self.assertEqual((answer["host_bounds"], answer["wrap"], answer["topology_certain"]), ([2, 2, 8], [True] * 3, True))
        self.assertEqual((answer["target"], answer["state"], answer["workers"]), ("", "", []))

    def test_every_listed_kind_draws(self):
        for word, hosts in (("v2-8", 1), ("v3-2048", 256), ("v4-32", 4), ("v5litepod-256", 64), ("v5p-12288", 1536), ("v6e-4x8", 8), ("tpu7x-128", 16), ("v5e-8", 1)):
            self.assertIn(f"\nhosts           {hosts}\n", self.topology(word))
            self.assertEqual(len(self.picture(self.topology(word, "--svg", "-"))), hosts)


class Targets(Topology):
    def test_text_has_addresses(self):
        out = self.topology("tpu:trainer")
        self.assertTrue(out.startswith("target          tpu:trainer\nstate           READY\ntype            v4-32\n"), out)
        self.assertIn("\ntopology        2x2x4\n", out)  # by acceleratorConfig: certain
        self.assertTrue(out.endswith("".join(f"worker {i} 10.0.0.{i + 1}:8470\n" for i in range(4))), out)

    def test_json_has_addresses(self):
        answer = json.loads(self.topology("tpu:pod", "--format", "json"))
        self.assertEqual((answer["target"], answer["state"], answer["type"]), ("tpu:pod", "READY", "v5litepod-16"))
        self.assertEqual(answer["workers"], [{"index": i, "address": f"10.4.0.{i + 1}:8470"} for i in range(4)])

    def test_version_1_names_the_type_alone(self):
        self.assertIn("2x2x4 (the usual one", self.topology("tpu:trainer", "--api", "v1"))

    def test_zone_is_a_default(self):
        out = self.topology("tpu:east", "--zone", "us-east1-d", "--project", "example-proj")
        self.assertTrue(out.startswith("target          tpu:east,project=example-proj,zone=us-east1-d\n"), out)

    def test_one_request(self):
        done = self.run_it("topology", "tpu:single", "--verbose")
        self.assertEqual(done.stderr.count("/nodes/single"), 1, done.stderr)
        self.assertIn("tpu:single description: done", done.stderr)

    def test_not_ready_yet_has_no_addresses(self):
        out = self.topology("tpu:creating")
        self.assertIn("state           CREATING\ntype            v4-8\n", out)
        self.assertNotIn("worker", out)

    def test_the_workers_are_believed(self):
        self.assertIn("hosts           2 by the type; the TPU lists 3 workers\n", self.topology("tpu:lopsided"))

    def test_the_story_is_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "trace.json")
            done = self.run_it("topology", "tpu:trainer", "--log", "json", "--trace", trace)
            with open(trace) as file:
                self.assertIn("nodes/trainer", file.read())
        self.assertEqual(json.loads(done.stderr.splitlines()[0])["event"], "call_started")


class Pictures(Topology):
    def test_a_file_beside_the_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "slice.svg")
            out = self.topology("tpu:trainer", "--svg", path)
            self.assertEqual(out, self.topology("tpu:trainer"))
            with open(path) as file:
                self.assertEqual(self.picture(file.read())[3], "worker 3, x=0 y=0 z=3, 10.0.0.4:8470, READY")

    def test_standard_output(self):
        self.assertEqual(self.picture(self.topology("v4-16", "--svg", "-")), ["worker 0, x=0 y=0 z=0", "worker 1, x=0 y=0 z=1"])
        done = self.run_it("topology", "v4-16", "--svg", "-", "--format", "json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("exclude each other", done.stderr)
        self.assertIn("exclude each other", json.loads(done.stdout)["failures"][0]["message"])

    def test_failing_to_write_is_an_error(self):
        self.assertIn("--svg: cannot write '/does/not/exist/a.svg': No such file", self.refused(1, "v4-16", "--svg", "/does/not/exist/a.svg"))
        self.assertIn("No space left", self.refused(1, "v4-16", "--svg", "/dev/full"))


class Refusals(Topology):
    def test_neither_a_type_nor_a_target(self):
        said = self.refused(2, "v4-33")
        for part in ("invalid accelerator type 'v4-33'", "nor is it a target", "did you mean v4-32?", "tpu:v4-33"):
            self.assertIn(part, said)
        said = self.refused(2, "trainer")
        self.assertIn("nor is it a target", said)
        self.assertNotIn("did you mean", said)
        self.assertIn("v5litepod-256", said)
        said = self.refused(2, "v99-8")
        self.assertNotIn("did you mean", said)
        self.assertIn("known generations are v2, v3", said)
        said = self.refused(2, "v5litpod-16")
        self.assertIn("did you mean v5litepod-16?", said)
        self.assertIn("known generations are v2, v3", said)

    def test_bad_targets(self):
        self.assertIn("did you mean tpu:trainer?", self.refused(2, "tpo:trainer"))
        self.assertIn("names no TPU", self.refused(2, "simple:job.worker=a:1"))
        self.assertIn("did you mean zone=?", self.refused(2, "tpu:trainer,zoen=x"))
        self.assertIn("v9", self.refused(2, "tpu:trainer,api=v9"))

    def test_wrong_usage(self):
        self.assertIn("TYPE_OR_TARGET is missing", self.refused(2))
        self.assertIn("unexpected argument 'v4-16'", self.refused(2, "v4-8", "v4-16"))
        self.assertIn("--trace", self.refused(2, "tpu:trainer", "--trace", "/does/not/exist/t.json"))

    def test_what_the_api_says(self):
        self.assertIn("nobody", self.refused(1, "tpu:nobody"))
        self.assertIn("v99x-8", self.refused(1, "tpu:future"))
        self.assertIn("only the Cloud TPU API knows", self.refused(1, "tpu:grpc://10.0.0.1"))
        self.refused(4, "tpu:secret")
        self.refused(5, "tpu:down", "--retries", "0")
        self.refused(3, "tpu:mute", "--timeout", "200ms")

    def test_interrupted(self):
        process = self.start("topology", "tpu:mute", "--verbose")
        for line in process.stderr:
            if "nodes/mute" in line:
                break
        process.send_signal(signal.SIGINT)
        self.assertIn("interrupted", process.communicate(timeout=PATIENCE)[1])
        self.assertEqual(process.returncode, 130)


if __name__ == "__main__":
    main()
