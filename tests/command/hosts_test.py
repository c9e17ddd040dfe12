"""Targets that need no cloud, as a user types them: slurm:, sagemaker:, mpi:, file:, dns:."""
import os
import tempfile
import time

from support import *

STEP = {"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "3", "SLURM_STEP_NODELIST": "n[9-10]", "SLURM_STEP_TASKS_PER_NODE": "2,1"}


class Hosts(Command):
    def answered(self, wanted, *words, **variables):
        done = self.run_it("spec", *words, **variables)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, wanted, ""))

    def refused(self, code, part, *words, **variables):
        done = self.run_it("spec", *words, **variables)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertIn(part, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_slurm(self):
        self.answered("worker 0 n10:8888\nworker 1 n9:8888\nworker 2 n9:8889\n", "slurm:", **STEP)
        self.answered("ps     0 n9:8888\nworker 0 n9:8889\nworker 1 n10:8888\n", "slurm:job.ps=1,job.worker=2,order=rank", **STEP)
        self.refused(1, "SLURM_PROCID is not set", "slurm:")
        self.refused(2, "SLURM_STEP_NODELIST: host list 'n[1-2'", "slurm:", **{**STEP, "SLURM_STEP_NODELIST": "n[1-2"})
        self.refused(1, "more than 65536 hosts", "slurm:", **{**STEP, "SLURM_STEP_NODELIST": "n[0-999999999]"})
        self.refused(1, "cannot be changed", "slurm:auto_set_gpu=true", **STEP, CUDA_VISIBLE_DEVICES="0,1")

    def test_sagemaker(self):
        self.answered("worker 0 algo-1:2223\nworker 1 algo-2:2223\n", "sagemaker:", SM_HOSTS='["algo-2","algo-1"]', SM_CURRENT_HOST="algo-2")
        self.refused(2, "SM_HOSTS: is an object, not an array", "sagemaker:", SM_HOSTS="{}", SM_CURRENT_HOST="a")
        self.refused(1, "SM_HOSTS is not set", "sagemaker:")

    def test_mpi_and_file(self):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as hosts:
            hosts.write("a slots=2\nb slots=1\n")
            hosts.flush()
            lines = "worker 0 a:8470\nworker 1 a:8471\nworker 2 b:8470\n"
            self.answered(lines, "file:" + hosts.name)
            self.answered(lines, "mpi:hostfile=" + hosts.name, PMI_RANK="0", PMI_SIZE="3")
            self.answered(lines, "mpi:", PMI_RANK="0", PMI_SIZE="3", HYDRA_HOST_FILE=hosts.name)
            self.refused(1, "does not say on which hosts", "mpi:", PMI_RANK="0", PMI_SIZE="3")
            hosts.write("c slots=x\n")
            hosts.flush()
            self.refused(2, "line 3: ", "file:" + hosts.name)
        self.refused(1, "No such file", "file:/nowhere/hosts")
        self.refused(2, "standard input", "file:-")

    def test_dns(self):
        self.answered("worker 0 10.0.0.1:8470\nworker 1 [fd00::1]:9\nworker 2 127.0.0.1:8470\n", "dns:10.0.0.1,[fd00::1]:9,localhost")
        for name in ("no..name", ".name", "name..", "10.0.0.1,no..name"):
            self.refused(2, "is no name: a part between its dots is empty", f"dns:{name},wait=true")
        self.refused(2, "is no name: a part between its dots has more than 63 bytes", f"dns:{'a' * 64}.name,wait=true")
        self.refused(2, "one, v4, v6 or both", "dns:a,family=v5")

    def test_auto(self):
        step = {**STEP, "SLURM_STEP_NUM_NODES": "2"}
        self.answered("worker 0 n9:8888\nworker 1 n9:8889\nworker 2 n10:8888\n", "auto:", **step)
        pod = {"TPU_WORKER_HOSTNAMES": "w-0.s,w-1.s", "TPU_WORKER_ID": "1", "HOSTNAME": "w-1"}
        self.answered("worker 0 w-0.s:8470\nworker 1 w-1.s:8470\n", "auto:", **pod)
        chosen = self.run_it("spec", "auto:", "--verbose", **pod)
        self.assertIn("chosen: tpu_pod: TPU_WORKER_HOSTNAMES is set", chosen.stderr)
        self.refused(1, "TPU_WORKER_ID says 1, but HOSTNAME is 'w-0', which is worker 0", "auto:", **{**pod, "HOSTNAME": "w-0"})
        self.refused(1, "this worker's id is not known", "auto:", **{**pod, "TPU_WORKER_ID": ""})
        self.refused(1, "tpu_vm: the metadata server was not asked: TPU_SKIP_MDS_QUERY is set", "auto:", TPU_SKIP_MDS_QUERY="1")
        began = time.monotonic()
        self.refused(1, "no metadata server answered at 127.0.0.1:1 ", "auto:", GCE_METADATA_HOST="127.0.0.1:1")
        self.assertLess(time.monotonic() - began, 10)  # a closed port answers at once

    def test_they_join_others(self):
        self.answered("worker 0 a:1\nworker 1 n10:8888\nworker 2 n9:8888\nworker 3 n9:8889\n", "simple:job.worker=a:1", "slurm:", **STEP)


if __name__ == "__main__":
    main()
