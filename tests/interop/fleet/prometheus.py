"""prometheus.py ROOT TRANSCRIPT: Prometheus and promtool against `rollcall serve` over a simulated cloud.

ROLLCALL_COMMAND is the command. Last line: `N passed, N failed, N skipped`.
"""
import http.server
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

COMMAND = os.environ["ROLLCALL_COMMAND"]
CLOUD = {
    "project": "demo-project",
    "zone": "us-central2-b",
    "nodes": [
        {"name": "first", "accelerator_type": "v4-16"},
        {"name": "second", "accelerator_type": "v4-16", "timeline": [{"at": 0, "state": "CREATING"}, {"at": 20, "state": "READY"}]},
    ],
}
TARGETS = [f"tpu:{name},project=demo-project,zone=us-central2-b" for name in ("first", "second")]
FAMILIES = ["event_delay_seconds", "events_sent_total", "followers", "followers_dropped_total", "loop_lag_seconds", "memory_bytes", "requests_total",
            "sent_bytes_total", "status_age_seconds", "targets", "targets_followed", "upstream_requests_total"]
REFRESH = 2  # seconds; Prometheus writes its finds at most five seconds later
rows, counts = [], {"passed": 0, "failed": 0, "skipped": 0}
started = []  # processes


def check(what, got, wanted):
    good = wanted(got) if callable(wanted) else got == wanted
    counts["passed" if good else "failed"] += 1
    if not good:
        print(f"failed: {what}: {got!r}")
    text = (got if isinstance(got, str) else json.dumps(got)).replace("|", "\\|").replace("\n", " ")
    rows.append(f"| {what} | {text} | {'yes' if good else 'NO'} |")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def start(command, environment, output):
    process = subprocess.Popen(command, env=environment, stdout=output, stderr=subprocess.PIPE if output is None else open(f"{output.name}.errors", "w"))
    started.append(process)
    return process


def stop(process):
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def get(url):
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.status, answer.headers.get("Content-Type", ""), answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, "", error.read().decode()
    except OSError as error:
        return 0, "", str(error)


def until(what, seconds=40):
    """The result once the condition is true, or at the end."""
    end = time.monotonic() + seconds
    while True:
        got = what()
        if got or time.monotonic() > end:
            return got
        time.sleep(0.2)


class Recorder(http.server.BaseHTTPRequestHandler):
    """A proxy between Prometheus and the service, which records Prometheus' requests."""
    service = ""
    seen = {}

    def do_GET(self):
        Recorder.seen[self.path.split("&as=")[-1]] = dict(self.headers)
        status, kind, body = get(Recorder.service + self.path.split("&as=")[0])
        self.send_response(status or 502)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


def sim(folder):
    path = os.path.join(folder, "cloud.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(CLOUD, file)
    lines = subprocess.run([COMMAND, "sim", path, "--background", "--quiet"], capture_output=True, text=True, check=True, timeout=60).stdout
    return dict(re.findall(r"export (\w+)='?([^'\n]*)'?", lines))


def serve(folder, environment, port):
    output = open(os.path.join(folder, "serve.out"), "w")
    process = start([COMMAND, "serve", "--listen", f"127.0.0.1:{port}"], environment, output)
    until(lambda: get(f"http://127.0.0.1:{port}/readyz")[0] == 200)
    return process


def configuration(service, recorder):
    named = "&".join(f"target={target}" for target in TARGETS)
    members = f"""
    relabel_configs:
      - {{source_labels: [__address__], target_label: member}}
      - {{source_labels: [__meta_rollcall_target], target_label: cluster}}
      - {{source_labels: [__meta_rollcall_index], target_label: index}}
      - {{source_labels: [__meta_rollcall_ready], target_label: ready}}
      - {{target_label: __address__, replacement: "{service}"}}
"""
    def job(name, authorization):
        return f"""
  - job_name: {name}
    http_sd_configs:
      - url: http://{recorder}/v1/prometheus?{named}&port=8431&as={name}
        refresh_interval: {REFRESH}s{authorization}
""" + members
    return f"""
global: {{scrape_interval: 1s}}
scrape_configs:
  - job_name: rollcall
    static_configs: [{{targets: ["{service}"]}}]
""" + job("plain", "") + job("token", '\n        authorization: {type: "", credentials: interop-token}') + job(
        "bearer", "\n        authorization: {type: Bearer, credentials: interop-token}")


def found(prometheus, job):
    status, _, body = get(f"http://{prometheus}/api/v1/targets?state=active")
    if status != 200:
        return []
    return sorted((one["labels"]["cluster"].split(",")[0], one["labels"]["member"], one["health"])
                  for one in json.loads(body)["data"]["activeTargets"] if one["labels"]["job"] == job)


def number(prometheus, query):
    status, _, body = get(f"http://{prometheus}/api/v1/query?query=" + urllib.parse.quote(query))
    result = json.loads(body)["data"]["result"] if status == 200 else []
    return float(result[0]["value"][1]) if result else None


def promtool(*arguments, text=""):
    run = subprocess.run(["promtool", *arguments], input=text, capture_output=True, text=True, timeout=60)
    return run.returncode, (run.stdout + run.stderr).strip()


def run(root, folder):
    environment = dict(os.environ, **sim(folder))
    service, recorder, prometheus = (f"127.0.0.1:{free_port()}" for _ in range(3))
    Recorder.service = f"http://{service}"
    proxy = http.server.ThreadingHTTPServer(("127.0.0.1", int(recorder.split(":")[1])), Recorder)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    began = time.monotonic()
    server = serve(folder, environment, int(service.split(":")[1]))
    config = os.path.join(folder, "prometheus.yml")
    with open(config, "w", encoding="utf-8") as file:
        file.write(configuration(service, recorder))

    rows.append("\n## Service discovery\n\n| what | what was seen | as it should be |\n| --- | --- | --- |")
    check("promtool takes the configuration", promtool("check", "config", config)[0], 0)
    output = open(os.path.join(folder, "prometheus.out"), "w")
    start(["prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder}/data", f"--web.listen-address={prometheus}", "--log.level=warn"],
          environment, output)
    def up(job, members):
        now = found(prometheus, job)
        return now if len(now) == members and all(health == "up" for _, _, health in now) else None

    two = until(lambda: up("plain", 2))
    check("the members of a TPU that is ready are found, and scraped, at the port that was asked for", two,
          lambda got: got and all(one[0] == "tpu:first" and one[1].endswith(":8431") for one in got))
    four = until(lambda: up("plain", 4))
    check("a second one follows once it is ready", four, lambda got: got and {one[0] for one in got} == {"tpu:first", "tpu:second"})
    check("`authorization` without a type", [Recorder.seen.get("token", {}).get("Authorization"), len(until(lambda: up("token", 4)) or [])],
          lambda got: got[0] and got[0].strip() in ("interop-token", "Bearer interop-token") and got[1] == 4)
    check("`authorization` of type Bearer", [Recorder.seen.get("bearer", {}).get("Authorization"), len(until(lambda: up("bearer", 4)) or [])],
          ["Bearer interop-token", 4])
    check("it says how often it asks", Recorder.seen.get("plain", {}).get("X-Prometheus-Refresh-Interval-Seconds"), str(REFRESH))

    rows.append("\n## Numbers\n\n| what | what was seen | as it should be |\n| --- | --- | --- |")
    stream = urllib.request.urlopen(urllib.request.Request(
        f"http://{service}/v1/clusters/{TARGETS[0]}?view=progress", headers={"Accept": "text/event-stream"}), timeout=30)
    stream.read(1)
    status, kind, text = get(f"http://{service}/metrics")
    check("`GET /metrics`", [status, kind], [200, "text/plain; version=0.0.4; charset=utf-8"])
    check("`promtool check metrics`", promtool("check", "metrics", text=text), lambda got: got == (0, ""))
    check("no label names a target", [line for line in text.split("\n") if "first" in line and not line.startswith("#")], [])
    check("`rollcall_serve_followers{view=\"progress\"}`, asked of Prometheus",
          until(lambda: number(prometheus, 'rollcall_serve_followers{job="rollcall",view="progress"}')), 1.0)
    # Every member is scraped at the service's address, so without the job each number would count once for each member.
    asked = number(prometheus, 'sum(rollcall_serve_upstream_requests_total{job="rollcall"})')
    seconds = time.monotonic() - began
    check("`rollcall_serve_upstream_requests_total`: two TPUs, polled every 1.6 s at most, for any number of clients", [asked, round(seconds)],
          lambda got: got[0] and 4 <= got[0] <= 2 * (2 + seconds / 1.6))
    stream.close()
    gone = 'rollcall_serve_followers_dropped_total{reason="client"} 1'
    text = until(lambda: next((one for one in [get(f"http://{service}/metrics")[2]] if gone in one), None)) or text
    check("families of the service, all but `auth_total`: it does not tell its clients apart here",
          sorted(set(re.findall(r"^# TYPE rollcall_serve_(\w+)", text, re.M))), FAMILIES)

    rows.append("\n## The service down\n\n| what | what was seen | as it should be |\n| --- | --- | --- |")
    stop(server)
    time.sleep(3 * REFRESH)
    check("targets stay while the service is down", len(found(prometheus, "plain")), 4)
    serve(folder, environment, int(service.split(":")[1]))
    check("and are found again by a new one", len(until(lambda: up("plain", 4)) or []), 4)

    rows.append("\n## The examples\n\n| what | what was seen | as it should be |\n| --- | --- | --- |")
    examples = os.path.join(root, "examples/fleet")
    check("`promtool check config examples/fleet/prometheus.yml`", promtool("check", "config", os.path.join(examples, "prometheus.yml"))[0], 0)
    check("`promtool check rules examples/fleet/alerts.yml`", promtool("check", "rules", os.path.join(examples, "alerts.yml"))[0], 0)
    known = set(re.findall(r"rollcall_\w+", text))
    named = set(re.findall(r"rollcall_\w+", open(os.path.join(examples, "alerts.yml"), encoding="utf-8").read()))
    check("the rules name families that there are", sorted(named - known), [])


def main():
    root, transcript = sys.argv[1:]
    folder = tempfile.mkdtemp(prefix="rollcall-prometheus-")
    try:
        run(root, folder)
    finally:
        for process in started:
            stop(process)
        simulator = os.path.join(folder, "cloud.json")
        for line in subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True).stdout.split("\n"):
            if simulator in line:
                os.kill(int(line.split()[0]), signal.SIGTERM)
        shutil.rmtree(folder, ignore_errors=True)
    versions = [subprocess.run([COMMAND, "--version"], capture_output=True, text=True).stdout.split("\n")[0],
                *(" ".join(subprocess.run([name, "--version"], capture_output=True, text=True).stdout.split("\n")[0].split()[:3]) for name in ("prometheus", "promtool"))]
    with open(transcript, "w", encoding="utf-8") as file:
        file.write("# Prometheus and the service\n\nWritten by `tests/interop/fleet/prometheus`; see `README.md` one folder up.\n\n")
        file.write("\n".join(f"- {version}" for version in versions) + "\n" + "\n".join(rows) + "\n")
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    return 1 if counts["failed"] else 0


sys.exit(main())
