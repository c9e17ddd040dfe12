"""lease.py etcd|kubernetes TRANSCRIPT: the run of tests/interop/fleet/lease over one engine."""
import importlib.machinery
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from table import check, section, until, versions, write  # noqa: E402
from counterparts import Programs  # noqa: E402
from lease_replicas import TTL, Contest  # noqa: E402

SOON = TTL + 3  # a TTL, the pause between reads, and the machine's own


def within(least, most):
    return lambda seconds: seconds is not None and least <= seconds <= most


class EtcdEngine:
    def __init__(self, programs, folder):
        from etcds import ETCD, Etcds
        said = subprocess.run([ETCD, "--version"], capture_output=True, text=True, check=True).stdout
        versions.append(said.split("\n", maxsplit=1)[0])
        self.etcds, self.folder = Etcds(programs, folder, count=1), folder
        self.words = ["etcd", "prod", self.etcds.urls[0]]
        self.environment = {}
        self.stops = "etcd is stopped for 12 s"

    def shown(self):
        return self.etcds.ctl("get", "/rollcall/prod/leader").stdout.strip().split("\n")[-1]

    def holder(self):
        return json.loads(self.shown() or "{}").get("holder")

    def stop_and_start(self):
        self.etcds.kill(0)
        time.sleep(12)
        self.etcds.start(0)

    def delete(self):
        self.etcds.ctl("del", "/rollcall/prod/leader")

    def spoil(self):
        self.etcds.ctl("put", "/rollcall/prod/leader", '{"leader":"of another program"}')

    def end(self):
        self.etcds.end()


class KubernetesEngine:
    LEASE = "/apis/coordination.k8s.io/v1/namespaces/train/leases"

    def __init__(self, _programs, folder):
        tool = os.environ["REAL_KUBERNETES"]
        loader = importlib.machinery.SourceFileLoader("real_kubernetes", tool)
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader("real_kubernetes", loader))
        loader.exec_module(module)
        self.cluster = module.Cluster(os.path.join(folder, "kubernetes")).start()
        versions.append("Kubernetes " + self.cluster.get("/version")["gitVersion"])
        self.words = ["kubernetes", "train", "rollcall", ""]
        self.environment = {"KUBECONFIG": self.cluster.kubeconfig, "HOME": folder}
        self.stops = "the API server is stopped for 12 s"

    def lease(self):
        return self.cluster.get(f"{self.LEASE}/rollcall")

    def shown(self):
        done = subprocess.run(["kubectl", "get", "lease", "rollcall", "-n", "train", "--no-headers", "-o", "custom-columns=NAME:.metadata.name,HOLDER:.spec.holderIdentity"],
                              env={"PATH": os.environ["PATH"], **self.environment}, capture_output=True, text=True, check=False)
        return " ".join((done.stdout or done.stderr).split())

    def holder(self):
        return self.lease()["spec"].get("holderIdentity")

    def stop_and_start(self):
        self.cluster.end("kube-apiserver")
        time.sleep(12)
        self.cluster.restart_api()

    def delete(self):
        self.cluster.delete(f"{self.LEASE}/rollcall")

    def spoil(self):
        self.cluster.patch(f"{self.LEASE}/rollcall", {"metadata": {"annotations": None}, "spec": {"holderIdentity": "another-controller"}})

    def end(self):
        self.cluster.stop()


def try_holders(contest, engine):
    section("Holders that come and go")
    contest.add()
    check("a first start: one leads after a TTL (seconds)", contest.until_leads(), within(TTL - 1, SOON))
    contest.add()
    contest.add()
    check("all agree on the holder and its epoch", contest.follow(), True)
    check("what the engine shows names it", engine.shown(), lambda text: contest.leader().name in text)
    for _ in range(2):
        gone = contest.leader()
        epoch = gone.epoch()
        gone.kill()
        check("the holder is killed: another one leads (seconds)", contest.until_leads(), within(1, SOON))
        check("with a larger epoch", contest.leader().epoch() > epoch, True)
        contest.add()
    still = contest.leader()
    still.stop()
    check("the holder stands still (SIGSTOP): another one leads (seconds)", contest.until_leads(), within(1, SOON))
    time.sleep(20 - TTL)
    still.go_on()
    check("it goes on after 20 s: all agree, and it follows", contest.follow() and not still.leads(), True)
    gone = contest.leader()
    gone.drain()
    check("the holder is drained: another one leads (seconds)", contest.until_leads(), within(0, 2))
    contest.add()


def try_engine(contest, engine):
    section("The engine")
    before = contest.leader()
    epoch = before.epoch()
    engine.stop_and_start()
    check(f"{engine.stops}: all say why it cannot be asked", [replica.trouble() != "-" or len(replica.lines()) > 2 for replica in contest.all if replica.ended_at is None], lambda all_of: all(all_of))
    check("when it is back one leads (seconds)", contest.until_leads(), within(0, 2 * TTL + 3))
    check("with a larger epoch", contest.leader().epoch() > epoch, True)
    check("no trouble is left", bool(until(lambda: all(replica.trouble() == "-" for replica in contest.all if replica.ended_at is None), 10)), True)
    epoch = contest.leader().epoch()
    engine.delete()
    check("the record is deleted: the holder leads no more (seconds)", round(waited(lambda: contest.leader() is None), 1), within(0, TTL / 3 + 1))
    check("and one leads after a TTL (seconds)", contest.until_leads(), within(TTL - 2, 2 * TTL + 2))
    check("with a larger epoch", contest.leader().epoch() > epoch, True)
    engine.spoil()
    check("another program writes the record: no replica leads (seconds)", round(waited(lambda: contest.leader() is None), 1), within(0, TTL))
    last = contest.all[-1]
    check("and why", until(lambda: last.trouble() if last.trouble() != "-" else None, 5), lambda text: text and ("another program" in text or "is not of Rollcall" in text))
    time.sleep(TTL)
    check("nor later", contest.leader() is None, True)
    engine.delete()
    check("that record is deleted: one leads again (seconds)", contest.until_leads(), within(TTL - 1, 2 * TTL + 3))


def waited(is_so):
    began = time.monotonic()
    until(is_so, 20)
    return time.monotonic() - began


def try_backup(contest, engine):
    section("A backup")
    snapshot = os.path.join(engine.folder, "snapshot.db")
    engine.etcds.ctl("snapshot", "save", snapshot)
    contest.leader().kill()
    contest.add()
    contest.until_leads()
    epoch = contest.leader().epoch()
    time.sleep(2)
    for i in range(len(engine.etcds.ports)):
        engine.etcds.kill(i)
    time.sleep(TTL)
    engine.etcds.restore(snapshot)
    check("etcd is restored from a backup with the holder before: one leads (seconds)", contest.until_leads(), within(0, 2 * TTL + 3))
    check("with a larger epoch", contest.leader().epoch() > epoch, True)


def try_rights(programs, folder, engine):
    section("The rights that it needs, and another program's Lease")
    cluster = engine.cluster
    rbac = "rbac.authorization.k8s.io/v1"
    contest = Contest(programs, folder, ["kubernetes", "train", "guarded", "pods-only"], engine.environment)
    replica = contest.add()
    check("without rights: which verb, on what", until(lambda: replica.trouble() if "verb" in replica.trouble() else None),
          lambda text: "give the account the verb get on leases of coordination.k8s.io in namespace train" in text)
    cluster.create({"apiVersion": rbac, "kind": "Role", "metadata": {"name": "lease", "namespace": "train"},
                    "rules": [{"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "resourceNames": ["guarded"], "verbs": ["get", "update"]}]})
    cluster.create({"apiVersion": rbac, "kind": "RoleBinding", "metadata": {"name": "lease", "namespace": "train"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "lease"},
                    "subjects": [{"kind": "User", "name": "pods-only", "apiGroup": "rbac.authorization.k8s.io"}]})
    check("with get and update, and no Lease", until(lambda: replica.trouble() if "create" in replica.trouble() else None), lambda text: text and "the verb create" in text)
    cluster.ask("POST", engine.LEASE, {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "guarded", "labels": {"team": "ml"}}, "spec": {}})
    check("with the Lease of the manifest one leads (seconds)", contest.until_leads(), within(0, 2 * TTL))
    check("labels of others are kept", cluster.get(f"{engine.LEASE}/guarded")["metadata"]["labels"], {"team": "ml"})
    contest.end()
    absent = Contest(programs, folder, ["kubernetes", "nowhere", "rollcall", ""], engine.environment).add()
    check("a namespace that does not exist", until(lambda: absent.trouble() if "nowhere" in absent.trouble() else None), lambda text: text and "there may be no namespace nowhere" in text)
    absent.kill()


def main():
    which, transcript = sys.argv[1:]
    folder = tempfile.mkdtemp(prefix="rollcall-lease-")
    try:
        with Programs() as programs:
            engine = (EtcdEngine if which == "etcd" else KubernetesEngine)(programs, folder)
            try:
                contest = Contest(programs, folder, engine.words, engine.environment)
                try_holders(contest, engine)
                try_engine(contest, engine)
                if which == "etcd":
                    try_backup(contest, engine)
                contest.end()
                section("All of it")
                check("never two led at once, and epochs only grew", contest.faults(), [])
                if which == "kubernetes":
                    try_rights(programs, folder, engine)
            finally:
                engine.end()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return write(transcript, f"The lease of a fleet in {'etcd' if which == 'etcd' else 'Kubernetes'}", "lease")


sys.exit(main())
