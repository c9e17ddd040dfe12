"""Shared by the runs of services against real counterparts: the table of observations, the simulated cloud, and requests by HTTP."""
import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.environ.setdefault("INTEROP_VERSIONS", "")
from counterparts import ROLLCALL, free_port  # noqa: E402

rows, counts, versions = [], {"passed": 0, "failed": 0, "skipped": 0}, []


def check(what, got, wanted):
    good = bool(wanted(got) if callable(wanted) else got == wanted)
    counts["passed" if good else "failed"] += 1
    if not good:
        print(f"failed: {what}: {got!r}", flush=True)
    text = (got if isinstance(got, str) else json.dumps(got)).replace("|", "\\|").replace("\n", " ")
    text = re.sub(r"127\.0\.0\.1:\d{4,5}", "127.0.0.1:PORT", text)
    rows.append(f"| {what} | {text} | {'yes' if good else 'NO'} |")


def section(title):
    rows.append(f"\n## {title}\n\n| what | what was seen | as it should be |\n| --- | --- | --- |")


def skip(what, why):
    counts["skipped"] += 1
    rows.append(f"| {what} | skipped: {why} | |")


def until(what, seconds=30):
    """The result once the condition is true, or at the end."""
    end = time.monotonic() + seconds
    while True:
        got = what()
        if got or time.monotonic() > end:
            return got
        time.sleep(0.1)


def get(url, data=None, timeout=30, headers=None):
    status, body, _ = get_all(url, data, timeout, headers)
    return status, body


def get_all(url, data=None, timeout=30, headers=None):
    """Status, body, headers; 0 and the error where there is no answer."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data=data, headers=headers or {}), timeout=timeout) as answer:
            return answer.status, answer.read().decode(), answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(), error.headers
    except OSError as error:
        return 0, str(error), {}


def start_cloud(programs, folder, document):
    """A simulated cloud: its process, and the environment in which it is the cloud."""
    port = free_port()
    cloud, lines = os.path.join(folder, f"cloud-{port}.json"), os.path.join(folder, f"sim-{port}.out")
    with open(cloud, "w", encoding="utf-8") as file:
        json.dump(document, file)
    with open(lines, "w", encoding="utf-8") as out:
        process = subprocess.Popen([ROLLCALL, "sim", cloud, "--quiet", "--port", str(port)], stdout=out, stderr=subprocess.DEVNULL)
    programs.running.append(process)

    def said():
        with open(lines, encoding="utf-8") as text:
            return text.read()
    until(lambda: "export" in said() and programs.listens(port))
    return process, {"PATH": os.environ["PATH"], **dict(re.findall(r"export (\w+)='?([^'\n]*)'?", said()))}


def write(transcript, title, script):
    """Writes the transcript; returns the exit code of the run."""
    versions.insert(0, subprocess.run([ROLLCALL, "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[0])
    with open(transcript, "w", encoding="utf-8") as file:
        file.write(f"# {title}\n\nWritten by `{os.path.normpath('tests/interop/fleet/' + script)}`; see `README.md` one folder up.\n\n")
        file.write("\n".join(f"- {version}" for version in versions) + "\n" + "\n".join(rows) + "\n")
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    return 1 if counts["failed"] else 0
