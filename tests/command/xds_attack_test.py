"""rollcall serve --xds-listen under hostile HTTP/2 clients: memory, descriptors, and whether the next client is served."""
import resource
import socket
import threading
import urllib.request

from support import *

ADS = b"/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY = 0, 1, 3, 4, 6, 7
END_HEADERS, ENHANCE_YOUR_CALM = 4, 11
SERVE_BY_HAND = """import os, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
os.execv(sys.argv[1], sys.argv[1:])"""


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, 0)


def head(path=ADS):
    fields = ((b":method", b"POST"), (b":scheme", b"http"), (b":path", path), (b":authority", b"h"), (b"content-type", b"application/grpc"))
    return b"".join(b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value for name, value in fields)


class Strangers(Command):
    def serve(self, few_descriptors=False):
        words = [ROLLCALL, "serve", "--listen", "127.0.0.1:0", "--xds-listen", "127.0.0.1:0"]
        if few_descriptors:
            words = [sys.executable, "-c", SERVE_BY_HAND, *words]
        self.service = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=clean_environment())
        self.addCleanup(self.end, self.service)
        said = exports("".join(lines_until(self.service.stdout, "ROLLCALL_XDS")))
        self.url = said["ROLLCALL_SERVER"]
        self.port = int(said["ROLLCALL_XDS"].rsplit(":", 1)[1])

    def connect(self):
        client = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        self.addCleanup(client.close)
        return client

    def is_served(self):
        """Another client's call of an unknown method is answered, so the service works."""
        client = self.connect()
        client.sendall(GREETING + frame(HEADERS, END_HEADERS, 1, head(b"/a.B/C")))
        answered = HEADERS in [kind for kind, _ in self.frames(client, lambda kind: kind == HEADERS)]
        client.close()
        with urllib.request.urlopen(self.url + "/readyz", timeout=PATIENCE) as answer:
            return answered and answer.status == 200

    @staticmethod
    def frames(client, is_last=lambda kind: False):
        """Kinds and payloads of the frames until the last one, or the end."""
        heard, frames = b"", []
        while True:
            try:
                more = client.recv(65536)
            except ConnectionResetError:
                return frames
            if not more:
                return frames
            heard += more
            while len(heard) >= 9 and len(heard) >= 9 + int.from_bytes(heard[:3], "big"):
                size = int.from_bytes(heard[:3], "big")
                frames.append((heard[3], heard[9:9 + size]))
                heard = heard[9 + size:]
                if is_last(frames[-1][0]):
                    return frames

    def peak(self):
        """Megabytes."""
        with open(f"/proc/{self.service.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmHWM:\s+(\d+)", status.read()).group(1)) // 1024

    def flood(self, make, most):
        """Sends `make(i)` until the service ends the connection, at most `most` times. The code of its GOAWAY, if that came."""
        client = self.connect()
        client.sendall(GREETING)
        try:
            for i in range(most):
                client.sendall(make(i))
        except (BrokenPipeError, ConnectionResetError):
            pass
        codes = [int.from_bytes(payload[4:8], "big") for kind, payload in self.frames(client, lambda kind: kind == GOAWAY) if kind == GOAWAY]
        client.close()
        return codes[-1] if codes else None

    def test_streams_that_are_reset_at_once(self):
        self.serve()
        before = self.peak()

        def resets(i):
            streams = range(100 * i + 1, 100 * i + 101, 2)
            return b"".join(frame(HEADERS, END_HEADERS, stream, head()) + frame(RST_STREAM, 0, stream, struct.pack(">I", 8)) for stream in streams)

        codes = []
        strangers = [threading.Thread(target=lambda: codes.extend(self.flood(resets, 400) for _ in range(10))) for _ in range(4)]
        for one in strangers:
            one.start()
        for one in strangers:
            one.join()
        self.assertIn(ENHANCE_YOUR_CALM, codes)
        self.assertLessEqual(set(codes), {ENHANCE_YOUR_CALM, None})  # a reset may come before the GOAWAY
        if not SANITIZED:
            self.assertLess(self.peak() - before, 20)
        self.assertTrue(self.is_served())

    def test_frames_without_end(self):
        self.serve()
        before = self.peak()
        call = frame(HEADERS, END_HEADERS, 1, head())
        for kind, one, first in (("ping", frame(PING, 0, 0, b"12345678"), b""), ("settings", frame(SETTINGS, 0, 0), b""),
                                 ("empty data", frame(DATA, 0, 1), call), ("padding", frame(DATA, 8, 1, b"\x64" + bytes(100)), call),
                                 ("unknown", frame(99, 0, 0, b"x"), b""), ("continuation", frame(9, 0, 1, b"\0\1a\1b"), frame(HEADERS, 0, 1, head())),
                                 ("table", frame(9, 0, 1, b"\xbe" * 8000), frame(HEADERS, 0, 1, head() + b"\x40\x01x\x7f\xbd\x1d" + b"y" * 3900)),
                                 ("a message without end", frame(DATA, 0, 1, b"x" * 8000), call)):
            with self.subTest(kind):
                code = self.flood(lambda i, one=one, first=first: first * (i == 0) + one * (8192 // len(one)), 2000)
                self.assertIn(code, (ENHANCE_YOUR_CALM, 3, None))
        if not SANITIZED:
            self.assertLess(self.peak() - before, 20)
        self.assertTrue(self.is_served())

    def test_more_connections_than_descriptors(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 1024)), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        self.serve(few_descriptors=True)
        clients = [self.connect() for _ in range(400)]
        for one in clients:
            one.sendall(GREETING)
        self.frames(clients[0], lambda kind: kind == SETTINGS)
        for one in clients:
            one.close()
        for _ in range(3):
            self.assertTrue(self.is_served())


main()
