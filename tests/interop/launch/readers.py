"""readers.py TRANSCRIPT: `rollcall spec --format FORM` of one cluster, read by the programs that the form is for.

ROLLCALL_COMMAND is the command, INTEROP_RAY a Python that has Ray. Last line: `N passed, N failed, N skipped`.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

COMMAND = os.environ["ROLLCALL_COMMAND"]
CLUSTER = {
    "worker": {str(i): address for i, address in enumerate(["10.9.9.2:8470", "10.9.9.2:8471", "10.9.9.10:8470", "10.9.9.11:8470", "[fd00::5]:8470"])},
    "chief": ["10.9.9.1:8470"],
    "ps": {"3": "10.9.9.7:8470"},
}
RANKED = {"chief": CLUSTER["chief"], "worker": list(CLUSTER["worker"].values())}
NAMES = {"worker": ["node01.a.example:1", "node02.a.example:1", "node03.a.example:1", "10-0-0-1.default.pod:1"]}
rows, counts, versions = [], {"passed": 0, "failed": 0, "skipped": 0}, []


def form(name, cluster, *more):
    environment = dict(os.environ, TF_CONFIG=json.dumps({"cluster": cluster}))
    run = subprocess.run([COMMAND, "spec", "tfconfig:", "--format", name, *more], env=environment, capture_output=True, text=True, timeout=60)
    return run.stdout if run.returncode == 0 else f"exit {run.returncode}: {run.stderr.strip()}"


def ran(command, environment=None, text="", seconds=60):
    """Standard output and error; a program that does not end is killed, since hydra ignores SIGTERM."""
    try:
        run = subprocess.run(command, env=dict(os.environ, **(environment or {})), input=text, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return "", "it did not end"
    return run.stdout, run.stderr


def section(title, program, version):
    """True if the program is there."""
    rows.append(f"\n## {title}\n")
    if not program or not shutil.which(program):
        rows.append("Skipped: it is not installed here.")
        counts["skipped"] += 1
        print(f"skipped: {title}")
        return False
    out, error = ran(version)
    versions.append((title, (out + error).strip().split("\n")[0]))
    rows.append("| what | what it reads | |\n| --- | --- | --- |")
    return True


def check(what, got, wanted):
    good = got == wanted
    counts["passed" if good else "failed"] += 1
    if not good:
        print(f"failed: {what}: {got!r}, not {wanted!r}")
    text = (got if isinstance(got, str) else json.dumps(got, ensure_ascii=False)).replace("|", "\\|")
    rows.append(f"| {what} | {text} | {'yes' if good else 'NO: ' + repr(wanted)} |")


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    return path


def remote_shell(folder):
    """A fake `ssh HOST COMMAND…` that runs locally; the started program finds HOST in STANDS_FOR."""
    path = write(folder, "remote-shell", '#!/bin/sh\nexport STANDS_FOR="$1"\nshift\nexec sh -c "$*"\n')
    os.chmod(path, 0o755)
    return path


IPV4 = {job: [a for a in addresses if "[" not in a] for job, addresses in RANKED.items()}
SLOTS = ["10.9.9.1"] + ["10.9.9.2"] * 2 + ["10.9.9.10", "10.9.9.11"]


def open_mpi(folder):
    if not section("Open MPI", shutil.which("mpirun.openmpi"), ["mpirun.openmpi", "--version"]):
        return
    agent = remote_shell(folder)
    base = ["mpirun.openmpi", "--allow-run-as-root", "--mca", "plm_rsh_agent", agent, "--mca", "plm_rsh_no_tree_spawn", "1", "--mca", "oob_tcp_if_include", "lo"]
    show = ["sh", "-c", 'echo "$OMPI_COMM_WORLD_RANK $STANDS_FOR"']
    path = write(folder, "hostfile", form("mpi-hostfile", IPV4))
    out, error = ran([*base, "--hostfile", path, *show])
    got = [line.split()[-1] for line in sorted(out.strip().split("\n"), key=lambda line: int((line.split() or ["0"])[0]))] if out.strip() else error[-400:]
    check("`mpirun --hostfile` starts rank by rank on", got, SLOTS)

    def drawn(cluster, *more, environment=None, options=()):
        given = write(folder, "hostfile", form("mpi-hostfile", cluster, *more))
        text, fault = ran([*base, *options, "--hostfile", given, "--display-map", "--do-not-launch", "true"], environment)
        return [f"{name} {slots}" for name, slots in re.findall(r"Data for node: (\S+)\s+Num slots: (\d+)", text)] or fault[:400]

    check("`--slots 4`: its map of nodes and slots", drawn(IPV4, "--slots", "4"), [f"{host} 4" for host in dict.fromkeys(SLOTS)])
    check("names; it shows them up to the first dot", drawn(NAMES), ["node01 1", "node02 1", "node03 1", "10-0-0-1 1"])
    alike = {"worker": ["a.x:1", "a.y:1"]}
    check("names that differ behind the dot, with the variable that the file's comment names", drawn(alike, environment={"OMPI_MCA_orte_keep_fqdn_hostnames": "1"}), ["a.x 1", "a.y 1"])
    check("IPv6, also as `::ffff:10.9.9.1`", drawn({"worker": ["[fd00::5]:1", "[fd00::]:1", "[::ffff:10.9.9.1]:1"]}, options=["--mca", "regx", "naive"]), ["fd00::5 1", "fd00:: 1", "0:0:0:0:0:ffff:a09:901 1"])
    out, error = ran(["mpirun.openmpi", "--allow-run-as-root", "--hostfile", write(folder, "hostfile", form("mpi-hostfile", {"worker": ["[fd00::5]:1"]})), "true"])
    check("IPv6 without `--mca regx naive`: Open MPI 4 reads it and then refuses colons in names", "illegal character" in error, True)


def mpich(folder):
    if not section("MPICH", "mpiexec.hydra", ["sh", "-c", "mpiexec.hydra --version | sed -n 's/ *Version: */hydra /p'"]):
        return
    path = write(folder, "machines", form("mpich-hostfile", IPV4))
    out, error = ran(["mpiexec.hydra", "-launcher", "rsh", "-launcher-exec", remote_shell(folder), "-f", path, "-n", "5", "sh", "-c", 'echo "$PMI_RANK $STANDS_FOR"'])
    got = [line.split()[-1] for line in sorted(out.strip().split("\n"))] if out.strip() else error[-400:]
    check("`mpiexec -f` starts rank by rank on", got, SLOTS)
    check("IPv6 is refused, since hydra cuts at the first colon", "MPICH's host files have no form for the IPv6 address" in form("mpich-hostfile", RANKED), True)


def slurm(folder):
    if not section("Slurm", "scontrol", ["sh", "-c", f"SLURM_CONF={write(folder, 'slurm.conf', 'ClusterName=any' + chr(10) + 'SlurmctldHost=localhost' + chr(10))} scontrol --version"]):
        return
    environment = {"SLURM_CONF": os.path.join(folder, "slurm.conf")}
    for title, cluster in (("addresses", RANKED), ("names", NAMES)):
        text = form("slurm-nodelist", cluster).strip()
        hosts = list(dict.fromkeys(a.rsplit(":", 1)[0].strip("[]") for addresses in cluster.values() for a in addresses))
        check(f"`scontrol show hostnames '{text}'`: {title}", ran(["scontrol", "show", "hostnames", text], environment)[0].split(), hosts)


RAY = """
import json, shlex, sys
from ray.scripts.scripts import start
from ray._common.network_utils import parse_address
for line in sys.stdin.read().splitlines():
    words = shlex.split(line)
    assert words[:2] == ["ray", "start"], words
    found = start.make_context("start", words[2:]).params
    address = list(parse_address(found["address"])) if found["address"] else None
    print(json.dumps([found["head"], found["port"], address, found["node_ip_address"]]))
"""


def ray(_folder):
    python = os.environ.get("INTEROP_RAY", "")
    if not section("Ray", python, [python, "-c", "import ray; print('ray', ray.__version__)"]):
        return
    v6 = {"worker": ["[fd00::1]:1", "[fd00::2]:1", "name.example:1"]}
    for title, cluster, task, wanted in (
        ("the head", RANKED, "chief:0", [True, 6379, None, "10.9.9.1"]),
        ("a worker", RANKED, "worker:2", [False, None, ["10.9.9.1", "6379"], "10.9.9.10"]),
        ("a head with IPv6", v6, "worker:0", [True, 6379, None, "fd00::1"]),
        ("a worker of it", v6, "worker:1", [False, None, ["fd00::1", "6379"], "fd00::2"]),
        ("a worker with a name", v6, "worker:2", [False, None, ["fd00::1", "6379"], None]),
    ):
        line = form("ray", cluster, "--task", task)
        out, error = ran([python, "-c", RAY], text=line)
        check(f"{title}, `{line.strip()}`: head, port, address, node_ip_address", json.loads(out) if out else error[-400:], wanted)


def members(cluster):
    jobs = sorted(cluster.items(), key=lambda job: job[0] != "chief")
    for job, tasks in jobs:
        for index, address in tasks.items() if isinstance(tasks, dict) else enumerate(tasks):
            host, port = address.rsplit(":", 1)
            yield job, int(index), host.strip("[]"), int(port)


def hosts(folder):
    if not section("libc", "unshare", ["ldd", "--version"]):
        return
    path = write(folder, "hosts", form("hosts", CLUSTER))
    if ran(["unshare", "-m", "mount", "--bind", path, "/etc/hosts"])[1]:
        rows.append("| /etc/hosts of a mount namespace | not permitted here | skipped |")
        counts["skipped"] += 1
        return
    for suffix in ("", ".rollcall"):
        names = [f"{job}-{index}{suffix}" for job, index, _, _ in members(CLUSTER)]
        script = 'mount --bind "$0" /etc/hosts && for name; do getent -s files ahosts "$name" | head -n 1 | cut -d " " -f 1; done'
        check(f"`getent ahosts worker-0{suffix}` and so on", ran(["unshare", "-m", "sh", "-c", script, path, *names])[0].split(), [host for _, _, host, _ in members(CLUSTER)])


def ssh(folder):
    if not section("OpenSSH", "ssh", ["ssh", "-V"]):
        return
    path = write(folder, "ssh_config", form("ssh-config", CLUSTER))
    for suffix in ("", ".rollcall"):
        found = []
        for job, index, _, _ in members(CLUSTER):
            found += re.findall(r"^hostname (.*)$", ran(["ssh", "-G", "-F", path, f"{job}-{index}{suffix}"])[0], re.M)
        check(f"`ssh -G worker-0{suffix}` and so on", found, [host for _, _, host, _ in members(CLUSTER)])


def ansible(folder):
    if not section("Ansible", "ansible-inventory", ["ansible-inventory", "--version"]):
        return
    odd = dict(CLUSTER, **{"yes": ["10.9.9.20:1"], "all": ["10.9.9.21:1"], "null": ["10.9.9.22:1"], "1e3": ["10.9.9.23:1"], "replica-job": ["10.9.9.24:1"], "Off": ["10.9.9.25:1"]})
    for name in ("inventory", "inventory.yml"):
        path = write(folder, name, form("ansible", odd))
        out, error = ran(["ansible-inventory", "-i", path, "--list"])
        read = json.loads(out) if out.startswith("{") else {}
        found = {host: [values["rollcall_job"], values["rollcall_index"], values["ansible_host"], values["rollcall_port"]] for host, values in read.get("_meta", {}).get("hostvars", {}).items()}
        check(f"`ansible-inventory -i {name}`: hosts with job, index, address, port; jobs called yes, all, null, 1e3, Off", dict(sorted(found.items())),
              dict(sorted((f"{job}-{index}", [job, index, host, port]) for job, index, host, port in members(odd))))
        check("its groups", sorted(set(read) - {"_meta", "all"}), sorted(["worker", "chief", "ps", "yes", "job_all", "null", "job_1e3", "replica_job", "Off"]))
        check("its warnings", error.strip(), "")


def prometheus(folder):
    if not section("Prometheus", "promtool", ["promtool", "--version"]):
        return
    odd = dict(CLUSTER, **{"a \"b\"\\ {c}\n\u00fc\u0000$(x)": ["10.9.9.20:1"]})
    write(folder, "targets.json", form("prometheus", odd))
    path = write(folder, "prometheus.yml", "scrape_configs:\n- job_name: any\n  file_sd_configs:\n  - files: [targets.json]\n")
    check("`promtool check config`", "SUCCESS" in ran(["promtool", "check", "config", path])[0], True)
    out, error = ran(["promtool", "check", "service-discovery", path, "any"])
    read = [one["discoveredLabels"] for one in json.loads(out)] if out.startswith("[") else []
    found = [[one["job"], int(one["index"]), one["__address__"], one["cluster"]] for one in read]
    wanted = [[job, index, f"[{host}]:{port}" if ":" in host else f"{host}:{port}", "rollcall"] for job, index, host, port in members(odd)]
    check("`promtool check service-discovery`, sorted: job, index, address, cluster; one job has quotes, a line end and a NUL in its name", sorted(found), sorted(wanted))


def main():
    with tempfile.TemporaryDirectory() as folder:
        for read in (open_mpi, mpich, slurm, ray, hosts, ssh, ansible, prometheus):
            read(folder)
    summary = ", ".join(f"{number} {kind}" for kind, number in counts.items())
    table = "".join(f"| {title} | {version} |\n" for title, version in [("rollcall", ran([COMMAND, "--version"])[0].split("\n")[0])] + versions)
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write("# Forms for launchers and tools, read by those\n\nWritten by `tests/interop/launch/readers`; see `README.md` one folder up.\n\n"
                  f"| | version |\n| --- | --- |\n{table}" + "\n".join(rows) + f"\n\n{summary}\n")
    print(summary)
    sys.exit(1 if counts["failed"] else 0)


main()
