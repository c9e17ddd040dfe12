"""The cost of hostile answers: a few kilobytes of gzip that expand to endless lists. Measured for the whole process, by the system."""
import http.server
import resource
import threading
import zlib

from support import *

DECODED = 64 << 20
MOST = 200 << 20  # resident bytes
# Of several lists at once: while the next list is read, the allocator may still hold pages of a refused one. That depends on how the answers
# interleave; on a busy machine up to 229 MB were measured.
MOST_OF_SEVERAL = 240 << 20


def bomb(head, part, tail):
    """Gzip of `head`, `part` and a comma again and again, up to DECODED bytes, and `tail`."""
    pack = zlib.compressobj(9, zlib.DEFLATED, 31)
    chunk = (part + ",").encode() * (65536 // (len(part) + 1))
    out = pack.compress(head.encode())
    for _ in range(DECODED // len(chunk)):
        out += pack.compress(chunk)
    return out + pack.compress((part + tail).encode()) + pack.flush()


def zlib_of(text):
    pack = zlib.compressobj(9, zlib.DEFLATED, 31)
    return pack.compress(text.encode()) + pack.flush()


class Server(http.server.ThreadingHTTPServer):
    """Answers by the path; everything else is not found."""

    daemon_threads = True

    def __init__(self, answers):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = answers
        self.root = f"http://localhost:{self.server_address[1]}/"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = next((body for part, body in self.server.answers.items() if part in self.path), None)
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "application/json")
        if body:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        try:
            self.wfile.write(body or b"")
        except OSError:
            pass  # the client has seen enough

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except ConnectionError:
            self.close_connection = True

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


@unittest.skipIf(SANITIZED, "a sanitizer's memory is its own")
class Memory(Command):
    def run_against(self, answers, *words, address_space=None):
        """Exit code, standard error and the maximum of resident bytes."""
        server = Server(answers)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        environment = {**clean_environment(), "GCE_METADATA_HOST": "localhost:9", "CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU": server.root,
                       "CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE": server.root + "compute/v1/", "ROLLCALL_ACCESS_TOKEN": "test-token"}
        with tempfile.TemporaryFile("w+") as errors:
            def limited():
                resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))

            # Even on a busy machine the answers are read up to the point where they are refused.
            child = subprocess.Popen([ROLLCALL, *words, "--timeout", "5m"], env=environment, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL, stderr=errors, preexec_fn=limited if address_space else None)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            errors.seek(0)
            return child.returncode, errors.read(), usage.ru_maxrss * 1024

    def check(self, answers, *words, most=MOST):
        code, errors, used = self.run_against(answers, *words)
        self.assertLess(used, most, errors)
        self.assertEqual(code, 1, errors)
        return errors

    def test_lists_of_empty_elements(self):
        lists = {"/nodes": bomb('{"nodes":[', "{}", "]}"), "/queuedResources": bomb('{"queuedResources":[', "{}", "]}"),
                 "/instanceGroups": bomb('{"items":{', '"zones/z":{"warning":{"code":"X"}}', "}}")}
        self.check(lists, "discover", "--project", "p", most=MOST_OF_SEVERAL)

    def test_lists_within_lists(self):
        many = ",".join(["{}"] * 1000)
        groups = ",".join(['{"name":"a"}'] * 1000)
        lists = {"/nodes": bomb('{"nodes":[', '{"networkEndpoints":[' + many + "]}", "]}"),
                 "/queuedResources": bomb('{"queuedResources":[', '{"tpu":{"nodeSpec":[' + many + "]}}", "]}"),
                 "/instanceGroups": bomb('{"items":{', '"zones/z":{"instanceGroups":[' + groups + "]}", "}}")}
        for kind in ["tpu", "queued-resource", "instance-group"]:
            self.check(lists, "discover", "--project", "p", "--kind", kind)
        self.assertIn("bytes of memory", self.check(lists, "discover", "--project", "p", most=MOST_OF_SEVERAL))

    def test_rows_that_are_to_be_sorted(self):
        lists = {"/nodes": bomb('{"nodes":[', '{"name":"a"}', "]}")}
        self.check(lists, "discover", "--project", "p", "--kind", "tpu", "--sort", "name")

    def test_a_zone_in_which_nodes_are_looked_up(self):
        lists = {"/nodes": bomb('{"nodes":[', '{"name":"a"}', "]}")}
        self.check(lists, "spec", "--lookup", "list", "tpu:a,project=p,zone=z", "tpu:b,project=p,zone=z")

    def test_the_members_of_a_group(self):
        ports = ",".join(['{"name":"a","port":1}'] * 1000)
        members = {"/listInstances": bomb('{"items":[', '{"instance":"a","namedPorts":[' + ports + "]}", "]}")}
        self.check(members, "spec", "gce:g,project=p,zone=z,port=1")

    def test_the_instances_of_a_group(self):
        nics = ",".join(["{}"] * 1000)
        answers = {"/listInstances": zlib_of('{"items":[{"instance":"zones/z/instances/a"}]}'),
                   "/instances": bomb('{"items":[', '{"name":"a","networkInterfaces":[' + nics + "]}", "]}")}
        self.check(answers, "spec", "gce:g,project=p,zone=z,port=1,lookup=list")

    def test_the_pods_of_a_cluster(self):
        pods = bomb('{"kind":"PodList","metadata":{},"items":[', '{"metadata":{"name":"a"}}', "]}")
        server = Server({"/pods": pods})
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.check({}, "spec", f"kubernetes:train,api_server={server.root.rstrip('/')}")

    def test_one_node(self):
        node = {"/nodes/": bomb('{"networkEndpoints":[', "{}", "]}")}
        self.check(node, "spec", "tpu:a,project=p,zone=z")

    def test_an_error(self):
        self.check({"/nodes/": bomb('{"error":{"details":[', "{}", "]}}")}, "spec", "tpu:a,project=p,zone=z")


    def test_a_process_without_memory_does_not_say_that_all_is_well(self):
        many = ",".join(["{}"] * 1000)
        lists = {"/nodes": bomb('{"nodes":[', '{"networkEndpoints":[' + many + "]}", "]}")}
        for limit in range(64 << 20, 320 << 20, 32 << 20):
            with self.subTest(limit=limit):
                code, errors, _ = self.run_against(lists, "discover", "--project", "p", "--kind", "tpu", address_space=limit)
                self.assertNotEqual(code, 0, errors)
                self.assertNotIn("nothing was found", errors)


if __name__ == "__main__":
    unittest.main()
