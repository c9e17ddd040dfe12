"""`rollcall webhook`: reviews over https, as an API server sends them."""
import base64
import http.client
import shutil
import socket
import ssl

from support import *


def review(uid="u-1", target="kubernetes:./job/t", **pod):
    metadata = {"generateName": "t-", **({"annotations": {"rollcall.dev/wait": target}} if target is not None else {})}
    thing = {"kind": "Pod", "apiVersion": "v1", "metadata": metadata, "spec": {"containers": [{"name": "c", "image": "i"}], **pod}}
    return {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1",
            "request": {"uid": uid, "operation": "CREATE", "namespace": "train", "object": thing}}


@unittest.skipUnless(shutil.which("openssl"), "certificates are made with openssl")
class Webhook(Command):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.certificate, cls.key = (os.path.join(cls.folder.name, name) for name in ("tls.crt", "tls.key"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", cls.key, "-out",
                        cls.certificate, "-days", "2", "-subj", "/CN=webhook", "-addext", "subjectAltName=IP:127.0.0.1"], check=True, stderr=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def serve(self, *words):
        self.process = self.begin("webhook", "--image", "registry.example/rollcall:1", "--certificate", self.certificate, "--key", self.key,
                                  "--listen", "127.0.0.1:0", *words)
        url = self.process.stdout.readline().strip()
        self.assertRegex(url, r"^https://127\.0\.0\.1:\d+/wait$")
        self.port = int(url.split(":")[2].split("/")[0])

    def ask(self, method, path, body=None):
        trust = ssl.create_default_context(cafile=self.certificate)
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=trust, timeout=PATIENCE)
        self.addCleanup(connection.close)
        connection.request(method, path, body)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    def judge(self, *words, **more):
        status, body = self.ask("POST", "/wait?timeout=10s", json.dumps(review(*words, **more)))
        self.assertEqual(status, 200, body)
        answer = json.loads(body)
        self.assertEqual((answer["kind"], answer["apiVersion"]), ("AdmissionReview", "admission.k8s.io/v1"))
        return answer["response"]

    def end_by(self, number):
        self.process.send_signal(number)
        _, err = self.process.communicate(timeout=PATIENCE)
        self.assertEqual(self.process.returncode, 0, err)
        return err

    def test_a_pod_that_asks_gets_the_container(self):
        self.serve("--drain", "1ms")
        response = self.judge("u-7", initContainers=[{"name": "other"}])
        self.assertEqual((response["uid"], response["allowed"], response["patchType"]), ("u-7", True, "JSONPatch"))
        (change,) = json.loads(base64.b64decode(response["patch"]))
        self.assertEqual((change["op"], change["path"]), ("add", "/spec/initContainers/0"))
        self.assertEqual(change["value"]["args"], ["wait", "kubernetes:./job/t", "--until", "endpoints"])
        self.assertEqual(change["value"]["image"], "registry.example/rollcall:1")
        self.assertEqual(self.judge("u-8", None), {"uid": "u-8", "allowed": True})
        self.assertEqual(self.end_by(signal.SIGTERM), "rollcall: train/t- waits for kubernetes:./job/t\n")

    def test_a_wrong_annotation_is_refused_or_warned_about(self):
        self.serve("--drain", "1ms", "--log", "json")
        response = self.judge(target="tpu:t,zon=z")
        self.assertFalse(response["allowed"])
        self.assertRegex(response["status"]["message"], r"^rollcall: the annotation rollcall.dev/wait is wrong: .*'zon'.*zone")
        # As a template leaves it whose value was not set: a pod that asks for a wait does not go on without one.
        response = self.judge(target="")
        self.assertFalse(response["allowed"])
        self.assertIn("the annotation rollcall.dev/wait is wrong", response["status"]["message"])
        event = json.loads(self.end_by(signal.SIGINT).splitlines()[-2])
        self.assertEqual((event["event"], event["namespace"], event["name"], event["target"]), ("pod_reviewed", "train", "t-", "tpu:t,zon=z"))
        self.assertIn("zon", event["fault"])
        self.serve("--drain", "1ms", "--bad-annotation", "warn")
        response = self.judge(target="tpu:t,zon=z")
        self.assertTrue(response["allowed"])
        self.assertRegex(response["warnings"][0], "zon.*the pod does not wait$")
        self.assertNotIn("patch", response)

    def test_a_pod_that_cannot_have_the_container_is_refused(self):
        self.serve("--drain", "1ms")
        for pod, said in (({"containers": [{"name": "rollcall-wait"}]}, "a container of the pod is called rollcall-wait"),
                          ({"os": {"name": "windows"}}, "Windows"), ({"nodeSelector": {"kubernetes.io/os": "windows"}}, "Windows")):
            response = self.judge(**pod)
            self.assertFalse(response["allowed"])
            self.assertIn(said, response["status"]["message"])
        self.assertTrue(self.judge(os={"name": "linux"})["allowed"])

    def test_clients_that_announce_or_hold_bodies_keep_out_no_review(self):
        self.serve()
        trust = ssl.create_default_context(cafile=self.certificate)
        held = []
        for i in range(40):
            client = trust.wrap_socket(socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE), server_hostname="127.0.0.1")
            self.addCleanup(client.close)
            client.sendall(b"POST /wait HTTP/1.1\r\nHost: h\r\nContent-Length: 4194304\r\n\r\n")
            if i % 2:  # together more than all bodies may be
                client.sendall(b"{" * 4_000_000)
            held.append(client)
        self.assertIn("patch", self.judge("u-9"))
        statuses = [client.recv(65536) for client in held]
        self.assertTrue(all(answer.startswith((b"HTTP/1.1 503 ", b"HTTP/1.1 408 ")) for answer in statuses), statuses)
        # On a slow machine the first ones are late before the others have sent as much as they may.
        self.assertTrue(all(b"\r\nRetry-After: 1\r\n" in answer for answer in statuses if b" 503 " in answer[:16]), statuses)

    def test_what_is_no_review(self):
        self.serve()
        for method, path, body, status, words in (
                ("POST", "/wait", "{}", 400, "AdmissionReview"), ("GET", "/wait", None, 405, "POST"), ("GET", "/", None, 404, "/wait"),
                ("POST", "/wait", "x" * (5 << 20), 413, ""), ("GET", "/healthz", None, 200, "ready"), ("POST", "/readyz", "", 405, "GET")):
            with self.subTest(path=path, status=status):
                try:
                    got, said = self.ask(method, path, body)
                except OSError:
                    self.assertEqual(status, 413)  # it does not read on
                    continue
                self.assertEqual(got, status)
                self.assertIn(words, said)

    def test_while_it_ends_it_answers_on(self):
        self.serve("--drain", "1h")
        self.assertEqual(self.ask("GET", "/readyz")[0], 200)
        self.process.send_signal(signal.SIGTERM)
        while self.ask("GET", "/readyz")[0] != 503:
            pass
        self.assertIn("patch", self.judge())
        self.end_by(signal.SIGTERM)

    def test_without_what_it_needs(self):
        for words, said in (((), "certificate"), (("--certificate", self.certificate, "--key", self.key), "--image"),
                            (("--image", "i", "--certificate", "/none"), "/none"), (("--bad-annotation", "ignore"), "refuse")):
            done = self.run_it("webhook", *words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    main()
