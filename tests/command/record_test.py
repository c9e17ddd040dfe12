"""`rollcall record`, and `rollcall sim` with what it has written: the same answers come again."""
import json
import os
import tempfile

from support import *

KUBERNETES = {"kubernetes": {"namespace": "train", "pods": [
    {"kind": "job_set", "name": "trainer", "count": 4, "groups": 2, "labels": {"app": "llama", "team.acme.example/owner": "lovelace"},
     "env": {"WANDB_API_KEY": "env-value-of-a-secret"}, "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "applied-secret"},
     "node": "acme-gpu-{h}", "image": "registry.acme.example/llama:v1", "command": ["python3", "--password=argument-secret"],
     "except": [{"pod": 3, "cause": "image_pull"}, {"pod": 5, "cause": "unschedulable"}]}]}}
TARGET = "kubernetes:train,job.worker=app=llama"
SECRETS = ("env-value-of-a-secret", "applied-secret", "argument-secret", "simulated-token")
NAMES = ("llama", "trainer", "acme", "lovelace", "10.128.0")


class Recording(Command):
    def record(self, *words, code=0):
        done = self.run_it("record", *words)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout

    def play(self, text, *words):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(text)
            file.flush()
            done = subprocess.run([ROLLCALL, "sim", file.name, "--quiet", "--", *words], env=clean_environment(), stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
        return done

    def status_of(self, done):
        self.assertIn(done.returncode, (0, 7), done.stderr)
        return json.loads(done.stdout)

    def test_a_replay_has_the_same_status(self):
        self.simulate(KUBERNETES)
        status = self.status_of(self.run_it("status", TARGET, "--format", "json"))
        text = self.record(TARGET)
        self.assertEqual(self.status_of(self.play(text, ROLLCALL, "status", TARGET, "--format", "json")), status)
        self.assertEqual(self.status_of(self.play(text, ROLLCALL, "status", "--format", "json")), status)  # ROLLCALL_TARGET
        for secret in SECRETS:
            self.assertNotIn(secret, text)
        recorded = json.loads(text)["recorded"]
        self.assertEqual((recorded["version"], recorded["targets"], recorded["used_token"]), (1, [TARGET], True))
        self.assertNotIn("managedFields", text)

    def test_an_anonymous_one_has_the_same_shape(self):
        self.simulate(KUBERNETES)
        status = self.status_of(self.run_it("status", TARGET, "--format", "json"))
        text = self.record(TARGET, "--anonymize")
        for name in (*SECRETS, *NAMES):
            self.assertNotIn(name, text)
        replayed = self.status_of(self.play(text, ROLLCALL, "status", "--format", "json"))

        def shape(one):
            return [(m["job"], m["index"], m["state"], m["health"]) for m in one["members"]]

        self.assertEqual(shape(replayed), shape(status))
        addresses = {m["address"] for m in replayed["members"]}
        self.assertEqual(len(addresses), len({m["address"] for m in status["members"]}))

    def test_changes_come_at_their_times(self):
        cloud = {"kubernetes": {"namespace": "train", "pods": [{"kind": "job", "name": "a", "labels": {"app": "llama"}, "count": 2, "running_after": "300ms",
                                                                "ready_after": "600ms"}]}}
        self.simulate(cloud)
        text = self.record(TARGET, "--for", "1500ms")
        watches = [one for one in json.loads(text)["recorded"]["exchanges"] if "lines" in one]
        self.assertTrue(watches and watches[0]["lines"], text)
        done = self.play(text, ROLLCALL, "wait", TARGET, "--timeout", "20s")
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (0, 2), done.stderr)

    def test_tpus_and_their_project(self):
        self.simulate({"project": "acme-research", "nodes": [{"name": "lovelace-tpu", "accelerator_type": "v4-16", "metadata": {"startup-script": "curl secret-url"}}]})
        status = self.status_of(self.run_it("status", "tpu:lovelace-tpu", "--format", "json"))
        text = self.record("tpu:lovelace-tpu")
        self.assertNotIn("secret-url", text)
        self.assertEqual(self.status_of(self.play(text, ROLLCALL, "status", "--format", "json")), status)
        hidden = self.record("tpu:lovelace-tpu", "--anonymize")
        for name in ("acme-research", "acme", "lovelace", "10.128.0", "123456789012"):
            self.assertNotIn(name, hidden)
        replayed = self.status_of(self.play(hidden, ROLLCALL, "status", "--format", "json"))
        self.assertEqual(len(replayed["members"]), len(status["members"]))

    def test_every_scheme_with_http_keeps_its_form(self):
        self.simulate({"project": "acme-research",
                       "compute": {"instances": [{"name": "lovelace-{i}", "count": 3}],
                                   "groups": [{"name": "lovelace-group", "instances": ["lovelace-*"], "named_ports": {"grpc": 8470}}]},
                       "queued_resources": [{"name": "lovelace", "slices": 2, "node": {"accelerator_type": "v4-16"}}],
                       "metadata": {"tpu_worker": {"node": "lovelace-0", "worker": 0}}})
        for target in ("gce:lovelace-group,named_port=grpc", "gce:lovelace-group,port=1", "tpu:qr/lovelace", "auto:"):
            status = self.status_of(self.run_it("status", target, "--format", "json"))
            for words in ((target,), (target, "--anonymize")):
                text = self.record(*words)
                replayed = self.status_of(self.play(text, ROLLCALL, "status", "--format", "json"))
                self.assertEqual([m["state"] for m in replayed["members"]], [m["state"] for m in status["members"]], words)
            for name in ("lovelace", "acme", "10.128.0", "10.132.0"):
                self.assertNotIn(name, text)

    def test_a_refusal_is_recorded_as_well(self):
        self.simulate({"kubernetes": {"users": [{"name": "ada", "token": "t", "rules": []}], "pods": [{"name": "a", "namespace": "train"}]}})
        text = self.record(TARGET, code=4)
        done = self.play(text, ROLLCALL, "status", TARGET)
        self.assertEqual(done.returncode, 4)
        self.assertIn("forbidden", done.stderr)

    def test_what_was_not_asked_is_named(self):
        self.simulate(KUBERNETES)
        text = self.record(TARGET)
        done = self.play(text, ROLLCALL, "status", "kubernetes:other,job.worker=app=llama", "--retries", "0")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the recording has no answer to GET /api/v1/namespaces/other/pods", done.stderr)

    def test_targets_without_http(self):
        for target in ("simple:job.worker=a:1", "mpi:"):
            done = self.run_it("record", target)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("nothing was recorded: simple:job.worker=a:1 asks no service over HTTP", self.run_it("record", "simple:job.worker=a:1").stderr)

    def test_a_newer_form_is_refused(self):
        done = self.play('{"recorded": {"version": 2, "exchanges": []}}', "true")
        self.assertEqual(done.returncode, 2)
        self.assertIn("this recording has form 2", done.stderr)


if __name__ == "__main__":
    unittest.main()
