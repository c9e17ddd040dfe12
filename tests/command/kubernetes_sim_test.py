"""`rollcall sim` with a Kubernetes cluster: the kubeconfig, and the API on real sockets."""
import base64
import http.client
import json
import ssl
import stat
import time
from urllib.parse import urlsplit

from support import *

PODS = "/api/v1/namespaces/train/pods"


def kubeconfig_of(path):
    """The few lines that `rollcall sim` writes: {key: value} of all lines with a value."""
    with open(path) as file:
        pairs = re.findall(r"(?m)^[ -]*([a-z-]+): (\S.*)$", file.read())
    return {key: json.loads(value) if value.startswith('"') else value for key, value in reversed(pairs)}


class Cluster(Command):
    def connect(self, cloud, *arguments):
        self.simulate(cloud, *arguments)
        self.config = kubeconfig_of(self.sim.environment["KUBECONFIG"])
        trust = ssl.create_default_context(cadata=base64.b64decode(self.config["certificate-authority-data"]).decode())
        server = urlsplit(self.config["server"])
        self.connection = http.client.HTTPSConnection(server.hostname, server.port, context=trust, timeout=PATIENCE)
        self.addCleanup(self.connection.close)

    def ask(self, target, method="GET", **headers):
        self.connection.request(method, target, headers={"Authorization": "Bearer " + self.config["token"], **headers})
        return self.connection.getresponse()

    def json(self, target):
        answer = self.ask(target)
        self.assertEqual(answer.status, 200)
        return json.loads(answer.read())

    def test_kubeconfig(self):
        self.connect(os.path.join(EXAMPLES, "kubernetes.json"))
        path = self.sim.environment["KUBECONFIG"]
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        self.assertEqual(self.config["current-context"], "system:serviceaccount:train:launcher")
        self.assertEqual(self.config["namespace"], "train")
        names = [pod["metadata"]["name"] for pod in self.json(PODS)["items"]]
        self.assertEqual(len(names), 7)
        self.assertEqual(names, sorted(names))
        self.assertEqual(self.ask("/api/v1/pods").read().count(b"cannot list resource"), 1)
        self.assertEqual(self.sim.stop(), 0)
        self.assertFalse(os.path.exists(path))
        self.assertRegex(self.sim.counts, r"(?m)^ +2 pods\.list$")

    def test_kubeconfig_of_a_chosen_name_stays(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "kubeconfig")
            self.connect({"kubernetes": {}}, "--kubeconfig-out", path)
            self.assertEqual(self.sim.environment["KUBECONFIG"], path)
            self.sim.stop()
            self.assertTrue(os.path.exists(path))
            done = self.run_it("sim", CLOUD, "--kubeconfig-out", path)
            self.assertEqual((done.returncode, done.stderr), (2, "rollcall: --kubeconfig-out: the file has no section kubernetes\n"))

    def test_one_connection_for_all(self):
        self.connect({"kubernetes": {"namespace": "train", "pods": [{"name": "a-{i}", "count": 3}]}})
        version = self.json(PODS)["metadata"]["resourceVersion"]
        socket = self.connection.sock
        watch = self.ask(f"{PODS}?watch=1&resourceVersion={version}&timeoutSeconds=1")
        self.assertEqual(watch.getheader("Transfer-Encoding"), "chunked")
        self.assertEqual(watch.read(), b"")
        self.assertEqual(self.ask("/readyz").read(), b"ok")
        self.assertEqual(self.ask(PODS + "/nobody").read().count(b"NotFound"), 1)
        self.assertIs(self.connection.sock, socket)

    def test_a_watch_while_pods_start(self):
        self.connect({"kubernetes": {"namespace": "train", "pods": [{"name": "a"}, {"name": "b", "created_at": 1.5}]}})
        watch = self.ask(PODS + "?watch=1&resourceVersion=0&timeoutSeconds=3")
        lines = []
        arrived = []
        for line in watch:
            lines.append(json.loads(line))
            arrived.append(time.monotonic())
        self.assertEqual([(e["type"], e["object"]["metadata"]["name"]) for e in lines], [("ADDED", "a"), ("ADDED", "b")])
        self.assertGreater(arrived[1] - arrived[0], 0.5)

    def test_chunks_are_those_of_an_api_server(self):
        self.connect({"kubernetes": {"namespace": "train", "pods": [{"name": "a-{i}", "count": 2}]}})
        self.ask(PODS).read()
        self.connection.sock.sendall(f"GET {PODS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {self.config['token']}\r\nConnection: close\r\n\r\n".encode())
        raw = b""
        while piece := self.connection.sock.recv(65536):
            raw += piece
        self.assertRegex(raw, rb"(?s)\r\n\r\n800\r\n\{\"kind\":\"PodList\"")
        self.assertTrue(raw.endswith(b"\r\n3\r\n]}\n\r\n0\r\n\r\n"), raw[-40:])

    def test_gzip_from_128_kib_on(self):
        self.connect({"kubernetes": {"namespace": "train", "pods": [{"name": "a-{i}", "count": 60}]}})
        large = self.ask(PODS, **{"Accept-Encoding": "gzip"})
        self.assertEqual((large.getheader("Content-Encoding"), large.getheader("Vary")), ("gzip", "Accept-Encoding"))
        self.assertTrue(large.read().startswith(b"\x1f\x8b"))
        self.assertIsNone(self.ask(PODS + "?limit=3", **{"Accept-Encoding": "gzip"}).getheader("Content-Encoding"))

    def test_a_restart_breaks_a_watch_off(self):
        self.connect({"kubernetes": {"namespace": "train", "restarts": [1]}})
        watch = self.ask(PODS + "?watch=1&resourceVersion=1000&timeoutSeconds=60")
        with self.assertRaises(http.client.IncompleteRead):
            watch.read()


if __name__ == "__main__":
    main()
