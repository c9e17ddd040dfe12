"""Run by srun as a task: asks rollcall for its place, and writes it beside what Slurm says."""
import json
import os
import subprocess
import sys

folder, rollcall, target = sys.argv[1:4]
SHOW = "import json,os;print(json.dumps({k:os.environ.get(k) for k in " \
       "('RANK','WORLD_SIZE','LOCAL_RANK','LOCAL_WORLD_SIZE','MASTER_ADDR','ROLLCALL_ADDRESSES','JAX_LOCAL_DEVICE_IDS','PET_NPROC_PER_NODE')}))"
run = subprocess.run([rollcall, "exec", target, "--quiet", "--as", "torch-env", "--as", "jax", "--as", "torchrun", "--", sys.executable, "-c", SHOW],
                     capture_output=True, text=True)
answer = {"code": run.returncode, "error": run.stderr.strip(), "slurm": {k: v for k, v in os.environ.items() if k.startswith("SLURM")},
          "visible": os.environ.get("CUDA_VISIBLE_DEVICES"), "rollcall": json.loads(run.stdout) if run.returncode == 0 else None}
name = "%s.%s.json" % (os.environ.get("SLURM_PROCID", "shell"), os.environ.get("SLURMD_NODENAME", "login"))
with open(os.path.join(folder, name), "w") as out:
    json.dump(answer, out)
