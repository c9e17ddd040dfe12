#!/usr/bin/env python3
"""chart.py TRANSCRIPT: the Helm chart rendered, compared with the manifests of examples/fleet, applied to a real API server, installed by Helm;
its programs run in the place of its pods. See run."""
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "fleet")]
sys.path.insert(0, os.path.join(ROOT, "tests/hygiene"))

import yaml  # noqa: E402

from chart_files import digest  # noqa: E402
from helm import CHART, IMAGE, KUBERNETES, SPACE, helm, kubectl, rendered  # noqa: E402
from pods import Pods, certificate, restrictions, until, words  # noqa: E402
from recipe import look_at_recipes  # noqa: E402
from table import check, counts, rows, section, versions, write  # noqa: E402
from webhook import look_at_webhook  # noqa: E402

NODES = ["g1", "g2", "g3"]


def objects(text):
    """By kind, namespace and name. Settings are read, and the annotation that rolls pods out is left out: it is the chart's alone."""
    found = {}
    for thing in yaml.safe_load_all(text):
        if not thing:
            continue
        if thing["kind"] == "ConfigMap":
            thing["data"]["fleet.yaml"] = yaml.safe_load(thing["data"]["fleet.yaml"])
        if thing["kind"] in ("Deployment", "StatefulSet"):
            metadata = thing["spec"]["template"]["metadata"]
            metadata.get("annotations", {}).pop("checksum/settings", None)
            if not metadata.get("annotations", True):
                del metadata["annotations"]
        found[f'{thing["kind"]} {thing["metadata"].get("namespace", "-")}/{thing["metadata"]["name"]}'] = thing
    return found


def example(*names):
    """A later file's objects replace those of the same name; Helm makes no Namespace."""
    found = {}
    for name in names:
        with open(os.path.join(ROOT, "examples/fleet", name), encoding="utf-8") as file:
            found.update(objects(file.read()))
    return {name: thing for name, thing in found.items() if not name.startswith("Namespace ")}


def difference(got, wanted):
    """The first difference in words; "none"."""
    for name in sorted({*got, *wanted}):
        if name not in got or name not in wanted:
            return f"{name} is {'not rendered' if name in wanted else 'rendered and in no manifest'}"
        if got[name] != wanted[name]:
            return f"{name}: {words(got[name])} instead of {words(wanted[name])}"
    return "none"


def compare():
    section("What is rendered")
    check("lint", helm("lint", CHART, *KUBERNETES, *IMAGE).returncode, 0)
    check("one replica: differences to kubernetes.yaml", difference(objects(rendered()), example("kubernetes.yaml")), "none")
    wanted = example("kubernetes.yaml", "kubernetes-replicas.yaml")
    del wanted[f"Deployment {SPACE}/rollcall"]
    check("three replicas: differences to kubernetes-replicas.yaml", difference(objects(rendered("--set", "replicas=3")), wanted), "none")
    digest_of_image = "sha256:" + "0a" * 32
    by_digest = objects(rendered("--set", f"image.digest={digest_of_image}"))[f"Deployment {SPACE}/rollcall"]
    check("an image by digest", by_digest["spec"]["template"]["spec"]["containers"][0]["image"], f"registry.example/rollcall@{digest_of_image}")
    wide = objects(rendered("--set", "clusterWide=true"))
    check("cluster-wide: roles", sorted(name for name in wide if "Role" in name.split()[0]),
          ["ClusterRole -/rollcall-service", "ClusterRoleBinding -/rollcall-issuer-discovery", "ClusterRoleBinding -/rollcall-service"])
    issued = objects(rendered("--set", "tls.issuer.name=internal-ca", "--set", "replicas=3", "--set", "webhook.enabled=true"))
    check("with an issuer of cert-manager: the certificates' names", [issued[name]["spec"]["dnsNames"] for name in sorted(issued) if name.startswith("Certificate ")],
          [[f"rollcall.{SPACE}.svc", f"*.rollcall-replicas.{SPACE}.svc"], [f"rollcall-webhook.{SPACE}.svc"]])
    other = objects(rendered("--set", "replicas=3", release="blue"))
    check("another release: names", sorted({name.split("/")[1] for name in other}), ["blue", "blue-issuer-discovery", "blue-lease", "blue-replicas", "blue-service"])
    compare_network()
    for values, said in ((["replicas=0"], "replicas"), (["image.digest=sha256:1"], "digest"), (["image.repositry=x"], "repositry"),
                         (["image.repository="], "image.repository is missing"), (["webhook.enabled=true"], "webhook.tls.authority is missing")):
        ran = helm("template", "rollcall", CHART, *KUBERNETES, *IMAGE, *[word for value in values for word in ("--set", value)])
        check(f"refused: `{values[0]}`", ran.returncode != 0 and said in ran.stderr, True)
    ran = helm("template", "rollcall", CHART, "--kube-version", "1.20.15", *IMAGE)
    check("refused: Kubernetes 1.20", ran.returncode != 0 and "kubeVersion: >=1.21" in ran.stderr, True)


def compare_network():
    def policies(*values):
        return {name.split("/")[1]: thing["spec"] for name, thing in objects(rendered(*values)).items() if name.startswith("NetworkPolicy ")}

    def ports(rules):
        return [[port["port"] for port in rule["ports"]] for rule in rules]
    check("without networkPolicy.enabled: NetworkPolicies", policies(), {})
    on = ["--set", "networkPolicy.enabled=true"]
    alone = policies(*on, "--set-json", "namespaces=[]")["rollcall"]
    check("of one replica without namespaces: from", [rule["from"] for rule in alone["ingress"]], [[{"podSelector": {"matchLabels": {"app": "rollcall"}}}]])
    check("and to: ports, any address", [ports(alone["egress"]), [rule for rule in alone["egress"] if "to" in rule]], [[[53, 53], [443, 6443]], []])
    more = [*on, "--set", "replicas=3", "--set", "namespaces={train,eval}", "--set", "networkPolicy.from={train,monitoring}",
            "--set", "networkPolicy.apiServers={10.0.0.1/32}", "--set-json", 'networkPolicy.egress=[{"ports":[{"port":80}],"to":[{"ipBlock":{"cidr":"169.254.169.254/32"}}]}]',
            "--set", "webhook.enabled=true", "--set", "webhook.tls.authority=x"]
    found = policies(*more)
    peers = found["rollcall"]["ingress"][0]["from"]
    check("with three replicas and all values: namespaces", [one["namespaceSelector"]["matchLabels"]["kubernetes.io/metadata.name"] for one in peers[1:]],
          ["train", "eval", "monitoring"])
    check("to: ports", ports(found["rollcall"]["egress"]), [[53, 53], [443, 6443], [7070], [80]])
    check("to: addresses", [rule.get("to") for rule in found["rollcall"]["egress"]],
          [None, [{"ipBlock": {"cidr": "10.0.0.1/32"}}], [{"podSelector": {"matchLabels": {"app": "rollcall"}}}], [{"ipBlock": {"cidr": "169.254.169.254/32"}}]])
    hook = found["rollcall-webhook"]
    check("of the webhook: ports, from, to", [ports(hook["ingress"]), hook["ingress"][0].get("from"), hook["policyTypes"], hook["egress"]],
          [[[8443]], None, ["Ingress", "Egress"], []])


def pod_spec(text, kind):
    return objects(text)[f"{kind} {SPACE}/rollcall"]["spec"]["template"]["spec"]


def settings_of(text, address):
    """The ConfigMap's file; it listens on the pod's address alone."""
    (file,) = (thing["data"]["fleet.yaml"] for thing in yaml.safe_load_all(text) if thing and thing["kind"] == "ConfigMap")
    return file.replace("':7070'", f"'{address}:7070'").replace("- :7070", f"- {address}:7070")


def serve(pods, text, kind, folder, hosts):
    """The service, or its replicas, in the place of the pods; a launcher of the namespace `train` asks it."""
    spec = pod_spec(text, kind)
    (container,) = spec["containers"]
    with open(os.path.join(folder, "ca.crt"), encoding="ascii") as file:
        authority = file.read()
    started = []
    for name in sorted(host.split(".")[0] for host in hosts if host.startswith("rollcall-")) if kind == "StatefulSet" else ["rollcall"]:
        address = next(at for host, at in hosts.items() if host.split(".")[0] == name)
        files = {"/etc/rollcall/settings/fleet.yaml": settings_of(text, address)}
        for volume, path in ((mount["name"], mount["mountPath"]) for mount in container["volumeMounts"]):
            if volume == "tls":
                for end in ("crt", "key"):
                    with open(os.path.join(folder, f"tls.{end}"), encoding="ascii") as file:
                        files[f"{path}/tls.{end}"] = file.read()
                files[f"{path}/ca.crt"] = authority
            if volume == "token":
                files[f"{path}/token"] = pods.token(SPACE, "rollcall", "rollcall") + "\n"
        checked = pods.ask(name, files, [*container["args"][:3], "--check"], SPACE, spec["serviceAccountName"], POD_NAME=name)
        check(f"{name}: `serve --check` with the pod's files", [checked.returncode, checked.stderr], [0, ""])
        process, line = pods.start(name, files, container["args"], SPACE, spec["serviceAccountName"], POD_NAME=name)
        check(f"{name}: starts with the pod's arguments", "export ROLLCALL_SERVER=" in line, True)
        check(f"{name}: its user, capabilities, no_new_privs, root", restrictions(process), ["65532", 0, "1", "ro"])
        started.append(process)
    launcher = {"/etc/rollcall-ca/ca.crt": authority, "/run/rollcall/token": pods.token("train", "default", "rollcall")}

    def ask(target, *more):
        return pods.ask("launcher", launcher, ["spec", target, "--timeout", "20s", *more], "train", "", ROLLCALL_SERVER=f"https://rollcall.{SPACE}.svc:7070",
                        ROLLCALL_SERVER_TOKEN_FILE="/run/rollcall/token", ROLLCALL_SERVER_CA="/etc/rollcall-ca/ca.crt", ROLLCALL_SERVER_FALLBACK="never")
    target = "kubernetes:train,job.worker=job-name=trainer,address=pod"
    found = until(lambda: (lambda ran: ran if ran.returncode == 0 else None)(ask(target)), 40) or ask(target)
    check("a launcher of train finds its job through it: lines", found.stdout.count("\n"), 2)
    check("and may not ask for another namespace's: exit code", ask("kubernetes:kube-system,job.worker=app=x").returncode, 4)
    return started


def main():
    os.makedirs("helm-home", exist_ok=True)
    loader = importlib.machinery.SourceFileLoader("real_kubernetes", os.environ["REAL_KUBERNETES"])
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("real_kubernetes", loader))
    loader.exec_module(module)
    versions.append("Helm " + (os.environ.get("HELM_BUILT") or helm("version", "--template", "{{.Version}}").stdout))
    compare()
    folder = tempfile.mkdtemp(prefix="rollcall-chart-")
    # The addresses of Services are of this machine: what listens there is the Service.
    cluster = module.Cluster(os.path.join(folder, "kubernetes")).start(api_flags=["--service-cluster-ip-range=127.78.0.0/16"])
    versions.append("Kubernetes " + cluster.get("/version")["gitVersion"])
    hosts = {f"rollcall.{SPACE}.svc": "127.77.0.2", **{f"rollcall-{i}.rollcall-replicas.{SPACE}.svc": f"127.77.0.{i + 2}" for i in range(3)}}
    pods = Pods(cluster, folder, hosts)
    try:
        for name in NODES:
            cluster.node(name, 8)
        look_at_service(cluster, pods, folder, hosts)
        look_at_kubectl(cluster, folder)
        containers = look_at_recipes(cluster, pods, folder)
        look_at_webhook(cluster, pods, containers, folder)
    finally:
        pods.end_all()
        cluster.stop()
        subprocess.run(["rm", "-rf", folder], check=False)
    rows.append(f"\nOf the chart and the manifests with the digest {digest()}.")
    return write(sys.argv[1], "The Helm chart on a real Kubernetes", "../chart/run")


def look_at_service(cluster, pods, folder, hosts):
    section("Applied, and installed")
    kubectl(cluster, "create", "namespace", SPACE)
    certificate(folder, "tls", [f"DNS:rollcall.{SPACE}.svc", f"DNS:*.rollcall-replicas.{SPACE}.svc"])
    kubectl(cluster, "-n", SPACE, "create", "secret", "generic", "rollcall-tls", *(f"--from-file={name}={folder}/{name}" for name in ("tls.crt", "tls.key", "ca.crt")))
    for values in ([], ["--set", "replicas=3"], ["--set", "clusterWide=true", "--set", "tokenReviews=true"],
                   ["--set", "networkPolicy.enabled=true", "--set", "replicas=3", "--set", "networkPolicy.apiServers={10.0.0.1/32}"]):
        ran = kubectl(cluster, "apply", "--server-side", "-f", "-", text=rendered(*values))
        check(f"`kubectl apply --server-side`, {' '.join(values) or 'the defaults'}: objects", ran.stdout.count("serverside-applied"), len(objects(rendered(*values))))
        kubectl(cluster, "delete", "-f", "-", text=rendered(*values))

    def seen():
        got = cluster.get(f"/api/v1/namespaces/{SPACE}/pods?labelSelector=app=rollcall")["items"]
        return sorted((pod["metadata"]["name"].split("-")[0], pod["status"]["phase"], pod["spec"]["nodeName"]) for pod in got if pod["spec"].get("nodeName"))
    ran = helm("install", "rollcall", CHART, "--namespace", SPACE, *IMAGE, kubeconfig=cluster.kubeconfig)
    check("`helm install`: exit code", [ran.returncode, ran.stderr], [0, ""])
    check("its pod runs on a node", bool(until(lambda: [one[1] for one in seen()] == ["Running"])), True)
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "trainer", "namespace": "train"},
           "spec": {"completions": 2, "parallelism": 2, "completionMode": "Indexed",
                    "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "registry.example/trainer:v9"}]}}}}
    cluster.create(job)
    for process in serve(pods, rendered(), "Deployment", folder, hosts):
        check("SIGTERM ends it: exit code", pods.end(process), 0)
    ran = helm("upgrade", "rollcall", CHART, "--namespace", SPACE, *IMAGE, "--set", "replicas=3", kubeconfig=cluster.kubeconfig)
    check("`helm upgrade` from one to three: exit code", [ran.returncode, ran.stderr], [0, ""])
    until(lambda: [one[1:] for one in seen()] == [("Running", node) for node in NODES], 60)
    check("three pods run, each on a node of its own", sorted(one[1:] for one in seen()), [("Running", node) for node in NODES])
    started = serve(pods, rendered("--set", "replicas=3"), "StatefulSet", folder, hosts)
    lease = cluster.get(f"/apis/coordination.k8s.io/v1/namespaces/{SPACE}/leases/rollcall")
    check("one of them holds the Lease", lease["spec"].get("holderIdentity", "") != "", True)
    check("SIGTERM ends them: exit codes", [pods.end(process) for process in started], [0, 0, 0])
    ran = helm("uninstall", "rollcall", "--namespace", SPACE, kubeconfig=cluster.kubeconfig)
    check("`helm uninstall`: exit code", [ran.returncode, ran.stderr], [0, ""])


def look_at_kubectl(cluster, folder):
    section("kubectl rollcall")
    shown = subprocess.run(["kubectl", "version", "--client"], capture_output=True, text=True, check=False).stdout.split("\n", maxsplit=1)[0]
    versions.append("kubectl, " + shown)
    from counterparts import ROLLCALL
    os.symlink(os.path.abspath(ROLLCALL), os.path.join(folder, "kubectl-rollcall"))
    os.symlink(os.path.join(ROOT, "packaging/kubectl_complete-rollcall"), os.path.join(folder, "kubectl_complete-rollcall"))
    environment = {"PATH": folder + ":" + os.environ["PATH"], "HOME": folder, "KUBECONFIG": cluster.kubeconfig}

    def run(*arguments, **variables):
        ran = subprocess.run(["kubectl", *arguments], env={**environment, **variables}, capture_output=True, text=True, check=False, timeout=60)
        return ran.returncode, ran.stdout + ran.stderr
    until(lambda: len(cluster.pods("job-name=trainer", "train")) == 2)
    code, said = until(lambda: (lambda ran: ran if ran[0] == 0 else None)(run("rollcall", "status", "job/trainer,address=pod"))) or run("rollcall", "status", "job/trainer")
    check("`kubectl rollcall status job/trainer` in the context's namespace", [code, "2/2 ready (Job trainer: 2)" in said], [0, True])
    code, said = run("rollcall", "status", "job/trainer,address=pod", "-n", "train", "--context", "viewer")
    check("with `-n train --context viewer`", [code, "2/2 ready" in said], [0, True])
    code, said = run("rollcall", "spec", "job/trainer,address=pod", "-n", "train", "--kubeconfig", cluster.kubeconfig, KUBECONFIG="/nonexistent")
    check("with `--kubeconfig FILE`: lines", [code, said.count("\n")], [0, 2])
    code, said = run("rollcall", "status", "job/trainer", "--context", "nobody")
    check("of an account without rights: exit code", code, 4)
    code, said = run("rollcall", "status", "job/other", "-n", "train")
    check("of a Job that does not exist", [code, "other" in said], [1, True])
    check("`kubectl plugin list` names it", "kubectl-rollcall" in run("plugin", "list")[1], True)
    code, said = run("__complete", "rollcall", "sta")
    check("kubectl completes its words", "status" in said, True)


if __name__ == "__main__":
    sys.exit(main())
