"""compare.py TRANSCRIPT: the library's transport against Go's net/http, nghttpd, Envoy, python's h2 by scripts, a proxy and, where there is one, a
real Kubernetes API server."""
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request

from relay import StoppingRelay

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from counterparts import Programs, free_port  # noqa: E402
from envoy import Envoy  # noqa: E402

ASK = os.environ["INTEROP_ASK_HTTP2"]
PACKAGES = os.environ["INTEROP_PACKAGES"]  # the programs of requirements-http2.txt
KUBERNETES = os.environ.get("REAL_KUBERNETES", "")
COUNT = 1000


def certificate():
    """ca.pem, server.pem and server.key for 127.0.0.1."""
    run = lambda *arguments: subprocess.run(["openssl", *arguments], capture_output=True, check=True)  # noqa: E731
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    run("req", "-x509", *key, "-subj", "/CN=ca", "-keyout", "ca.key", "-out", "ca.pem", "-days", "30")
    run("req", "-new", *key, "-subj", "/CN=server", "-keyout", "server.key", "-out", "server.csr")
    with open("names", "w", encoding="ascii") as names:
        names.write("subjectAltName=IP:127.0.0.1\n")
    run("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names", "-out", "server.pem", "-days", "30")


class Report:
    def __init__(self):
        versions = [subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
                    for command in (["go", "version"], ["nghttpd", "--version"])]
        versions += [line for line in os.environ["INTEROP_VERSIONS"].splitlines() if line]
        versions += ["kube-apiserver " + os.environ.get("KUBERNETES_VERSION", "of an unknown version")] * bool(KUBERNETES)
        self.lines = ["# Real servers of HTTP/2 and Rollcall", "", "```", *versions, "```", "",
                      "`tests/interop/http2/run` writes this. Each row is that many requests by the transport, without a Runtime's retries.", "",
                      "| server | protocol | in flight | ended | connections, requests, by HTTP/2 |", "| --- | --- | ---: | --- | --- |"]
        self.failed = 0

    def row(self, server, protocol, in_flight, ended, seen, is_right):
        self.failed += not is_right
        self.lines.append(f"| {server} | {protocol} | {in_flight} | {', '.join(ended)}{'' if is_right else ' **wrong**'} | {seen} |")
        print(self.lines[-1])

    def finish(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(self.lines) + "\n")
        raise SystemExit(1 if self.failed else 0)


def ask(url, ca, token, count, in_flight, protocol, *orders, proxy=None):
    surroundings = {**os.environ, "ASK_PROXY": proxy} if proxy else None
    run = subprocess.run([ASK, url, ca, token, str(count), str(in_flight), protocol, *orders], capture_output=True, text=True, timeout=120, check=True, env=surroundings)
    return run.stdout.splitlines()


def start_go(streams, goaway):
    server = subprocess.Popen(["./server", "server.pem", "server.key", str(streams), str(goaway)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return server, *server.stdout.readline().split()


def go_server(report):
    for streams, goaway in ((100, 0), (1, 0), (100, 20), (250, 3), (1, 5)):
        server, secure, plain = start_go(streams, goaway)
        try:
            for protocol in ("http2", "http1"):
                for in_flight in (64, 300):
                    ended = ask(f"https://127.0.0.1:{secure}/n", "ca.pem", "token-0123456789", COUNT, in_flight, protocol)
                    seen = urllib.request.urlopen(f"http://127.0.0.1:{plain}/").read().decode().split()
                    is_shared = protocol == "http2" and streams >= 8  # a server that takes fewer is asked over HTTP/1.1 once it has said so
                    by_http2 = int(seen[2]) == int(seen[1]) if is_shared else int(seen[2]) <= (16 if protocol == "http2" else 0)
                    is_right = ended == [f"GET 200: {COUNT}"] and by_http2
                    ends = f", ends a connection every {goaway} answers" if goaway else ""
                    report.row(f"Go, {streams} streams{ends}", protocol, in_flight, ended, " ".join(seen), is_right)
        finally:
            server.kill()


def silent_server(report):
    """A server that is stopped while it answers: each request on its connections is named within 45 s, or sent again; all others go on new ones."""
    for protocol, limit, ends in (("http2", 25, "did not answer for 20 s"), ("http1", 25, "did not answer for 20 s"), ("http2-patient", 50, "did not answer a PING")):
        in_flight = 16
        servers = [start_go(100, 0) for _ in range(2)]
        relay = StoppingRelay(int(servers[0][1]), int(servers[1][1]), servers[0][0].pid, 15_000 if protocol != "http1" else 40_000)
        try:
            begun = time.monotonic()
            ended = ask(f"https://127.0.0.1:{relay.port}/n", "ca.pem", "token-0123456789", COUNT, in_flight, protocol)
            seconds = time.monotonic() - begun
            answered = sum(int(line.split(": ")[1]) for line in ended if line.startswith("GET 200"))
            named = [line for line in ended if not line.startswith("GET 200")]
            count = sum(int(line.rsplit(": ", 1)[1]) for line in named)
            is_right = answered + count == COUNT and count <= in_flight and all(ends in line for line in named) and 15 < seconds < limit
            report.row("Go, stopped by SIGSTOP on the way", protocol, in_flight, ended, f"{relay.connections} new connections, over after {seconds:.0f} s", is_right)
        finally:
            relay.close()
            for server, *_ in servers:
                server.kill()


def nghttpd(report):
    os.makedirs("files/n", exist_ok=True)
    for index in range(COUNT):
        with open(f"files/n/{index}", "w", encoding="ascii") as file:
            file.write(f"{index}\n" * 100)
    port = "18443"
    for streams in ("100", "5"):
        server = subprocess.Popen(["nghttpd", "-m", streams, "-d", "files", port, "server.key", "server.pem"], stdout=subprocess.DEVNULL)
        try:
            time.sleep(1)
            for in_flight in (64, 300):
                ended = ask(f"https://127.0.0.1:{port}/n", "ca.pem", "token-0123456789", COUNT, in_flight, "http2")
                report.row(f"nghttpd, {streams} streams", "http2", in_flight, ended, "", ended == [f"GET 200: {COUNT}"])
        finally:
            server.kill()


def envoy(report):
    upstream, secure, _ = start_go(250, 0)
    try:
        for streams, requests in ((100, 0), (8, 0), (100, 20)):
            server = Envoy(f"{PACKAGES}/envoy", secure, streams, requests)
            try:
                for protocol in ("http2", "http1"):
                    before = server.seen()
                    ended = ask(f"https://127.0.0.1:{server.port}/n", "ca.pem", "token-0123456789", COUNT, 64, protocol)
                    seen = [now - then for now, then in zip(server.seen(), before)]
                    ends = f", ends a connection after {requests} requests" if requests else ""
                    is_right = ended == [f"GET 200: {COUNT}"] and (protocol == "http2" or seen[2] == 0)
                    report.row(f"Envoy, {streams} streams{ends}", protocol, 64, ended, " ".join(map(str, seen)), is_right)
            finally:
                server.close()
    finally:
        upstream.kill()


def scripted(report):
    """What is refused or cut off is named; a request that the server says it did not process is sent once more."""
    refused = "refused the request and did not process the request"
    for script, in_flight, least, named in (("refuse", 8, 600, refused), ("leave", 8, COUNT, ""), ("enhance", 8, 500, "ENHANCE_YOUR_CALM"), ("reset", 8, 600, "the server reset the request"),
                                            ("early", 64, COUNT, ""), ("windows", 64, COUNT, "")):
        server = subprocess.Popen([f"{PACKAGES}/python", f"{HERE}/scripted.py", "server.pem", "server.key", script], stdout=subprocess.PIPE, text=True)
        try:
            port = server.stdout.readline().strip()
            ended = ask(f"https://127.0.0.1:{port}/n", "ca.pem", "token-0123456789", COUNT, in_flight, "http2")
            answered = sum(int(line.rsplit(": ", 1)[1]) for line in ended if line.startswith("GET 200"))
            others = [line for line in ended if not line.startswith("GET 200")]
            is_right = answered >= least and all(named and named in line for line in others) and sum(int(line.rsplit(": ", 1)[1]) for line in ended) == COUNT
            report.row(f"h2, `{script}`", "http2", in_flight, ended, "", is_right)
        finally:
            server.kill()


def proxy(report):
    """A tunnel by CONNECT, HTTP/2 within it."""
    server, secure, plain = start_go(100, 0)
    port = free_port()
    with open("tinyproxy.conf", "w", encoding="ascii") as file:
        file.write(f"Port {port}\nListen 127.0.0.1\nTimeout 30\nMaxClients 100\n")
    try:
        with Programs() as programs:
            programs.start(["tinyproxy", "-d", "-c", "tinyproxy.conf"], [port])
            for protocol in ("http2", "http1"):
                ended = ask(f"https://127.0.0.1:{secure}/n", "ca.pem", "token-0123456789", COUNT, 64, protocol, proxy=f"http://127.0.0.1:{port}")
                seen = urllib.request.urlopen(f"http://127.0.0.1:{plain}/").read().decode().split()
                by_http2 = int(seen[2]) == (COUNT if protocol == "http2" else 0)
                report.row("Go, 100 streams, through tinyproxy", protocol, 64, ended, " ".join(seen), ended == [f"GET 200: {COUNT}"] and by_http2)
    finally:
        server.kill()


def kubernetes(report):
    """Each 401 ends the connection of all, and so do two answers of a hundred; an order must be carried out once."""
    folder = os.path.abspath("kubernetes")
    subprocess.run([KUBERNETES, "start", folder, "--api-flag=--goaway-chance=0.02"], check=True, stdout=subprocess.DEVNULL)
    try:
        with open(f"{folder}/kubeconfig", encoding="utf-8") as file:
            config = json.load(file)
        cluster = config["clusters"][0]["cluster"]
        token = config["users"][0]["user"]["token"]
        url = cluster["server"] + "/api/v1/namespaces/default"
        for protocol in ("http2", "http1"):
            for bad_every in ("0", "10"):
                run = f"{protocol}-{bad_every}"
                ended = ask(url, cluster["certificate-authority"], token, COUNT, 64, protocol, bad_every, url + "/configmaps", run)
                listed = subprocess.run(["curl", "-s", "--cacert", cluster["certificate-authority"], "-H", f"Authorization: Bearer {token}",
                                         f"{url}/configmaps?labelSelector=run={run}"], capture_output=True, check=True)
                orders = len(json.loads(listed.stdout)["items"])
                said = next(int(line.split(": ")[1]) for line in ended if line.startswith("POST 201"))
                bad = f", each {bad_every}th with an expired token" if bad_every != "0" else ""
                report.row(f"kube-apiserver, --goaway-chance 0.02{bad}", protocol, 64, ended, f"{orders} orders carried out", orders == said)
    finally:
        subprocess.run([KUBERNETES, "stop", folder], check=False, stdout=subprocess.DEVNULL)


def main():
    report = Report()
    certificate()
    go_server(report)
    silent_server(report)
    if shutil.which("nghttpd"):
        nghttpd(report)
    envoy(report)
    scripted(report)
    proxy(report)
    if KUBERNETES:
        kubernetes(report)
    report.finish(sys.argv[1])


if __name__ == "__main__":
    main()
