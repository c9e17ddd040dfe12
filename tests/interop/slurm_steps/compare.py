#!/usr/bin/env python3
"""Steps of a running Slurm (srun, sbatch and salloc in PATH): what rollcall says of each task, beside what Slurm says.

compare.py ROLLCALL FOLDER [--write TRANSCRIPT]; FOLDER is one that all nodes see. Needs nodes n1 to n4 with GPUs 8, 8, 4 and 2."""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
HET = "-n2 -w n4 --mem=10 : -N2 -n8 -w n[1-2] --mem=10 : -n2 -w n3 --mem=10"
ONE = "-N4 -n12 --mem=10"
# Name, options of sbatch, options of srun, and whether rollcall is to answer or to refuse.
STEPS = [
    ("block", ONE, "-m block", "answer"), ("cyclic", ONE, "-m cyclic", "answer"), ("plane", ONE, "-m plane=2", "answer"),
    ("uneven, cyclic", "-N3 -n7 --mem=10", "-m cyclic", "answer"), ("uneven, plane", "-N3 -n7 --mem=10", "-m plane=2", "answer"),
    ("part of the job", "-N4 --ntasks-per-node=2 --mem=10", "-N2 -n3 -r1", "answer"), ("nodes by name", "-N4 -n8 --mem=10", "-N2 -n4 -w n2,n4 -O", "answer"),
    ("arbitrary", "-N3 -n8 -w n[1-3] --mem=10", "-n5 -m arbitrary", "answer"),
    ("heterogeneous", HET, "--het-group=0,1,2", "answer"), ("heterogeneous, two of three", HET, "--het-group=0,2", "answer"),
    ("heterogeneous, one", HET, "--het-group=1 -m cyclic", "answer"), ("heterogeneous, one task a node", HET, "--het-group=0 -n1 : --het-group=1 -N2 -n2 -m cyclic", "answer"),
    ("heterogeneous, cyclic", HET, "--het-group=0,1 -m cyclic", "refuse"),
    ("8 GPUs, one task", "-N2 --gres=gpu:8 --mem=10", "", "answer"), ("8 GPUs, 4 tasks", "-N2 --ntasks-per-node=4 --gres=gpu:8 --mem=10", "", "answer"),
    ("2 GPUs a task", "-N2 --ntasks-per-node=2 --gpus-per-task=2 --mem=10", "--gpus-per-task=2", "answer"),
    ("bound one by one", "-N1 -n4 --gres=gpu:4 --mem=10", "--gpu-bind=single:1", "answer"), ("bound by a map", "-N1 -n2 --gres=gpu:4 --mem=10", "--gpu-bind=map_gpu:2,3", "answer"),
    ("not bound", "-N1 -n2 --gpus-per-task=1 --mem=10", "--gpus-per-task=1 --gpu-bind=none", "answer"),
    ("no GPUs in the step", "-N2 --ntasks-per-node=2 --gres=gpu:2 --mem=10", "--gres=none", "answer"),
    ("batch script", "-N2 -n4 --mem=10", None, "refuse"), ("batch script from a step", "-N2 -n4 -w n[1-2] --mem=10", "submit", "refuse"),
    ("interactive step", "-N2 -n4 --mem=10", "--interactive", "refuse"),
]


def run_step(rollcall, folder, target, number, options, srun):
    case = os.path.join(folder, "%02d.%s" % (number, target.split(":")[0]))
    os.makedirs(case)
    probe = "%s %s/probe.py %s %s %s" % (sys.executable, HERE, case, rollcall, target)
    script = os.path.join(case, "script")
    groups = options.split(" : ")
    lines = ["#!/bin/bash", "#SBATCH " + groups[0]]
    for group in groups[1:]:
        lines += ["#SBATCH hetjob", "#SBATCH " + group]
    hosts = os.path.join(case, "hosts")
    if srun is None:
        lines.append(probe)
    elif srun == "submit":
        lines.append("srun --mem=10 -n1 -N1 sbatch --wait --mem=10 -N1 -n1 -w n3 -o %s/out --wrap '%s'" % (case, probe))
    else:
        if "arbitrary" in srun:
            lines.append("export SLURM_HOSTFILE=" + hosts)
        lines.append("srun --mem=10 %s %s" % (srun, probe))
    with open(hosts, "w") as out:
        out.write("n3\nn1*1\nn3 # twice\nn2\nn1\n")
    with open(script, "w") as out:
        out.write("\n".join(lines) + "\n")
    subprocess.run(["sbatch", "--wait", "--time=2", "-o", case + "/log", script], stdout=subprocess.DEVNULL, timeout=120)
    answers = []
    for name in os.listdir(case):
        if name.endswith(".json"):
            with open(os.path.join(case, name)) as text:
                answers.append(json.load(text))
    return sorted(answers, key=lambda one: int(one["slurm"].get("SLURM_PROCID", "0")))


def devices_differ(answers):
    """The devices that the tasks of a node take are there, and no two take one; a task without a list takes all that it sees."""
    taken = {}
    for one in answers:
        visible = [] if one["visible"] in (None, "", "NoDevFiles") else one["visible"].split(",")
        ids = one["rollcall"]["JAX_LOCAL_DEVICE_IDS"]
        if not visible:
            continue
        chosen = visible if ids is None else [visible[int(i)] if int(i) < len(visible) else "none" for i in ids.split(",")]
        for device in chosen:
            place = (one["slurm"]["SLURMD_NODENAME"], device)
            if device == "none" or place in taken:
                return "%s: %s of %s" % (one["slurm"]["SLURM_PROCID"], ids, one["visible"])
            taken[place] = one
    return ""


def differences(answers):
    nodes = [one["slurm"]["SLURMD_NODENAME"] for one in answers]
    for one in answers:
        if one["code"] != 0:
            return one["error"]
        slurm, ours = one["slurm"], one["rollcall"]
        expected = {"RANK": slurm["SLURM_PROCID"], "WORLD_SIZE": slurm["SLURM_STEP_NUM_TASKS"], "LOCAL_RANK": slurm["SLURM_LOCALID"],
                    "LOCAL_WORLD_SIZE": str(nodes.count(slurm["SLURMD_NODENAME"])), "MASTER_ADDR": nodes[0]}
        wrong = ["%s=%s, not %s" % (name, ours[name], value) for name, value in expected.items() if ours[name] != value]
        listed = [address.rsplit(":", 1)[0] for address in ours["ROLLCALL_ADDRESSES"].split(",")]
        if listed != nodes:
            wrong.append("hosts %s, not %s" % (" ".join(listed), " ".join(nodes)))
        if wrong:
            return "rank %s: %s" % (slurm["SLURM_PROCID"], "; ".join(wrong))
    return devices_differ(answers)


def main():
    rollcall, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    version = subprocess.run(["srun", "--version"], capture_output=True, text=True).stdout.strip()
    lines = ["## " + version, "", "| step | sbatch | srun | tasks | rollcall |", "| --- | --- | --- | --- | --- |"]
    failed = 0
    for number, (name, options, srun, expected) in enumerate(STEPS):
        for target in ("slurm:order=rank", "auto:"):
            answers = run_step(rollcall, folder, target, number, options, srun)
            said = differences(answers) if answers else "no task ran"
            is_refused = bool(answers) and all(one["code"] == 111 for one in answers)
            is_right = is_refused if expected == "refuse" else said == ""
            failed += not is_right
            outcome = ("refused: " + answers[0]["error"].replace("\n", " ")[:160] if is_refused else "as Slurm says" if said == "" else "DIFFERS: " + said)
            lines.append("| %s, `%s` | `%s` | `%s` | %d | %s |" % (name, target, options, "" if srun is None else srun, len(answers), outcome.replace("|", "\\|")))
            print(lines[-1], flush=True)
    lines += ["", "%d differ" % failed, ""]
    print(lines[-2])
    if len(sys.argv) > 4 and sys.argv[3] == "--write":
        with open(sys.argv[4], "a") as out:
            out.write("\n".join(lines) + "\n")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
