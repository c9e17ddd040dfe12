"""slurm_steps.py TRANSCRIPT: what Rollcall says in the tasks of a running Slurm, beside what Slurm itself gave them.

ROLLCALL is the command; PATH and SLURM_CONF lead to a Slurm of at least four nodes. Cases that want GPUs need nodes with them. Each task
runs task.sh. What is right follows from all tasks of a step together: SLURM_PROCID, SLURM_LOCALID, SLURMD_NODENAME and
CUDA_VISIBLE_DEVICES of each.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from results import Report, cell, failure_of, first_json, host_of, variables, version_of

HERE = os.path.dirname(os.path.abspath(__file__))
TASK = os.path.join(HERE, "task.sh")
ROLLCALL = os.environ["ROLLCALL"]
SHOWN = re.compile(r"SLURM_(PROCID|LOCALID|NODEID|GTIDS|STEPID|STEP_ID|STEP_NODELIST|STEP_NUM_|STEP_TASKS|STEP_GPUS|NTASKS|NNODES|TASKS_PER_NODE|JOB_NODELIST"
                   r"|JOB_NUM_NODES|DISTRIBUTION|DIST_PLANESIZE|HET_SIZE|GPUS_ON_NODE|TRES_BIND)|SLURMD_|CUDA_VISIBLE_DEVICES")


def command(name, *more):
    return subprocess.run([name, *more], capture_output=True, text=True, timeout=60, check=False).stdout.strip()


def nodes():
    """The names of the nodes, in Slurm's order, each with its number of GPUs."""
    found = {}
    for line in command("sinfo", "-h", "-N", "-o", "%N %G").split("\n"):
        name, _, gres = line.partition(" ")
        found[name] = sum(int(number) for number in re.findall(r"gpu:(?:[^:,()]+:)?(\d+)", gres))
    return found


class Case:
    """`how`: the command up to the program. `kind`: step (each process is a task), share (tasks share a GPU by design), shell (no task).
    `hostfile`: the lines of SLURM_HOSTFILE. `batch`: by a batch script instead of salloc; `nested`: submitted from within a step, of which the
    script inherits variables."""

    def __init__(self, how, kind="step", hostfile=None, batch=False, nested=False):
        self.how, self.kind, self.hostfile, self.batch, self.nested = how, kind, hostfile, batch or nested, nested

    @property
    def title(self):
        text = self.how.replace("salloc", "sbatch", 1) if self.batch else self.how
        return ("srun -N1 -n1 " if self.nested else "") + text + (f", SLURM_HOSTFILE={','.join(self.hostfile)}" if self.hostfile else "")


def cases(names, gpus):
    a, b, c, d = names[:4]
    yield from [Case(how) for how in (
        "srun -N2 -n4",
        "srun -N2 -n4 --ntasks-per-node=2 -m block",
        "srun -N3 -n7",
        "srun -N3 -n7 -m cyclic",
        "srun -N4 -n8 -m cyclic --ntasks-per-node=2",
        "srun -N2 -n8 -m plane=2",
        "srun -N2 -n7 -m plane=3",
        "srun -N3 -n6 -m block:cyclic",
        "srun -N3 -n9 -m *:*,NoPack",
        "srun -N3 -n3",
        "srun -N1 -n1",
        "srun -N1 -n3",
        "salloc -N3 srun -n2",
        "salloc -N4 srun -N2 -n2",
        "salloc -N4 -n8 --ntasks-per-node=2 srun -N2 -n4 -r 1",
        f"salloc -N4 -n8 --ntasks-per-node=2 srun -N2 -n3 -w {b},{d}",
        f"salloc -N4 -n8 --ntasks-per-node=2 srun -N2 -n4 -w {d},{a} -m cyclic",
        f"salloc -N4 -n8 --ntasks-per-node=2 srun -N3 -n6 --exclude={b}",
        "salloc -N4 -n16 -c2 srun -N3 -n5 --exact -c2 -m cyclic",
        f"salloc -w {c} -n1 : -w {a},{b} -n4 --ntasks-per-node=2 srun --het-group=0,1",
        f"salloc -w {a} -n1 : -w {b},{c} -n2 srun --het-group=0,1",
        f"salloc -w {b},{d} -n4 : -w {a},{c} -n4 -m cyclic srun --het-group=0,1 -m cyclic",
        f"salloc -w {b},{d} -n4 : -w {a},{c} -n4 srun --het-group=1",
        f"salloc -w {c},{d} -n4 : -w {a} -n1 : -w {b} -n2 srun --het-group=0,2",
    )]
    yield Case("srun -n4 -m arbitrary", hostfile=[b, a, b, a])
    yield Case("srun -n5 -m arbitrary", hostfile=[c, a, a, b, c])
    yield Case("srun -n4 -m arbitrary", hostfile=[a, a, b, b])
    yield Case("srun -n2 -m arbitrary", hostfile=[d, a])
    yield Case("salloc -N4 -n8 --ntasks-per-node=2 srun -N2 -n4", batch=True)
    yield Case("salloc -N4 -n8 --ntasks-per-node=2", kind="shell", batch=True)
    yield Case("salloc -N1 -n1", kind="shell", batch=True)
    yield Case("salloc -N2 -n4 --ntasks-per-node=2", kind="shell", nested=True)
    yield Case("salloc -N2 -n4 --ntasks-per-node=2 srun -n4", nested=True)
    yield Case("salloc -N3 -n6", kind="shell")
    yield Case("salloc -N3 -n6 srun --interactive", kind="shell")
    yield Case("salloc -N1 -n2 srun --interactive", kind="shell")
    full = [name for name in names if gpus[name] == 8]
    if len(full) < 2:
        return
    on = f"-w {full[0]},{full[1]}"
    yield from [Case(f"srun -N2 {on} {how}") for how in (
        "-n2 --gres=gpu:8",
        "-n4 --ntasks-per-node=2 --gres=gpu:8",
        "-n8 --ntasks-per-node=4 --gres=gpu:8",
        "-n16 --ntasks-per-node=8 --gres=gpu:8",
        "-n4 --ntasks-per-node=2 --gpus-per-node=4 -m cyclic",
        "-n3 --gres=gpu:6",
        "-n4 --ntasks-per-node=2 --gpus-per-task=2",
        "-n8 --ntasks-per-node=4 --gpus-per-task=1",
        "-n8 --ntasks-per-node=4 --gres=gpu:4 --gpu-bind=single:1",
        "-n4 --ntasks-per-node=2 --gres=gpu:4 --gpu-bind=map_gpu:2,3",
        "-n4 --ntasks-per-node=2 --gpus-per-task=1 --gpu-bind=none",
    )]
    yield Case(f"srun -N1 -w {full[0]} -n4 --gpus=2 --ntasks-per-gpu=2", kind="share")
    yield Case(f"salloc -N2 {on} -n4 --gres=gpu:8 srun -n4 --gres=gpu:2")
    yield Case(f"salloc -N2 {on} -n4 --gres=gpu:8 srun -n4 --gres=none")


class Task:
    def __init__(self, path):
        def read(suffix):
            with open(path + suffix, "rb") as file:
                return file.read()

        self.given = variables(read(".given"))
        self.said = first_json(read(".whoami").decode("utf-8", "replace"))
        self.exec_ok = read(".exec.status").strip() == b"0"
        self.exec = variables(read(".exec")) if self.exec_ok else {}
        self.exec_error = failure_of(read(".exec.error").decode("utf-8", "replace"))
        self.number = int(self.given.get("SLURM_PROCID", "-1"))
        self.local = int(self.given.get("SLURM_LOCALID", "-1"))
        self.node = self.given.get("SLURMD_NODENAME", "")
        self.gpus = [gpu for gpu in self.given.get("CUDA_VISIBLE_DEVICES", "").split(",") if gpu]


def run(case):
    """The tasks that the case started, by rank; and the last words of Slurm if there are none."""
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, RESULTS=folder, WHOAMI_TARGET="auto:", EXEC_TARGET="slurm:order=rank")
        words = case.how.split()
        if case.hostfile:
            environment["SLURM_HOSTFILE"] = os.path.join(folder, "hosts")
            with open(environment["SLURM_HOSTFILE"], "w", encoding="ascii") as out:
                out.write("\n".join(case.hostfile) + "\n")
        if case.batch:  # the same words, with a script instead of a command
            at = words.index("srun") if "srun" in words else len(words)
            inner = " ".join([*words[at:], TASK])
            words = ["sbatch", "-W", "-o", os.path.join(folder, "log"), *words[1:at], "--wrap", inner]
            words = ["srun", "-N1", "-n1", *words] if case.nested else words
        else:
            words.append(TASK)
        try:
            last = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=180, check=False).stderr
        except subprocess.TimeoutExpired:
            last = "it did not end"
        names = [name[:-len(".given")] for name in os.listdir(folder) if name.endswith(".given")]
        tasks = [Task(os.path.join(folder, name)) for name in names if os.path.exists(os.path.join(folder, name + ".exec.status"))]
    return sorted(tasks, key=lambda task: task.number), last.strip()[-300:]


def devices_of(task):
    """The devices that JAX would use, by the names in CUDA_VISIBLE_DEVICES; none if an index is beyond them."""
    ids = task.exec.get("JAX_LOCAL_DEVICE_IDS", "")
    if not ids:
        return list(task.gpus)
    indices = [int(one) for one in ids.split(",")]
    return [task.gpus[index] for index in indices] if max(indices) < len(task.gpus) else None


def expectations(tasks, task):
    """Triples: the field, what is right by Slurm, what Rollcall says."""
    count, first = len(tasks), tasks[0].node
    here = [other for other in tasks if other.node == task.node]
    yield "whoami: SLURM_PROCID of how many", f"{task.number}/{count}", heard(task, "processes", "rank", "size")
    yield "whoami: SLURM_LOCALID", str(task.local), heard(task, "processes", "local_rank")
    own = task.said.get("task")
    yield "whoami: task and host", f"{task.number}/{count} {task.node}", own and f"{own['index']}/{own['tasks']} {host_of(own['address'])}"
    ours = task.exec.get if task.exec_ok else lambda name: None
    yield "RANK/WORLD_SIZE", f"{task.number}/{count}", ours("RANK") and f"{ours('RANK')}/{ours('WORLD_SIZE')}"
    yield "LOCAL_RANK/LOCAL_WORLD_SIZE", f"{task.local}/{len(here)}", ours("LOCAL_RANK") and f"{ours('LOCAL_RANK')}/{ours('LOCAL_WORLD_SIZE')}"
    yield "JAX_PROCESS_ID/JAX_NUM_PROCESSES", f"{task.number}/{count}", ours("JAX_PROCESS_ID") and f"{ours('JAX_PROCESS_ID')}/{ours('JAX_NUM_PROCESSES')}"
    yield "MASTER_ADDR", first, ours("MASTER_ADDR")
    yield "JAX_COORDINATOR_ADDRESS", first, host_of(ours("JAX_COORDINATOR_ADDRESS"))
    yield "host of ROLLCALL_ADDRESS", task.node, host_of(ours("ROLLCALL_ADDRESS"))
    if task.exec_ok:
        yield "CUDA_VISIBLE_DEVICES, left alone", ",".join(task.gpus), ",".join(gpu for gpu in task.exec.get("CUDA_VISIBLE_DEVICES", "").split(",") if gpu)


def heard(task, counts, *fields):
    for said in task.said.get("testimonies", []):
        if said["witness"] == "Slurm" and said["counts"] == counts:
            return "/".join(str(said.get(field)) for field in fields)
    return None


def shared_devices(tasks):
    """Faults: devices of a node that several tasks would use though there are enough for all, and indices beyond those that Slurm gave."""
    faults, used, sees = [], {}, {}
    for task in tasks:
        if not task.exec_ok or not task.gpus:
            continue
        devices = devices_of(task)
        if not devices:
            faults.append(f"rank {task.number} sees {','.join(task.gpus)}, but JAX_LOCAL_DEVICE_IDS={task.exec['JAX_LOCAL_DEVICE_IDS']}")
            continue
        sees.setdefault(task.node, set()).update(task.gpus)
        for device in devices:
            used.setdefault((task.node, device), []).append(str(task.number))
    shared = {}
    for (node, device), ranks in used.items():
        if len(ranks) > 1 and len([task for task in tasks if task.node == node]) <= len(sees[node]):
            shared.setdefault((node, ", ".join(ranks)), []).append(device)
    return faults + [f"ranks {ranks} of {node} all use GPU {', '.join(devices)}" for (node, ranks), devices in shared.items()]


def check_step(case, tasks, report):
    """The faults of a step, and the reasons of its refusals."""
    faults, refusals, agreed = [], {}, 0
    for task in tasks:
        for field, right, ours in expectations(tasks, task):
            if ours is None:
                report.count("refused")
                refusals.setdefault(task.exec_error or task.said.get("failure", {}).get("message", "")[:300], []).append(task.number)
            elif ours == right:
                agreed += 1
            else:
                faults.append((task, f"rank {task.number} on {task.node}: {field}: {right}, Rollcall says {ours}"))
    places = {}
    for task in tasks:
        if task.exec_ok and places.setdefault(task.exec["NODE_RANK"], task.node) != task.node:
            faults.append((task, f"rank {task.number}: NODE_RANK {task.exec['NODE_RANK']} is that of {places[task.exec['NODE_RANK']]}"))
    if case.kind != "share" and any(task.gpus for task in tasks):
        shared = shared_devices(tasks)
        faults += [(tasks[0], text) for text in shared]
        agreed += 0 if shared else 1
    report.count("agreed", agreed)
    return faults, refusals


def check_shell(case, tasks, report):
    """A shell and a batch script are no task: Rollcall must give no rank, unless all that is allocated is one task."""
    faults, refusals = [], {}
    for task in tasks:
        whole = int(task.given.get("SLURM_JOB_NUM_NODES", task.given.get("SLURM_NNODES", "0")))
        own = task.said.get("task")
        for name, ours in (("whoami", own and f"{own['index']}/{own['tasks']}"), ("exec", task.exec_ok and f"{task.exec.get('RANK')}/{task.exec.get('WORLD_SIZE')}")):
            if not ours:
                report.count("refused")
                text = task.exec_error if name == "exec" else task.said.get("failure", {}).get("message", "")[:300]
                refusals.setdefault(f"{name}: {text}", []).append("the shell")
            elif ours == "0/1" and "-N1 -n1" in case.how:
                report.count("agreed")
            else:
                faults.append((task, f"{name} says {ours} in a shell of {whole} nodes"))
    return faults, refusals


def environment_of(task):
    return " ".join(f"{name}={value}" for name, value in sorted(task.given.items()) if SHOWN.match(name))


def main():
    if not shutil.which("srun") or not os.environ.get("SLURM_CONF"):
        print("PATH and SLURM_CONF lead to no Slurm\n0 passed, 0 failed, 1 skipped")
        sys.exit(77)
    gpus = nodes()
    if len(gpus) < 4:
        print("this Slurm has less than four nodes\n0 passed, 0 failed, 1 skipped")
        sys.exit(77)
    report = Report(["agreed", "refused", "differing"], ["differing"])
    details, number_of_tasks, number_of_cases = [], 0, 0
    report.say("A field is agreed if Rollcall's value is Slurm's, refused if Rollcall gives none and says why.\n",
               "| started by | tasks | |", "| --- | --- | --- |")
    for case in cases(list(gpus), gpus):
        title = case.title
        tasks, last = run(case)
        if not tasks:
            report.say(f"| `{cell(title)}` | 0 | not started: {cell(last)} |")
            continue
        number_of_cases += 1
        number_of_tasks += len(tasks)
        faults, refusals = check_shell(case, tasks, report) if case.kind == "shell" else check_step(case, tasks, report)
        report.count("differing", len(faults))
        shape = " ".join(f"{task.number}:{task.node}" for task in tasks)
        word = f"**{len(faults)} differ**" if faults else f"refused for {len(set(sum(refusals.values(), [])))}" if refusals else "agreed"
        report.say(f"| `{cell(title)}` | {shape if case.kind != 'shell' else 'a shell'} | {word} |")
        print(f"{word}: {title}", flush=True)
        if faults:
            details += [f"\n### `{title}`\n", *[f"- {text}" for _, text in faults[:12]], *([f"- and {len(faults) - 12} more"] if len(faults) > 12 else []),
                        f"\n```\n{environment_of(faults[0][0])}\n```"]
        elif refusals:
            details += [f"\n### `{title}`\n", *[f"- refused: {cell(text)}" for text in list(refusals)[:4]]]
    report.say(f"\n{number_of_cases} ways of starting, {number_of_tasks} tasks.", *(["\n## What differs, and what is refused"] if details else []), *details)
    report.finish(sys.argv[1], "Steps of a real Slurm and Rollcall", "run", [("rollcall", version_of(ROLLCALL)), ("Slurm", command("srun", "--version"))])


main()
