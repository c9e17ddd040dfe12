"""The services that credentials are exchanged with, on loopback: Google's token services, IAM credentials, the TPU API and another identity provider over TLS; the instance
metadata server of AWS without. Their requests are recorded."""
import datetime
import http.server
import ipaddress
import json
import ssl
import threading
import urllib.parse

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

HOSTS = ["oauth2.googleapis.com", "sts.googleapis.com", "iamcredentials.googleapis.com", "tpu.googleapis.com", "cloudresourcemanager.googleapis.com",
         "idp.example.com"]
MACHINE = "169.254.169.254"
AWS_KEYS = {"AccessKeyId": "AKIDEXAMPLE", "SecretAccessKey": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "Token": "IQoJb3JpZ2luX2VjE/+session=="}
NODE = {"name": "projects/example-proj/locations/us-central1-a/nodes/trainer", "state": "READY", "health": "HEALTHY", "acceleratorType": "v5litepod-4",
        "networkEndpoints": [{"ipAddress": "10.0.0.2", "port": 8470}]}


def aside_of(request):
    """Why only google-auth sends the request although it is not part of signing in; None if it is part of it."""
    if request["path"].endswith("/allowedLocations"):
        return "google-auth also asks IAM credentials for the regions that the account is bound to (`allowedLocations`), which is a hint to servers."
    if request["host"] == "cloudresourcemanager.googleapis.com":
        return "google-auth also looks up the identifier of the audience's project; Rollcall takes the project from the target, the environment or gcloud."
    return None


def make_certificates(folder):
    """An authority, and one certificate for all hosts. Returns the paths of both."""
    def certificate(name, key, issuer, issuer_key, extension):
        now = datetime.datetime.now(datetime.timezone.utc)
        named = lambda text: x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])
        builder = x509.CertificateBuilder(named(issuer), named(name), key.public_key(), x509.random_serial_number(),
                                          now - datetime.timedelta(days=1), now + datetime.timedelta(days=1))
        return builder.add_extension(*extension).sign(issuer_key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)

    authority, leaf = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    names = [x509.DNSName(host) for host in HOSTS] + [x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    (folder / "ca.pem").write_bytes(certificate("interop", authority, "interop", authority, (x509.BasicConstraints(True, None), True)))
    (folder / "server.pem").write_bytes(
        certificate("server", leaf, "interop", authority, (x509.SubjectAlternativeName(names), False)) +
        leaf.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    return folder / "ca.pem", folder / "server.pem"


class Cloud:
    """Empty `requests` before each question. `refuses_jwt`: tokens that a client has signed itself are refused."""

    def __init__(self, folder):
        self.requests, self.asides, self.refuses_jwt, self.tokens = [], [], False, 0
        self.ca, chain = make_certificates(folder)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain)
        self.https_port, self.http_port = self.serve(context), self.serve(None)

    def serve(self, context):
        cloud = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
                request = {"method": self.command, "host": self.headers["host"].removesuffix(":443"), "path": self.path,
                           "headers": {name.lower(): value for name, value in self.headers.items()}, "body": body}
                aside = aside_of(request)
                (cloud.asides if aside else cloud.requests).append(aside or request)
                status, reply = cloud.reply(request)
                reply = (reply if isinstance(reply, str) else json.dumps(reply)).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            do_GET = do_POST = do_PUT = answer

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads, server.handle_error = True, lambda *_: None  # a client that does not trust the certificate reports that
        if context:
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server.server_address[1]

    def reply(self, request):
        host, path = request["host"], urllib.parse.urlsplit(request["path"]).path
        if self.refuses_jwt and request["headers"].get("authorization", "").count(".") == 2:
            return 401, {"error": {"code": 401, "message": "no", "status": "UNAUTHENTICATED"}}
        if host == "tpu.googleapis.com":
            return 200, NODE
        if aside_of(request):
            return (404, {}) if path.endswith("/allowedLocations") else (200, {"projectId": "example-proj"})
        if host == "iamcredentials.googleapis.com":
            return 200, {"accessToken": self.token(), "expireTime": "2099-01-01T00:00:00Z"}
        if host in ("oauth2.googleapis.com", "sts.googleapis.com"):
            return 200, {"access_token": self.token(), "expires_in": 3599, "token_type": "Bearer", "issued_token_type": "urn:ietf:params:oauth:token-type:access_token"}
        if host == "idp.example.com":
            return 200, {"id_token": "subject-of-the-idp"}
        return self.reply_of_machine(request, path)

    def reply_of_machine(self, request, path):
        if path == "/latest/api/token":
            return (200, "imds-session") if request["method"] == "PUT" else (405, "")
        if request["headers"].get("x-aws-ec2-metadata-token") != "imds-session":
            return 401, ""
        return 200, {"/latest/meta-data/placement/availability-zone": "us-east-2b", "/latest/meta-data/iam/security-credentials": "the-role",
                     "/latest/meta-data/iam/security-credentials/the-role": AWS_KEYS}[path]

    def token(self):
        """Numbered from the first request of a question, so that both clients get the same."""
        self.tokens += 1
        return f"ya29-token-number-{self.tokens}"

    def forget(self):
        self.requests, self.asides, self.tokens = [], [], 0
