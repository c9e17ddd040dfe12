"""launches.py TRANSCRIPT: what Rollcall says in processes that Open MPI and Hydra have started, beside what those say.

ROLLCALL is the command; mpirun.openmpi and mpiexec.hydra are on PATH. Hosts are UTS namespaces of this machine: a remote shell of two lines
gives each its name. Where PATH and SLURM_CONF lead to a Slurm, both launchers are also started in an allocation. Each process runs task.sh
twice: with the host file as the target's key, and by `auto:`.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from results import Report, cell, failure_of, first_json, host_of, variables, version_of

HERE = os.path.dirname(os.path.abspath(__file__))
ROLLCALL = os.environ["ROLLCALL"]
AGENT = '#!/bin/sh\nhost=$1\nshift\nexec unshare -u sh -c \'hostname "$0"; exec sh -c "$1"\' "$host" "$*"\n'
# Of a Slurm node the launcher's daemon knows the name; Hydra gives its processes that of mpiexec's own node.
OWN_HOST = "WHOAMI_HOST=$(tr '\\0' '\\n' </proc/$PPID/environ | sed -n 's/^SLURMD_NODENAME=//p')\n: ${WHOAMI_HOST:=$(hostname)}"
OPEN_MPI = ["mpirun.openmpi", "--allow-run-as-root"]
NAMES = {"Open MPI": "OMPI_COMM_WORLD_", "Hydra": "PMI_"}
LOCAL = {"Open MPI": ("OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"), "Hydra": ("MPI_LOCALRANKID", "MPI_LOCALNRANKS")}
SHOWN = ("OMPI_COMM_WORLD", "OMPI_MCA_orte_node_regex", "OMPI_MCA_orte_num_nodes", "OMPI_MCA_rmaps", "OMPI_MCA_orte_default_hostfile", "OMPI_MCA_orte_hnp_uri",
         "OMPI_FIRST_RANKS", "PMI_RANK", "PMI_SIZE", "MPI_LOCAL", "SLURM_PROCID", "SLURM_STEP_N", "SLURM_STEP_T", "SLURM_NTASKS", "SLURMD_")


class Case:
    """`lines`: the host file. `prefix`: what makes the allocation."""

    def __init__(self, launcher, words, lines=None, prefix=""):
        self.launcher, self.words, self.lines, self.prefix = launcher, words.split(), lines, prefix.split()

    @property
    def title(self):
        words = [*self.prefix, "mpirun" if self.launcher == "Open MPI" else "mpiexec", *self.words]
        return " ".join(words) + (f"  # {'; '.join(self.lines)}" if self.lines else "")


TWO, UNEVEN = ["m1 slots=2", "m2 slots=2"], ["m1 slots=1", "m2 slots=3", "m7 slots=2"]
CASES = [Case("Open MPI", words, lines) for words, lines in (
    ("-np 4", TWO), ("-np 3", TWO), ("-np 4 --map-by slot", TWO), ("-np 4 --map-by node", TWO), ("-np 3 --map-by node", TWO), ("-np 4 --bynode", TWO),
    ("-np 4 --map-by slot --rank-by node", TWO), ("-np 2 --map-by ppr:1:node", TWO), ("--npernode 2", TWO), ("--npernode 1", TWO),
    ("-np 6", UNEVEN), ("-np 6 --map-by node", UNEVEN), ("-np 5 --map-by node", UNEVEN), ("-np 3 --npernode 1", UNEVEN), ("-np 1", UNEVEN),
    ("-np 8 --oversubscribe", TWO), ("-np 8 --oversubscribe --map-by node", TWO), ("-np 4", ["m2 slots=2", "m1 slots=2"]), ("-np 4", ["m1", "m1", "m2", "m2"]),
    ("-np 4 --host m1:2,m2:2", None), ("-np 3 --host m1:1,m2:2 --map-by node", None))]
CASES += [Case("Hydra", words, lines) for words, lines in (
    ("-n 4", ["m1:2", "m2:2"]), ("-n 6", ["m1:1", "m2:3", "m7:2"]), ("-n 3", ["m1:2", "m2:2"]), ("-n 4 -ppn 1", ["m1:2", "m2:2"]), ("-n 4", ["m1", "m2"]),
    ("-n 8", ["m1:2", "m2:2"]))]
IN_SLURM = [Case(launcher, words, None, prefix) for launcher in NAMES for words, prefix in (
    ("-n 6", "salloc -N3 -n6 --ntasks-per-node=2"), ("-n 3", "salloc -N3 -n3"), ("-n 5", "salloc -N2 -n5"), ("-n 4", "salloc -N3 -n6 --ntasks-per-node=2"))]
IN_SLURM += [Case("Open MPI", "-n 6 --map-by node", None, "salloc -N3 -n6 --ntasks-per-node=2"), Case("Open MPI", "--npernode 1", None, "salloc -N3 -n6 --ntasks-per-node=2"),
             Case("Open MPI", "-n 6", None, "sbatch -W -N3 -n6 --ntasks-per-node=2"), Case("Hydra", "-n 6", None, "sbatch -W -N3 -n6 --ntasks-per-node=2")]


class Place:
    """One process: what the launcher says of it, and both answers of Rollcall."""

    def __init__(self, path, launcher):
        def read(suffix):
            with open(path + suffix, "rb") as file:
                return file.read()

        self.given = variables(read(".given"))
        start = NAMES[launcher]
        local = [self.given.get(name) for name in LOCAL[launcher]]
        self.rank, self.size = int(self.given[start + "RANK"]), int(self.given[start + "SIZE"])
        self.local = "/".join(local) if None not in local else None
        self.host = self.given["WHOAMI_HOST"]
        self.said = first_json(read(".whoami").decode("utf-8", "replace"))
        self.launcher = launcher
        self.exec = variables(read(".exec")) if read(".exec.status").strip() == b"0" else None
        self.error = failure_of(read(".exec.error").decode("utf-8", "replace"), 500)

    def expectations(self, first):
        heard = next((said for said in self.said.get("testimonies", []) if said["witness"] == self.launcher), {})
        yield "whoami: rank and size", f"{self.rank}/{self.size}", heard and f"{heard['rank']}/{heard.get('size')}"
        if self.local:
            yield "whoami: local rank and size", self.local, heard and f"{heard.get('local_rank')}/{heard.get('local_size')}"
        own = self.said.get("task")
        yield "whoami: task and host", f"{self.rank}/{self.size} {self.host}", own and f"{own['index']}/{own['tasks']} {host_of(own['address'])}"
        ours = self.exec or {}
        for field, right, value in (
            ("RANK/WORLD_SIZE", f"{self.rank}/{self.size}", ours and f"{ours['RANK']}/{ours['WORLD_SIZE']}"),
            ("LOCAL_RANK/LOCAL_WORLD_SIZE", self.local, ours and f"{ours.get('LOCAL_RANK')}/{ours.get('LOCAL_WORLD_SIZE')}"),
            ("JAX_PROCESS_ID/JAX_NUM_PROCESSES", f"{self.rank}/{self.size}", ours and f"{ours['JAX_PROCESS_ID']}/{ours['JAX_NUM_PROCESSES']}"),
            ("MASTER_ADDR", first, ours and ours["MASTER_ADDR"]),
            ("host of ROLLCALL_ADDRESS", self.host, ours and host_of(ours["ROLLCALL_ADDRESS"]))):
            if right is not None:
                yield field, right, value


def run(case, target):
    """The processes of the case by rank, and the launcher's last words."""
    with tempfile.TemporaryDirectory() as folder:
        agent, hosts, task = (os.path.join(folder, name) for name in ("remote-shell", "hosts", "task"))
        for path, text in ((agent, AGENT), (hosts, "\n".join(case.lines or []) + "\n"),
                           (task, f'#!/bin/sh\n{OWN_HOST}\nexport RESULTS={folder} WHOAMI_HOST WHOAMI_TARGET="{target.format(hosts)}" EXEC_TARGET="{target.format(hosts)}"\n'
                                  f'exec {HERE}/task.sh\n')):
            with open(path, "w", encoding="ascii") as out:
                out.write(text)
            os.chmod(path, 0o755)
        if case.launcher == "Open MPI":
            words = [*OPEN_MPI, *([] if case.prefix else ["--mca", "plm", "rsh", "--mca", "plm_rsh_agent", agent, "--mca", "plm_rsh_no_tree_spawn", "1", "--mca",
                                                          "oob_tcp_if_include", "lo"]), *(["--hostfile", hosts] if case.lines else []), *case.words, task]
        else:
            words = ["mpiexec.hydra", *(["-launcher", "rsh", "-launcher-exec", agent, "-f", hosts] if case.lines else []), *case.words, task]
        if case.prefix and case.prefix[0] == "sbatch":
            words = [*case.prefix, "-o", os.path.join(folder, "log"), "--wrap", " ".join(words)]
        else:
            words = [*case.prefix, *words]
        try:
            last = subprocess.run(words, env=dict(os.environ, HOME=folder), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90, check=False).stderr
        except subprocess.TimeoutExpired:
            last = "it did not end"
        names = [name[:-len(".given")] for name in os.listdir(folder) if name.endswith(".given")]
        found = [Place(os.path.join(folder, name), case.launcher) for name in names if os.path.exists(os.path.join(folder, name + ".exec.status"))]
    return sorted(found, key=lambda place: place.rank), last.strip()[-200:]


def compare(case, target, report, details, refusals):
    """The cell of the table."""
    places, last = run(case, target)
    if not places or len(places) != places[0].size:
        return "", "not started: " + cell(last)
    agreed, refused, faults, reasons = 0, 0, [], set()
    for place in places:
        for field, right, ours in place.expectations(places[0].host):
            if not ours:
                refused += 1
                reasons.add(place.error or place.said.get("failure", {}).get("message", ""))
            elif ours == right:
                agreed += 1
            else:
                faults.append((place, f"rank {place.rank} on {place.host}: {field}: {right}, Rollcall says {ours}"))
    for kind, number in (("agreed", agreed), ("refused", refused), ("differing", len(faults))):
        report.count(kind, number)
    name = target.format("FILE")
    if faults:
        shown = " ".join(f"{key}={value}" for key, value in sorted(faults[0][0].given.items()) if key.startswith(SHOWN))
        details += [f"\n### `{case.title}`, {name}\n", *[f"- {text}" for _, text in faults[:10]], f"\n```\n{shown}\n```"]
    for text in reasons:
        refusals.setdefault(re.sub(r"\d+", "N", text.replace(case.launcher, "LAUNCHER")), set()).add(f"`{case.title}`, {name}")
    shape = " ".join(f"{place.rank}:{place.host}" for place in places)
    return shape, f"**{len(faults)} differ**" if faults else f"refused, {agreed} fields agreed" if refused else "agreed"


def main():
    tools = {"Open MPI": "mpirun.openmpi", "Hydra": "mpiexec.hydra"}
    cases = [case for case in CASES if shutil.which(tools[case.launcher])]
    if shutil.which("srun") and os.environ.get("SLURM_CONF"):
        cases += [case for case in IN_SLURM if shutil.which(tools[case.launcher])]
    if not cases:
        print("there is neither mpirun.openmpi nor mpiexec.hydra\n0 passed, 0 failed, 1 skipped")
        sys.exit(77)
    report, details, refusals = Report(["agreed", "refused", "differing"], ["differing"]), [], {}
    report.say("| started by | rank:host | `mpi:hostfile=FILE` | `auto:` |", "| --- | --- | --- | --- |")
    for case in cases:
        shape, by_file = compare(case, "mpi:hostfile={}", report, details, refusals) if case.lines else ("", "")
        other, by_auto = compare(case, "auto:", report, details, refusals)
        report.say(f"| `{cell(case.title)}` | {shape or other} | {by_file} | {by_auto} |")
        print(f"{by_file or '-'}; auto: {by_auto}: {case.title}", flush=True)
    report.say("\n## What differs", *(details or ["\nNothing."]), "\n## What is refused\n")
    report.say(*[f"- {len(titles)} times, as {min(titles)}: {cell(text)}" for text, titles in refusals.items()])
    said = [("rollcall", version_of(ROLLCALL))]
    for name, words in (("Open MPI", ["mpirun.openmpi", "--version"]), ("Hydra", ["mpiexec.hydra", "--version"]), ("Slurm", ["srun", "--version"])):
        if shutil.which(words[0]):
            text = subprocess.run(words, capture_output=True, text=True, check=False).stdout
            said.append((name, next((line.split()[-1] for line in text.split("\n") if "ersion" in line or "mpirun" in line or "slurm" in line), text[:40])))
    report.finish(sys.argv[1], "Processes of Open MPI and Hydra, and Rollcall", "run", said)


main()
