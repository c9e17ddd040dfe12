"""compare.py CLIENT_GO ROLLCALL TRANSCRIPT CLIENT_GO_VERSION: generated kubeconfigs, merged by client-go and by the library; both must choose the
same server, user, namespace and settings, and run the same exec plugin with the same words, variables and KUBERNETES_EXEC_INFO."""
import json
import os
import random
import subprocess
import sys
import tempfile

CLIENT_GO, ROLLCALL = map(os.path.abspath, sys.argv[1:3])
TRANSCRIPT, VERSION = sys.argv[3:5]
CASES = 100
RANDOM = random.Random(20261123)
NAMES = ["alpha", "beta", "gamma"]
CERTIFICATE, KEY = "Q0VSVA==", "S0VZ"  # not used: no server is asked

PLUGIN = """#!/bin/sh
printf '%s\\n' "$0" "$@" "A=$PLUGIN_A" "B=$PLUGIN_B" "$KUBERNETES_EXEC_INFO" >> "$PLUGIN_RECORD"
printf '{"kind":"ExecCredential","apiVersion":"%s","status":{"token":"made-by-%s"}}' "$PLUGIN_VERSION" "$1"
"""


def some(value, likelihood=0.5):
    return value if RANDOM.random() < likelihood else None


def without_none(entry):
    return {key: value for key, value in entry.items() if value is not None}


def cluster():
    is_insecure = RANDOM.random() < 0.2
    extension = {"audience": "a", "nested": {"list": [1, True, "yes", None], "b": 1.5}}
    return without_none({
        "server": RANDOM.choice(["https://203.0.113.%d" % RANDOM.randrange(256), "https://api.example:6443", "https://[fd00::1]:6443", "https://host/prefix"]),
        "certificate-authority-data": None if is_insecure else some("RVhBTVBMRS1DQQ=="),
        "certificate-authority": None if is_insecure else some("pki/ca.crt", 0.3),
        "insecure-skip-tls-verify": True if is_insecure else None,
        "tls-server-name": some("kubernetes.default.svc", 0.3),
        "proxy-url": some("http://proxy.example:3128", 0.2),
        "disable-compression": some(True, 0.1),
        "extensions": some([{"name": "other", "extension": 1}, {"name": "client.authentication.k8s.io/exec", "extension": extension}], 0.4),
    })


def exec_plugin(number):
    version = RANDOM.choice(["v1", "v1beta1"])
    full = "client.authentication.k8s.io/" + version
    return without_none({
        "apiVersion": full,
        "command": RANDOM.choice(["./plugin", "bin/../plugin", "rollcall-test-plugin"]),
        "args": ["p%d" % number, "--flag=a b", "", "$HOME"],
        "env": [{"name": "PLUGIN_VERSION", "value": full}, {"name": "PLUGIN_A", "value": RANDOM.choice(["x", "y z", ""])},
                {"name": "PLUGIN_B", "value": "first"}, {"name": "PLUGIN_B", "value": "second"}],
        "interactiveMode": RANDOM.choice(["Never", "IfAvailable"]) if version == "v1" else some("IfAvailable"),
        "provideClusterInfo": some(True),
        "installHint": some("get it"),
    })


def user(number):
    kind = RANDOM.choice(["token", "tokenFile", "both", "certificate", "exec", "exec", "exec", "exec", "exec", "exec", "token and exec", "certificate and exec", "nothing"])
    entry = {}
    if kind in ("token", "both", "token and exec"):
        entry["token"] = "token-%d" % number
    if kind in ("tokenFile", "both"):
        entry["tokenFile"] = "secrets/token"
    if "certificate" in kind:
        entry |= {"client-certificate-data": CERTIFICATE, "client-key-data": KEY}
    if "exec" in kind:
        entry["exec"] = exec_plugin(number)
    if RANDOM.random() < 0.3:
        entry |= without_none({"as": RANDOM.choice(["boss", "system:serviceaccount:a:b"]), "as-uid": some("7"), "as-groups": some(["a", "b c"]),
                               "as-user-extra": some({"reason": ["x", "y"], "scopes.example/%d%%é" % number: ["z"]})})
    return entry


def kubeconfig():
    named = lambda make, key: [{"name": name, key: make(i)} for i, name in enumerate(RANDOM.sample(NAMES, RANDOM.randrange(2, 4)))]
    return without_none({
        "apiVersion": "v1", "kind": "Config", "preferences": some({}),
        "current-context": some(RANDOM.choice(NAMES), 0.8),
        "clusters": named(lambda i: cluster(), "cluster"),
        "users": named(lambda i: user(RANDOM.randrange(1000)), "user"),
        "contexts": named(lambda i: without_none({"cluster": RANDOM.choice(NAMES), "user": some(RANDOM.choice(NAMES), 0.9),
                                                  "namespace": some(RANDOM.choice(["train", "default"]))}), "context"),
    })


def run(program, case, context):
    record = os.path.join(case, "record")
    environment = {**os.environ, "KUBECONFIG": os.pathsep.join(os.path.join(case, str(i), "config") for i in range(4)), "PLUGIN_RECORD": record,
                   "HOME": case, "PATH": os.path.join(case, "path") + os.pathsep + os.environ["PATH"]}
    done = subprocess.run([program, *([context] if context else [])], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=case)
    if done.returncode != 0:
        sys.exit(f"{program} failed: {done.stderr}")
    found = json.loads(done.stdout)
    calls = []
    if os.path.exists(record):
        with open(record, encoding="utf-8") as file:
            *words, info = file.read().rstrip().splitlines()  # Go ends its JSON with a line end
        calls = [os.path.normpath(words[0]), *words[1:], json.loads(info)]  # Go cleans the path
        os.unlink(record)
    return found, calls


def put(path, text, mode=0o600):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def main():
    differences, plugins, refused, chosen, given_twice, without_user = [], 0, 0, 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(CASES):
            case = os.path.join(folder, str(number))
            for i in range(RANDOM.randrange(1, 4)):
                place = os.path.join(case, str(i))
                put(os.path.join(place, "config"), json.dumps(kubeconfig(), indent=1))
                put(os.path.join(place, "pki", "ca.crt"), "CA OF FILE")
                put(os.path.join(place, "secrets", "token"), "file-token")
                put(os.path.join(place, "plugin"), PLUGIN, 0o700)
                os.makedirs(os.path.join(place, "bin"), exist_ok=True)
            put(os.path.join(case, "path", "rollcall-test-plugin"), PLUGIN, 0o700)
            context = some(RANDOM.choice(NAMES))
            theirs, their_calls = run(CLIENT_GO, case, context)
            ours, our_calls = run(ROLLCALL, case, context)
            plugins += bool(their_calls)
            both_refuse = "error" in theirs and "error" in ours
            refused += both_refuse
            chosen += "error" not in theirs and "error" not in ours
            if "are both specified for" in theirs.get("error", "") and "error" not in ours:
                given_twice += 1
            elif "the kubeconfig has no user" in ours.get("error", "") and not {"error", "token", "certificate"} & set(theirs):
                without_user += 1
            elif (theirs != ours and not both_refuse) or their_calls != our_calls:
                differences.append((number, theirs, ours, their_calls, our_calls))
    lines = ["# Kubeconfigs: client-go and the library", "", "Written by `tests/interop/kubeconfigs/run`; see `README.md` beside it.", "",
             "| | |", "| --- | --- |", f"| client-go | {VERSION} |", f"| generated merges of one to three files | {CASES} |",
             f"| both choose a server, a user and a namespace | {chosen} |", f"| both refuse | {refused} |",
             f"| an exec plugin ran: words, variables and `KUBERNETES_EXEC_INFO` compared | {plugins} |",
             f"| an authority given twice: client-go refuses, the library takes the data | {given_twice} |",
             f"| a user that is in no file: client-go goes on without a user, the library refuses | {without_user} |",
             f"| other differences | {len(differences)} |", ""]
    for number, theirs, ours, their_calls, our_calls in differences:
        lines += [f"- case {number}:", f"  - client-go: `{json.dumps(theirs)}` {their_calls}", f"  - the library: `{json.dumps(ours)}` {our_calls}"]
    text = "\n".join(lines)
    print(text)
    if TRANSCRIPT:
        put(TRANSCRIPT, text.rstrip() + "\n", 0o644)
    sys.exit(1 if differences else 0)


main()
