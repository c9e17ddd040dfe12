"""What pods say of their accelerators: `devices`, `hosts`, and the forms that need the TPU's type, against a simulated cloud."""
import json

from support import *


def gke(accelerator, topology):
    return {"cloud.google.com/gke-tpu-accelerator": accelerator, "cloud.google.com/gke-tpu-topology": topology}


def limits(**resources):
    return {"spec": {"containers": [{"name": "main", "resources": {"limits": {key.replace("__", "/").replace("_", "."): value for key, value in resources.items()}}}]}}


CLOUD = {"metadata": False, "kubernetes": {"namespace": "train", "pods": [
    {"kind": "job_set", "name": "jax", "replicated_job": "node", "groups": 2, "count": 2, "tpus": 4, "pod_ips": ["10.4.0.2"],
     "node_selector": gke("tpu-v5-lite-podslice", "2x4")},
    {"kind": "indexed_job", "name": "shaped", "count": 4, "tpus": 4, "pod_ips": ["10.5.0.2"], "node_selector": gke("tpu-v5p-slice", "2x2x4")},
    {"kind": "indexed_job", "name": "alone", "count": 2, "tpus": 4, "pod_ips": ["10.6.0.2"], "node_selector": gke("tpu-v6e-slice", "2x2")},
    {"kind": "indexed_job", "name": "lacking", "count": 3, "tpus": 4, "pod_ips": ["10.7.0.2"], "node_selector": gke("tpu-v6e-slice", "4x4")},
    {"kind": "indexed_job", "name": "new", "count": 2, "tpus": 4, "pod_ips": ["10.8.0.2"], "node_selector": gke("tpu-v9-slice", "2x4")},
    {"kind": "indexed_job", "name": "gpus", "count": 2, "pod_ips": ["10.9.0.2"], "node_selector": {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"},
     "raw": limits(nvidia_com__gpu="8")},
    {"kind": "indexed_job", "name": "odd", "count": 2, "pod_ips": ["10.11.0.2"], "raw": limits(nvidia_com__gpu="8"),
     "except": [{"pod": 1, "raw": limits(nvidia_com__gpu="several")}]},
    {"kind": "indexed_job", "name": "plain", "count": 2, "pod_ips": ["10.10.0.2"]},
]}}


def job(name):
    return f"kubernetes:train,job.worker=job-name={name},address=pod"


SET = "kubernetes:train,job.worker=jobset.sigs.k8s.io/jobset-name=jax,address=pod"


class Pods(Case):
    cloud = CLOUD

    def variables(self, form, target, task):
        return dict(line.split("=", 1) for line in self.spec(target, "--format", form, "--task", task).splitlines())

    def bounds(self, target, task):
        reported = self.variables("pjrt", target, task)
        return [reported[key] for key in ("TPU_ACCELERATOR_TYPE", "TPU_TOPOLOGY", "TPU_HOST_BOUNDS", "TPU_CHIPS_PER_HOST_BOUNDS", "TPU_WORKER_ID", "TPU_WORKER_HOSTNAMES")]

    def test_the_type_and_the_slices(self):
        self.assertEqual(self.bounds(SET, "worker:3"), ["v5litepod-8", "2x4", "1,2,1", "2,2,1", "1", "10.4.0.4,10.4.0.5"])
        self.assertEqual(self.bounds(job("shaped"), "worker:1"), ["v5p-32", "2x2x4", "1,1,4", "2,2,1", "1", "10.5.0.2,10.5.0.3,10.5.0.4,10.5.0.5"])
        # Each pod is a slice of its own.
        self.assertEqual(self.bounds(job("alone"), "worker:1"), ["v6e-4", "2x2", "1,1,1", "2,2,1", "0", "localhost"])
        reported = self.variables("megascale", SET, "worker:2")
        self.assertEqual((reported["MEGASCALE_NUM_SLICES"], reported["MEGASCALE_SLICE_ID"], reported["MEGASCALE_COORDINATOR_ADDRESS"]), ("2", "1", "10.4.0.2"))
        self.assertEqual(self.variables("torch-env", SET, "worker:3")["WORLD_SIZE"], "4")

    def test_what_is_not_known_is_refused(self):
        for name, why in (("lacking", "v6e-16 has 4 hosts, and slice 0 has 3 tasks"), ("new", "of which type the TPU is"), ("gpus", "of which type the TPU is")):
            done = self.run_it("spec", job(name), "--format", "pjrt", "--task", "worker:1")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(why, done.stderr)

    def test_slots(self):
        self.assertEqual(self.run_it("hosts", job("gpus"), "--format", "deepspeed").stdout, "10.9.0.2 slots=8\n10.9.0.3 slots=8\n")
        self.assertEqual(self.run_it("hosts", job("new"), "--format", "mpi").stdout, "10.8.0.2 slots=4\n10.8.0.3 slots=4\n")
        done = self.run_it("hosts", job("plain"), "--format", "deepspeed")
        self.assertEqual(done.stdout, "10.10.0.2 slots=1\n10.10.0.3 slots=1\n")
        self.assertIn("how many accelerators 10.10.0.2 has is not known", done.stderr)

    def test_devices(self):
        done = self.run_it("devices", job("gpus"))
        self.assertEqual(done.stdout.splitlines()[0], job("gpus") + ": 16 GPUs (H100) on 2 hosts, 8 each (source: resource limits)")
        self.assertIn("  worker      1      8\n", done.stdout)
        found = json.loads(self.run_it("devices", SET, "--format", "json").stdout)["targets"][0]
        self.assertEqual((found["source"], found["model"], found["devices"]), ("resource limits", "v5litepod", []))
        self.assertEqual(found["hosts"][3], {"job": "worker", "task": 3, "counts": {"TPU": 4}})
        # The runtime is asked where it is asked for, or where nothing is known.
        self.assertIn("no master to ask for devices", self.run_it("devices", job("gpus"), "--source", "devices").stderr)
        self.assertIn("no master to ask for devices: the resolver names none: a pod says by its resources", self.run_it("devices", job("plain")).stderr)

    def test_a_pod_whose_number_is_not_known_is_named(self):
        done = self.run_it("devices", job("odd"))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("how many accelerators worker 1 (10.11.0.3:8470) has is not known, though it is of others", done.stderr)

    def test_devices_of_lists(self):
        done = self.run_it("devices", "simple:job.worker=a:1+a:2+b:1,num_accelerators=GPU:4")
        self.assertEqual(done.stdout.splitlines()[0], "simple:job.worker=a:1+a:2+b:1,num_accelerators=GPU:4: 8 GPUs on 2 hosts, 4 each (source: the target)", done.stderr)


main()
