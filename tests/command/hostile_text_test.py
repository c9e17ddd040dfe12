"""Text of services never reaches a terminal, a command or a variable unescaped: every command on a terminal, against a hostile server."""
import http.server
import threading
from urllib.parse import unquote, urlsplit

from support import *

HOSTILE = [
    "\x1b]0;PWNED\x07\x1b[31m10.0.0.1\r\nworker 9 6.6.6.6:1",
    "10.0.0.1\u009b31m",
    "\u202e1.0.0.01",
    "10.0.0.1,6.6.6.6",
    "evil.example,10.9.9.9",
    "-oProxyCommand=touch x",
    "10.0.0.1\u2028\u2066\u200f\u061c\ufeff",
    "10.0.0.1\x7f\t\x00",
]
NASTY = "\x1b[31mX\r\nworker 9 6.6.6.6:1\u009b\u202e\x07"
OURS = re.compile(r"\x1b\[(?:[012]|3[23]|1;31)m|\r\x1b\[K|\x1b\[\d+A\r\x1b\[J")
OBEYED = re.compile("[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
NODES = "/v2/projects/p/locations/z/nodes"
POD_WATCH = "--watch--"


def node(endpoints, **more):
    return {"name": "projects/p/locations/z/nodes/t", "state": "READY", "health": "HEALTHY", "acceleratorType": "v4-32",
            "networkEndpoints": [{"ipAddress": address, "port": 8470} for address in endpoints], **more}


def nasty_node(endpoints, state="READY"):
    return node(endpoints, name="projects/p/locations/z/nodes/" + NASTY, id=NASTY, state=state, health="UNHEALTHY" + NASTY, healthDescription=NASTY,
                queuedResource=NASTY, runtimeVersion=NASTY, symptoms=[{"symptomType": NASTY, "details": NASTY}])


def pod(number, address, **more):
    return {"metadata": {"name": f"w-{number}", "namespace": "train", "uid": f"u{number}", "labels": {"job-name": "j"}},
            "status": {"phase": "Running", "hostIP": address, "podIP": address,
                       "conditions": [{"type": "Ready", "status": "True"}], **more}}


def nasty_pod(number, address, phase):
    made = pod(number, address, phase=phase, reason=NASTY, conditions=[
        {"type": "PodScheduled", "status": "False", "reason": NASTY, "message": NASTY}],
        containerStatuses=[{"state": {"waiting": {"reason": NASTY}}}])
    made["metadata"].update(name=f"w-{number}" + NASTY, uid=NASTY, resourceVersion=NASTY,
                            labels={"job-name": "j" + NASTY, "batch.kubernetes.io/job-completion-index": NASTY})
    return made


class Liar(http.server.BaseHTTPRequestHandler):
    """Answers from `server.answers`: path without query -> the JSON value, or (status, bytes, headers)."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = unquote(urlsplit(self.path).path)
        answer = self.server.answers.get(path, (404, json.dumps({"error": {"code": 404, "message": NASTY, "status": NASTY}}).encode(), {}))
        if "watch=1" in self.path:
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for event in self.server.answers.get(POD_WATCH, []):
                line = json.dumps(event).encode() + b"\n"
                self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
            self.server.over.wait()
            return
        status, body, headers = answer if isinstance(answer, tuple) else (200, json.dumps(answer).encode(), {})
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class AgainstALiar(Command):
    def setUp(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Liar)
        self.server.answers, self.server.over = {}, threading.Event()
        thread = threading.Thread(target=self.server.serve_forever)
        thread.start()
        for step in (self.server.server_close, thread.join, self.server.shutdown, self.server.over.set):
            self.addCleanup(step)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.kubeconfig = os.path.join(folder.name, "config")
        with open(self.kubeconfig, "w", encoding="utf-8") as file:
            json.dump({"clusters": [{"name": "c", "cluster": {"server": self.root()}}], "users": [{"name": "u", "user": {"token": "kubernetes-token"}}],
                       "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u", "namespace": "train"}}],
                       "current-context": "x"}, file)

    def root(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    def environment(self, **variables):
        return super().environment(**{
            "CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU": self.root() + "/", "CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE": self.root() + "/compute/v1/",
            "GCE_METADATA_HOST": f"127.0.0.1:{self.server.server_port}", "KUBECONFIG": self.kubeconfig,
            "ROLLCALL_ACCESS_TOKEN": "an-access-token", "NO_GCE_CHECK": "true", **variables})

    def assert_harmless(self, shown, words):
        rest = OURS.sub("", shown)
        self.assertIsNone(OBEYED.search(rest), f"{words}: {shown!r}")
        self.assertNotRegex(rest, r"(?m)^worker 9 ", f"{words}: {shown!r}")
        self.assertNotIn("\r", rest.replace("\r\n", "").replace("\r\x1b", ""), f"{words}: {shown!r}")

    def on_terminals(self, target, *more, wanted="", watches=True):
        """Runs every command that prints `target` or (`watches`) follows it, in every form; returns all output."""
        brief = ["--timeout", "300ms", "--retries", "0"]
        everything = ""
        for words in [["spec", target, *brief], ["spec", target, *brief, "--format", "json", "--partial"], ["spec", target, *brief, "--verbose"],
                      ["spec", target, *brief, "--log", "json"], ["wait", target, *brief], ["wait", target, *brief, "--progress", "lines"],
                      ["wait", target, *brief, "--progress", "json"], ["wait", target, *brief, "--verbose", "--until", "endpoints"],
                      ["wait", target, *brief, "--until", "health", "--format", "json"],
                      ["exec", target, *brief, "--until", "health", "--", "sh", "-c", 'echo "$ROLLCALL_ADDRESSES $ROLLCALL_JOB_NAME"'],
                      ["devices", target, *brief], ["devices", target, *brief, "--format", "json", "--partial"], *more]:
            shown = self.on_terminal(*words)[1]
            self.assert_harmless(shown, words)
            everything += shown
        for words in [["watch", target, "--retries", "0"], ["watch", target, "--retries", "0", "--format", "json"],
                      ["watch", target, "--retries", "0", "--exec", 'printf "<%s|%s|%s|%s>\\n" "$ROLLCALL_TEXT" "$ROLLCALL_JOB" "$ROLLCALL_ADDRESS" "$ROLLCALL_MEMBER"']]:
            if not watches:
                break
            shown = self.on_terminal(*words, keys=[(b"(?s)(member_joined|trouble|cluster_).*\n", CTRL_C)])[1]
            self.assert_harmless(shown, words)
            everything += shown
        self.assertIn(wanted, everything)
        return everything


class Tpus(AgainstALiar):
    def test_addresses(self):
        self.server.answers[NODES + "/t"] = node(["10.0.0.1", *HOSTILE[:3]])
        self.on_terminals("tpu:t,project=p,zone=z", ["topology", "tpu:t,project=p,zone=z", "--timeout", "1s"], wanted="not an address")
        for address in HOSTILE:
            self.server.answers[NODES + "/t"] = node(["10.0.0.1", address, "10.0.0.3", "10.0.0.4"])
            done = self.run_it("spec", "tpu:t,project=p,zone=z")
            self.assertEqual((done.returncode, done.stdout), (1, ""), address)
            self.assertIn("networkEndpoints[1].ipAddress is '", done.stderr)
            done = self.run_it("wait", "tpu:t,project=p,zone=z", "--timeout", "500ms")
            self.assertEqual((done.returncode, done.stdout), (3, ""), address)
            self.assertRegex(done.stderr, r"3/4 ready · waiting for worker 1 \(t\): networkEndpoints\[1\].ipAddress is '.*', not an address")

    def test_a_program_is_reported_of_addresses_only(self):
        for address in HOSTILE:
            self.server.answers[NODES + "/t"] = node(["10.0.0.1", address, "10.0.0.3", "10.0.0.4"])
            tell = ["--", "sh", "-c", 'echo "$ROLLCALL_NUM_TASKS $ROLLCALL_ADDRESSES $ROLLCALL_CLUSTER"']
            done = self.run_it("exec", "tpu:t,project=p,zone=z", "--until", "health", "--progress", "none", *tell)
            self.assertEqual((done.returncode, done.stdout), (
                0, '3 10.0.0.1:8470,10.0.0.3:8470,10.0.0.4:8470 {"worker":{"0":"10.0.0.1:8470","2":"10.0.0.3:8470","3":"10.0.0.4:8470"}}\n'))
            done = self.run_it("exec", "tpu:t,project=p,zone=z", "--timeout", "300ms", "--progress", "none", *tell)
            self.assertEqual((done.returncode, done.stdout), (113, ""))

    def test_states_and_names(self):
        for state in ("READY", "CREATING" + NASTY, NASTY):
            self.server.answers[NODES + "/t"] = nasty_node(["10.0.0.1", NASTY], state)
            self.on_terminals("tpu:t,project=p,zone=z", ["topology", "tpu:t,project=p,zone=z", "--timeout", "1s"])

    def test_errors(self):
        for body in (json.dumps({"error": {"code": 403, "message": NASTY, "status": NASTY, "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo",
                     "reason": NASTY, "metadata": {"service": NASTY}}]}}), "<html>" + NASTY, NASTY, ""):
            self.server.answers[NODES + "/t"] = (403, body.encode(), {})
            self.on_terminals("tpu:t,project=p,zone=z")

    def test_queued_resources(self):
        name = "projects/p/locations/z/queuedResources/q"
        for state in ("FAILED", NASTY, "ACTIVE"):
            self.server.answers["/v2/" + name] = {
                "name": name + NASTY, "tpu": {"nodeSpec": [{"parent": NASTY, "nodeId": "t", "node": {"acceleratorType": NASTY}}]}, "reservationName": NASTY,
                "state": {"state": state, "stateInitiator": NASTY, "failedData": {"error": {"code": 8, "message": NASTY, "details": [{"reason": NASTY}]}}}}
            self.on_terminals("tpu:qr/q,project=p,zone=z", watches=state != "FAILED")  # which does not change any more


class Pods(AgainstALiar):
    target = "kubernetes:train,job.worker=app=w"

    def serve(self, *pods):
        self.server.answers["/api/v1/namespaces/train/pods"] = {"kind": "PodList", "metadata": {"resourceVersion": "1"}, "items": list(pods)}
        self.server.answers["/api/v1/pods"] = self.server.answers["/api/v1/namespaces/train/pods"]

    def test_addresses(self):
        for address in HOSTILE:
            self.serve(pod(0, "10.0.0.1"), pod(1, address), pod(2, "10.0.0.3"))
            done = self.run_it("spec", self.target)
            self.assertEqual((done.returncode, done.stdout), (1, ""), address)
            self.assertIn("pod 'train/w-1' has '", done.stderr)
            done = self.run_it("exec", self.target, "--until", "health", "--progress", "none", "--", "sh", "-c", 'echo "$ROLLCALL_NUM_TASKS $ROLLCALL_ADDRESSES"')
            self.assertEqual((done.returncode, done.stdout), (0, "2 10.0.0.1:8470,10.0.0.3:8470\n"))
        self.serve(*[pod(i, address) for i, address in enumerate(HOSTILE)])
        self.on_terminals(self.target, wanted="for an address, which is none")

    def test_an_address_that_becomes_another_one(self):
        self.serve(pod(0, "10.0.0.1"))
        self.server.answers[POD_WATCH] = [{"type": "MODIFIED", "object": pod(0, HOSTILE[0])}]
        process = self.start("watch", self.target, "--exec", 'printf "<%s|%s>\\n" "$ROLLCALL_TEXT" "$ROLLCALL_ADDRESS" >&2')
        lines = lines_until(process.stderr, "which is none")
        out, _ = self.interrupt(process)
        self.assertRegex(lines[-1], r"^<worker 0 \(train/w-0\): address 10\.0\.0\.1:8470 -> none, .*\|>$")
        self.assert_harmless(out + "".join(lines), "watch")

    def test_states_and_names(self):
        for phase in ("Running", "Pending", "Failed", NASTY):
            self.serve(nasty_pod(0, "10.0.0.1", phase), nasty_pod(1, HOSTILE[0], phase))
            self.on_terminals(self.target)

    def test_discover(self):
        self.serve(*[nasty_pod(i, address, "Running") for i, address in enumerate(HOSTILE)], pod(9, HOSTILE[0]))
        self.server.answers[NODES] = {"nodes": [nasty_node(HOSTILE)], "unreachable": [NASTY], "nextPageToken": ""}
        self.server.answers["/v2/projects/p/locations/z/queuedResources"] = {
            "queuedResources": [{"name": NASTY, "state": {"state": NASTY}, "tpu": {"nodeSpec": [{"node": {"acceleratorType": NASTY}}]}}], "unreachable": [NASTY]}
        self.server.answers["/compute/v1/projects/p/zones/z/instanceGroups"] = {
            "items": [{"name": NASTY, "zone": NASTY, "size": 1, "namedPorts": [{"name": NASTY, "port": 1}]}], "warning": {"code": NASTY, "message": NASTY}}
        for words in ([], ["--format", "json"], ["--verbose"], ["--columns", "name,namespace,state,health,type,addresses,queued_resource,target", "--sort", "name"]):
            words = ["discover", "--project", "p", "--zone", "z", "--namespace", "train", "--retries", "0", "--timeout", "5s", *words]
            shown = self.on_terminal(*words)[1]
            self.assert_harmless(shown, words)
            self.assertIn("not an address", shown)


class Instances(AgainstALiar):
    def test_addresses_and_names(self):
        group = "/compute/v1/projects/p/zones/z/instanceGroups/g"
        for address in HOSTILE:
            instance = {"name": "i", "zone": NASTY, "status": NASTY, "networkInterfaces": [{"name": NASTY, "networkIP": address, "ipv6Address": address}]}
            self.server.answers.update({
                group: {"name": "g", "zone": NASTY, "size": 1}, group + "/listInstances": {"items": []},
                "/compute/v1/projects/p/zones/z/instances/i": instance, "/compute/v1/projects/p/zones/z/instances": {"items": [instance]}})
            shown = self.on_terminal("spec", "gce:g,project=p,zone=z,port=1", "--retries", "0")[1]
            self.assert_harmless(shown, address)


class Others(AgainstALiar):
    def test_what_users_give_is_shown_safely(self):
        cluster = json.dumps({"cluster": {"wor" + NASTY: [NASTY, "a:1"]}, "task": {"type": NASTY, "index": 0}, "rpc_layer": NASTY})
        for words in [["spec", "tfconfig:"], ["spec", "tfconfig:", "--format", "json"], ["wait", "tfconfig:", "--timeout", "1s"],
                      ["wait", "tfconfig:", "--timeout", "500ms", "--until", "reachable"], ["devices", "tfconfig:", "--timeout", "1s"],
                      ["exec", "tfconfig:", "--", "env"], ["spec", "auto:", "--timeout", "1s"], ["spec", "nothing:" + NASTY.replace("\0", "")],
                      ["--" + NASTY], ["spec", "--ca", "/nowhere/" + NASTY, "tpu:t"], ["wait", "file:/nowhere/" + NASTY], [NASTY]]:
            shown = self.on_terminal(*words, TF_CONFIG=cluster)[1]
            self.assert_harmless(shown, words)

    def test_a_program_gets_no_option_for_an_address(self):
        for address in ("-oProxyCommand=touch x", "-x", "a,b", "a b"):
            cluster = json.dumps({"cluster": {"worker": ["a:1", address]}, "task": {"type": "worker", "index": 0}})
            done = self.run_it("exec", "tfconfig:", "--progress", "none", "--", "echo", "started", TF_CONFIG=cluster)
            self.assertEqual((done.returncode, done.stdout), (112, ""), address)
            self.assertIn("the address of worker 1 is '" + address, done.stderr)

    def test_metadata_values(self):
        at = "/computeMetadata/v1/instance/"
        for value in HOSTILE:
            text = {"Metadata-Flavor": "Google", "Content-Type": "text/plain", "ETag": "1"}
            plain = lambda body: (200, body.encode(), text)
            self.server.answers.update({
                "/": plain(""), "/computeMetadata/v1/": plain("instance/"),
                at + "attributes/worker-network-endpoints": plain("a:b:10.0.0.1,c:d:" + value.replace("\n", "")),
                at + "attributes/accelerator-type": plain(value), at + "attributes/agent-worker-number": plain("0"), at + "name": plain(value),
                at + "network-interfaces/0/ip": plain(value), at + "attributes/tpu-env": plain("ACCELERATOR_TYPE: 'v4-16'\nNODE_ID: '" + value + "'\n"),
                at + "preempted": plain(value), at + "maintenance-event": plain(value)})
            shown = self.on_terminal("spec", "auto:", "--timeout", "2s", "--retries", "0", NO_GCE_CHECK="")[1]
            self.assert_harmless(shown, value)
        self.server.answers[NODES + "/t"] = node(["10.0.0.1"], acceleratorType="v4-8")
        words = ["watch", "tpu:t,project=p,zone=z", "--exec", 'printf "<%s>\\n" "$ROLLCALL_TEXT"']
        shown = self.on_terminal(*words, NO_GCE_CHECK="", keys=[(b"notice.*\n", CTRL_C)])[1]
        self.assert_harmless(shown, words)


if __name__ == "__main__":
    main()
