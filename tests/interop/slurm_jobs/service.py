"""service.py FOLDER TRANSCRIPT: `rollcall serve` follows jobs of a real Slurm, by slurmrestd and by Slurm's programs. What it says of each job is
compared with what `rollcall status` says without it, while the jobs wait, run, lose a node and end. Started by `run`."""
import json
import os
import subprocess
import sys
import time
import urllib.request

FOLDER, TRANSCRIPT = sys.argv[1:3]
ROLLCALL, TOOL = os.environ["ROLLCALL"], os.environ["REAL_SLURM"]
WORDS = ["sbatch", "--parsable", "--mem=10", "--output=/dev/null", "-t", "10"]


def call(words, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=120, **more)


def submit(*options, wrap="exec sleep 600"):
    done = call([*WORDS, *options, "--wrap", wrap])
    assert not done.returncode, done.stderr
    return done.stdout.strip().split(";")[0]


class Service:
    def __init__(self, settings):
        config = os.path.join(FOLDER, "fleet.json")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({**settings, "listen": ["127.0.0.1:0"]}, file)
        self.log = open(os.path.join(FOLDER, "serve.log"), "w", encoding="utf-8")
        self.process = subprocess.Popen([ROLLCALL, "serve", "--config", config], stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline()
        self.url = line.split("'")[1] if "'" in line else line.split("=")[-1].strip()

    def sources(self):
        with urllib.request.urlopen(self.url + "/v1/sources", timeout=20) as answer:
            return json.load(answer)["sources"]

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=40)


def status(job, extra="", server=None):
    variables = {**os.environ, "ROLLCALL_SERVER": server} if server else os.environ
    done = call([ROLLCALL, "status", f"slurm:job/{job}{extra}", "--format", "json"], env=variables)
    try:
        document = json.loads(done.stdout)
    except ValueError:
        return done.stdout + done.stderr
    if document.get("failures"):
        return document["failures"][0]["message"]
    return plain(document)


# Without the way it was asked, and without ages.
def plain(value):
    left_out = ("target", "resolver", "asked_at", "age", "source", "origin", "server", "polled_at", "generation", "revision")
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items() if key not in left_out}
    return [plain(one) for one in value] if isinstance(value, list) else value


def state(document):
    if isinstance(document, str):
        return document
    for key in ("state", "text"):
        found = find(document, key)
        if isinstance(found, str):
            return found
    return json.dumps(document)[:200]


def find(value, key):
    if isinstance(value, dict):
        if key in value and isinstance(value[key], str):
            return value[key]
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            found = find(one, key)
            if found:
                return found
    return None


def main():
    rows, failed = [], 0
    socket = os.environ["RESTD_SOCKET"]
    ways = {"slurmrestd": ({"slurm": [{"cluster": "roll", "restd": f"unix:{socket}"}], "follow": [{"slurm": {"cluster": "roll"}}]},
                           f",restd=unix:{socket}"),
            "programs": ({"slurm": [{"cluster": "roll"}]}, "")}
    for way, (settings, extra) in ways.items():
        service = Service(settings)
        jobs = {}
        try:
            call(["scontrol", "update", "nodename=n4", "state=drain", "reason=bad PSU"])
            jobs["runs"] = submit("-N2", "-w", "n1,n2", "--gres=gpu:2")
            jobs["waits for a drained node"] = submit("-N1", "-w", "n4")
            jobs["depends"] = submit("-N1", f"--dependency=afterok:{jobs['runs']}")
            jobs["array"] = submit("--array=0-3%1", "-w", "n3") + "_0"
            jobs["heterogeneous"] = call([*WORDS, "-w", "n1", ":", "--mem=10", "-w", "n2", "--wrap", "exec sleep 600"]).stdout.strip()
            jobs["held"] = submit("-H")
            jobs["fails"] = submit("-w", "n3", wrap="exit 3")

            def compare(when):
                nonlocal failed
                for what, job in jobs.items():
                    mine = direct = None
                    for _ in range(14):
                        mine, direct = status(job, ",cluster=roll", service.url), status(job, extra)
                        if mine == direct:
                            break
                        time.sleep(1)
                    is_same = mine == direct
                    failed += not is_same
                    rows.append(f"| {way} | {when} | {what} | {'same' if is_same else 'DIFFERS'} | {state(mine)} |")
                    if not is_same:
                        print(f"{way}, {when}, {what}:\n  service {json.dumps(mine)}\n  direct  {json.dumps(direct)}", file=sys.stderr)

            time.sleep(6)
            compare("at first")
            call(["scontrol", "update", "nodename=n4", "state=resume"])
            call(["scontrol", "release", jobs["held"]])
            call(["scancel", jobs["runs"]])
            time.sleep(6)
            compare("node back, one released, one cancelled")
            sources = service.sources()
            is_one = [one["source"] for one in sources] == ["slurm/roll"] and sources[0]["targets"] >= len(jobs)
            failed += not is_one
            rows.append(f"| {way} | at last | all | {'one source' if is_one else 'OTHER SOURCES'} | {json.dumps(sources)[:300]} |")
        finally:
            call(["scancel", *[job.split("_")[0] for job in jobs.values() if job]])
            service.stop()
        time.sleep(4)
    call(["scontrol", "update", "nodename=n4", "state=resume"])
    with open(TRANSCRIPT, "w", encoding="utf-8") as file:
        file.write(f"# A service that follows jobs of Slurm {os.environ['REAL_SLURM_VERSION']}\n\n"
                   "`tests/interop/slurm_jobs/run`; what the service says beside what `rollcall status` says by itself.\n\n"
                   "| asked by | when | the job | answers | state |\n| --- | --- | --- | --- | --- |\n" + "\n".join(rows) + "\n")
    print(f"{len(rows) - failed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)


main()
