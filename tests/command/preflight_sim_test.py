"""`rollcall preflight` with simulated members: the verdict on each fault."""
import socket

from support import *

EXAMPLE = os.path.join(EXAMPLES, "preflight.json")
FACTS = {"driver": "580.159.04", "accelerators": "8"}
NETWORK = "127.0.23"


def cluster(*entries, **keys):
    return {"members": {"base": f"{NETWORK}.1", "port": 29517, "facts": FACTS, "except": list(entries), **keys}}


class Members(Command):
    def members(self, *more, task="worker:0", **environment):
        """A member of the user's in the simulation."""
        target = self.sim.environment["ROLLCALL_SIM_MEMBERS"]
        return self.run_it("preflight", target, "--task", task, "--checks", "kernel", "--format", "json", "--quiet", *more, **environment)

    def verdict(self, *more, task="worker:0", code=118, **environment):
        done = self.members(*more, task=task, **environment)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def findings(self, verdict):
        return sorted((finding["scope"], finding["check"], *(member["index"] for member in finding["members"])) for finding in verdict["findings"])

    def test_healthy_members_pass_again_and_again(self):
        self.simulate(cluster({"member": 5, "starts_after": "100ms"}))
        for _ in range(2):
            verdict = self.verdict(code=0)
            self.assertEqual((verdict["present"], verdict["pairs_tested"], verdict["findings"]), (8, 56, []))

    def test_what_is_wrong_with_a_host_is_named(self):
        self.simulate(cluster({"member": 1, "clock_behind": "4.2s"}, {"member": 3, "facts": {"accelerators": "7"}}, {"member": 4, "fault": "port_taken"},
                              {"member": 6, "facts": {"driver": "570.158.01"}}, count=9))
        verdict = self.verdict("--timeout", "1s")
        self.assertEqual(self.findings(verdict), [("host", "accelerators", 3), ("host", "clock", 1), ("host", "driver", 6), ("host", "port", 4)])
        texts = " ".join(finding["text"] for finding in verdict["findings"])
        self.assertRegex(texts, r"worker 1 \(n1\): its clock is 4\.[12] s behind")
        self.assertIn("worker 3 (n3): accelerators is 7, and 8 for", texts)

    def test_absent_members_have_different_causes(self):
        self.simulate(cluster({"member": 1, "fault": "not_started"}, {"member": 3, "fault": "down"}, {"member": 5, "fault": "hung"},
                              {"member": 7, "fault": "firewall"}, count=12))
        verdict = self.verdict("--timeout", "1s")
        self.assertEqual(self.findings(verdict), [("host", "absent", 1), ("host", "absent", 3), ("host", "absent", 5), ("host", "reach", 7)])
        texts = " ".join(finding["text"] for finding in verdict["findings"])
        for part in ("worker 1: not started", "worker 3: down or cut off", "worker 5: hung"):
            self.assertIn(part, texts)

    def test_what_the_network_does_is_named(self):
        self.simulate(cluster({"member": 3, "fault": "firewall"}, {"member": 6, "fault": "large_packets"}, count=9))
        verdict = self.verdict()
        self.assertEqual(self.findings(verdict), [("host", "large_packets", 6), ("host", "reach", 3)])
        texts = " ".join(finding["text"] for finding in verdict["findings"])
        self.assertIn("worker 3 (n3) is not reached on port 29517", texts)
        self.assertIn("worker 6 (n6): packets above 1400 bytes are lost", texts)

    def test_what_is_of_another_run_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            secret = os.path.join(folder, "secret")
            with open(secret, "w", encoding="ascii") as file:
                file.write("a secret of that many bytes")
            os.chmod(secret, 0o600)
            self.simulate(cluster({"member": 2, "fault": "other_list"}, {"member": 5, "fault": "other_secret"}, job_id="4711", secret_file=secret))
            verdict = self.verdict("--timeout", "1s", "--job-id", "4711", "--secret-file", secret)
        self.assertTrue(verdict["authenticated"])
        self.assertEqual(self.findings(verdict), [("host", "identity", 2), ("host", "identity", 5)])

    def test_a_member_of_the_users_may_be_any_and_several(self):
        self.simulate(cluster(count=3, yours=[1, 2], job="ps"))
        other = self.start("preflight", self.sim.environment["ROLLCALL_SIM_MEMBERS"], "--task", "ps:2", "--checks", "kernel", "--quiet")
        self.assertEqual(self.verdict(task="ps:1", code=0)["present"], 3)
        other.communicate(timeout=PATIENCE)
        self.assertEqual(other.returncode, 0)

    def test_a_port_that_is_not_free_is_reported(self):
        taken = socket.create_server((f"{NETWORK}.4", 0))
        self.addCleanup(taken.close)
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(cluster(port=taken.getsockname()[1]), file)
            file.flush()
            done = self.run_it("sim", file.name)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{NETWORK}.4", done.stderr)


if __name__ == "__main__":
    main()
