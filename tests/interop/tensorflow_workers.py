"""tensorflow_workers.py TRANSCRIPT: asks real TensorFlow servers through `rollcall devices`, and simulated ones through TensorFlow's client."""
import collections
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROLLCALL = os.environ["INTEROP_ROLLCALL"]
PYTHON = os.environ["INTEROP_PYTHON"]  # the one with TensorFlow
LATE = 1.0  # seconds until a master is late: Rollcall's own rule for calls of four seconds and more
PATIENCE = 120


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


class Server:
    """A TensorFlow server in a process of its own."""

    def __init__(self, index, ports):
        script = os.path.join(HERE, "tensorflow_server.py")
        self.process = subprocess.Popen([PYTHON, script, str(index), *map(str, ports)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def wait_ready(self):
        if self.process.stdout.readline() != "ready\n":
            raise RuntimeError("the TensorFlow server did not start")

    def kill(self):
        self.process.kill()
        self.process.wait()


def number(device):
    return int(device["incarnation"]) % 2**64


def listed_by_tensorflow(url):
    """Compares lists in different orders: (name, type, memory, incarnation)."""
    script = os.path.join(HERE, "tensorflow_list.py")
    done = subprocess.run([PYTHON, script, url], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return sorted((d["name"], d["device_type"], d["memory_limit_bytes"], number(d)) for d in json.loads(done.stdout))


def ask_rollcall(target, *arguments):
    """(exit code, the target's answer or None, standard error, seconds)"""
    started = time.monotonic()
    done = subprocess.run([ROLLCALL, "devices", target, "--format", "json", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    seconds = time.monotonic() - started
    return done.returncode, json.loads(done.stdout)["targets"][0] if done.returncode == 0 else None, done.stderr.strip(), seconds


def seconds_to_start():
    started = time.monotonic()
    subprocess.run([ROLLCALL, "--version"], stdout=subprocess.DEVNULL, check=True, timeout=PATIENCE)
    return time.monotonic() - started


def listed_by_rollcall(answer):
    return sorted((d["name"], d["device_type"], d["memory_limit"], number(d)) for d in answer["devices"])


def cores_of(devices):
    """The numbers that upstream counts: devices of type TPU, and tasks that have any."""
    tasks = collections.Counter(re.search(r"/task:(\d+)/", name)[1] for name, kind, _, _ in devices if kind == "TPU")
    return {"num_cores": sum(tasks.values()), "num_hosts": len(tasks), "num_of_cores_per_host": max(tasks.values(), default=0)}


class Transcript:
    def __init__(self):
        self.lines = ["# Devices: TensorFlow and Rollcall", "", "Written by `tests/interop/tensorflow_workers`; see `README.md` beside it.", "", "| | version |", "| --- | --- |"]
        for line in os.environ["INTEROP_VERSIONS"].splitlines():
            self.lines.append("| {} | {} |".format(*line.rsplit(" ", 1)))
        self.passed = self.failed = 0

    def part(self, text):
        self.lines += ["", f"## {text}", "", "| what | result | |", "| --- | --- | --- |"]

    def check(self, what, result, holds):
        self.passed += bool(holds)
        self.failed += not holds
        self.lines.append("| {} | {} | {} |".format(what, str(result).replace("|", "\\|"), "yes" if holds else "**NO**"))

    def devices(self, devices):
        self.lines += ["", "```", *(f"{name} {kind} {memory}" for name, kind, memory, _ in devices), "```"]


def without_ports(text, ports):
    for i, port in enumerate(ports):
        text = text.replace(str(port), f"PORT{i}")
    return text


def real_servers(out):
    ports = [free_port(), free_port()]
    target = "tpu:" + ",".join(f"grpc://127.0.0.1:{port}" for port in ports)
    servers = [Server(i, ports) for i in range(2)]
    try:
        for server in servers:
            server.wait_ready()
        out.part("Two real servers")
        reported = listed_by_tensorflow(f"grpc://127.0.0.1:{ports[0]}")
        for arguments in ([], ["--ask", "workers"]):
            code, answer, errors, _ = ask_rollcall(target, *arguments)
            asked = " ".join(["`rollcall devices tpu:grpc://…,grpc://… --format json", *arguments]) + "`"
            found = listed_by_rollcall(answer) if answer else errors
            out.check(f"{asked}: names, types, memory and incarnations as TensorFlow's client lists them", f"exit {code}, {len(found)} devices", found == reported)
            counts = {name: answer[name] for name in cores_of(reported)} if answer else None
            out.check(f"{asked}: counts as TensorFlow counts them", counts, counts == cores_of(reported))
            out.check(f"{asked}: where the numbers come from", answer and answer["source"], (answer or {}).get("source") == "devices")

        out.part("One is stopped")
        servers[1].kill()
        code, _, errors, seconds = ask_rollcall(target, "--timeout", "20s")
        out.check("the command fails", f"exit {code}", code != 0)
        out.check("its message names the worker and says how it fails", "`" + without_ports(errors, ports) + "`",
                  f"worker 1 (127.0.0.1:{ports[1]}): refused" in errors)
        lateness = seconds - LATE - seconds_to_start()
        out.check(f"seconds after the master was late ({LATE:g} s), without the start of the process, at most 1", f"{lateness:.2f}", lateness <= 1)
        code, _, errors, seconds = ask_rollcall(target, "--timeout", "20s", "--ask", "workers")
        out.check("asking the workers from the start names it, too", f"exit {code} after {seconds:.2f} s", f"worker 1 (127.0.0.1:{ports[1]}): refused" in errors)

        out.part("It is started again")
        servers[1] = Server(1, ports)
        servers[1].wait_ready()
        ready = time.monotonic()
        tries = 0
        while True:  # a new call each time, until one succeeds
            tries += 1
            code, answer, errors, _ = ask_rollcall(target, "--timeout", "20s")
            seconds = time.monotonic() - ready
            if code == 0 or seconds > 30:
                break
        out.check("seconds until it is counted again, at most 2", f"{seconds:.2f}, in {tries} calls", code == 0 and seconds <= 2)
        again = listed_by_tensorflow(f"grpc://127.0.0.1:{ports[0]}")
        code, answer, errors, _ = ask_rollcall(target)
        out.check("devices as TensorFlow's client lists them; the incarnations are new", errors or f"{len(answer['devices'])} devices",
                  bool(answer) and listed_by_rollcall(answer) == again and again != reported)
        out.devices(again)
    finally:
        for server in servers:
            server.kill()


def simulated_workers(out):
    out.part("TensorFlow's client asks simulated workers")
    addresses = [f"127.88.0.{i + 1}:{free_port()}" for i in range(2)]
    description = {"workers": [{"address": address, "cores": 4, "devices": ["GPU:0"]} for address in addresses]}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cloud.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(description, file)
        with open(os.path.join(folder, "counts"), "w+", encoding="utf-8") as counts:
            simulation = subprocess.Popen([ROLLCALL, "sim", path], stdout=subprocess.PIPE, stderr=counts, text=True)
            try:
                for line in simulation.stdout:
                    if "ROLLCALL_SIM_PID" in line:
                        break
                reported = listed_by_tensorflow("grpc://" + addresses[0])
                code, answer, errors, _ = ask_rollcall("tpu:" + ",".join("grpc://" + address for address in addresses))
            finally:
                simulation.send_signal(signal.SIGTERM)
                simulation.wait()
            counts.seek(0)
            counted = counts.read()
    out.check("`tf.compat.v1.Session('grpc://…').list_devices()` lists both workers' devices", f"{len(reported)} devices", len(reported) == 14 and len({name for name, *_ in reported}) == 14)
    found = listed_by_rollcall(answer) if answer else errors
    out.check("`rollcall devices` lists the same", f"exit {code}, {len(found)} devices", found == reported)
    made, closed = (re.search(rf"(\d+) rpc MasterService/{method}\n", counted) for method in ("CreateSession", "CloseSession"))
    out.check("sessions that TensorFlow opened and closed", f"{made and made[1]} and {closed and closed[1]}", bool(made and closed) and made[1] == closed[1])
    out.devices(reported)
    out.lines += ["", "What the simulated cloud counted:", "", "```", counted.rstrip(), "```"]


def main():
    out = Transcript()
    real_servers(out)
    simulated_workers(out)
    out.lines += ["", f"{out.passed} passed, {out.failed} failed, 0 skipped"]
    text = "\n".join(out.lines) + "\n"
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(text)
    print(text, end="")
    return 1 if out.failed else 0


if __name__ == "__main__":
    sys.exit(main())
