"""A real Envoy between the library and a server, with a limit of streams and of requests of a connection."""
import json
import subprocess
import time
import urllib.request

from counterparts import free_port


def settings(port, admin, upstream, streams, requests):
    file = lambda name: {"filename": name}  # noqa: E731
    kind = lambda name: f"type.googleapis.com/envoy.{name}"  # noqa: E731
    tls = {"@type": kind("extensions.transport_sockets.tls.v3.DownstreamTlsContext"), "common_tls_context": {
        "alpn_protocols": ["h2", "http/1.1"], "tls_certificates": [{"certificate_chain": file("server.pem"), "private_key": file("server.key")}]}}
    manager = {"@type": kind("extensions.filters.network.http_connection_manager.v3.HttpConnectionManager"), "stat_prefix": "door",
               "common_http_protocol_options": {"max_requests_per_connection": requests} if requests else {},
               "http2_protocol_options": {"max_concurrent_streams": streams},
               "route_config": {"virtual_hosts": [{"name": "all", "domains": ["*"], "routes": [{"match": {"prefix": "/"}, "route": {"cluster": "server"}}]}]},
               "http_filters": [{"name": "router", "typed_config": {"@type": kind("extensions.filters.http.router.v3.Router")}}]}
    address = lambda number: {"socket_address": {"address": "127.0.0.1", "port_value": int(number)}}  # noqa: E731
    cluster = {"name": "server", "connect_timeout": "5s", "circuit_breakers": {"thresholds": [{"max_connections": 4096, "max_requests": 4096, "max_pending_requests": 4096}]},
               "transport_socket": {"name": "tls", "typed_config": {"@type": kind("extensions.transport_sockets.tls.v3.UpstreamTlsContext")}},
               "load_assignment": {"cluster_name": "server", "endpoints": [{"lb_endpoints": [{"endpoint": {"address": address(upstream)}}]}]}}
    chain = {"transport_socket": {"name": "tls", "typed_config": tls}, "filters": [{"name": "http", "typed_config": manager}]}
    return {"admin": {"address": address(admin)}, "static_resources": {"listeners": [{"name": "door", "address": address(port), "filter_chains": [chain]}], "clusters": [cluster]}}


class Envoy:
    """With `requests` 0 a connection may have any number of them."""

    def __init__(self, program, upstream, streams, requests):
        self.port, self._admin = free_port(), free_port()
        with open("envoy.json", "w", encoding="ascii") as out:
            json.dump(settings(self.port, self._admin, upstream, streams, requests), out)
        with open("envoy.log", "w", encoding="ascii") as log:
            self._process = subprocess.Popen([program, "-c", "envoy.json", "--use-dynamic-base-id", "--concurrency", "2", "-l", "warning"], stderr=log, stdout=log)
        end = time.monotonic() + 60
        while self._ask("/ready") != "LIVE":
            if time.monotonic() > end or self._process.poll() is not None:
                raise RuntimeError("Envoy did not start: see envoy.log")
            time.sleep(0.2)

    def close(self):
        self._process.kill()
        self._process.wait()

    def seen(self):
        """Connections, requests, and those by HTTP/2."""
        counters = dict(line.split(": ") for line in self._ask("/stats?filter=^http.door").splitlines() if ": " in line)
        return [int(counters[f"http.door.downstream_{name}"]) for name in ("cx_total", "rq_total", "rq_http2_total")]

    def _ask(self, path):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._admin}{path}", timeout=5) as answer:
                return answer.read().decode().strip()
        except OSError:
            return ""
