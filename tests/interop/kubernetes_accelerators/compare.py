"""compare.py TRANSCRIPT: starts a control plane, its nodes and the workloads of workloads.py, and asks Rollcall about each.

ROLLCALL is the command, REAL_KUBERNETES the program that starts the control plane. Numbers are compared with the table of workloads.py, and
with what the scheduler has allocated.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

from workloads import NAMESPACE, NODES, WORKLOADS, as_text, everything

ROLLCALL, KUBERNETES = os.environ["ROLLCALL"], os.environ["REAL_KUBERNETES"]
PATIENCE_S = 90
NOT_READY = 7  # the exit code of a status whose members are not all ready


class Cluster:
    """A control plane in a folder."""

    def __init__(self, folder):
        self.folder = folder
        self.run("start")
        for name, (resources, labels, _) in NODES.items():
            given = [word for key, count in resources.items() for word in ("--resource", f"{key}={count}")]
            self.run("node", name, *given, *(word for pair in {"kubernetes.io/hostname": name, **labels}.items() for word in ("--label", "=".join(pair))))
        self.apply(everything())

    def run(self, verb, *words, text=None):
        done = subprocess.run([KUBERNETES, verb, self.folder, *words], input=text, capture_output=True, text=True, timeout=300)
        if done.returncode:
            sys.exit(f"{verb} {' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    def apply(self, objects):
        self.run("apply", "-", text=as_text(objects))

    def get(self, path):
        return json.loads(self.run("get", path))

    def pods(self, job):
        return self.get(f"/api/v1/namespaces/{NAMESPACE}/pods?labelSelector=job-name%3D{job}")["items"]

    def wait_for(self, workload):
        """Until all pods that find a node run, and the others are known to find none."""
        end = time.monotonic() + PATIENCE_S
        while True:
            pods = self.pods(workload.name)
            running = sum(pod["status"]["phase"] == "Running" for pod in pods)
            waiting = sum(any(one.get("reason") == "Unschedulable" for one in pod["status"].get("conditions", ())) for pod in pods)
            if len(pods) == workload.pods and running == workload.pods - workload.waits and waiting == workload.waits:
                return
            if time.monotonic() > end:
                sys.exit(f"{workload.name}: {running} pods run and {waiting} wait after {PATIENCE_S} s")
            time.sleep(0.5)

    def allocated(self, job):
        """The devices that the scheduler has allocated to the claims of a job's pods, those of extended resources too, by driver."""
        names = {pod["metadata"]["name"] for pod in self.pods(job)}
        counts = {}
        for claim in self.get(f"/apis/resource.k8s.io/v1/namespaces/{NAMESPACE}/resourceclaims")["items"]:
            if not names & {one["name"] for one in claim.get("status", {}).get("reservedFor", ())}:
                continue
            for result in claim["status"]["allocation"]["devices"]["results"]:
                counts[result["driver"]] = counts.get(result["driver"], 0) + 1
        return counts

    def stop(self):
        self.run("stop")


class Rollcall:
    def __init__(self, cluster, workload):
        context = "" if workload.user == "admin" else f",context={workload.user}"
        self.target = f"kubernetes:{NAMESPACE}{context},job.worker=job-name={workload.name},address=pod"
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": cluster.folder, "KUBECONFIG": cluster.folder + "/kubeconfig", "NO_GCE_CHECK": "true"}
        self.said = set()

    def ask(self, *words, codes=(0,)):
        done = subprocess.run([ROLLCALL, *words], capture_output=True, text=True, env=self.environment, timeout=120)
        self.said |= {line for line in done.stderr.splitlines() if line}
        return done.stdout if done.returncode in codes else None

    def devices(self):
        """Kind, source, model and the numbers of all that are counted; None: not known. The members of a status, where some have no address."""
        members = json.loads(self.ask("status", self.target, "--format", "json", codes=(0, NOT_READY)) or "{}").get("members", [])
        known = [one.get("accelerators") for one in members]
        if not known or not all(known):
            return None
        seen, counts = set(), []
        for member, one in zip(members, known, strict=True):
            if one.get("of") == "machine" and member.get("host") in seen:
                continue
            seen.add(member.get("host"))
            counts.append(one["count"])
        return {one["kind"] for one in known}, {one["source"] for one in known}, {one.get("model", "") for one in known}, counts

    def reported(self):
        answer = self.ask("devices", self.target, "--format", "json")
        targets = json.loads(answer)["targets"] if answer else []
        return [sum(host["counts"].values()) for host in targets[0]["hosts"]] if targets else None

    def slots(self):
        lines = self.ask("hosts", self.target, "--format", "deepspeed")
        return None if lines is None else [int(line.split("slots=")[1]) for line in lines.splitlines()]

    def processes(self):
        line = self.ask("flags", self.target, "--for", "torchrun", "--task", "worker:0")
        numbers = [word.split("=")[1] for word in (line or "").split() if word.startswith("--nproc")]
        return int(numbers[0]) if numbers else None


def shown(numbers):
    return "not known" if numbers is None else " ".join(map(str, numbers))


def compare(cluster, workload):
    """A row of the table, what was said, and the names of the questions whose answers differ from what is wanted."""
    if workload.objects:
        cluster.apply(workload.objects)
    cluster.wait_for(workload)
    rollcall = Rollcall(cluster, workload)
    found, faults = rollcall.devices(), []
    counts = found[3] if found else None
    if counts != workload.counts:
        faults.append("status")
    if found and found[:3] != ({workload.kind}, {workload.source}, {workload.model}):
        faults.append(f"status: {found[:3]}")
    complete = workload.waits == 0  # a cluster with a pod that waits has no list of hosts
    reported = rollcall.reported() if complete else None
    if complete and reported != workload.counts:
        faults.append("devices")
    slots, processes = (rollcall.slots(), rollcall.processes()) if complete else (None, None)
    if complete and slots != workload.slots:
        faults.append("hosts")
    if complete and processes != (workload.slots[0] if workload.slots else None):
        faults.append("flags")
    allocated = cluster.allocated(workload.name)
    gpus = allocated.get("gpu.nvidia.com", 0)
    if workload.name in ("template", "parts", "all", "shared", "choice") and workload.counts and gpus != sum(workload.counts[:len(workload.counts) - workload.waits]):
        faults.append("the scheduler's devices")
    by_scheduler = ", ".join(f"{count} {driver}" for driver, count in sorted(allocated.items())) or "none"
    asked = shown(slots) if complete else "–"
    row = [workload.what, f"{workload.pods}" + (f", {workload.waits} waits" if workload.waits else ""), by_scheduler, shown(counts), " ".join(sorted(found[1])) if found else "–",
           shown(reported) if complete else "–", asked, "–" if not complete else str(processes or "not known"), ", ".join(faults) or "yes"]
    return row, sorted(rollcall.said), faults


def main(path):
    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster(folder)
        try:
            version = cluster.get("/version")["gitVersion"]
            kubelet = cluster.get("/api/v1/nodes/gpu-1")["status"]["nodeInfo"]["kubeletVersion"]
            rows, said, failed = [], [], 0
            for workload in WORKLOADS:
                row, lines, faults = compare(cluster, workload)
                rows.append(row)
                said += [f"- {workload.what}: {line}" for line in lines]
                failed += bool(faults)
                print("| " + " | ".join(row) + " |", flush=True)
        finally:
            cluster.stop()
    rollcall = subprocess.run([ROLLCALL, "--version"], capture_output=True, text=True).stdout.split("\n")[0]
    head = ["workload", "pods", "devices allocated by the scheduler", "`status`", "source", "`devices`", "`hosts`", "`flags`", "as wanted"]
    summary = f"{len(rows) - failed} passed, {failed} failed, 0 skipped"
    with open(path, "w", encoding="utf-8") as out:
        out.write("# Accelerators of pods, beside a real control plane\n\nWritten by `tests/interop/kubernetes_accelerators/compare.py`; see `tests/interop/README.md`.\n\n"
                  f"| | version |\n| --- | --- |\n| kube-apiserver, kube-scheduler, kube-controller-manager | {version} |\n| kubelet | {kubelet} |\n| rollcall | {rollcall} |\n\n")
        out.writelines("| " + " | ".join(cells) + " |\n" for cells in (head, ["---"] * len(head), *rows))
        out.write("\nWhat was said on standard error:\n\n" + "\n".join(said or ["- nothing"]).replace(folder, "FOLDER") + f"\n\n{summary}\n")
    print(summary)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(sys.argv[1])
