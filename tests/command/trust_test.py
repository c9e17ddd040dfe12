"""Targets from other places than the command line, in a process that trusts only the command line."""
import tempfile

from serve_client import *

NEEDING = ("tpu:n,project=p,zone=us-central2-b,endpoint=http://127.0.0.1:9/", "tpu:n,project=p,zone=us-central2-b,discovery_url=http://127.0.0.1:9/",
           "gce:g,project=p,zone=us-central2-b,port=1,endpoint=http://127.0.0.1:9/", "kubernetes:x,job.w=a=b,kubeconfig=/nowhere",
           "kubernetes:x,job.w=a=b,api_server=http://127.0.0.1:9", "kubernetes:x,job.w=a=b,token_file=/nowhere", "file:/nowhere", "mpi:hostfile=/nowhere")
PLAIN = "simple:job.worker=10.0.0.1:1"
ONLY = {"ROLLCALL_TRUST_TARGETS": "command-line"}


class Trust(Command):
    def test_lists_and_the_variable(self):
        with tempfile.NamedTemporaryFile("w") as file:
            for target in NEEDING:
                file.seek(0)
                file.truncate()
                file.write(f"{PLAIN}\n{target}\n")
                file.flush()
                for verb in ("spec", "wait", "status", "hosts", "devices", "watch", "discover"):
                    done = self.run_it(verb, "--targets-from", file.name, **ONLY)
                    self.assertIn(done.returncode, (2, 4), (verb, done.stdout + done.stderr))
                    self.assertIn("ROLLCALL_TRUST_TARGETS is command-line", done.stderr)
                    self.assertIn(f"{file.name}:2: ", done.stderr)
                for verb in ("spec", "doctor", "wait"):
                    done = self.run_it(verb, ROLLCALL_TARGET=target, **ONLY)
                    self.assertEqual(done.returncode, 2, (verb, done.stdout + done.stderr))
                    self.assertIn("ROLLCALL_TARGET: ", done.stderr)
        self.assertEqual(self.spec(ROLLCALL_TARGET=PLAIN, **ONLY), "worker 0 10.0.0.1:1\n")

    def test_the_command_line_and_who_trusts_all(self):
        with tempfile.NamedTemporaryFile("w") as hosts, tempfile.NamedTemporaryFile("w") as listed:
            hosts.write("10.0.0.1:8470\n")
            hosts.flush()
            listed.write(f"file:{hosts.name}\n")
            listed.flush()
            self.assertEqual(self.spec(f"file:{hosts.name}", **ONLY), "worker 0 10.0.0.1:8470\n")
            for trusted in ({}, {"ROLLCALL_TRUST_TARGETS": "all"}):
                self.assertEqual(self.spec("--targets-from", listed.name, **trusted), "worker 0 10.0.0.1:8470\n")
                self.assertEqual(self.spec(ROLLCALL_TARGET=f"file:{hosts.name}", **trusted), "worker 0 10.0.0.1:8470\n")
            done = self.run_it("spec", "--targets-from", listed.name, ROLLCALL_TRUST_TARGETS="none")
            self.assertEqual(done.returncode, 2)
            self.assertIn("ROLLCALL_TRUST_TARGETS is 'none', neither all nor command-line", done.stderr)

    def test_a_session_whatever_its_client_says(self):
        for options in ({}, {"environment": {}}, {"environment": {"ROLLCALL_TRUST_TARGETS": "all"}}):
            child = Child(self.environment(**ONLY))
            self.addCleanup(child.close)
            child.ask(request(0, "initialize", protocol=1, options=options))
            number = 0
            for target in NEEDING:
                for method in ("resolve", "status", "wait", "watch", "devices", "whoami", "doctor"):
                    number += 1
                    asked = {"target": target} if method == "doctor" else {"targets": [PLAIN, target]}
                    answer = child.ask(request(number, method, **asked))
                    self.assertEqual(answer["error"]["data"]["code"], "refused_by_policy", (method, target, answer))
            self.assertEqual(child.ask(request(number + 1, "resolve", targets=[PLAIN]))["result"]["cluster"], {"worker": ["10.0.0.1:1"]})


if __name__ == "__main__":
    unittest.main()
