"""Programs in the place of pods: with a rendered container's arguments, the files of its volumes and the token of its account, on an address of
this machine that has the pod's names. A mount namespace gives them an /etc and a /run of their own."""
import json
import os
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from counterparts import ROLLCALL  # noqa: E402

# As the rendered containers are restricted. The port of a Service is below 1024, which needs a capability outside of a pod's network.
RESTRICTED = "setpriv --reuid=65532 --regid=65532 --clear-groups --no-new-privs"
NO_CAPABILITIES = "--inh-caps=-all --bounding-set=-all"
LOW_PORTS = "--inh-caps=-all,+net_bind_service --ambient-caps=-all,+net_bind_service --bounding-set=-all,+net_bind_service"
ACCOUNT = "var/run/secrets/kubernetes.io/serviceaccount"


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], capture_output=True, check=True)


def certificate(folder, name, names, authority="ca"):
    """FOLDER/NAME.crt and .key for these names, signed by FOLDER/AUTHORITY.crt, which is made with the first."""
    path = lambda end: os.path.join(folder, end)  # noqa: E731
    new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    if not os.path.exists(path(authority + ".crt")):
        openssl("req", "-x509", *new, "-days", "2", "-subj", "/CN=authority", "-keyout", path(authority + ".key"), "-out", path(authority + ".crt"))
    openssl("req", *new, "-subj", f"/CN={name}", "-keyout", path(name + ".key"), "-out", path(name + ".csr"))
    with open(path(name + ".ext"), "w", encoding="ascii") as ext:
        ext.write("extendedKeyUsage=serverAuth\nsubjectAltName=" + ",".join(names) + "\n")
    openssl("x509", "-req", "-in", path(name + ".csr"), "-CA", path(authority + ".crt"), "-CAkey", path(authority + ".key"), "-CAcreateserial", "-days", "2", "-extfile",
            path(name + ".ext"), "-out", path(name + ".crt"))


class Pods:
    """`hosts`: addresses of this machine by name, for all of them."""

    def __init__(self, cluster, folder, hosts):
        self.cluster, self.folder, self.hosts, self.running = cluster, folder, hosts, []

    def token(self, namespace, account, audience=None):
        spec = {"expirationSeconds": 7200, **({"audiences": [audience]} if audience else {})}
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token"
        made = self.cluster.ask("POST", path, {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec})
        return made["status"]["token"]

    def command(self, name, files, words, namespace, account, needs_low_port=False):
        """The words that run `words` with these files, by their absolute paths, and the account of a pod, restricted as a pod of the chart."""
        root = os.path.join(self.folder, name)
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree("/etc", os.path.join(root, "etc"), symlinks=True)
        own = {f"/{ACCOUNT}/token": self.token(namespace, account), f"/{ACCOUNT}/namespace": namespace} if account else {}
        if account:
            with open(self.cluster.path("pki/apiserver.crt"), encoding="utf-8") as authority:
                own[f"/{ACCOUNT}/ca.crt"] = authority.read()
        with open(os.path.join(root, "etc/hosts"), "a", encoding="ascii") as hosts:
            hosts.writelines(f"{address} {host}\n" for host, address in self.hosts.items())
        for path, text in {**files, **own}.items():
            at = os.path.join(root, path.lstrip("/").replace("var/run/", "run/", 1))
            os.makedirs(os.path.dirname(at), exist_ok=True)
            with open(at, "w", encoding="utf-8") as file:
                file.write(text)
        os.makedirs(os.path.join(root, "run"), exist_ok=True)
        mounts = f"mount -o remount,bind,ro / && mount --bind -o ro {root}/etc /etc && mount --bind -o ro {root}/run /run"
        restricted = f"{RESTRICTED} {LOW_PORTS if needs_low_port else NO_CAPABILITIES}"
        return ["unshare", "--mount", "--propagation", "private", "sh", "-c", f'{mounts} && exec {restricted} "$@"', "sh", ROLLCALL, *words]

    def environment(self, **more):
        return {"PATH": os.environ["PATH"], "HOME": "/nonexistent", **self.service(), **more}

    def service(self):
        """The variables of the service `kubernetes`."""
        return {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": self.cluster.read("api.port")}

    def start(self, name, files, words, namespace, account, needs_low_port=False, **variables):
        """Until it prints its address."""
        log = os.path.join(self.folder, name + ".log")
        with open(log, "w", encoding="utf-8") as errors:
            process = subprocess.Popen(self.command(name, files, words, namespace, account, needs_low_port), env=self.environment(**variables), stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=errors, text=True)
        self.running.append(process)
        line = process.stdout.readline()
        if not line:
            with open(log, encoding="utf-8") as errors:
                raise SystemExit(f"{name} does not start: {errors.read()}")
        return process, line.strip()

    def ask(self, name, files, words, namespace, account, **variables):
        return subprocess.run(self.command(name, files, words, namespace, account), env=self.environment(**variables), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60, check=False)

    def end(self, process):
        process.terminate()
        try:
            process.wait(40)
        except subprocess.TimeoutExpired:
            process.kill()
        return process.returncode

    def end_all(self):
        for process in self.running:
            if process.poll() is None:
                process.kill()
                process.wait()


def restrictions(process):
    """Its user, its capabilities and whether it may get more, as the kernel has them; and whether it may write to its root."""
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    with open(f"/proc/{process.pid}/mounts", encoding="ascii") as file:
        root = [line.split()[3].split(",")[0] for line in file if line.split()[1] == "/"]
    return [status["Uid"].split("\t")[0], int(status["CapEff"], 16), status["NoNewPrivs"], root[-1]]


def until(what, seconds=30):
    """The result once it is true, or at the end."""
    end = time.monotonic() + seconds
    while True:
        got = what()
        if got or time.monotonic() > end:
            return got
        time.sleep(0.2)


def words(thing):
    return json.dumps(thing, sort_keys=True)
