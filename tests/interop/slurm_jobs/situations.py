"""situations.py FOLDER TRANSCRIPT: makes jobs of a real Slurm wait, run, break and end, and asks `rollcall` about each in three ways. A row agrees
if all ways give the same answer and it has the expected words. Last line: `N passed, N failed, N skipped`. Started by `run`."""
import json
import os
import re
import subprocess
import sys
import threading
import time

FOLDER, TRANSCRIPT = sys.argv[1:3]
ROLLCALL, TOOL = os.environ["ROLLCALL"], os.environ["REAL_SLURM"]
DRAIN = "gpu 3 fell off the bus (Xid 79)"
WORDS = ["sbatch", "--parsable", "--mem=10", "--output=/dev/null"]


def call(words, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=120, **more)


def tool(*words):
    done = call([TOOL, words[0], FOLDER, *words[1:]])
    if done.returncode:
        raise SystemExit(f"{words}: {done.stderr}")
    return done.stdout.strip()


def submit(*options, wrap="exec sleep 600"):
    done = call([*WORDS, *options, "--wrap", wrap])
    if done.returncode:
        raise SystemExit(f"sbatch {options}: {done.stderr}")
    return done.stdout.strip().split("\n")[0].split(";")[0]


def scontrol(*words):
    call(["scontrol", *words])


def ways():
    socket, url = os.environ["RESTD_SOCKET"], os.environ["RESTD_URL"]
    token = tool("token")
    return {
        "socket": (f",restd=unix:{socket}", {}),
        "token": (f",restd={url}", {"SLURM_JWT": token}),
        "programs": ("", {}),
    }


def status(job, extra="", variables=None):
    done = call([ROLLCALL, "status", f"slurm:job/{job}{extra}", "--format", "json"], env={**os.environ, **(variables or {})})
    text = done.stdout + done.stderr
    try:
        document = json.loads(done.stdout)
    except ValueError:
        return None, text
    failures = document.get("failures")
    return (None, failures[0]["message"]) if failures else (document, text)


def plain(document):
    """What does not depend on the way."""
    cluster = document.get("status", document)
    members = [(m.get("name"), m.get("address"), m.get("state"), m.get("text"), m.get("accelerators"), m.get("part"), [c.get("object") for c in m.get("causes", [])])
               for m in cluster.get("members", [])]
    causes = [(c.get("layer"), c.get("code"), c.get("object"), c.get("text")) for c in cluster.get("causes", [])]
    return json.dumps([cluster.get("state"), cluster.get("text"), cluster.get("expected"), members, causes])


def until(job, states, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        now = call(["squeue", "-h", "--states=all", "-j", job, "-o", "%T"]).stdout.split()
        if now and all(state in states for state in now):
            return
        time.sleep(0.1)


def settled(job, extra=0.0):
    """Until the scheduler has looked at a pending job."""
    end = time.monotonic() + 15
    while time.monotonic() < end:
        if call(["squeue", "-h", "-j", job, "-o", "%r"]).stdout.strip() not in ("None", ""):
            break
        time.sleep(0.1)
    time.sleep(extra)


class Table:
    def __init__(self):
        self.rows, self.passed, self.failed = [], 0, 0

    def add(self, what, squeue, answer, problems):
        self.failed += bool(problems)
        self.passed += not problems
        verdict = "agreed" if not problems else "; ".join(problems)
        cells = [what, squeue, answer, verdict]
        self.rows.append("| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |")
        print(("  ok   " if not problems else "  FAIL ") + what + ("" if not problems else ": " + verdict), flush=True)

    def ask(self, what, job, words, lacks=()):
        squeue = call(["squeue", "-h", "--states=all", "-j", job.split("+")[0], "-o", "%T %R"]).stdout.strip().split("\n")[0]
        answers, texts, problems = {}, {}, []
        for _ in range(4):  # the scheduler may change a reason between two questions
            for way, (extra, variables) in ways().items():
                document, texts[way] = status(job, extra, variables)
                answers[way] = plain(document) if document else texts[way]
            if len(set(answers.values())) == 1:
                break
            time.sleep(1)
        first = answers["socket"]
        for way, answer in answers.items():
            if answer != first:
                problems.append(f"{way} differs: {answer[:300]} not {first[:300]}")
        problems += [f"lacks {word!r}: {first[:400]}" for word in words if word not in first]
        problems += [f"has {word!r}" for word in lacks if word in first]
        shown = first
        try:
            parsed = json.loads(first)
            shown = parsed[1] if isinstance(parsed[1], str) and parsed[1] else json.dumps(parsed[0])
            nodes = [m[0] for m in parsed[3]]
            shown = f"{shown} {' '.join(nodes)}".strip()
        except (ValueError, TypeError, IndexError):
            pass
        self.add(what, squeue, shown[:300], problems)


def cancel_all():
    call(["scancel", "--signal=KILL", "--full", "-u", "root"])
    call(["scancel", "-u", "root"])
    end = time.monotonic() + 20
    while time.monotonic() < end and call(["squeue", "-h"]).stdout.strip():
        time.sleep(0.2)


def pending(table):
    scontrol("update", "nodename=n3", "state=drain", f"reason={DRAIN}")
    job = submit("-w", "n3")
    begun = time.monotonic()
    done = call([ROLLCALL, "wait", f"slurm:job/{job}", "--timeout", "2s"])
    took = time.monotonic() - begun
    squeue = call(["squeue", "-h", "-j", job, "-o", "%T %R"]).stdout.strip()
    named = [line for line in (done.stdout + done.stderr).splitlines() if DRAIN in line]
    problems = [] if named else [f"no node within {took:.1f} s: {done.stderr[-300:]}"]
    table.add("`wait --timeout 2s` for a job on a drained node", squeue, (named or [""])[-1][-300:], problems)
    settled(job)
    table.ask("requires a drained node", job, ["node n3", DRAIN, "schedule"])
    call(["scancel", job])
    job = submit("-N4")
    settled(job)
    table.ask("needs four nodes, one is drained", job, ["node n3", "it needs 4 nodes"])
    call(["scancel", job])
    job = submit("-N3", "-x", "n3")
    until(job, ["RUNNING"])
    table.ask("the drained node is excluded", job, ["n1", "n2", "n4"], [DRAIN])
    call(["scancel", job])
    first = submit("-N2", "--gres=gpu:8", "-t", "10")
    until(first, ["RUNNING"])
    table.ask("runs on two nodes with 8 GPUs each", first, ["n1:8888", "n2:8888", '"count": 8', "H100"])
    second = submit("-N2", "--gres=gpu:8", "-t", "10")
    settled(second)
    table.ask("its nodes are busy", second, ["it needs 2 nodes; 2 have what it asks for: 0 free, 2 busy"], [DRAIN])
    later = submit("-N2", "--gres=gpu:8", "-t", "10", "--nice=5000")
    settled(later, 1)
    table.ask("jobs of higher priority are before it", later, ["higher priority"], [DRAIN])
    waits = submit(f"--dependency=afterok:{first}")
    settled(waits)
    table.ask("waits for a running job", waits, [f"job {first} is RUNNING"])
    bad = submit("-w", "n4", wrap="exit 3")
    until(bad, ["FAILED"])
    never = submit(f"--dependency=afterok:{bad}")
    settled(never)
    table.ask("waits for a job that failed", never, ["it will never start"])
    table.ask("ended with exit code 3", bad, ["FAILED, exit code 3"])
    for what, options, words in [
        ("is held by its user", ["-H"], ["held by its user", "scontrol release"]),
        ("begins in an hour", ["--begin=now+1hour"], ["it does not start before"]),
        ("is in a partition that is down", ["-p", "closed"], ["partition closed is DOWN"]),
        ("asks for more time than the partition gives", ["-p", "short", "--time=60"], ["60 minutes, partition short gives 5"]),
    ]:
        job = submit(*options)
        settled(job, 0.5)
        if what.startswith("is in a partition") and os.environ["REAL_SLURM_VERSION"] == "22.05":
            words = words[:0]
        table.ask(what, job, words)
        call(["scancel", job])
    job = submit("-w", "n4")
    until(job, ["RUNNING"])
    scontrol("hold", job)
    call(["scancel", job])
    cancel_all()
    use = submit("-w", "n4", "-L", "matlab:2")
    until(use, ["RUNNING"])
    job = submit("-w", "n4", "-L", "matlab:1")
    settled(job)
    table.ask("its licences are in use", job, ["licences are in use"])
    cancel_all()
    scontrol("update", "nodename=n3", "state=resume")


def parts(table):
    job = submit("-w", "n4", "--array=0-3%1")
    until(f"{job}_0", ["RUNNING"])
    time.sleep(1)
    table.ask("a task of an array that runs", f"{job}_0", ["n4:8888"])
    table.ask("a task of an array that waits", f"{job}_2", ["PENDING"])
    table.ask("an array without a task", job, ["is an array of several tasks"])
    call(["scancel", job])
    done = call([*WORDS, "-w", "n4", "--gres=gpu:1", ":", "-w", "n1,n2", "-N2", "--gres=gpu:2", "--wrap", "exec sleep 600"])
    job = done.stdout.strip().split(";")[0]
    until(job, ["RUNNING"])
    table.ask("a heterogeneous job", job, ["n4:8888", "n1:8888", "n2:8888", '"component"'])
    table.ask("one component of it", f"{job}+1", ["n1:8888"], ["n4:8888"])
    call(["scancel", job])
    table.ask("a job that does not exist", "99999", ["Slurm has no job 99999"])
    cancel_all()


def life(table):
    job = submit("-w", "n4", "-t", "10")
    until(job, ["RUNNING"])
    call(["scontrol", "requeue", job])
    until(job, ["PENDING"])
    time.sleep(0.5)
    table.ask("is requeued", job, ["PENDING", "requeued"])
    call(["scancel", job])
    until(job, ["CANCELLED"])
    table.ask("is cancelled", job, ["CANCELLED"])
    job = submit("-N2", "-w", "n1,n2", "-t", "10", "--no-requeue")
    until(job, ["RUNNING"])
    tool("kill-node", "n2", "--steps")
    begun = time.monotonic()
    seen = {}
    while time.monotonic() - begun < 80 and "lost" not in seen:
        document, _ = status(job)
        text = plain(document) if document else ""
        for word, key in (("not responding", "silent"), ("down", "lost")):
            if word in text and "n2" in text:
                seen.setdefault(key, time.monotonic() - begun)
        if "NODE_FAIL" in text:
            seen.setdefault("lost", time.monotonic() - begun)
        time.sleep(0.3)
    story = ", ".join(f"{key} after {value:.0f} s" for key, value in seen.items())
    table.add("a node is killed", "SlurmdTimeout is 20 s", story, [] if "lost" in seen else ["it is not named"])
    tool("start-node", "n2")
    cancel_all()


def wait_for(made, seconds=25):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        texts = [open(path, encoding="utf-8").read() if os.path.exists(path) else "" for path in made]
        if all("done" in text for text in texts):
            return texts
        time.sleep(0.1)
    return texts


def own(table):
    """From within: a batch script, and a step on two of its three nodes."""
    results = os.path.join(FOLDER, "own")
    call(["rm", "-rf", results])
    os.makedirs(results)
    step = os.path.join(results, "step")
    socket = os.environ["RESTD_SOCKET"]
    lines = ["#!/bin/bash", f"exec >{results}/rank.$SLURM_PROCID 2>&1", f"{ROLLCALL} status slurm:order=rank",
             f"{ROLLCALL} status slurm:order=rank,restd=unix:{socket}",
             # Without Slurm's programs and settings the launch goes by the environment.
             f"env -u SLURM_CONF PATH=/usr/bin:/bin {ROLLCALL} exec slurm:order=rank --as torch-env -- "
             "sh -c 'echo rank $RANK of $WORLD_SIZE, Slurm says $SLURM_PROCID, local $LOCAL_RANK of $LOCAL_WORLD_SIZE'",
             f"env -u SLURM_CONF PATH=/usr/bin:/bin {ROLLCALL} status slurm:order=rank", "echo done"]
    with open(step, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    os.chmod(step, 0o755)
    script = os.path.join(results, "script")
    lines = ["#!/bin/bash", f"exec >{results}/batch 2>&1", f"{ROLLCALL} status slurm:", f"{ROLLCALL} wait slurm: --timeout 5s",
             f"{ROLLCALL} hosts slurm:job --format deepspeed", f"srun -N2 -n4 -w n2,n3 {step}", "echo done", "sleep 600"]
    with open(script, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    job = call(["sbatch", "--parsable", "--mem=100", "--output=/dev/null", "-w", "n1,n2,n3", "-N3", "--ntasks-per-node=2", "--gres=gpu:4",
                script]).stdout.strip().split("\n")[0]
    texts = wait_for([f"{results}/batch", *(f"{results}/rank.{rank}" for rank in range(4))], 40)

    def add(what, text, words, lacks=()):
        text = re.sub(r"\s+", " ", text).strip().replace(FOLDER, "FOLDER")
        problems = [f"lacks {word!r}: {text[:600]}" for word in words if word not in text] + [f"has {word!r}" for word in lacks if word in text]
        table.add(what, "", text[:300], problems)

    add("in its batch script: the allocation, with states", texts[0],
        ["slurm:: 3/3 ready", "n1:8888 ready", "n3:8888 ready", "n1 slots=4 n2 slots=4 n3 slots=4"], ["listed"])
    for rank in (1, 2):
        add(f"in its step on two of three nodes, rank {rank}", texts[1 + rank],
            ["slurm:order=rank: 4/4 ready", "worker 0 n2:8888 ready worker 1 n2:8889 ready worker 2 n3:8888 ready worker 3 n3:8889 ready",
             f"rank {rank} of 4, Slurm says {rank}, local {rank % 2} of 2", "the states of its nodes are not known", "4/4 listed, not asked"],
            ["n1:8888"])
    scontrol("update", "nodename=n3", "state=drain", f"reason={DRAIN}")
    again = call(["srun", "--overlap", f"--jobid={job}", "-N2", "-n2", "-w", "n2,n3", "--mem=10", ROLLCALL, "status", "slurm:order=rank"])
    add("a step on a node that is being drained", again.stdout, ["draining", DRAIN, "n2:8888 ready"], ["n1:"])
    scontrol("update", "nodename=n3", "state=resume")
    cancel_all()
    uneven = submit("-w", "n1,n3", "-N2", "--gpus=12", "--exclusive")
    until(uneven, ["RUNNING"])
    done = call([ROLLCALL, "hosts", f"slurm:job/{uneven}", "--format", "deepspeed"])
    add("from a login node: nodes with unlike numbers of GPUs", done.stdout + done.stderr, ["n1 slots=8 n3 slots=4"])
    done = call([ROLLCALL, "exec", f"slurm:job/{uneven}", "--task", "worker:1", "--as", "torch-env", "--", "sh", "-c",
                 "echo $RANK of $WORLD_SIZE at $MASTER_ADDR"])
    add("from a login node: `exec --task worker:1`", done.stdout + done.stderr, ["1 of 2 at n1"])
    done = call([ROLLCALL, "exec", f"slurm:job/{uneven}", "--as", "torch-env", "--", "true"])
    add("from a login node: `exec` without a task", done.stdout + done.stderr, ["--task"])
    cancel_all()


class Following:
    """`rollcall watch`, whose lines are dated when they arrive."""

    def __init__(self, target):
        self.lines = []
        self.child = subprocess.Popen([ROLLCALL, "watch", target], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.child.stdout:
            self.lines.append((time.monotonic(), line.strip()))

    def find(self, words, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for at, line in list(self.lines):
                if all(word in line for word in words):
                    return at, line
            time.sleep(0.02)
        return None, ""

    def close(self):
        self.child.terminate()
        self.child.wait()


def followed(table):
    job = submit("-N2", "-w", "n1,n2", "-t", "10", "--no-requeue")
    until(job, ["RUNNING"])
    socket = os.environ["RESTD_SOCKET"]
    plainly = Following(f"slurm:job/{job},restd=unix:{socket}")
    probing = Following(f"slurm:job/{job},restd=unix:{socket},probe_nodes=true")
    ready = probing.find(["is ready"], 10)[0] and plainly.find(["is ready"], 10)[0]
    time.sleep(2)
    begun = time.monotonic()
    tool("kill-node", "n2", "--steps")
    dead = time.monotonic()
    at, line = probing.find(["n2:8888", "slurmd does not answer"], 15)
    took = f"{at - begun:.1f} s after it began to be killed, {at - dead:.1f} s after it was dead: " if at else ""
    table.add("`watch` with `probe_nodes=true`: a node is killed", "", (took + line)[:300],
              ([] if ready else ["it was not ready"]) + ([] if at and at - dead <= 1.2 else ["it is not named within a second"]))
    at, line = plainly.find(["n2", "not responding"], 60)
    if not at:
        at, line = plainly.find(["NODE_FAIL"], 60)
    table.add("`watch` without: the same node", "SlurmdTimeout is 20 s", f"{at - dead:.0f} s: {line}"[:300] if at else "",
              [] if at else [f"it is not named: {plainly.lines[-3:]}"])
    plainly.close()
    probing.close()
    tool("start-node", "n2")
    cancel_all()
    end = time.monotonic() + 30
    while time.monotonic() < end and "idle" not in call(["sinfo", "-h", "-N", "-n", "n2", "-p", "main", "-o", "%T"]).stdout:
        scontrol("update", "nodename=n2", "state=resume")
        time.sleep(1)
    job = submit("-w", "n4", "-t", "3")
    until(job, ["RUNNING"])
    scontrol("create", "reservation", "reservationname=service", "nodes=n4", "starttime=now+2minutes", "duration=20", "users=root",
             "flags=maint,ignore_jobs")
    watched = Following(f"slurm:job/{job}")
    for what, words in [("a reservation for maintenance begins before its end", ["maintenance (", "reservation service (MAINT)"]),
                        ("it ends in three minutes", ["time limit"])]:
        at, line = watched.find(words, 20)
        table.add(f"`watch`: {what}", "", line[:300], [] if at else [f"no notice: {watched.lines[-5:]}"])
    watched.close()
    scontrol("delete", "reservationname=service")
    cancel_all()


def others(table):
    """A process that is no member of the job: on a login node, and in a step of another job."""
    job = submit("-w", "n1,n3", "-N2", "--ntasks-per-node=1")
    until(job, ["RUNNING"])
    show = ["sh", "-c", "echo rank $RANK of $WORLD_SIZE"]
    launch = [ROLLCALL, "exec", f"slurm:job/{job}", "--as", "torch-env", "--", *show]
    flags = [ROLLCALL, "flags", f"slurm:job/{job}", "--for", "torchrun"]

    def add(what, done, words, lacks=()):
        text = re.sub(r"\s+", " ", done.stdout + done.stderr).strip()
        problems = [f"lacks {word!r}: {text[:600]}" for word in words if word not in text] + [f"has {word!r}" for word in lacks if word in text]
        table.add(what, "", text[:300], problems)

    for what, words in (("exec", launch), ("flags", flags)):
        add(f"`{what}` on a login node, without `--task`", call(words), ["--task", f"srun --jobid={job}"], ["rank 0"])
        for place, options in (("of the same nodes", ["-w", "n1"]), ("on other nodes", ["-w", "n2,n4", "-N2", "-n2"])):
            done = call(["srun", "--mem=10", *options, *words])
            add(f"`{what}` in a step of another job, {place}", done, [f"not in job {job}", f"srun --jobid={job}"], ["rank 0", "--node_rank"])
    add("`flags --task worker:1` on a login node", call([*flags, "--task", "worker:1"]), ["--nnodes=2 --node_rank=1", "--master_addr=n1"])
    done = call(["srun", "--overlap", f"--jobid={job}", "--mem=10", "--ntasks-per-node=1", "-n2", *launch])
    add("`exec` by the way that the refusal shows", done, ["rank 0 of 2", "rank 1 of 2"])
    add("the same on one node of the job", call(["srun", "--overlap", f"--jobid={job}", "--mem=10", "-N1", "-n1", "-w", "n3", *flags]), ["--node_rank=1"])
    cancel_all()


def preempted(table):
    scontrol("update", "partition=low", "gracetime=20")
    requeued = submit("-p", "low", "-w", "n4", "-t", "30", wrap="trap '' TERM; sleep 600 & wait; sleep 600")
    ends = submit("-p", "low", "-w", "n3", "-t", "30", "--no-requeue", wrap="trap '' TERM; sleep 600 & wait; sleep 600")
    until(requeued, ["RUNNING"])
    until(ends, ["RUNNING"])
    watched = {job: Following(f"slurm:job/{job},restd=unix:{os.environ['RESTD_SOCKET']}") for job in (requeued, ends)}
    for following in watched.values():
        following.find(["is ready"], 10)
    submit("-N2", "-w", "n3,n4", "-t", "10", "--exclusive", wrap="sleep 40")
    for what, job, words, seconds in [
        ("a job is preempted, with 20 s of grace", requeued, ["notice", "it is preempted, and ends at"], 25),
        ("its member is gone", requeued, ["member_left"], 45),
        ("one that may not be requeued is over", ends, ["PREEMPTED"], 45),
    ]:
        at, line = watched[job].find(words, seconds)
        table.add(f"`watch`: {what}", "", line[:300], [] if at else [f"not said: {watched[job].lines[-3:]}"])
    for following in watched.values():
        following.close()
    until(requeued, ["PENDING"])
    settled(requeued)
    table.ask("it was preempted, and waits again", requeued, ["it was requeued 1 time"])
    scontrol("update", "partition=low", "gracetime=2")
    cancel_all()


def cloud(table):
    """Nodes that boot for a job, and nodes that never do."""
    hook = os.path.join(FOLDER, "hooks", "resume")
    with open(hook, encoding="utf-8") as file:
        lines = file.read().split("\n")

    def write(*words):
        with open(hook, "w", encoding="utf-8") as file:
            file.write("\n".join(words) + "\n")

    write(lines[0], "sleep 6", *lines[1:])
    made = os.path.join(FOLDER, "cloud-script")
    if os.path.exists(made):
        os.remove(made)
    script = (f"exec >{made} 2>&1; {ROLLCALL} wait slurm: --timeout 60s; srun -N2 -n2 --overlap {ROLLCALL} exec slurm:order=rank --as torch-env -- "
              "sh -c 'echo rank $RANK at $MASTER_ADDR'; echo done; sleep 600")
    job = submit("-p", "cloud", "-N2", "-t", "10", wrap=script)
    watched = Following(f"slurm:job/{job}")
    until(job, ["CONFIGURING"])
    time.sleep(1)
    table.ask("cloud nodes boot for it", job, ["CONFIGURING", "c1:8888", "c2:8888"])
    for what, words, seconds in [("they boot", ["c1:8888", "booting"], 15), ("they have booted", ["is ready: 2 members"], 60)]:
        at, line = watched.find(words, seconds)
        table.add(f"`watch`: {what}", "", line[:300], [] if at else [f"not said: {watched.lines[-3:]}"])
    watched.close()
    text = re.sub(r"\s+", " ", wait_for([made], 30)[0]).strip()
    table.add("in its batch script, on nodes that have just booted", "", text[:300],
              [f"lacks {word!r}: {text[:600]}" for word in ("2/2 ready", "rank 0 at c1", "rank 1 at c1") if word not in text])
    cancel_all()
    scontrol("update", "nodename=c[1-2]", "state=power_down_force")
    end = time.monotonic() + 60
    while time.monotonic() < end and call(["sinfo", "-h", "-p", "cloud", "-o", "%t"]).stdout.strip() not in ("idle~", ""):
        time.sleep(1)
    write("#!/bin/sh", "exit 0")
    job = submit("-p", "cloud", "-N2", "-t", "10")
    until(job, ["CONFIGURING"], 40)
    end = time.monotonic() + 90
    while time.monotonic() < end and "PENDING" not in call(["squeue", "-h", "-j", job, "-o", "%T"]).stdout:
        time.sleep(1)
    time.sleep(2)
    hidden = os.environ["REAL_SLURM_VERSION"] == "22.05"  # it does not show nodes that are powered down
    table.ask("cloud nodes that never boot: it is requeued", job,
              ["after a requeue it does not start before", *([] if hidden else ["ResumeTimeout reached", "node c1"])])
    cancel_all()
    write(*lines)


def renewed(table):
    """Tokens that end while a job is waited for."""
    scontrol("update", "nodename=n3", "state=drain", f"reason={DRAIN}")
    job = submit("-w", "n3", "-t", "10")
    url, path, program = os.environ["RESTD_URL"], os.path.join(FOLDER, "token"), os.path.join(FOLDER, "token-program")

    def write(name, text, mode):
        with open(name + ".new", "w", encoding="utf-8") as file:
            os.fchmod(file.fileno(), mode)
            file.write(text)
        os.replace(name + ".new", name)

    def token(seconds):
        return tool("token", "--lifespan", str(seconds)).removeprefix("SLURM_JWT=")

    write(path, token(5), 0o600)
    write(program, f"#!/bin/sh\nexec {TOOL} token {FOLDER} --lifespan 4\n", 0o700)
    ways_to_renew = [("a file", f",token_file={path}", {}), ("a program", f",token_command={program}", {}), ("the environment", "", {"SLURM_JWT": token(5)})]
    waits = [subprocess.Popen([ROLLCALL, "wait", f"slurm:job/{job},restd={url}{keys}", "--timeout", "40s"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, env={**os.environ, **variables}) for _, keys, variables in ways_to_renew]
    time.sleep(10)
    write(path, token(60), 0o600)
    time.sleep(4)
    scontrol("update", "nodename=n3", "state=resume")
    for (what, keys, _), wait in zip(ways_to_renew, waits):
        text = re.sub(r"\s+", " ", wait.communicate(timeout=60)[0]).strip()
        expected = ["1/1 ready"] if keys else ["the token in SLURM_JWT ended on"]
        problems = [f"lacks {word!r}: {text[-600:]}" for word in expected if word not in text]
        problems += [f"exit code {wait.returncode}"] if (wait.returncode == 0) != bool(keys) else []
        table.add(f"a token from {what} ends during a wait" + (", and is renewed" if keys else ""), "", text[-300:].replace(url, "URL").replace(FOLDER, "FOLDER"), problems)
    cancel_all()


def refusals(table):
    job = submit("-w", "n4")
    until(job, ["RUNNING"])
    url = os.environ["RESTD_URL"]
    ended = tool("token", "--lifespan", "1")
    time.sleep(2)
    good = tool("token")
    head, body, _ = good.split(".")
    for what, token, words in [
        ("an ended token", ended, ["SLURM_JWT ended on"]),
        ("a token with another signature", f"{head}.{body}.{'A' * 43}", ["unauthenticated", "Slurm's error"]),
        ("no token", "", ["SLURM_JWT is not set"]),
    ]:
        done = call([ROLLCALL, "status", f"slurm:job/{job},restd={url}", "--timeout", "20s"], env={**os.environ, "SLURM_JWT": token})
        text = re.sub(r"\s+", " ", done.stdout + done.stderr).strip()
        if os.environ["REAL_SLURM_VERSION"] == "22.05" and "signature" in what:
            words = ["refuses the token"]
        words = [word for word in words if word != "unauthenticated"]
        problems = [f"lacks {word!r}: {text[:300]}" for word in words if word not in text]
        problems += ["shows the token"] if token and token in text else []
        table.add(what, "", text[:300].replace(url, "URL"), problems)
    tool("stop-ctld")
    done = call([ROLLCALL, "status", f"slurm:job/{job},restd=unix:{os.environ['RESTD_SOCKET']}", "--timeout", "28s"])
    text = re.sub(r"\s+", " ", done.stdout + done.stderr).strip()
    table.add("slurmctld is away", "", text[:300].replace(FOLDER, "FOLDER"), [] if "scontrol ping" in text else ["no advice"] + [text[:300]])
    tool("start-ctld")
    cancel_all()


def main():
    table = Table()
    for part in (pending, parts, life, own, others, followed, preempted, cloud, renewed, refusals):
        part(table)
    version = call(["sinfo", "--version"]).stdout.strip()
    rollcall = call([ROLLCALL, "--version"]).stdout.split("\n")[0]
    lines = ["# Jobs of a real Slurm and Rollcall", "", "Written by `tests/interop/slurm_jobs/run`; see `tests/interop/README.md`.", "",
             "| | version |", "| --- | --- |", f"| rollcall | {rollcall} |", f"| Slurm | {version} |", "",
             "Each job is asked by slurmrestd at a unix socket, by slurmrestd with a token, and by Slurm's programs. `agreed`: the same answer, with the",
             "words that the situation needs.", "", "| situation | `squeue` | Rollcall | |", "| --- | --- | --- | --- |", *table.rows, ""]
    with open(TRANSCRIPT, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    print(f"{table.passed} passed, {table.failed} failed, 0 skipped")
    return 1 if table.failed else 0


sys.exit(main())
