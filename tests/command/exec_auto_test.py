"""`rollcall exec auto:` gives the program its task in each environment that auto: knows, alone and beside other targets."""
import base64
import fcntl
import socket
import struct

from kubernetes_sim_test import kubeconfig_of
from support import *

PRINT = ["sh", "-c", "echo \"$ROLLCALL_JOB_NAME $ROLLCALL_TASK_INDEX $ROLLCALL_ADDRESS\"; echo \"$TF_CONFIG\""]
# As root in a namespace of its own: the files of a pod's service account, where a pod has them.
AS_POD = """set -e
run=$(readlink -f /var/run)
mount -t tmpfs none "$run"
mkdir -p "$run/secrets/kubernetes.io"
ln -s "$ACCOUNT" "$run/secrets/kubernetes.io/serviceaccount"
exec "$@"
"""
UNSHARE = ["unshare", "--user", "--map-root-user", "--mount"]
STEP = {"SLURM_JOB_ID": "5", "SLURM_PROCID": "2", "SLURM_STEP_NODELIST": "n[9-12]", "SLURM_STEP_NUM_TASKS": "4",
        "SLURM_STEP_TASKS_PER_NODE": "1(x4)", "SLURM_STEP_NUM_NODES": "4", "SLURM_STEPID": "0"}
MPI = {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_LOCAL_SIZE": "2"}
ENVIRONMENTS = {
    "tfconfig": ({"TF_CONFIG": '{"cluster":{"chief":["c:1"],"worker":["a:1","b:1"]},"task":{"type":"worker","index":1}}'}, "worker 1 b:1"),
    "sagemaker": ({"SM_HOSTS": '["algo-1","algo-2"]', "SM_CURRENT_HOST": "algo-2"}, "worker 1 algo-2:2223"),
    "mpi": (MPI, "worker 1 localhost:8471"),
    "slurm": (STEP, "worker 2 n11:8888"),
    "vertex": ({"CLUSTER_SPEC": '{"cluster":{"workerpool0":["a:1"],"workerpool1":["b:1","c:1"]},"task":{"type":"workerpool1","index":1}}'},
               "workerpool1 1 c:1"),
    "volcano": ({"VC_MASTER_HOSTS": "lm-master-0.lm", "VC_WORKER_HOSTS": "lm-worker-0.lm,lm-worker-1.lm", "VC_TASK_INDEX": "1", "HOSTNAME": "lm-worker-1"},
                "worker 1 lm-worker-1.lm:8470"),
    "skypilot": ({"SKYPILOT_NODE_IPS": "10.0.0.3\n10.0.0.1", "SKYPILOT_NODE_RANK": "1"}, "worker 1 10.0.0.1:8470"),
    "lws": ({"LWS_LEADER_ADDRESS": "lws-0.lws.default", "LWS_GROUP_SIZE": "3", "LWS_WORKER_INDEX": "2", "HOSTNAME": "lws-0-2"},
            "worker 2 lws-0-2.lws.default:8470"),
    "tpu_pod": ({"TPU_WORKER_HOSTNAMES": "w-0,w-1", "TPU_WORKER_ID": "1"}, "worker 1 w-1:8470"),
}
GROUP = "gce:workers,zone=us-central1-a,port=8470"
INDEXED_JOB = {"namespace": "train", "pods": [{"kind": "indexed_job", "name": "trainer", "count": 3}]}


# So many tasks, and the rank of another one than that of ENVIRONMENTS.
OTHER_RANK = {"tfconfig": (3, 0), "sagemaker": (2, 0), "mpi": (2, 0), "slurm": (4, 0), "vertex": (3, 0), "volcano": (3, 0), "skypilot": (2, 0),
              "lws": (3, 0), "tpu_pod": (2, 0)}


def own_address():
    """An address of this machine other than loopback, or None."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        for _, name in socket.if_nameindex():
            try:
                answer = fcntl.ioctl(asked, 0x8915, struct.pack("256s", name.encode()[:15]))  # SIOCGIFADDR
            except OSError:
                continue
            address = socket.inet_ntoa(answer[20:24])
            if not address.startswith("127."):
                return address
    return None


class Exec(Command):
    def environment(self, **variables):
        """None unsets a variable."""
        return {k: v for k, v in super().environment(**{"TPU_SKIP_MDS_QUERY": "true", **variables}).items() if v is not None}

    def expect(self, done, reported):
        self.assertEqual(done.returncode, 0, done.stderr)
        shown, config = done.stdout.splitlines()
        self.assertEqual(shown, reported, done.stderr)
        task = json.loads(config).get("task")
        job, index, _ = reported.split(" ")
        self.assertEqual(task, {"type": job, "index": int(index)} if job else None)

    def expect_output(self, reported, *targets, **variables):
        for mode in ([], ["--on-preempt", "USR1"]):
            with self.subTest(targets=targets, mode=mode):
                self.expect(self.run_it("exec", *targets, "--progress", "none", *mode, "--", *PRINT, **variables), reported)


class ExecAuto(Exec):
    def test_a_rank_that_contradicts_is_refused(self):
        for place, (variables, _) in ENVIRONMENTS.items():
            size, rank = OTHER_RANK[place]
            with self.subTest(place):
                for words in (["whoami"], ["exec", "auto:", "--as", "torch-env", "--progress", "none", "--", *PRINT]):
                    done = self.run_it(*words, **{"HOSTNAME": None, **variables, "RANK": str(rank), "WORLD_SIZE": str(size)})
                    self.assertEqual((done.returncode, "RANK says" in done.stderr), (1 if words[0] == "whoami" else 111, True), done.stderr)
                    self.assertTrue(place in ("vertex", "volcano") or "unset the variables that are left over" in done.stderr, done.stderr)

    def test_without_a_form_a_contradiction_is_printed(self):
        variables, reported = ENVIRONMENTS["tfconfig"]
        done = self.run_it("exec", "auto:", "--quiet", "--", *PRINT, **variables, RANK="0", WORLD_SIZE="3")
        self.assertEqual((done.returncode, done.stdout.splitlines()[0]), (0, reported), done.stderr)
        self.assertRegex(done.stderr, "started all the same: .*TF_CONFIG.* says worker 1, but RANK says chief 0")
        done = self.run_it("exec", "auto:", "--quiet", "--", *PRINT, **variables, RANK="2", WORLD_SIZE="3")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_declared_task_that_the_cluster_lacks_is_refused(self):
        beyond = '{"cluster":{"worker":["a:1","b:1"]},"task":{"type":"%s","index":%d}}'
        done = self.run_it("whoami", TF_CONFIG=beyond % ("worker", 2))
        self.assertEqual((done.returncode, "no task 2 in job 'worker', which has 2 tasks" in done.stderr), (1, True), done.stderr)
        done = self.run_it("whoami", TF_CONFIG=beyond % ("evaluator", 0))  # which may stand outside
        self.assertEqual((done.returncode, "evaluator 0" in done.stdout), (0, True), done.stderr)

    def test_what_the_environment_tells(self):
        for place, (variables, reported) in ENVIRONMENTS.items():
            self.expect_output(reported, "auto:", **variables)
            if place in ("tfconfig", "sagemaker", "mpi"):
                self.expect_output(reported, place + ":", **variables)
        self.expect_output("worker 2 n12:8888", "slurm:", **STEP)  # sorted as text
        self.expect_output("worker 2 n11:8888", "slurm:order=rank", **STEP)

    def test_a_task_of_another_node_is_refused(self):
        self.expect_output("worker 2 n11:8888", "slurm:order=rank", SLURMD_NODENAME="N11", **STEP)
        done = self.run_it("exec", "slurm:", "--progress", "none", "--", *PRINT, SLURMD_NODENAME="elsewhere", **STEP)
        self.assertEqual((done.returncode, done.stdout), (111, ""))  # the variables are another step's
        self.assertRegex(done.stderr, r"SLURM_STEP_NODELIST is 'n\[9-12\]', but SLURMD_NODENAME is 'elsewhere'")
        done = self.run_it("exec", "slurm:order=rank", "--progress", "none", "--", *PRINT, SLURM_LOCALID="1", **STEP)
        self.assertEqual((done.returncode, done.stdout), (111, ""))
        self.assertIn("rank 2 (SLURM_PROCID) is task 0 on n11", done.stderr)
        for steps in (STEP, {**STEP, "SLURM_STEP_TASKS_PER_NODE": "2(x4)", "SLURM_STEP_NUM_TASKS": "8", "SLURM_PROCID": "4"}):
            done = self.run_it("exec", "slurm:", "--progress", "none", "--", *PRINT, SLURMD_NODENAME="n11", **steps)
            self.assertEqual((done.returncode, done.stdout), (111, ""))
            self.assertRegex(done.stderr, r"this process is worker \d \(n12:\d+\) by slurm, but runs on n11 \(SLURMD_NODENAME\), which has worker \d")
            self.assertIn("slurm:order=rank", done.stderr)

    def test_advice_that_was_followed_is_not_given(self):
        # A heterogeneous job: one sorted list of all components, and ranks that go component by component.
        step = {**STEP, "SLURM_HET_SIZE": "2"}
        for target in ("slurm:order=rank", "auto:"):
            done = self.run_it("exec", target, "--progress", "none", "--", *PRINT, SLURMD_NODENAME="n12", **step)
            if done.returncode != 0:
                self.assertNotIn("slurm:order=rank numbers tasks", done.stderr)
                self.assertIn("heterogeneous", done.stderr)

    def test_a_batch_script_has_nodes_but_no_rank(self):
        batch = {"SLURM_JOB_ID": "25", "SLURM_PROCID": "0", "SLURM_JOB_NODELIST": "n[9-11]", "SLURM_JOB_NUM_NODES": "3",
                 "SLURMD_NODENAME": "n9", "SLURM_NTASKS": "6", "SLURM_TASKS_PER_NODE": "2(x3)"}
        for target in ("slurm:", "slurm:order=rank", "auto:"):
            for form in ((), ("--as", "torch-env")):
                done = self.run_it("exec", target, *form, "--progress", "none", "--", *PRINT, **batch)
                self.assertEqual((done.returncode, done.stdout), (111, ""), done.stderr)
                self.assertIn("this process is a batch script, none of the tasks of a step: start it by srun", done.stderr)
            self.expect_output("worker 1 " + ("n11" if target == "slurm:" else "n10") + ":8888", target, "--task", "worker:1", **batch)
            done = self.run_it("hosts", target, "--slots", "8", "--format", "deepspeed", **batch)
            self.assertEqual(sorted(done.stdout.split("\n"))[1:], ["n10 slots=8", "n11 slots=8", "n9 slots=8"], done.stderr)

    def test_derived_ports_differ_from_step_to_step(self):
        def port(**more):
            done = self.run_it("spec", "slurm:order=rank", "--format", "torch-env", "--coordinator-port", "derived", **{**STEP, **more})
            return [line for line in done.stdout.split("\n") if line.startswith("MASTER_PORT=")]
        ports = [port(), port(SLURM_JOB_ID="6"), port(SLURM_STEPID="1")]
        self.assertTrue(all(ports))
        self.assertEqual(len({str(one) for one in ports}), 3)
        self.assertEqual(port(SLURM_PROCID="3"), ports[0])

    def test_a_process_that_the_step_does_not_count_is_no_task(self):
        step = {**STEP, "SLURM_PROCID": "9", "SLURM_STEP_NODELIST": socket.gethostname() + ",n1,n2,n3"}
        self.expect_output("  ", "auto:", **step)

    def test_beside_other_targets(self):
        others = "simple:job.worker=x:1+y:1,job.ps=p:1"
        for variables, reported in ENVIRONMENTS.values():
            self.expect_output(reported, "auto:", others, **variables)
            job, index, address = reported.split(" ")
            before = 2 if job == "worker" else 0
            self.expect_output(f"{job} {int(index) + before} {address}", others, "auto:", **variables)
        self.expect_output("worker 4 n11:8888", others, "slurm:order=rank", **STEP)
        self.expect_output("ps 0 p:1", others + ",type=ps,task=0", "auto:", **STEP)

    def test_a_launchers_variable_tells_where_the_target_does_not(self):
        two = "simple:job.worker=198.51.100.1:1+198.51.100.2:1"
        self.expect_output("worker 1 198.51.100.2:1", two, RANK="1", WORLD_SIZE="2")
        self.expect_output("  ", two, RANK="1", WORLD_SIZE="16")
        self.expect_output("worker 0 198.51.100.1:1", two + ",type=worker,task=0", RANK="1")
        for rank, other in (("1", "0"), ("x", ""), ("2", "")):  # contradictory or malformed variables are no task
            self.expect_output("  ", two, RANK=rank, JAX_PROCESS_ID=other)

    def test_where_a_variable_and_the_address_contradict_each_other_the_address_tells(self):
        address = own_address()
        if not address:
            self.skipTest("this machine has no address but loopback's")
        self.expect_output(f"worker 1 {address}:1", f"simple:job.worker=198.51.100.1:1+{address}:1", RANK="0")
        self.expect_output(f"worker 1 {address}:2", f"simple:job.worker={address}:1+{address}:2", RANK="1")
        self.expect_output("  ", f"simple:job.worker={address}:1+{address}:2")

    def test_of_kubeflow_and_torchrun(self):
        pod = {"PET_NNODES": "2", "PET_NODE_RANK": "1", "PET_MASTER_ADDR": "t-node-0-0.t", "PET_MASTER_PORT": "29500", "HOSTNAME": "t-node-0-1"}
        self.expect_output("worker 1 t-node-0-1.t:29500", "auto:", **pod)
        self.expect_output("worker 0 localhost:29500", "auto:", PET_NNODES="1")
        done = self.run_it("exec", "auto:", "--progress", "none", "--", *PRINT, **{**pod, "PET_MASTER_ADDR": "10.0.0.1"})
        self.assertEqual((done.returncode, done.stdout), (111, ""), done.stderr)
        self.assertIn("only the first of 2 hosts is known: PET_MASTER_ADDR is '10.0.0.1'", done.stderr)

    def test_on_a_tpu_vm(self):
        self.simulate({"nodes": [{"name": "trainer", "accelerator_type": "v4-32"}], "metadata": {"tpu_worker": {"node": "trainer", "worker": 2}}})
        address = self.spec("auto:", TPU_SKIP_MDS_QUERY=None).splitlines()[2].split()[-1]
        self.expect_output("worker 2 " + address, "auto:", TPU_SKIP_MDS_QUERY=None)

    def test_an_instance_group_has_no_own_task_by_itself(self):
        self.simulate(os.path.join(EXAMPLES, "compute.json"))
        self.expect_output("  ", GROUP)
        first = self.spec(GROUP).splitlines()[0].split()
        self.expect_output(f"worker 0 {first[-1]}", GROUP + ",task=0")


class ExecInPod(Exec):
    def setUp(self):
        if subprocess.run([*UNSHARE, "sh", "-c", "mount -t tmpfs none /mnt"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False).returncode != 0:
            self.skipTest("this machine gives no namespaces of one's own")

    def start_cluster(self, cluster):
        self.simulate({"kubernetes": cluster, "metadata": False})
        config = kubeconfig_of(self.sim.environment["KUBECONFIG"])
        account = tempfile.TemporaryDirectory()
        self.addCleanup(account.cleanup)
        for name, content in (("token", config["token"].encode()), ("ca.crt", base64.b64decode(config["certificate-authority-data"])),
                              ("namespace", cluster["namespace"].encode())):
            with open(os.path.join(account.name, name), "wb") as file:
                file.write(content)
        host, port = config["server"].split("//")[1].split(":")
        self.pod = {"ACCOUNT": account.name, "KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": port, "KUBECONFIG": "", "HOME": account.name}

    def run_it(self, *words, **variables):
        return subprocess.run([*UNSHARE, "sh", "-c", AS_POD, "sh", os.path.abspath(ROLLCALL), *words], env=self.environment(**self.pod, **variables),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)

    def test_in_an_indexed_job(self):
        self.start_cluster(INDEXED_JOB)
        for index in (0, 1, 2):
            self.expect_output(f"worker {index} 10.4.0.{2 + index}:8470", "auto:", JOB_COMPLETION_INDEX=str(index), HOSTNAME=f"trainer-{index}")
        pod = {"JOB_COMPLETION_INDEX": "1", "HOSTNAME": "trainer-1"}
        self.expect_output("worker 0 10.4.0.2:8470", "auto:task=0", **pod)
        self.expect_output("worker 1 10.4.0.3:8470", "auto:", "simple:job.worker=x:1", **pod)
        self.expect_output("worker 2 10.4.0.3:8470", "simple:job.worker=x:1", "auto:", **pod)

    def test_an_index_that_the_job_does_not_have_is_reported(self):
        self.start_cluster(INDEXED_JOB)
        done = self.run_it("exec", "auto:", "--progress", "none", "--", *PRINT, JOB_COMPLETION_INDEX="7", HOSTNAME="trainer-7")
        self.assertEqual((done.returncode, done.stdout), (111, ""), done.stderr)
        self.assertIn("7", done.stderr)

    def test_in_a_ray_cluster_the_address_tells(self):
        address = own_address()
        if not address:
            self.skipTest("this machine has no address but loopback's")
        labels = {"ray.io/cluster": "ray"}
        self.start_cluster({"namespace": "train", "pods": [
            {"name": "ray-head", "labels": {**labels, "ray.io/node-type": "head"}, "pod_ips": ["10.99.0.2"]},
            {"name": "ray-worker-a", "labels": {**labels, "ray.io/node-type": "worker"}, "pod_ips": [address]}]})
        self.expect_output(f"worker 1 {address}:8470", "auto:", RAY_CLUSTER_NAME="ray")


if __name__ == "__main__":
    main()
