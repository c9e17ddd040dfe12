"""A cluster of TensorFlow's own servers, one of which is killed: the time until the command has named it."""
import socket
import subprocess
import time

from contenders import BENCH, BUILD, PYTHON, SURROUNDINGS, say
from row import Row, Series, Target

WORKERS = 4
PATIENCE = 20  # seconds for a process in which TensorFlow asks


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def start(addresses, index):
    program = BENCH / "peers/python/tensorflow_worker.py"
    return subprocess.Popen([PYTHON, program, str(index), *addresses], env=SURROUNDINGS, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def devices(addresses):
    """Seconds, and all output of the command."""
    target = "tpu:" + ",".join(f"grpc://{one}" for one in addresses)
    started = time.perf_counter()
    done = subprocess.run([BUILD / "rollcall", "devices", target, "--timeout", "30s"], env=SURROUNDINGS, capture_output=True, text=True)
    return time.perf_counter() - started, done.stdout + done.stderr


def wait_until_healthy(addresses):
    """The first seconds of four processes are TensorFlow's own start."""
    for _ in range(20):
        _, said = devices(addresses)
        if f"on {WORKERS} hosts" in said or all(f"\n  worker      {i} " in said for i in range(WORKERS)):
            return
    raise ValueError(f"TensorFlow's servers do not answer: {said.strip()}")


def killed(setting):
    title = "a killed TensorFlow worker is named"
    if not setting.peers:
        yield Row("killed", title, "s", [Series("rollcall", "ours", note="needs --peers: TensorFlow's own servers")], [Target(1)], digits=2)
        return
    if not PYTHON.exists():
        yield Row("killed", title, "s", [Series("rollcall", "ours", note="needs TensorFlow, which could not be set up")], [Target(1)], digits=2)
        return
    addresses = [f"127.0.0.1:{free_port()}" for _ in range(WORKERS)]
    servers = [start(addresses, i) for i in range(WORKERS)]
    series = [Series("rollcall", "ours"), Series("TensorFlow", "peer")]
    try:
        wait_until_healthy(addresses)
        say(f"  {WORKERS} of TensorFlow's servers answer; the last is killed")
        servers[-1].kill()
        servers[-1].wait()
        for _ in range(2 if setting.quick else 7):
            seconds, said = devices(addresses)
            if addresses[-1] not in said:
                series[0].note = f"does not name {addresses[-1]}: {' '.join(said.split())}"
                break
            series[0].values.append(seconds)
        try:
            subprocess.run([PYTHON, BENCH / "peers/python/tensorflow_devices.py", addresses[0]], env=SURROUNDINGS, capture_output=True, timeout=PATIENCE)
            series[1].note = "ended without a name"
        except subprocess.TimeoutExpired:
            series[1].note = f"had not answered when its process was ended after {PATIENCE} s"
    finally:
        for server in servers:
            server.kill()
            server.wait()
    yield Row("killed", title, "s", series, [Target(1)], "rollcall devices, with no option but a time-out; the process's start is in it", digits=2)
