"""The engines of a lease for the run of whole services (replicas.py): a real etcd, and the API server of a real control plane (REAL_KUBERNETES)."""
import importlib.machinery
import importlib.util
import os
import signal
import subprocess
import time

from table import until, versions


class EtcdEngine:
    """All services are of one machine and distinguish no clients."""

    NAMES = ("etcd", "the key is deleted")

    def __init__(self, programs, folder):
        from etcds import ETCD, Etcds
        versions.append(subprocess.run([ETCD, "--version"], capture_output=True, text=True, check=True).stdout.split("\n", maxsplit=1)[0])
        self.etcds, self.folder, self.port, self.headers = Etcds(programs, folder, 1), folder, None, {}
        self.port = self.etcds.ports[0]

    def settings(self, _i, port, serves_at, ttl):
        return f'lease: {{etcd: ["http://127.0.0.1:{port}"], fleet: prod, ttl: {ttl}s, serves_at: "{serves_at}"}}\n', {}

    def stand_still(self, on):
        self.etcds.processes[0].send_signal(signal.SIGSTOP if on else signal.SIGCONT)

    def delete(self):
        self.etcds.ctl("del", "/rollcall/prod/leader")

    def make_again(self):
        """The services do it."""

    def holder(self):
        return self.etcds.ctl("get", "/rollcall/prod/leader").stdout.strip().split("\n")[-1]

    def save(self):
        self.etcds.ctl("snapshot", "save", os.path.join(self.folder, "snapshot.db"))

    def restore(self, seconds):
        """As an operator does: the servers are stopped, the data are put back, and the servers are started."""
        self.etcds.kill(0)
        time.sleep(seconds)
        self.etcds.restore(os.path.join(self.folder, "snapshot.db"))

    def end(self):
        self.etcds.end()


class KubernetesEngine:
    """Each service has a service account of its own with the rights of examples/fleet, and proves its identity to the others by its token."""

    NAMES = ("the API server", "the Lease is deleted, and applied again")
    CORE = "/api/v1/namespaces/train/serviceaccounts"
    LEASES = "/apis/coordination.k8s.io/v1/namespaces/train/leases"
    LEASE = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "rollcall", "namespace": "train"}, "spec": {}}

    def __init__(self, _programs, folder, count=3):
        loader = importlib.machinery.SourceFileLoader("real_kubernetes", os.environ["REAL_KUBERNETES"])
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader("real_kubernetes", loader))
        loader.exec_module(module)
        self.folder = folder
        self.cluster = module.Cluster(os.path.join(folder, "kubernetes")).start()
        versions.append("Kubernetes " + self.cluster.get("/version")["gitVersion"])
        self.port = int(self.cluster.read("api.port"))
        self.make_again()
        rbac = "rbac.authorization.k8s.io"
        accounts = [f"rollcall-{i}" for i in range(count)]
        for account in [*accounts, "launcher", "stranger"]:
            self.cluster.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": account, "namespace": "train"}})
        self.cluster.create({"apiVersion": f"{rbac}/v1", "kind": "Role", "metadata": {"name": "rollcall-lease", "namespace": "train"},
                             "rules": [{"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "resourceNames": ["rollcall"], "verbs": ["get", "update"]}]})
        self.cluster.create({"apiVersion": f"{rbac}/v1", "kind": "RoleBinding", "metadata": {"name": "rollcall-lease", "namespace": "train"},
                             "roleRef": {"apiGroup": rbac, "kind": "Role", "name": "rollcall-lease"},
                             "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": "train"} for account in accounts]})
        self.headers = {"Authorization": "Bearer " + self.token("launcher", "rollcall")}

    def token(self, account, audience=None):
        spec = {"expirationSeconds": 7200, **({"audiences": [audience]} if audience else {})}
        made = self.cluster.ask("POST", f"{self.CORE}/{account}/token", {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec})
        return made["status"]["token"]

    def settings(self, i, port, serves_at, ttl):
        account = f"rollcall-{i}"
        token_file, kubeconfig = os.path.join(self.folder, f"token-{i}"), os.path.join(self.folder, f"kubeconfig-{i}")
        with open(token_file, "w", encoding="utf-8") as file:
            file.write(self.token(account, "rollcall") + "\n")
        with open(kubeconfig, "w", encoding="utf-8") as file:
            file.write(f"""apiVersion: v1
kind: Config
current-context: own
clusters: [{{name: real, cluster: {{server: "https://127.0.0.1:{port}", certificate-authority: {self.cluster.path('pki/apiserver.crt')}}}}}]
users: [{{name: own, user: {{token: {self.token(account)}}}}}]
contexts: [{{name: own, context: {{cluster: real, user: own, namespace: train}}}}]
""")
        return f"""lease: {{kubernetes: {{}}, ttl: {ttl}s, serves_at: "{serves_at}", token_file: {token_file}}}
clients: [{{kubernetes: {{audience: rollcall, kubeconfig: {kubeconfig}, context: own}}}}]
rights:
  - {{who: "kubernetes:train/rollcall-*", replica: true}}
  - {{who: "kubernetes:train/launcher", read: ["tpu:*"], metrics: true}}
allow: ["tpu:*"]
limits: {{requests_a_second: 1000, burst: 1000, streams_a_client: 1000}}
""", {"KUBECONFIG": kubeconfig, "HOME": self.folder}

    def stand_still(self, on):
        with open(self.cluster.path("run", "kube-apiserver"), encoding="utf-8") as file:
            os.kill(int(file.read().split()[0]), signal.SIGSTOP if on else signal.SIGCONT)

    def delete(self):
        self.cluster.delete(f"{self.LEASES}/rollcall")

    def make_again(self):
        until(lambda: self.cluster.raw("POST", self.LEASES, self.LEASE)[0] in (201, 409))

    def holder(self):
        run = subprocess.run(["kubectl", "get", "lease", "rollcall", "-n", "train", "--no-headers"], env={"PATH": os.environ["PATH"], "KUBECONFIG": self.cluster.kubeconfig},
                             capture_output=True, text=True, check=False)
        return " ".join((run.stdout or run.stderr).split())

    def end(self):
        self.cluster.stop()
