"""Starts the processes for the run over real etcds: a cluster of etcds, and services that share it. INTEROP_ETCD is the server's command, INTEROP_ETCD_RESTORE the one that
restores snapshots."""
import base64
import json
import os
import subprocess
import time

from table import get, get_all, start_cloud, until
from counterparts import ROLLCALL, free_port

ETCD, RESTORE = os.environ["INTEROP_ETCD"], [os.environ["INTEROP_ETCD_RESTORE"]]
NAME = "tpu:trainer,project=p,zone=us-central2-b"


def decoded(text):
    return base64.b64decode(text).decode()


class Etcds:
    """A cluster of real servers, whose files lie in `folder`."""

    def __init__(self, programs, folder, count=3, tls=None, options=()):
        self.programs, self.folder, self.tls, self.options = programs, folder, tls, list(options)
        self.peers = [free_port() for _ in range(count)]
        self.ports = [free_port() for _ in range(count)]
        self.scheme = "https" if tls else "http"
        self.urls = [f"{self.scheme}://127.0.0.1:{port}" for port in self.ports]
        self.processes = [None] * count
        self.generation = 0
        self.start_all()

    def start_all(self):
        for i in range(len(self.ports)):
            self.start(i)
        until(lambda: self.ctl("endpoint", "health").returncode == 0)

    def data(self, i):
        return os.path.join(self.folder, f"etcd-{self.ports[i]}-{self.generation}")

    def start(self, i):
        cluster = ",".join(f"e{k}=http://127.0.0.1:{peer}" for k, peer in enumerate(self.peers))
        command = [ETCD, "--name", f"e{i}", "--data-dir", self.data(i), "--listen-client-urls", self.urls[i], "--advertise-client-urls", self.urls[i],
                   "--listen-peer-urls", f"http://127.0.0.1:{self.peers[i]}", "--initial-advertise-peer-urls", f"http://127.0.0.1:{self.peers[i]}",
                   "--initial-cluster", cluster, "--logger", "zap", "--log-level", "error", *self.options]
        if self.tls:
            command += ["--cert-file", f"{self.tls}/server.crt", "--key-file", f"{self.tls}/server.key", "--client-cert-auth", "--trusted-ca-file", f"{self.tls}/ca.crt"]
        log = open(self.data(i) + ".log", "a", encoding="utf-8")
        self.processes[i] = subprocess.Popen(command, stdout=log, stderr=log, env={"PATH": os.environ["PATH"]})
        self.programs.running.append(self.processes[i])

    def kill(self, i):
        self.processes[i].kill()
        self.processes[i].wait()

    def ctl(self, *arguments, user=None):
        command = ["etcdctl", "--endpoints", ",".join(self.urls), "--command-timeout", "3s"]
        if self.tls:
            command += ["--cacert", f"{self.tls}/ca.crt", "--cert", f"{self.tls}/client.crt", "--key", f"{self.tls}/client.key"]
        if user:
            command += ["--user", user]
        return subprocess.run([*command, *arguments], capture_output=True, text=True, check=False, env={"PATH": os.environ["PATH"], "ETCDCTL_API": "3"})

    def leader(self):
        def found():
            said = self.ctl("endpoint", "status", "-w", "json").stdout
            for i, one in enumerate(json.loads(said) if said.startswith("[") else []):
                if one["Status"]["leader"] == one["Status"]["header"]["member_id"]:
                    return [self.urls.index(one["Endpoint"])]
        return until(found)[0]

    def value(self, key):
        said = json.loads(self.ctl("get", key, "-w", "json").stdout or "{}").get("kvs")
        return said[0] if said else None

    def revision(self):
        return json.loads(self.ctl("endpoint", "status", "-w", "json").stdout)[0]["Status"]["header"]["revision"]

    def restore(self, snapshot):
        """Kills all of them, and starts them again with the data of a snapshot."""
        for i in range(len(self.ports)):
            self.kill(i)
        self.generation += 1
        cluster = ",".join(f"e{k}=http://127.0.0.1:{peer}" for k, peer in enumerate(self.peers))
        for i, peer in enumerate(self.peers):
            subprocess.run([*RESTORE, "snapshot", "restore", snapshot, "--name", f"e{i}", "--initial-cluster", cluster, "--initial-cluster-token", "restored",
                            "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}", "--data-dir", self.data(i)],
                           capture_output=True, check=True, env={"PATH": os.environ["PATH"], "ETCDCTL_API": "3"})
        self.start_all()

    def end(self):
        for process in self.processes:
            process.kill()
            process.wait()
