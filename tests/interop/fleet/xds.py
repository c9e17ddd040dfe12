"""xds.py ROOT TRANSCRIPT: gRPC clients and Envoy against `rollcall serve` over a simulated cloud, by endpoint discovery (xDS).

Run by the Python of build/interop/xds, in build/interop. INTEROP_ROLLCALL is the command. Last line: `N passed, N failed, N skipped`.
"""
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from concurrent import futures

import grpc

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from table import check, get, section, skip, start_cloud, until, versions, write  # noqa: E402
from counterparts import Programs, ROLLCALL, free_port  # noqa: E402

NAME = "tpu:trainer,project=p,zone=us-central2-b"
ADS = "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources"
# Seconds after which the simulated TPU changes.
READY, REPAIRED, BACK = 4, 12, 17


class Members:
    """The servers at the members' addresses: a gRPC server each, or an HTTP server each."""

    def __init__(self, network, kind):
        self.port = free_port()
        self.ips = [f"{network}.{i}" for i in (1, 2)]
        self.servers = [getattr(self, kind)(ip) for ip in self.ips]

    def grpc(self, ip):
        class Handler(grpc.GenericRpcHandler):
            def service(self, details):
                return grpc.unary_unary_rpc_method_handler(lambda request, context: b"\n" + bytes([len(ip)]) + ip.encode())
        server = grpc.server(futures.ThreadPoolExecutor(2), handlers=[Handler()], options=[("grpc.so_reuseport", 0)])
        server.add_insecure_port(f"{ip}:{self.port}")
        server.start()
        return server

    def http(self, ip):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Length", str(len(ip)))
                self.end_headers()
                self.wfile.write(ip.encode())

            def log_message(self, *_):
                pass
        server = http.server.ThreadingHTTPServer((ip, self.port), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server

    @property
    def endpoints(self):
        return [f"{ip}:{self.port}" for ip in self.ips]


class Service:
    """A simulated cloud and the service over it, in a folder of its own."""

    def __init__(self, programs, folder, endpoints, timeline, settings=None):
        self.programs, self.folder, self.settings = programs, folder, settings
        self.http, self.xds = free_port(), free_port()
        self.sim, self.environment = start_cloud(programs, folder, {
            "project": "p", "zone": "us-central2-b",
            "nodes": [{"name": "trainer", "accelerator_type": "v4-16", "endpoints": endpoints, "timeline": timeline}]})
        self.began = time.monotonic()
        self.start()

    def start(self):
        command = [ROLLCALL, "serve", "--listen", f"127.0.0.1:{self.http}", "--xds-listen", f"127.0.0.1:{self.xds}", "--drain", "1s"]
        if self.settings:
            command += ["--config", self.settings]
        self.process = self.programs.start(command, [self.http, self.xds], env=self.environment)

    def stop(self):
        self.process.terminate()
        self.process.wait(20)

    def end(self):
        self.stop()
        self.sim.terminate()

    def at(self, second):
        """The time at which the simulated cloud has that age."""
        time.sleep(max(0, self.began + second - time.monotonic()))

    def number(self, pattern):
        found = re.search(pattern, get(f"http://127.0.0.1:{self.http}/metrics")[1])
        return float(found.group(1)) if found else 0.0


TIMELINE = [{"at": 0, "state": "CREATING"}, {"at": READY, "state": "READY"}, {"at": REPAIRED, "state": "REPAIRING"}, {"at": BACK, "state": "READY"}]


class Lines:
    """A program's output, as it arrives."""

    def __init__(self, programs, command, environment):
        self.all = []
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        programs.running.append(self.process)
        threading.Thread(target=lambda: self.all.extend(line.strip() for line in iter(self.process.stdout.readline, "")), daemon=True).start()

    def next(self, count=6, seconds=20):
        """The lines that arrive from now on."""
        first = len(self.all)
        until(lambda: len(self.all) >= first + count, seconds)
        return self.all[first:first + count]


def kinds(lines):
    """The servers that answered, and the codes."""
    return sorted({line.split()[0] for line in lines})


def bootstrap(root, folder, servers, example="grpc-bootstrap.json", files=()):
    with open(os.path.join(root, "examples/fleet", example), encoding="utf-8") as file:
        text = file.read()
    for old, new in files:
        text = text.replace(f'"{old}"', json.dumps(new))
    document = json.loads(text)
    document["xds_servers"] = [dict(document["xds_servers"][0], server_uri=server) for server in servers]
    path = os.path.join(folder, f"bootstrap-{len(os.listdir(folder))}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file)
    return path


def try_grpc(root, folder, name, command, environment):
    section(name)
    members = Members(f"127.0.{20 + len(versions)}", "grpc")
    with Programs() as programs:
        service = Service(programs, folder, members.endpoints, TIMELINE)
        environment = dict(environment, GRPC_XDS_BOOTSTRAP=bootstrap(root, folder, [f"127.0.0.1:{service.xds}"]))
        client = Lines(programs, [*command, f"xds:///{NAME}"], environment)
        check("calls fail while the TPU is created", kinds(client.next(3)), lambda got: got and not set(got) & set(members.ips))
        both = until(lambda: set(kinds(client.all[-6:])) == set(members.ips))
        check("both members are called once it is ready", [both, kinds(client.all[-6:])], [True, members.ips])
        service.at(REPAIRED + 1)
        failed = until(lambda: "UNAVAILABLE" in kinds([line.upper() for line in client.all[-2:]]))
        check("calls fail at once while no member is ready", [failed, client.all[-1][:80]], lambda got: got[0])
        service.at(BACK + 1)
        check("and go on once they are", until(lambda: set(kinds(client.all[-6:])) == set(members.ips)), True)
        service.stop()
        check("the service down: calls go on", kinds(client.next(8)), members.ips)
        service.start()
        again = until(lambda: service.number(r'followers\{view="xds"\} (\d+)'), 40)
        check("a new service is found again", [again, kinds(client.next(6))], [1.0, members.ips])
        check("none of its resources was refused", service.number(r"discovery_refused_total\S* (\d+)"), 0.0)
        other = Lines(programs, [*command, f"xds:///{NAME.replace('trainer', 'absent')}"], environment)
        check("a target that is not there", until(lambda: other.all[:1])[0][:120], lambda got: "127.0" not in got)
        service.end()


def authorities(folder):
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], capture_output=True, check=True, cwd=folder)

    for authority in ("servers", "clients"):
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", f"/CN={authority}",
                "-keyout", f"{authority}.key", "-out", f"{authority}.crt")
    for name, authority, names, usage in (("tls", "servers", "IP:127.0.0.1", "serverAuth"), ("me", "clients", "URI:spiffe://example/me", "clientAuth"),
                                          ("other", "clients", "URI:spiffe://example/other", "clientAuth")):
        with open(os.path.join(folder, f"{name}.ext"), "w", encoding="ascii") as file:
            file.write(f"subjectAltName={names}\nextendedKeyUsage={usage}\n")
        openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.csr")
        openssl("x509", "-req", "-days", "2", "-in", f"{name}.csr", "-CA", f"{authority}.crt", "-CAkey", f"{authority}.key", "-CAcreateserial", "-extfile",
                f"{name}.ext", "-out", f"{name}.crt")


SETTINGS = """
tls: {certificate: tls.crt, key: tls.key, client_authorities: clients.crt}
allow: ["tpu:*"]
clients: [{certificate: {}}]
rights: [{who: "certificate:spiffe://example/me", read: ["tpu:trainer"]}]
"""


def try_tls(root, folder, clients):
    section("TLS and rights")
    authorities(folder)
    settings = os.path.join(folder, "settings.yaml")
    with open(settings, "w", encoding="ascii") as file:
        file.write(SETTINGS)
    members = Members("127.0.30", "grpc")
    with Programs() as programs:
        service = Service(programs, folder, members.endpoints, [{"at": 0, "state": "READY"}], settings)

        def of(who):
            path = os.path.join(folder, who)
            return bootstrap(root, folder, [f"127.0.0.1:{service.xds}"], "grpc-bootstrap-tls.json",
                             [("authority.crt", os.path.join(folder, "servers.crt")), ("client.crt", path + ".crt"), ("client.key", path + ".key")])

        for name, command, environment in clients:
            mine = Lines(programs, [*command, f"xds:///{NAME}"], dict(environment, GRPC_XDS_BOOTSTRAP=of("me")))
            check(f"{name}: a client's certificate has the right to read", until(lambda: set(kinds(mine.all[-6:])) == set(members.ips)), True)
            others = Lines(programs, [*command, f"xds:///{NAME}"], dict(environment, GRPC_XDS_BOOTSTRAP=of("other")))
            check(f"{name}: another one has not", until(lambda: others.all[:1])[0][:100], lambda got: "127.0.30" not in got)
            stranger = Lines(programs, [*command, f"xds:///{NAME}"], dict(environment, GRPC_XDS_BOOTSTRAP=of("servers")))
            check(f"{name}: one of another authority is not let in", until(lambda: stranger.all[:1])[0][:60], lambda got: "127.0.30" not in got)
        service.end()


def try_two_servers(root, folder, name, command, environment):
    members = Members("127.0.31", "grpc")
    with Programs() as programs:
        service = Service(programs, folder, members.endpoints, [{"at": 0, "state": "READY"}])
        path = bootstrap(root, folder, [f"127.0.0.1:{free_port()}", f"127.0.0.1:{service.xds}"])
        client = Lines(programs, [*command, f"xds:///{NAME}"], dict(environment, GRPC_XDS_BOOTSTRAP=path))
        check(f"{name}: of two servers in the bootstrap the first does not answer", until(lambda: set(kinds(client.all[-6:])) == set(members.ips), 40), True)
        service.end()


def field(number, text):
    data = text if isinstance(text, bytes) else text.encode()
    size, length = b"", len(data)
    while length >= 128:
        size, length = size + bytes([length % 128 + 128]), length // 128
    return bytes([number * 8 + 2]) + size + bytes([length]) + data


def try_refusals(folder):
    section("What clients may send")
    members = Members("127.0.32", "grpc")
    with Programs() as programs:
        service = Service(programs, folder, members.endpoints, [{"at": 0, "state": "READY"}])
        cluster_type = "type.googleapis.com/envoy.config.cluster.v3.Cluster"
        channel = grpc.insecure_channel(f"127.0.0.1:{service.xds}")

        def stream(*messages, path=ADS, **options):
            """The answers, and the end of the program."""
            answers = []
            try:
                for answer in channel.stream_stream(path)(iter(messages), timeout=10, **options):
                    answers.append(answer)
            except grpc.RpcError as error:
                return len(answers), error.code().name, " ".join(error.details().split())
            return len(answers), "OK", ""

        def refusing():
            yield field(2, field(1, "refuser")) + field(3, NAME) + field(4, cluster_type)
            time.sleep(1)
            yield field(3, NAME) + field(4, cluster_type) + field(5, "1") + field(6, field(2, "not what I wanted"))
            time.sleep(1)

        list(channel.stream_stream(ADS)(refusing(), timeout=10))
        check("an answer that is refused (NACK) is counted", service.number(r'discovery_refused_total\{type="clusters"\} (\d+)'), 1.0)
        check("another method", stream(b"", path="/a.B/C"), lambda got: got[1] == "UNIMPLEMENTED")
        check("garbage", stream(b"\xff\xff\xff"), lambda got: got[1] == "INVALID_ARGUMENT")
        names = b"".join(field(3, f"tpu:n{i},project=p,zone=z") for i in range(5000))
        check("5,000 names", stream(names + field(4, cluster_type)), lambda got: got[1] == "RESOURCE_EXHAUSTED")
        check("a message of a megabyte", stream(field(2, b"x" * 1_000_000)), lambda got: got[1] == "RESOURCE_EXHAUSTED")
        check("a compressed message", stream(field(3, NAME) + field(2, b"x" * 10_000), compression=grpc.Compression.Gzip), lambda got: got[0] == 0)
        streams = [channel.stream_stream(ADS)(iter(lambda: time.sleep(60), 1), timeout=60) for _ in range(3)]
        check("the service is well after all that", get(f"http://127.0.0.1:{service.http}/readyz")[0], 200)
        for one in streams:
            one.cancel()
        check("no stream stays", until(lambda: service.number(r'followers\{view="xds"\} (\d+)') == 0.0), True)
        service.end()


def try_envoy(root, folder, example):
    section(f"Envoy, examples/fleet/{example}")
    members = Members(f"127.0.{40 + len(example) % 7}", "http")
    with Programs() as programs:
        service = Service(programs, folder, members.endpoints, TIMELINE)
        admin, ingress = free_port(), free_port()
        with open(os.path.join(root, "examples/fleet", example), encoding="utf-8") as file:
            text = file.read()
        for old, new in (("7071", service.xds), ("7070", service.http), ("9901", admin), ("8000", ingress)):
            text = text.replace(f"port_value: {old}", f"port_value: {new}")
        config = os.path.join(folder, example)
        with open(config, "w", encoding="utf-8") as file:
            file.write(text)
        with open(os.path.join(folder, f"{example}.log"), "w", encoding="utf-8") as log:
            envoy = subprocess.Popen([os.path.join(os.path.dirname(sys.executable), "envoy"), "-c", config, "--use-dynamic-base-id", "-l", "warning"], stderr=log,
                                     stdout=log)
        programs.running.append(envoy)

        def health():
            lines = get(f"http://127.0.0.1:{admin}/clusters")[1].split("\n")
            return sorted(line.split("::")[1].split(":")[0] + " " + line.split("::")[3] for line in lines if line.startswith("trainer::") and "::health_flags::" in line)

        def all_are(flag):
            return lambda: health() == [f"{ip} {flag}" for ip in members.ips]

        def answers():
            return sorted({get(f"http://127.0.0.1:{ingress}/")[1] for _ in range(8)})

        until(all_are("healthy"))
        check("the members are endpoints once the TPU is ready", [health(), answers()], [[f"{ip} healthy" for ip in members.ips], members.ips])
        service.at(REPAIRED + 1)
        until(all_are("/failed_eds_health"))
        check("members that are not ready are not healthy", health(), [f"{ip} /failed_eds_health" for ip in members.ips])
        service.at(BACK + 1)
        until(all_are("healthy"))
        check("and are again", health(), [f"{ip} healthy" for ip in members.ips])
        service.stop()
        time.sleep(5)
        check("the service down: endpoints stay", [health(), answers()], [[f"{ip} healthy" for ip in members.ips], members.ips])
        tried = r"cluster\.trainer\.update_success: (\d+)"
        def updates():
            found = re.search(tried, get(f"http://127.0.0.1:{admin}/stats")[1])
            return int(found.group(1)) if found else 0
        before = updates()
        service.start()
        check("a new service is found again", bool(until(lambda: updates() > before, 40)), True)
        stats = get(f"http://127.0.0.1:{admin}/stats")[1]
        check("none of its resources was refused", re.search(r"cluster\.trainer\.update_rejected: (\d+)", stats).group(1), "0")
        service.end()


def main():
    root, transcript = sys.argv[1:]
    folder = tempfile.mkdtemp(prefix="rollcall-xds-")
    plain = {"PATH": os.environ["PATH"]}
    script = os.path.join(HERE, "xds_client.py")
    clients = [("grpcio of PyPI", [sys.executable, script]), ("grpcio of Debian", ["/usr/bin/python3", script]), ("grpc-go", [os.path.abspath("xds_go")])]
    try:
        there = []
        for name, command in clients:
            said = subprocess.run(command, env=plain, capture_output=True, text=True, check=False) if os.path.exists(command[0]) else None
            if not said or said.returncode:
                section(name)
                skip(name, "it is not installed")
                continue
            versions.append(f"{name}: {said.stdout.strip()}")
            there.append((name, command, plain))
            try_grpc(root, folder, *there[-1])
        try_tls(root, folder, [one for one in there if "Debian" not in one[0]])
        skip("grpcio of Debian (1.51)", "its bootstrap has no TLS with files")
        section("Two services")
        for one in there:
            if "Debian" in one[0]:
                skip("grpcio of Debian (1.51)", "it takes the first server alone")
            else:
                try_two_servers(root, folder, *one)
        try_refusals(folder)
        for example in ("envoy.yaml", "envoy-rest.yaml"):
            try_envoy(root, folder, example)
        said = subprocess.run([os.path.join(os.path.dirname(sys.executable), "envoy"), "--version"], capture_output=True, text=True, check=False).stdout
        versions.append("envoy " + "/".join(re.findall(r"/(\d+\.\d+\.\d+)/", said)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return write(transcript, "gRPC, Envoy and the service", "xds")


sys.exit(main())
