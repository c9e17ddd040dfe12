"""kubernetes_client.py TRANSCRIPT: asks the simulated Kubernetes API through the official client, configured by KUBECONFIG alone."""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROLLCALL = os.environ["INTEROP_ROLLCALL"]
PATIENCE = 60

SIM = subprocess.Popen([ROLLCALL, "sim", os.path.join(HERE, "kubernetes.json")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
for line in SIM.stdout:
    name, _, value = line.removeprefix("export ").partition("=")
    os.environ[name] = value.strip().strip("'")
    if name == "ROLLCALL_SIM_PID":
        break

from kubernetes import client, config, watch  # reads KUBECONFIG when it is imported


class Transcript:
    def __init__(self):
        self.lines = ["# The official Kubernetes client and the simulated cluster", "",
                      "Written by `tests/interop/kubernetes`; see `README.md` beside it. The client gets only `KUBECONFIG`.", "",
                      "| | version |", "| --- | --- |"]
        for line in os.environ["INTEROP_VERSIONS"].splitlines():
            self.lines.append("| {} | {} |".format(*line.rsplit(" ", 1)))
        self.wrong = 0

    def section(self, title):
        self.lines += ["", f"## {title}", "", "| what | result | |", "| --- | --- | --- |"]

    def check(self, what, result, expected):
        is_right = result == expected
        self.wrong += not is_right
        shown = str(result).replace("|", "\\|").replace("\n", " ")
        self.lines.append(f"| {what} | {shown} | {'yes' if is_right else f'NO, expected {expected}'} |")

    def refused(self, what, call, status, reason, words):
        try:
            call()
            found = (200, None, "")
        except client.exceptions.ApiException as error:
            body = str(error.body)
            said = re.search(r'"message":"((?:[^"\\]|\\.)*)"', body)
            why = re.search(r'"reason":"(\w+)"', body)
            found = (error.status, why and why.group(1), said.group(1).replace('\\"', '"') if said else body)
        self.check(what, f"{found[0]} {found[1]}: {found[2]}", f"{found[0]} {found[1]}: {found[2]}"
                   if found[:2] == (status, reason) and words in found[2] else f"{status} {reason}: … {words} …")


def names(pods):
    return [pod.metadata.name for pod in pods.items]


def stem(name):
    """Without the random end of a job's pod."""
    return re.sub(r"-[a-z0-9]{5}$", "", name)


def lists(t, api):
    t.section("Lists")
    pods = api.list_namespaced_pod("train")
    t.check("all pods of the namespace", len(pods.items), 17)
    t.check("sorted by name", names(pods) == sorted(names(pods)), True)
    t.check("label selector `job-name=trainer-workers-0`", [stem(n) for n in names(api.list_namespaced_pod("train", label_selector="job-name=trainer-workers-0"))],
            [f"trainer-workers-0-{i}" for i in range(4)])
    index = "batch.kubernetes.io/job-completion-index"
    t.check(f"label selector `{index} in (1,3)`", [stem(n) for n in names(api.list_namespaced_pod("train", label_selector=f"{index} in (1,3)"))],
            ["trainer-workers-0-1", "trainer-workers-0-3"])
    t.check("label selector `!app,!job-name`", names(api.list_namespaced_pod("train", label_selector="!app,!job-name")), ["stuck"])
    t.check("field selector `status.phase!=Running`", names(api.list_namespaced_pod("train", field_selector="status.phase!=Running")), ["stuck"])
    t.check("both", names(api.list_namespaced_pod("train", label_selector="app==ps", field_selector="metadata.name=ps-3")), ["ps-3"])
    t.check("`watch=False`, as older clients send it", watch_false(api), sorted(f"ps-{i}" for i in range(12)))
    t.check("a namespace that does not exist", names(admin().list_namespaced_pod("nowhere")), [])
    t.check("all namespaces, as admin", len(admin().list_pod_for_all_namespaces().items), 18)
    t.check("namespaces, as admin", [n.metadata.name for n in admin().list_namespace().items],
            ["default", "kube-node-lease", "kube-public", "kube-system", "tools", "train"])


def watch_false(api):
    """The answer to str(False), which newer clients no longer send: a list, not a stream that does not end."""
    to = api.api_client.configuration
    answer = api.api_client.rest_client.pool_manager.request(
        "GET", f"{to.host}/api/v1/namespaces/train/pods?watch=False&labelSelector=app%3Dps",
        headers={one["key"]: one["value"] for one in to.auth_settings().values()}, timeout=PATIENCE)
    return [item["metadata"]["name"] for item in answer.json()["items"]]


def admin():
    return client.CoreV1Api(config.new_client_from_config(context="admin"))


def one_pod(t, api):
    t.section("One pod, as the client's types show it")
    name = names(api.list_namespaced_pod("train", label_selector="job-name=trainer-workers-0"))[2]
    pod = api.read_namespaced_pod(name, "train")
    t.check("kind, name without its random end", (pod.kind, stem(pod.metadata.name)), ("Pod", "trainer-workers-0-2"))
    t.check("phase", pod.status.phase, "Running")
    t.check("pod IPs", [ip.ip for ip in pod.status.pod_ips], ["10.4.0.4", "fd00:10:4:1::4"])
    t.check("host IP", pod.status.host_ip, "10.128.0.4")
    t.check("Ready", [c.status for c in pod.status.conditions if c.type == "Ready"], ["True"])
    t.check("owner", [(o.kind, o.name) for o in pod.metadata.owner_references], [("Job", "trainer-workers-0")])
    t.check("`google.com/tpu`", pod.spec.containers[0].resources.limits["google.com/tpu"], "4")
    t.check("ports", [(p.name, p.container_port) for p in pod.spec.containers[0].ports], [("tf", 8470)])
    t.check("managers of fields", [f.manager for f in pod.metadata.managed_fields], ["kube-controller-manager", "kube-scheduler", "kubelet"])
    stuck = api.read_namespaced_pod("stuck", "train")
    t.check("a pod without a node", [(c.type, c.status, c.reason) for c in stuck.status.conditions], [("PodScheduled", "False", "Unschedulable")])
    t.check("its addresses", (stuck.status.pod_ip, stuck.status.host_ip, stuck.spec.node_name), (None, None, None))


def pages(t, api):
    t.section("Pages")
    found, sizes, remaining, token = [], [], [], None
    while True:
        page = api.list_namespaced_pod("train", limit=5, _continue=token)
        found += names(page)
        sizes.append(len(page.items))
        remaining.append(page.metadata.remaining_item_count)
        token = page.metadata._continue
        if not token:
            break
    t.check("sizes of the pages of 5", sizes, [5, 5, 5, 2])
    t.check("`remainingItemCount`", remaining, [12, 7, 2, None])
    t.check("together the whole list", found == names(api.list_namespaced_pod("train")), True)
    first = api.list_namespaced_pod("train", limit=5)
    t.check("another limit on the second page", len(api.list_namespaced_pod("train", limit=100, _continue=first.metadata._continue).items), 12)
    t.check("`resourceVersion=0` has no pages", len(api.list_namespaced_pod("train", limit=5, resource_version="0").items), 17)
    return first.metadata._continue


def refusals(t, api):
    t.section("Refusals")
    t.refused("another namespace", lambda: api.list_namespaced_pod("tools"), 403, "Forbidden", 'cannot list resource "pods" in API group "" in the namespace "tools"')
    t.refused("all namespaces", api.list_pod_for_all_namespaces, 403, "Forbidden", "at the cluster scope")
    t.refused("a pod that is not there", lambda: api.read_namespaced_pod("nobody", "train"), 404, "NotFound", 'pods "nobody" not found')
    t.refused("a label selector that is none", lambda: api.list_namespaced_pod("train", label_selector="a==="), 400, "BadRequest", "unable to parse requirement")
    t.refused("an unknown field", lambda: api.list_namespaced_pod("train", field_selector="spec.nope=1"), 400, "BadRequest", "field label not supported: spec.nope")
    t.refused("a version of the future", lambda: api.list_namespaced_pod("train", resource_version="999999"), 504, "Timeout", "Too large resource version")
    t.refused("`resourceVersionMatch` alone", lambda: api.list_namespaced_pod("train", resource_version_match="Exact"), 422, "Invalid", "forbidden unless resourceVersion is provided")
    t.refused("creating a pod, as admin", lambda: admin().create_namespaced_pod("train", {"metadata": {"name": "x"}}), 405, "MethodNotAllowed", "does not allow this method")
    wrong = client.Configuration(host=api.api_client.configuration.host, api_key={"authorization": "Bearer wrong"})
    wrong.ssl_ca_cert = api.api_client.configuration.ssl_ca_cert
    t.refused("a wrong token", lambda: client.CoreV1Api(client.ApiClient(wrong)).list_namespaced_pod("train"), 401, "Unauthorized", "Unauthorized")
    anonymous = client.Configuration(host=api.api_client.configuration.host)
    anonymous.ssl_ca_cert = api.api_client.configuration.ssl_ca_cert
    t.refused("no token", lambda: client.CoreV1Api(client.ApiClient(anonymous)).list_namespaced_pod("train"), 403, "Forbidden", "system:anonymous")


def watches(t, api):
    t.section("Watch, while a pod starts, fails and is deleted")
    version = api.list_namespaced_pod("train").metadata.resource_version
    seen = []
    watcher = watch.Watch()
    for event in watcher.stream(api.list_namespaced_pod, "train", resource_version=version, timeout_seconds=90, label_selector="app=late"):
        pod = event["object"]
        ready = [c.status for c in pod.status.conditions or [] if c.type == "Ready"]
        seen.append((event["type"], pod.status.phase, ready, pod.metadata.deletion_timestamp is not None))
        if event["type"] == "DELETED":
            watcher.stop()
    t.check("events: type, phase, Ready, being deleted", seen, [
        ("ADDED", "Pending", [], False), ("MODIFIED", "Pending", ["False"], False), ("MODIFIED", "Running", ["False"], False), ("MODIFIED", "Running", ["True"], False),
        ("MODIFIED", "Failed", ["False"], False), ("MODIFIED", "Failed", ["False"], True), ("MODIFIED", "Failed", ["False"], True), ("DELETED", "Failed", ["False"], True)])
    t.check("the version that the client would go on from", watcher.resource_version, str(int(version) + len(seen)))
    present = [event["object"].metadata.name for event in watch.Watch().stream(api.list_namespaced_pod, "train", label_selector="app=ps", timeout_seconds=1)]
    t.check("a watch without a version begins with what is there, by name", present, sorted(f"ps-{i}" for i in range(12)))
    try:
        for _ in watch.Watch().stream(api.list_namespaced_pod, "train", resource_version="1001", timeout_seconds=5):
            pass
        gone = "no error"
    except client.exceptions.ApiException as error:
        gone = f"{error.status} {error.reason}"
    t.check("a version that is too old", re.sub(r"\d{4}", "N", gone), "410 Expired: too old resource version: N (N)")


def main():
    t = Transcript()
    try:
        config.load_kube_config()
        api = client.CoreV1Api()
        t.section("The cluster")
        t.check("version", client.VersionApi().get_code().git_version, "v1.37.0")
        t.check("resources", [r.name for r in api.get_api_resources().resources], ["namespaces", "pods"])
        lists(t, api)
        one_pod(t, api)
        token = pages(t, api)
        watches(t, api)
        refusals(t, api)
        t.section("A token whose version is gone")
        t.refused("the first list's second page", lambda: api.list_namespaced_pod("train", limit=5, _continue=token), 410, "Expired", "The provided continue parameter is too old")
    finally:
        SIM.terminate()
        counts = SIM.communicate(timeout=PATIENCE)[1]
    t.lines += ["", "## Requests by route", "", "```", *sorted(line[9:] for line in counts.splitlines() if "." in line), "```"]
    with open(sys.argv[1], "w") as file:
        file.write("\n".join(t.lines) + "\n")
    print("\n".join(t.lines))
    sys.exit(1 if t.wrong else 0)


if __name__ == "__main__":
    main()
