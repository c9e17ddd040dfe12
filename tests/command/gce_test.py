"""`rollcall spec gce:…` against examples/compute.json, as a user types it."""
import re

from support import *

EXAMPLE = os.path.join(EXAMPLES, "compute.json")
WORKERS = [f"10.128.0.{2 + i}:8470" for i in range(11)]
ZONAL = "gce:workers,zone=us-central1-a"


class Groups(Case):
    # The example's quota and late worker are the concern of Story below.
    cloud = {**read_json(EXAMPLE), "faults": [], "unreachable_zones": ["us-central1-c"]}

    def workers(self, target, *words):
        return [line.split()[2] for line in self.spec(target, *words).splitlines() if "10.132." not in line]

    def test_zonal_group_in_upstreams_order(self):
        self.assertEqual(self.workers(ZONAL + ",port=8470"), sorted(WORKERS))

    def test_name_order_named_port_and_list(self):
        self.assertEqual(self.workers(ZONAL + ",named_port=tf,order=name,lookup=list")[:11], WORKERS)

    def test_project_and_zone_come_from_options_or_the_metadata_server(self):
        self.assertEqual(self.workers("gce:workers,port=8470"), sorted(WORKERS))
        self.assertEqual(self.workers("gce:workers,port=8470", "--zone", "us-central1-a", "--project", "example-proj"), sorted(WORKERS))
        self.assertEqual(self.run_it("spec", "gce:workers,port=8470", "--zone", "us-central1-b").returncode, 1)

    def test_json(self):
        reported = json.loads(self.spec(ZONAL + ",port=1,type=trainer,order=name", "--format", "json"))
        self.assertIn("10.128.0.2:1", reported["cluster"]["trainer"])

    def test_ipv6(self):
        done = self.run_it("spec", ZONAL + ",port=1,address=ipv6")
        if done.returncode == 0:  # until the late worker runs, which has no IPv6 address
            self.assertIn("[fd20::2]:1", done.stdout)
        else:
            self.assertIn("instance 'late-worker' has no IPv6 address", done.stderr)

    def test_partial_answers(self):
        target = "gce:servers,region=us-central1,named_port=tf"
        refused = self.run_it("spec", target, "--retries", "0")
        self.assertEqual((refused.returncode, refused.stdout), (5, ""))
        done = self.run_it("spec", target + ",partial=true")
        self.assertEqual((done.returncode, done.stdout), (0, "worker 0 10.128.0.65:2222\n"))
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for words in ["rollcall: left out of gce:servers: ", "the list is incomplete: UNREACHABLE", "scope zones/us-central1-c"]:
            self.assertIn(words, done.stderr)
        reported = self.run_it("spec", target + ",partial=true", "--verbose").stderr
        self.assertEqual(reported.count("the list is incomplete: UNREACHABLE"), 1, reported)
        done = self.run_it("spec", target + ",partial=true", "--log", "json")
        self.assertEqual((done.returncode, done.stdout), (0, "worker 0 10.128.0.65:2222\n"))
        failed = [json.loads(line) for line in done.stderr.splitlines() if '"left_out"' in line]
        self.assertEqual(len(failed), 1, done.stderr)
        self.assertEqual((failed[0]["subject"], failed[0]["code"]), ("gce:servers", "unavailable"))
        self.assertIn("UNREACHABLE: The zone is currently unreachable. (scope zones/us-central1-c)", failed[0]["message"])

    def test_what_is_wrong_is_said(self):
        for target, code, words in [("gce:nobody,port=1", 1, ["instance group 'nobody'", "HTTP 404", "gcloud compute instance-groups list"]),
                                    ("gce:workers", 2, ["no port was given"]), ("gce:workers,port=x", 2, ["port='x' is not a port"]),
                                    ("gce:workers,named_port=grpc", 1, ["has no port named 'grpc'", "it names tf"]),
                                    ("gce:workers,port=1,regoin=r", 2, ["did you mean region="]),
                                    ("gce:workers,zone=z,region=r,port=1", 2, ["both zone 'z' and region 'r'"])]:
            done = self.run_it("spec", target)
            self.assertEqual((done.returncode, done.stdout), (code, ""), target + ": " + done.stderr)
            for word in words:
                self.assertIn(word, done.stderr)


class Story(Case):
    cloud = EXAMPLE

    def test_an_exceeded_quota_is_waited_for(self):
        done = self.run_it("spec", ZONAL + ",port=8470,order=name", "--verbose")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line.split()[2] for line in done.stdout.splitlines() if "10.132." not in line], WORKERS)
        self.assertEqual(len(re.findall(r"attempt [12] of 11: HTTP 403$", done.stderr, re.M)), 2, done.stderr)
        self.assertIn("HTTP 403 (rateLimitExceeded)", done.stderr)


class Machines(Case):
    cloud = {"project": "example-proj", "zone": "us-central1-a", "compute": {
        "instances": [{"name": "w-{i}", "count": 2, "ip": "10.0.0.2", "machine_type": "a3-highgpu-8g", "guest_accelerators": {"nvidia-h100-80gb": 8}},
                      {"name": "new-0", "ip": "10.0.0.4", "machine_type": "new-standard-8"},
                      {"name": "tpu-0", "ip": "10.0.0.5", "machine_type": "ct6e-standard-4t"}],
        "groups": [{"name": "gpus", "instances": ["w-*"]}, {"name": "tpus", "instances": ["tpu-*"]}, {"name": "all"}]}}

    def test_hosts_have_the_accelerators_of_the_machines(self):
        done = self.run_it("hosts", "gce:gpus,port=8470", "--format", "deepspeed")
        self.assertEqual(done.stdout.splitlines(), ["10.0.0.2 slots=8", "10.0.0.3 slots=8"], done.stderr)
        done = self.run_it("hosts", "gce:all,port=8470", "--format", "deepspeed")
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertIn("10.0.0.2 has 8 accelerators, but how many 10.0.0.4 has is not known", done.stderr)
        self.assertIn("--slots N", done.stderr)

    def test_status_names_the_machines(self):
        done = self.run_it("status", "gce:gpus,port=8470", "--format", "json")
        members = json.loads(done.stdout)["members"]
        self.assertEqual([member["host"] for member in members], ["w-0", "w-1"])
        self.assertEqual(members[1]["accelerators"], {"kind": "GPU", "model": "H100", "count": 8, "of": "machine", "source": "guestAccelerators"})

    def test_processes_of_a_machine(self):
        self.assertIn(" --nproc_per_node=8 ", self.spec("gce:gpus,port=8470", "--task", "worker:1", "--format", "torchrun"))
        self.assertIn(" --nproc_per_node=4 ", self.spec("gce:tpus,port=8470", "--task", "worker:0", "--format", "torchrun"))


if __name__ == "__main__":
    main()
