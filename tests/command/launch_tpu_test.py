"""`--format` and `--as` for TPUs, against a simulated cloud: types, slices, and refusals."""
from serve_client import *

CLOUD = {
    "project": "p", "zone": "us-west4-a",
    "nodes": [
        {"name": "a", "accelerator_type": "v5litepod-16", "endpoints": {"base": "10.0.1.1"}},
        {"name": "b", "accelerator_type": "v5litepod-16", "endpoints": {"base": "10.0.2.1"}},
        {"name": "shaped", "accelerator_type": "v4-512", "topology": "4x4x16", "endpoints": {"base": "10.0.3.1"}},
        {"name": "small", "accelerator_type": "v5litepod-4", "endpoints": {"base": "10.0.4.1"}},
        {"name": "partial", "accelerator_type": "v4-32", "endpoints": ["10.6.0.1:8470", "10.6.0.2:8470"]},
        {"name": "lopsided", "accelerator_type": "v4-16", "endpoints": ["10.5.0.1:8470", "10.5.0.2:8470", "10.5.0.3:8470"]},
    ],
    "queued_resources": [{"name": "ms", "slices": 2, "state": "ACTIVE", "node": {"accelerator_type": "v5litepod-16", "endpoints": {"base": "10.164.0.11"}}}],
}


class Tpu(Case):
    cloud = CLOUD

    def reported(self, form, *words):
        out = self.spec(*words, "--format", form)
        return dict(line.split("=", 1) for line in out.splitlines())

    def refused(self, *words, **variables):
        done = self.run_it(*words, **variables)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_the_api_tells_the_type(self):
        reported = self.reported("pjrt", "tpu:a", "--task", "worker:2")
        self.assertEqual((reported["TPU_WORKER_ID"], reported["TPU_WORKER_HOSTNAMES"]), ("2", "10.0.1.1,10.0.1.2,10.0.1.3,10.0.1.4"))
        self.assertEqual((reported["TPU_ACCELERATOR_TYPE"], reported["TPU_TOPOLOGY"], reported["TPU_HOST_BOUNDS"]), ("v5litepod-16", "4x4", "2,2,1"))
        reported = self.reported("pjrt", "tpu:shaped", "--task", "worker:0")
        self.assertEqual((reported["TPU_ACCELERATOR_TYPE"], reported["TPU_TOPOLOGY"], reported["TPU_HOST_BOUNDS"]), ("v4-512", "4x4x16", "2,2,16"))
        self.assertEqual(self.reported("torch-xla", "tpu:small", "--task", "worker:0")["TPU_WORKER_HOSTNAMES"], "localhost")

    def test_verbose_says_which_order_ranks_are_in(self):
        done = self.run_it("spec", "tpu:a", "simple:job.worker=10.9.0.1:1", "--task", "worker:0", "--format", "jax", "--verbose")
        self.assertIn("rollcall: tpu:a: tasks are numbered as networkEndpoints lists the workers\n", done.stderr)
        self.assertIn("rollcall: simple:job.worker=10.9.0.1:1: tasks are numbered as the target lists them\n", done.stderr)

    def test_tpus_one_after_the_other_are_slices(self):
        words = ("tpu:a", "tpu:b", "--task", "worker:5")
        reported = self.reported("pjrt", *words)
        self.assertEqual((reported["TPU_WORKER_ID"], reported["TPU_WORKER_HOSTNAMES"]), ("1", "10.0.2.1,10.0.2.2,10.0.2.3,10.0.2.4"))
        self.assertEqual(self.reported("megascale", *words), {"MEGASCALE_COORDINATOR_ADDRESS": "10.0.1.1", "MEGASCALE_NUM_SLICES": "2",
                                                          "MEGASCALE_PORT": "8080", "MEGASCALE_SLICE_ID": "1"})
        self.assertEqual(json.loads(self.spec(*words, "--format", "jax"))["process_id"], 5)

    def test_a_queued_resource_tells_its_slices(self):
        merged = self.reported("pjrt", "tpu:qr/ms", "--task", "worker:6")
        self.assertEqual((merged["TPU_WORKER_ID"], merged["TPU_HOST_BOUNDS"]), ("2", "2,2,1"))
        self.assertEqual(self.reported("pjrt", "tpu:qr/ms,slices=jobs", "--task", "worker1:2"), merged)
        for words in (("tpu:qr/ms", "--task", "worker:6"), ("tpu:qr/ms,slices=jobs", "--task", "worker1:2")):
            reported = self.reported("megascale", *words)
            self.assertEqual((reported["MEGASCALE_NUM_SLICES"], reported["MEGASCALE_SLICE_ID"]), ("2", "1"))

    def test_a_part_of_the_hosts_is_not_ranked(self):
        absent = "2 of 4 members have no address yet (worker 2 (partial), worker 3 (partial)): ranks count over all: rollcall wait waits for them"
        for form in ("jax", "torch-env", "torchrun"):
            self.assertIn(absent, self.refused("spec", "tpu:partial", "--format", form, "--task", "worker:0"))
        self.assertIn(absent, self.refused("flags", "tpu:partial", "--for", "torchrun", "--task", "worker:0"))
        self.assertEqual(self.spec("tpu:partial"), "worker 0 10.6.0.1:8470\nworker 1 10.6.0.2:8470\n")

    def test_what_is_refused(self):
        self.assertIn("v4-16 has 2 hosts, and slice 0 has 3 tasks at 3 hosts", self.refused("spec", "tpu:lopsided", "--format", "pjrt", "--task", "worker:0"))
        self.assertIn("slices of several types", self.refused("spec", "tpu:a", "tpu:small", "--format", "pjrt", "--task", "worker:0"))
        error = self.refused("spec", "simple:job.worker=10.0.0.1:1", "--format", "pjrt", "--task", "worker:0")
        self.assertIn("it is not known of which type the TPU is", error)
        self.assertIn("--accelerator-type", error)
        self.assertIn("tpu7x-8 has 1 host, and slice 0 has 4 tasks", self.refused("spec", "tpu:a", "--accelerator-type", "tpu7x-8", "--format", "pjrt", "--task", "worker:0"))
        self.assertIn("jax and megascale would both listen", self.refused("exec", "tpu:a", "--until", "state", "--task", "worker:0", "--as", "jax,megascale", "--coordinator-port", "9000", "--", "true"))

    def test_the_type_by_hand(self):
        reported = self.reported("pjrt", "simple:job.worker=h0:1+h1:1", "--accelerator-type", "v6e-2x4", "--task", "worker:1")
        self.assertEqual((reported["TPU_WORKER_HOSTNAMES"], reported["TPU_HOST_BOUNDS"], reported["TPU_CHIPS_PER_HOST_BOUNDS"]), ("h0,h1", "1,2,1", "2,2,1"))

    def test_exec_sets_all_forms_and_removes_what_was_there(self):
        done = self.run_it("exec", "tpu:a", "--until", "state", "--task", "worker:1", "--as", "jax,pjrt,megascale", "--", "env",
                           TPU_PROCESS_ADDRESSES="stale:1", TPU_WORKER_ID="7", JAX_LOCAL_DEVICE_IDS="3", MEGASCALE_NUM_SLICES="9")
        self.assertEqual(done.returncode, 0, done.stderr)
        reported = dict(line.split("=", 1) for line in done.stdout.splitlines())
        self.assertEqual((reported["TPU_WORKER_ID"], reported["MEGASCALE_NUM_SLICES"], reported["JAX_PROCESS_ID"]), ("1", "1", "1"))
        self.assertEqual(reported["JAX_COORDINATOR_ADDRESS"], "10.0.1.1:8482")
        self.assertNotIn("TPU_PROCESS_ADDRESSES", reported)
        self.assertNotIn("JAX_LOCAL_DEVICE_IDS", reported)


class OnTheTpu(Command):
    def test_auto_knows_its_type_and_that_there_are_other_slices(self):
        self.simulate({**CLOUD, "metadata": {"tpu_worker": {"node": "a", "worker": 3}}})
        done = self.run_it("spec", "auto:", "--format", "pjrt")
        reported = dict(line.split("=", 1) for line in done.stdout.splitlines())
        self.assertEqual(reported.get("TPU_WORKER_ID"), "3", done.stderr)
        self.assertEqual((reported["TPU_ACCELERATOR_TYPE"], reported["TPU_HOST_BOUNDS"]), ("v5litepod-16", "2,2,1"))

    def test_one_slice_of_several_says_nothing_of_all(self):
        self.simulate({**CLOUD, "metadata": {"tpu_worker": {"node": "ms-1", "worker": 0}}})
        for words in (("spec", "auto:", "--format", "megascale"), ("spec", "auto:", "--format", "jax"), ("spec", "auto:", "--format", "torch-env"),
                      ("hosts", "auto:"), ("flags", "auto:", "--for", "torchrun"), ("exec", "auto:", "--as", "jax,pjrt", "--", "true"),
                      ("exec", "auto:", "--", "true"), ("spec", "auto:", "--format", "tf-config"), ("spec", "auto:", "--format", "mpi-hostfile")):
            done = self.run_it(*words)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertIn("auto: is slice 1 of 2 (MEGASCALE_NUM_SLICES), and does not know the hosts of the others", done.stderr)
        self.assertEqual(len(self.spec("auto:").splitlines()), 4)
        child = Child(self.environment())
        self.addCleanup(child.close)
        child.ask(HELLO)
        self.assertIn("auto: is slice 1 of 2", child.ask(request(1, "whoami", targets=["auto:"]))["error"]["message"])
        self.assertEqual(child.ask(request(2, "topology", target="auto:"))["result"]["type"], "v5litepod-16")
        for form in ("pjrt", "torch-xla"):
            done = self.run_it("exec", "auto:", "--as", form, "--progress", "none", "--", "env")
            reported = dict(line.split("=", 1) for line in done.stdout.splitlines())
            self.assertEqual((reported["TPU_SKIP_MDS_QUERY"], reported["MEGASCALE_NUM_SLICES"], reported["MEGASCALE_SLICE_ID"]), ("true", "2", "1"))

    def test_devices_and_topology_by_the_surroundings(self):
        self.simulate({**CLOUD, "metadata": {"tpu_worker": {"node": "shaped", "worker": 3}}})
        devices = json.loads(self.run_it("devices", "auto:", "--source", "accelerator-type", "--timeout", "5s", "--format", "json").stdout)["targets"][0]
        self.assertEqual((devices["source"], devices["num_hosts"], devices["topology"]), ("accelerator type", 64, "4x4x16"))
        found = json.loads(self.run_it("topology", "auto:", "--format", "json").stdout)
        self.assertEqual((found["target"], found["type"], found["topology"], found["hosts"], len(found["workers"])), ("auto:", "v4-512", "4x4x16", 64, 64))
        self.assertEqual(found["workers"][3], {"index": 3, "address": "10.0.3.4:8470"})
        for words in (("topology", "auto:"), ("devices", "auto:", "--source", "accelerator-type")):
            done = self.run_it(*words, TPU_WORKER_HOSTNAMES="a,b", TPU_WORKER_ID="1")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("the type of a TPU is not known: nothing says the accelerator type", done.stderr)


class InAPod(Command):
    POD = {"TPU_SKIP_MDS_QUERY": "true", "TPU_WORKER_HOSTNAMES": "jax-node-1-0.jax,jax-node-1-1.jax", "TPU_WORKER_ID": "1", "TPU_ACCELERATOR_TYPE": "v5litepod-8",
           "MEGASCALE_NUM_SLICES": "2", "MEGASCALE_SLICE_ID": "1", "MEGASCALE_COORDINATOR_ADDRESS": "jax-node-0-0.jax"}

    def test_the_names_show_the_other_slices(self):
        def reported(form):
            return dict(line.split("=", 1) for line in self.spec("auto:", "--format", form, **self.POD).splitlines())
        jax = json.loads(self.spec("auto:", "--format", "jax", **self.POD))
        self.assertEqual((jax["coordinator_address"], jax["num_processes"], jax["process_id"]), ("jax-node-0-0.jax:8482", 4, 3))
        self.assertEqual(reported("megascale"), {"MEGASCALE_COORDINATOR_ADDRESS": "jax-node-0-0.jax", "MEGASCALE_NUM_SLICES": "2", "MEGASCALE_PORT": "8080",
                                                 "MEGASCALE_SLICE_ID": "1"})
        self.assertEqual((reported("pjrt")["TPU_WORKER_ID"], reported("pjrt")["TPU_WORKER_HOSTNAMES"]), ("1", "jax-node-1-0.jax,jax-node-1-1.jax"))
        self.assertEqual(self.run_it("hosts", "auto:", "--format", "deepspeed", **self.POD).stdout.splitlines()[3], "jax-node-1-1.jax slots=4")
        found = json.loads(self.run_it("topology", "auto:", "--format", "json", **self.POD).stdout)
        self.assertEqual([worker["address"] for worker in found["workers"]], ["jax-node-1-0.jax:8470", "jax-node-1-1.jax:8470"])

    def test_processes_for_the_chips_of_a_host(self):
        for kind in ("v5litepod-8", "v6e-8"):
            done = self.run_it("exec", "auto:", "--as", "torchrun", "--progress", "none", "--", "env",
                               TPU_SKIP_MDS_QUERY="true", TPU_WORKER_HOSTNAMES="a,b", TPU_WORKER_ID="1", TPU_ACCELERATOR_TYPE=kind)
            self.assertIn("PET_NPROC_PER_NODE=4", done.stdout.splitlines(), done.stderr)

    def test_a_type_that_is_not_known_stops_what_needs_it(self):
        pod = {"TPU_SKIP_MDS_QUERY": "true", "TPU_WORKER_HOSTNAMES": "a,b", "TPU_WORKER_ID": "1", "TPU_ACCELERATOR_TYPE": "tpu9x-16"}
        self.assertEqual(json.loads(self.spec("auto:", "--format", "jax", **pod))["process_id"], 1)
        self.assertIn("--nnodes=2", self.spec("auto:", "--format", "torchrun", **pod))
        done = self.run_it("spec", "auto:", "--format", "pjrt", **pod)
        self.assertIn("unknown TPU generation in accelerator type 'tpu9x-16'", done.stderr)


class JobSet(Command):
    def test_a_job_for_each_index_is_a_slice_each(self):
        self.simulate({"kubernetes": {"namespace": "train", "pods": [{"kind": "job_set", "name": "llm", "groups": 2, "count": 2}]}})
        target = "kubernetes:train,address=pod," + ",".join(f"job.slice{i}=jobset.sigs.k8s.io/job-index={i}" for i in range(2))
        addresses = [line.split()[2].rsplit(":", 1)[0] for line in self.spec(target).splitlines()]
        done = self.run_it("exec", target, "--until", "state", "--task", "slice1:1", "--accelerator-type", "v4-16", "--as", "jax,pjrt,megascale", "--", "env")
        self.assertEqual(done.returncode, 0, done.stderr)
        reported = dict(line.split("=", 1) for line in done.stdout.splitlines())
        self.assertEqual((reported["MEGASCALE_NUM_SLICES"], reported["MEGASCALE_SLICE_ID"], reported["MEGASCALE_COORDINATOR_ADDRESS"]), ("2", "1", addresses[0]))
        self.assertEqual((reported["TPU_WORKER_ID"], reported["TPU_WORKER_HOSTNAMES"]), ("1", ",".join(addresses[2:])))
        self.assertEqual((reported["JAX_PROCESS_ID"], reported["JAX_NUM_PROCESSES"]), ("3", "4"))


if __name__ == "__main__":
    unittest.main()
