"""Shared by the runs against real proxies and servers: programs that are started and stopped, the command, and the transcript."""
import os
import re
import socket
import subprocess
import time

ROLLCALL = os.environ["INTEROP_ROLLCALL"]
HERE = os.path.dirname(os.path.abspath(__file__))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Programs:
    """Starts programs and waits until they listen; all end with the block."""

    def __init__(self):
        self.running = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.running:
            process.terminate()
        for process in self.running:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()

    def start(self, command, ports, mounts=(), **options):
        """`mounts`: files that the program sees in the place of others."""
        if mounts:
            binds = " && ".join(f"mount --bind {mine} {place}" for mine, place in mounts)
            command = ["unshare", "--mount", "sh", "-c", f'{binds} && exec "$@"', "sh", *command]
        process = subprocess.Popen(command, stdin=options.pop("stdin", subprocess.DEVNULL), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **options)
        self.running.append(process)
        deadline = time.monotonic() + 30
        for port in ports:
            while not self.listens(port):
                if process.poll() is not None or time.monotonic() > deadline:
                    process.kill()
                    raise SystemExit(f"{command} does not listen: {process.communicate()[1]}")
                time.sleep(0.05)
        return process

    @staticmethod
    def listens(port):
        """From the kernel's table: a connection would be an exchange that some of them count."""
        wanted = f":{port:04X}"
        for table in ("/proc/net/tcp", "/proc/net/tcp6"):
            with open(table, encoding="ascii") as lines:
                if any(fields[1].endswith(wanted) and fields[3] == "0A" for fields in map(str.split, lines)):
                    return True
        return False


class Transcript:
    def __init__(self, title, text):
        self.lines = [f"# {title}", "", text, "", "```", os.environ["INTEROP_VERSIONS"], "```", ""]
        self.failed = self.passed = 0

    def section(self, title, text=""):
        self.lines += [f"## {title}", ""] + ([text, ""] if text else [])

    def check(self, name, arguments, environment, code, patterns, secrets=()):
        """Runs the command and records its output: `code` and all `patterns` must match, and no secret may appear."""
        run = subprocess.run([ROLLCALL, *arguments], env={"PATH": os.environ["PATH"], **environment}, capture_output=True, text=True, timeout=60, check=False)
        said = run.stdout + run.stderr
        faults = [f"exit code {run.returncode}, not {code}"] * (run.returncode != code)
        faults += [f"does not say {pattern!r}" for pattern in patterns if not re.search(pattern, said)]
        faults += ["a secret is shown"] * any(secret in said for secret in secrets)
        self.note(name, run.returncode, run.stdout if run.returncode == 0 else run.stderr, faults)

    def note(self, name, code, said, faults):
        self.failed += bool(faults)
        self.passed += not faults
        shown = said.strip().splitlines()
        reported = re.sub(r"\b(localhost|127\.0\.0\.1|192\.[0-9.]+|googleapis\.com|\.test):[0-9]{2,5}\b", r"\1:PORT", shown[-1] if shown else "")
        reported = re.sub(r"in [0-9.]+ m?s;", "in … s;", re.sub(r"/\S*/build/interop/", "", reported))
        self.lines += [f"- {name}: exit code {code}" + (f" **{'; '.join(faults)}**" if faults else ""), "", f"  `{reported}`", ""]
        for fault in faults:
            print(f"{name}: {fault}: {said}")

    def finish(self, path):
        total = f"{self.passed} passed, {self.failed} failed"
        self.lines += [total]
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(self.lines) + "\n")
        print(total)
        raise SystemExit(1 if self.failed else 0)
