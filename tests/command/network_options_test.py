"""`--proxy`, `--client-certificate` and `--client-key`: they reach the network, and no password gets out."""
import base64
import os
import pathlib
import shutil
import socket
import ssl
import tempfile
import threading
import unittest

from support import *

PASSWORD = "hush-hush-0123"
REMOTE = {"CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU": "https://tpu.example.test/"}


class Peer:
    """Accepts connections, one after the other, and gives each to `serve`."""

    def __init__(self, serve):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.serve = serve
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(PATIENCE)
                try:
                    self.serve(connection)
                except OSError:  # the client went first
                    pass

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(PATIENCE)


def head_from(connection):
    head = b""
    while b"\r\n\r\n" not in head:
        piece = connection.recv(65536)
        if not piece:
            return head.decode()
        head += piece
    return head.decode()


class Proxy(Case):
    def setUp(self):
        self.asked = []

        def refuse(connection):
            self.asked.append(head_from(connection))
            connection.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")

        self.peer = Peer(refuse)
        self.addCleanup(self.peer.stop)
        self.url = f"http://me:{PASSWORD}@127.0.0.1:{self.peer.port}"

    def test_it_is_asked_and_its_password_is_shown_nowhere(self):
        with tempfile.TemporaryDirectory() as folder:
            trace, metrics = pathlib.Path(folder, "trace.json"), pathlib.Path(folder, "metrics.txt")
            for how in (["--verbose"], ["--log", "json"], ["--trace", trace, "--metrics", metrics]):
                done = self.run_it("spec", "tpu:single", "--proxy", self.url, *how, **REMOTE, HTTPS_PROXY="http://127.0.0.1:1")
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertIn("--proxy", done.stderr)
                written = "".join(path.read_text() for path in (trace, metrics) if path.exists())
                for secret in (PASSWORD, base64.b64encode(f"me:{PASSWORD}".encode()).decode()):
                    self.assertNotIn(secret, done.stdout + done.stderr + written)
        self.assertEqual(len(self.asked), 3)
        self.assertTrue(self.asked[0].startswith("CONNECT tpu.example.test:443 HTTP/1.1\r\n"), self.asked[0])
        self.assertIn("Basic " + base64.b64encode(f"me:{PASSWORD}".encode()).decode(), self.asked[0])

    def test_no_proxy_holds_for_it(self):
        done = self.run_it("spec", "tpu:single", "--proxy", self.url, "--retries", "0", **REMOTE, NO_PROXY="example.test")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(self.asked, [])

    def test_doctor_tells_of_it(self):
        done = self.run_it("doctor", "--proxy", self.url, **REMOTE, HTTPS_PROXY="http://127.0.0.1:1")
        self.assertIn(f"http://127.0.0.1:{self.peer.port}, from --proxy, with a user and a password", done.stdout)
        self.assertNotIn(PASSWORD, done.stdout + done.stderr)

    def test_wrong_usage(self):
        for words in (["--proxy", self.url + "/path"], ["--prox", self.url], ["--timeout", self.url], [self.url]):
            done = self.run_it("spec", "tpu:single", *words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertNotIn(PASSWORD, done.stdout + done.stderr)


@unittest.skipUnless(shutil.which("openssl"), "certificates are made with openssl")
class ClientCertificate(Command):
    def test_it_is_presented(self):
        with tempfile.TemporaryDirectory() as folder:
            def path(name):
                return os.path.join(folder, name)

            def make(name, *more):
                subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", path(name + ".key"),
                                "-out", path(name + ".pem"), "-days", "2", *more], check=True, stderr=subprocess.DEVNULL)

            make("server", "-subj", "/CN=server", "-addext", "subjectAltName=IP:127.0.0.1")
            make("client", "-subj", "/CN=client of the test")
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(path("server.pem"), path("server.key"))
            context.load_verify_locations(path("client.pem"))
            context.verify_mode = ssl.CERT_REQUIRED
            seen = []

            def answer(connection):
                with context.wrap_socket(connection, server_side=True) as secured:
                    head_from(secured)
                    seen.append(dict(part[0] for part in secured.getpeercert()["subject"])["commonName"])
                    secured.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")

            peer = Peer(answer)
            self.addCleanup(peer.stop)
            words = ["spec", "tpu:t,project=p,zone=z", "--ca", path("server.pem"), "--retries", "0"]
            variables = {"CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU": f"https://127.0.0.1:{peer.port}/", "ROLLCALL_ACCESS_TOKEN": "token"}
            without = self.run_it(*words, **variables)
            self.assertIn("certificate required", without.stderr)
            self.assertEqual(seen, [])
            done = self.run_it(*words, "--client-certificate", path("client.pem"), "--client-key", path("client.key"), **variables)
            self.assertIn("404", done.stderr)
            self.assertEqual(seen, ["client of the test"])


class LedElsewhere(Command):
    """Sign-in requests to this machine by plain http carry secrets, and go nowhere else, regardless of --connect-to."""

    ACCOUNT = {"type": "external_account", "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
               "audience": "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
               "token_url": "https://sts.googleapis.com/v1/token"}

    def refused(self, **changes):
        with tempfile.TemporaryDirectory() as folder:
            token = os.path.join(folder, "token")
            file = os.path.join(folder, "credentials.json")
            for path, text in ((token, PASSWORD * 3), (file, json.dumps({**self.ACCOUNT, "credential_source": {"file": token}, **changes}))):
                with open(path, "w", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600)) as out:
                    out.write(text)
            done = self.run_it("spec", "tpu:t,project=p,zone=us-central2-b", "--retries", "0", "--timeout", "20s", "--log", "json",
                               "--connect-to", "localhost:1:192.0.2.1:1", "--connect-to", "127.0.0.1:1:192.0.2.1:1",
                               GOOGLE_APPLICATION_CREDENTIALS=file)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("without encryption: nothing was sent", done.stderr)
        self.assertNotIn(PASSWORD, done.stderr)

    def test_a_subject_token_stays_here(self):
        for url in ("http://localhost:1/v1/token", "http://127.0.0.1:1/v1/token"):
            self.refused(token_url=url)
            self.refused(token_url=url, client_id="client", client_secret=PASSWORD)

    def test_the_headers_of_a_source_stay_here(self):
        self.refused(credential_source={"url": "http://localhost:1/token", "headers": {"X-Identity-Header": PASSWORD}})


if __name__ == "__main__":
    main()
