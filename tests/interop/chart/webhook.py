"""The webhook of the chart on a real API server: asked, and not reached."""
import json
import os
import re
import signal
import time

import yaml

from helm import CHART, IMAGE, SPACE, helm, kubectl, rendered
from pods import certificate, restrictions, until
from recipe import USER_OF_IMAGE
from table import check, section

CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
LOW_PORT_CAPABILITY = 1 << 10  # CAP_NET_BIND_SERVICE
METRICS = r'apiserver_admission_(webhook_request_total|match_condition_exclusions_total)\{[^}]*name="wait\.rollcall\.dev"[^}]*\} (\d+)'


def pod(name, annotations=None, init=None):
    spec = {"serviceAccountName": "trainer", "containers": [{"name": "main", "image": "registry.example/trainer:v9"}], **({"initContainers": init} if init else {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "train", "annotations": annotations or {}}, "spec": spec}


def create(cluster, thing):
    """The status, and the pod or the message."""
    status, body = cluster.raw("POST", f"/api/v1/namespaces/{thing['metadata']['namespace']}/pods", thing)
    return status, json.loads(body)


def asked(cluster):
    """How often the API server has asked the webhook, and how often it has not because of its condition."""
    counts = {"webhook_request_total": 0, "match_condition_exclusions_total": 0}
    for name, count in re.findall(METRICS, cluster.raw("GET", "/metrics", accept="text/plain")[1].decode()):
        counts[name] += int(count)
    return list(counts.values())


def arguments_of(text):
    (deployment,) = (one for one in yaml.safe_load_all(text) if one and one["kind"] == "Deployment" and one["metadata"]["name"] == "rollcall-webhook")
    return deployment["spec"]["template"]["spec"]["containers"][0]["args"]


def init_of(answer):
    return [one["name"] for one in answer[1]["spec"].get("initContainers", [])] if answer[0] == 201 else answer


def look_at_webhook(cluster, pods, containers, folder):
    section("The webhook")
    certificate(folder, "webhook", [f"DNS:rollcall-webhook.{SPACE}.svc"])
    certificate(folder, "other", ["DNS:other"], authority="other-ca")
    values = ["--set", "webhook.enabled=true", "--set-file", f"webhook.tls.authority={folder}/ca.crt"]
    text = {policy: rendered(*values, "--set", f"webhook.failurePolicy={policy}", "--set", f"webhook.badAnnotation={bad}")
            for policy, bad in (("Ignore", "warn"), ("Fail", "refuse"))}
    files = {}
    for end in ("crt", "key"):
        with open(os.path.join(folder, f"webhook.{end}"), encoding="ascii") as file:
            files[f"/etc/rollcall/tls/tls.{end}"] = file.read()

    def upgrade(*more):
        ran = helm("upgrade", "--install", "rollcall", CHART, "--namespace", SPACE, *IMAGE, *values, *more, kubeconfig=cluster.kubeconfig)
        check(f"`helm upgrade --install … {' '.join(more[1::2]).replace(folder + '/', '')}`: exit code", [ran.returncode, ran.stderr], [0, ""])

    def serve(policy):
        words = [f"--listen={address}:443" if word == "--listen=:8443" else word for word in arguments_of(text[policy])]
        return pods.start("webhook", files, words, SPACE, "", needs_low_port=True)[0]
    upgrade("--set", "webhook.enabled=true", "--set", "webhook.failurePolicy=Fail")
    (hook,) = cluster.get(f"{CONFIGURATIONS}/rollcall-webhook-{SPACE}")["webhooks"]
    check("the API server asks its Service about annotated pods alone", [hook["clientConfig"]["service"], [one["name"] for one in hook["matchConditions"]]],
          [{"name": "rollcall-webhook", "namespace": SPACE, "path": "/wait", "port": 443}, ["has-annotation"]])
    address = cluster.get(f"/api/v1/namespaces/{SPACE}/services/rollcall-webhook")["spec"]["clusterIP"]
    (old,) = (one for one in yaml.safe_load_all(rendered(*values, kubernetes=["--kube-version", "1.27.16"])) if one and "webhooks" in one)
    check("rendered for Kubernetes 1.27, which has no such conditions", "matchConditions" in old["webhooks"][0], False)
    process = serve("Fail")
    check("its user, capabilities but for the port, no_new_privs, root", restrictions(process), ["65532", LOW_PORT_CAPABILITY, "1", "ro"])
    wait = {"rollcall.dev/wait": "kubernetes:./job/trainer,address=pod"}
    # The API server takes a new configuration within a second or so.
    number = iter(range(1000))
    got = until(lambda: (lambda answer: answer if init_of(answer) == ["rollcall-wait"] else None)(create(cluster, pod(f"first-{next(number)}", wait))), 15)
    check("a pod with the annotation has the init container", bool(got), True)
    first = got[1]["spec"]["initContainers"][0] if got else {}
    check("its arguments", first.get("args"), ["wait", "kubernetes:./job/trainer,address=pod", "--until", "endpoints"])
    check("its image", first.get("image"), "registry.example/rollcall:latest")
    check("it has the token of the pod's account", [one["mountPath"] for one in first.get("volumeMounts", [])], ["/var/run/secrets/kubernetes.io/serviceaccount"])
    ran = containers.run(containers.image, [containers.account(got[1])], ["/usr/bin/rollcall", *first["args"]], got[1], USER_OF_IMAGE)
    check("these words, with the pod's account and by the image's user: exit code", [ran.returncode, "4/4 ready" in ran.stdout + ran.stderr], [0, True])
    name = got[1]["metadata"]["name"] if got else ""
    state = until(lambda: (cluster.get(f"/api/v1/namespaces/train/pods/{name}")["status"].get("initContainerStatuses") or [{}])[0].get("state", {}).get("running"))
    started = cluster.get(f"/api/v1/namespaces/train/pods/{name}")["status"]["containerStatuses"][0]["state"]
    check("while it waits the pod's own container does not run", [bool(state), "waiting" in started], [True, True])
    before = asked(cluster)
    check("a pod without the annotation stays as it is", init_of(create(cluster, pod("plain"))), [])
    check("the API server has not asked about it: requests and exclusions more", [now - then for then, now in zip(before, asked(cluster))], [0, 1])
    other = [{"name": "other", "image": "registry.example/other:v1"}]
    check("in front of other init containers", init_of(create(cluster, pod("other", wait, other))), ["rollcall-wait", "other"])
    again = [{"name": "rollcall-wait", "image": "registry.example/other:v1"}, *other]
    check("a pod that has it already stays as it is", init_of(create(cluster, pod("again", wait, again))), ["rollcall-wait", "other"])
    more = {**wait, "rollcall.dev/wait-until": "state,health,endpoints", "rollcall.dev/wait-members": "2", "rollcall.dev/wait-timeout": "1h"}
    check("the other annotations", create(cluster, pod("more", more))[1]["spec"]["initContainers"][0]["args"][2:],
          ["--until", "state,health,endpoints", "--members", "2", "--timeout", "1h"])
    status, said = create(cluster, pod("wrong", {"rollcall.dev/wait": "kubernete:./job/trainer"}))
    check("a wrong annotation is refused by name", [status, said["message"]], lambda seen: seen[0] == 400 and "annotation rollcall.dev/wait is wrong" in seen[1])
    clash, windows, on_windows = (pod(name, wait) for name in ("clash", "windows", "on-windows"))
    clash["spec"]["containers"][0]["name"] = "rollcall-wait"
    windows["spec"]["os"] = {"name": "windows"}
    on_windows["spec"]["nodeSelector"] = {"kubernetes.io/os": "windows"}
    for thing, cause in ((clash, "is called rollcall-wait"), (windows, "is for Windows"), (on_windows, "is for Windows")):
        status, said = create(cluster, thing)
        check(f"a pod that cannot have it, {thing['metadata']['name']}, is refused", [status, said.get("message")], lambda seen: seen[0] == 400 and cause in seen[1])  # noqa: B023
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "strict", "labels": labels}})
    strict = pod("strict", wait)
    strict["metadata"]["namespace"] = "strict"
    del strict["spec"]["serviceAccountName"]
    strict["spec"]["containers"][0]["securityContext"] = {"allowPrivilegeEscalation": False, "runAsNonRoot": True, "capabilities": {"drop": ["ALL"]}, "seccompProfile": {"type": "RuntimeDefault"}}
    until(lambda: cluster.raw("GET", "/api/v1/namespaces/strict/serviceaccounts/default")[0] == 200)
    check("a namespace with the strictest PodSecurity takes it", init_of(create(cluster, strict)), ["rollcall-wait"])
    resources = {"limits": {"cpu": "4", "memory": "8Gi"}, "requests": {"cpu": "4", "memory": "8Gi"}}
    exact = pod("exact", wait)
    exact["spec"]["containers"][0]["resources"] = resources
    check("a pod of the class Guaranteed stays one", create(cluster, exact)[1].get("status", {}).get("qosClass"), "Guaranteed")
    check("SIGTERM ends it: exit code", pods.end(process), 0)
    section("While the webhook does not answer")
    status, said = create(cluster, pod("closed", wait))
    check("`failurePolicy: Fail`: a pod that asks for a wait", [status, said.get("message")], lambda seen: seen[0] == 500 and "wait.rollcall.dev" in seen[1])
    check("`failurePolicy: Fail`: a pod without the annotation", init_of(create(cluster, pod("plain-closed"))), [])
    own = pod("own", wait)
    own["metadata"]["namespace"] = SPACE
    del own["spec"]["serviceAccountName"]
    check("`failurePolicy: Fail`: a pod of the release's own namespace, such as the webhook's", init_of(create(cluster, own)), [])
    upgrade("--set", "webhook.failurePolicy=Fail", "--set", "webhook.namespaces={train}")
    strict["metadata"]["name"] = "elsewhere"
    elsewhere = until(lambda: (lambda answer: answer if answer[0] == 201 else None)(create(cluster, strict)), 15)
    check("`Fail`, `webhook.namespaces={train}`: a pod of another namespace that asks for a wait", init_of(elsewhere) if elsewhere else None, [])
    check("and one of train", create(cluster, pod("of-train", wait))[0], 500)
    upgrade("--set", "webhook.failurePolicy=Ignore", "--set", "webhook.badAnnotation=warn")
    opened = until(lambda: (lambda answer: answer if answer[0] == 201 else None)(create(cluster, pod(f"open-{next(number)}", wait))), 15)
    check("`failurePolicy: Ignore`: a pod that asks for a wait is made without", init_of(opened) if opened else None, [])
    process = serve("Ignore")
    check("it answers again", bool(until(lambda: init_of(create(cluster, pod(f"back-{next(number)}", wait))) == ["rollcall-wait"], 30)), True)
    made = kubectl(cluster, "create", "-f", "-", text=json.dumps(pod("warned", {"rollcall.dev/wait": "kubernete:./job/trainer"})))
    check("`badAnnotation: warn`: a pod with a wrong annotation is made, and kubectl shows", [made.returncode, made.stderr.strip()],
          lambda seen: seen[0] == 0 and "Warning: rollcall: the annotation rollcall.dev/wait is wrong" in seen[1])
    check("it has no init container", cluster.get("/api/v1/namespaces/train/pods/warned")["spec"].get("initContainers", []), [])
    for thing in (clash, windows, on_windows):
        check(f"the pod {thing['metadata']['name']} is made without", init_of(create(cluster, thing)), [])
    os.kill(process.pid, signal.SIGSTOP)
    begun = time.monotonic()
    answer = create(cluster, pod("slow", wait))
    took = time.monotonic() - begun
    os.kill(process.pid, signal.SIGCONT)
    check("`Ignore`, and it is stopped (SIGSTOP): the pod is made without, after the seconds of its timeout", [init_of(answer), round(took)], lambda seen: seen[0] == [] and 9 <= took < 15)
    upgrade("--set", "webhook.failurePolicy=Fail", "--set-file", f"webhook.tls.authority={folder}/other-ca.crt")
    refused = until(lambda: (lambda answer: answer if answer[0] == 500 else None)(create(cluster, pod(f"wrong-{next(number)}", wait))), 15)
    check("`Fail`, and another authority has signed its certificate", [refused[0], refused[1]["message"]] if refused else None,
          lambda seen: seen and "certificate signed by unknown authority" in seen[1])
    check("SIGTERM ends it: exit code", pods.end(process), 0)
    ran = helm("uninstall", "rollcall", "--namespace", SPACE, kubeconfig=cluster.kubeconfig)
    check("`helm uninstall`: exit code", [ran.returncode, ran.stderr], [0, ""])
    after = until(lambda: (lambda answer: answer if answer[0] == 201 else None)(create(cluster, pod(f"after-{next(number)}", wait))), 15)
    check("then a pod with the annotation is made, without a wait", init_of(after) if after else None, [])
