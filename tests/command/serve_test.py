"""rollcall serve --stdio as a process: the examples of docs/protocol.md, the schema, slow readers, bad lines, and every kind of end."""
import fcntl
import pathlib
import socket
import threading

from json_schema import Schema
from support import *

ROOT = pathlib.Path(HERE).parent.parent
WAITING = os.path.join(EXAMPLES, "waiting.json")
SANITIZED = os.environ.get("ASAN_OPTIONS") or os.environ.get("TSAN_OPTIONS")  # whose memory is the sanitizer's own
NOWHERE = "simple:job.worker=127.0.0.1:1"  # nothing listens there


def request(number, method, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def cancel(number):
    return {"jsonrpc": "2.0", "method": "cancel", "params": {"id": number}}


HELLO = request(0, "initialize", protocol=1)


class Child:
    """`rollcall serve --stdio` and its client. What is sent and read is kept in `sent` and `told`."""

    def __init__(self, environment, *words, **given):
        self.process = subprocess.Popen([ROLLCALL, "serve", "--stdio", *words], env=environment, stderr=subprocess.PIPE, bufsize=0,
                                        **{"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, **given})
        self.rest = b""
        self.sent = []
        self.told = []

    def send(self, *messages):
        for message in messages:
            if isinstance(message, dict):
                self.sent.append(message)
            line = json.dumps(message).encode() if isinstance(message, dict) else message
            self.write(line + b"\n")

    def write(self, data):
        while data:
            data = data[self.process.stdin.write(data):]

    def read(self):
        """The next message; None at the end."""
        while b"\n" not in self.rest:
            ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
            if not ready:
                raise AssertionError(f"nothing comes; told so far: {self.told[-3:]}")
            piece = os.read(self.process.stdout.fileno(), 1 << 20)
            if not piece:
                return None
            self.rest += piece
        line, self.rest = self.rest.split(b"\n", 1)
        self.told.append(json.loads(line))
        return self.told[-1]

    def answer(self, number):
        """The answer to that request; what comes before it is in `told`."""
        while True:
            message = self.read()
            if message is None or ("method" not in message and message["id"] == number):
                return message

    def ask(self, message):
        self.send(message)
        return self.answer(message["id"])

    def read_all(self):
        while self.read() is not None:
            pass
        return self.told

    def peak(self):
        """The most memory it has had, in MB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s*(\d+)", status)[1]) / 1024

    def end(self):
        """Its exit code, once its input has ended."""
        if self.process.stdin:
            self.process.stdin.close()
        self.read_all()
        code = self.process.wait(PATIENCE)
        errors = self.process.stderr.read()
        self.close()
        if errors:
            raise AssertionError(errors.decode())
        return code

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                stream.close()


class Serving(Command):
    def child(self, *words, **given):
        child = Child(self.environment(), *words, **given)
        self.addCleanup(child.close)
        return child

    def started(self, **options):
        child = self.child()
        self.assertIn("result", child.ask(request(0, "initialize", protocol=1, options=options)))
        return child


class Examples(Serving):
    def test_the_page(self):
        """Each block of docs/protocol.md is a session: what is shown comes, `…` stands for anything, and numbers of time may differ."""
        self.simulate(WAITING)
        page = (ROOT / "docs/protocol.md").read_text(encoding="utf-8")
        blocks = [block for block in re.findall(r"```\n(.*?)```", page, re.S) if block.startswith("-> ")]
        self.assertGreater(len(blocks), 1)
        for block in blocks:
            child = self.child()
            for line in block.splitlines():
                if line.startswith("-> "):
                    child.send(line[3:].encode())
                    continue
                shown = "".join(re.escape(part) + ".*" for part in re.split("…", line.removeprefix("<- ")))[:-2]
                shown = re.sub(r"(_ms\":)\d+", r"\1\\d+", shown)
                shown = re.sub(r"\\\(after\\ \d+\\ ms", r"\\(after\\ [\\d.]+\\ m?s", shown)
                said = json.dumps(child.read(), ensure_ascii=False, separators=(",", ":"))
                self.assertRegex(said, f"^{shown}$")
            self.assertEqual(child.end(), 0)

    def test_requests_from_a_file(self):
        """The end of a file ends no request."""
        self.simulate(WAITING)
        with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as told:
            for message in (HELLO, request(1, "wait", targets=["tpu:trainer"]), request(2, "resolve", targets=[NOWHERE])):
                asked.write(json.dumps(message).encode() + b"\n")
            asked.write(b'{"half')
            asked.seek(0)
            done = subprocess.run([ROLLCALL, "serve", "--stdio"], stdin=asked, stdout=told, env=self.environment(), timeout=PATIENCE)
            self.assertEqual(done.returncode, 0)
            told.seek(0)
            answers = {message["id"]: message for message in map(json.loads, told) if "method" not in message}
        self.assertEqual(answers.keys(), {0, 1, 2, None})
        self.assertEqual(answers[1]["result"]["status"]["cluster"]["worker"][0], "127.83.1.1:8470")
        self.assertEqual(answers[None]["error"]["code"], -32700)
        with open(os.devnull, "rb") as nothing:
            self.assertEqual(subprocess.run([ROLLCALL, "serve", "--stdio"], stdin=nothing, stdout=subprocess.PIPE, timeout=PATIENCE).stdout, b"")


class Described(Serving):
    def test_every_line_of_a_session_is_as_the_schema_says(self):
        schema = Schema(read_json(ROOT / "docs/protocol.schema.json"))
        self.simulate(CLOUD)
        with tempfile.NamedTemporaryFile("w") as token:
            token.write("ya29.secret-token\n")
            token.flush()
            child = self.started(token_file=token.name, log="all", retries=1, zone=None)
            half = {"targets": ["tpu:trainer"], "timeout": 20}
            for number, (method, params) in enumerate([
                    ("resolve", half), ("resolve", {"targets": ["tpu:trainer", "tpu:nobody", "simple:job.a=b:1"], "partial": True, "timeout": None}),
                    ("resolve", {"targets": ["tpu:trainer", "tpu:single"], "list": True}), ("resolve", {"targets": ["tpu:nobody"]}),
                    ("status", half), ("status", {"targets": ["tpu:creating"]}),
                    ("wait", {**half, "until": "state,health", "members": 4, "for_existence": True}),
                    ("wait", {"targets": [NOWHERE], "until": "reachable", "timeout": 0.2}),
                    ("devices", {**half, "source": "accelerator-type"}), ("devices", {"targets": ["tpu:nobody"], "partial": True}),
                    ("accelerators", half), ("discover", {"kinds": ["tpu"], "filters": ["name=t*"], "timeout": 20}),
                    ("discover", {"projects": ["other"], "timeout": 20}), ("whoami", half),
                    ("whoami", {"targets": ["simple:job.worker=a:1,type=worker,task=0"]}), ("topology", {"accelerator_type": "v4-32"}),
                    ("topology", {"target": "tpu:trainer"}), ("doctor", {"timeout": 20}), ("doctor", {"target": "tpu:trainer"})], 1):
                child.ask(request(number, method, **params))
            child.send(request("w", "watch", targets=["tpu:trainer"]))
            while child.read()["method"] != "change":
                pass
            child.send(cancel("w"))
            child.answer("w")
            child.send(b"{")
            child.answer(None)
            self.assertEqual(child.end(), 0)
        for message in child.sent:
            self.assertEqual(schema.faults(message, "request"), [], message)
        results = {message["id"]: message["method"] for message in child.sent if "id" in message}
        kinds = set()
        for message in child.told:
            self.assertNotIn("ya29", json.dumps(message))
            self.assertEqual(schema.faults(message, "event" if "method" in message else "answer"), [], message)
            kinds.add(message.get("method"))
            if "result" in message:
                self.assertEqual(schema.faults(message["result"], results[message["id"]] + "_result"), [], message)
        self.assertEqual(kinds, {None, "progress", "change", "found", "missing", "log"})

    def test_the_session_s_proxy_and_client_certificate(self):
        child = self.child()
        for options, wrong in (({"proxy": "ftp://me:hidden-password@p"}, "options: proxy"), ({"client_certificate": "/nowhere"}, "/nowhere")):
            error = child.ask(request(len(child.sent), "initialize", protocol=1, options=options))["error"]
            self.assertIn(wrong, error["message"])
        environment = {"ROLLCALL_ACCESS_TOKEN": "hidden-token-of-the-session"}
        child.ask(request(7, "initialize", protocol=1, options={
            "proxy": "http://me:hidden-password@127.0.0.1:1", "retries": 0, "log": "all", "environment": environment}))
        error = child.ask(request(8, "resolve", targets=["tpu:t,project=p,zone=us-central2-b"]))["error"]
        self.assertIn("http://127.0.0.1:1", error["message"])
        self.assertNotIn("hidden-", json.dumps(child.told))

    def test_the_schema_refuses(self):
        schema = Schema(read_json(ROOT / "docs/protocol.schema.json"))
        self.assertEqual(schema.faults(HELLO, "request"), [])
        for message in (request(1, "wiat", targets=["a"]), request(1, "wait", targets=[]), request(1, "wait", targets=["a"], untill="x"),
                        request(1, "wait", targets=["a"], timeout=0), request(1.5, "wait", targets=["a"]), request(1, "wait"), request(1 << 64, "wait", targets=["a"]),
                        {"jsonrpc": "2.0", "method": "cancel", "params": {}}, request("x" * 129, "wait", targets=["a"])):
            self.assertNotEqual(schema.faults(message, "request"), [], message)


class Load(Serving):
    def test_ten_thousand_waits_at_once_and_each_is_answered_once(self):
        child = self.started()
        count = 1_000 if SANITIZED else 10_000
        writer = threading.Thread(target=child.send, args=[request(i, "wait", targets=[NOWHERE], until="reachable") for i in range(1, count + 1)])
        writer.start()
        waiting = set()
        while len(waiting) < count:
            message = child.read()
            self.assertEqual(message["method"], "progress")
            waiting.add(message["params"]["id"])
        writer.join()
        writer = threading.Thread(target=child.send, args=[cancel(i) for i in range(1, count + 1)])
        writer.start()
        answered = []
        while len(answered) < count:
            message = child.read()
            if "method" not in message:
                self.assertEqual(message["error"]["data"]["code"], "cancelled")
                answered.append(message["id"])
            else:
                self.assertNotIn(message["params"]["id"], answered[-1:])
        writer.join()
        self.assertEqual(sorted(answered), list(range(1, count + 1)))
        self.assertEqual(child.end(), 0)

    def test_a_client_that_does_not_read_loses_events_and_no_answer(self):
        child = self.started(log="all")
        count = 4_000 if SANITIZED else 20_000
        child.send(*[request(i, "resolve", targets=["simple:job.worker=10.0.0.1:8470"]) for i in range(1, count + 1)])
        child.process.stdin.close()
        child.process.stdin = None
        told = child.read_all()
        self.assertEqual(sorted(m["id"] for m in told if "method" not in m), list(range(count + 1)))
        records = [m["params"] for m in told if m.get("method") == "log"]
        self.assertLess(len(records), count)
        self.assertLess(child.process.wait(PATIENCE), 1)

    def test_answers_that_nobody_reads_hold_up_requests_not_memory(self):
        child = self.started()
        os.set_blocking(child.process.stdin.fileno(), False)
        line = json.dumps(request("x" * 100, "no such method " + "y" * 100)).encode() + b"\n"
        data = line * 60_000  # their answers are some 40 MB
        sent = 0
        while sent < len(data) and select.select([], [child.process.stdin], [], 2)[1]:
            sent += os.write(child.process.stdin.fileno(), data[sent:sent + 65536])
        self.assertLess(sent, len(data))
        peak = child.peak()
        if not SANITIZED:
            self.assertLess(peak, 200)
        done = sent
        read = 0
        while done < len(data) or read < 60_000:
            readable, writable, _ = select.select([child.process.stdout], [child.process.stdin] if done < len(data) else [], [], PATIENCE)
            self.assertTrue(readable or writable)
            if writable:
                done += os.write(child.process.stdin.fileno(), data[done:done + 65536])
            if readable:
                read += os.read(child.process.stdout.fileno(), 1 << 20).count(b"\n")
        self.assertEqual(read, 60_000)
        if not SANITIZED:
            self.assertLess(child.peak(), 200)
        self.assertEqual(child.end(), 0)


class BadLines(Serving):
    def test_garbage_is_answered_and_the_next_line_is_read(self):
        child = self.started()
        for line, code in ((b"", -32700), (b"\x00\xff\xfe", -32700), (b"{", -32700), (b'{"a":"\xed\xa0\x80"}', -32700), (b'{"a":"\\udc00"}', -32700),
                           (b"[1]", -32600), (b"x" * 1_048_577, -32600), (b"[" * 100_000, -32600), (b'{"jsonrpc":"2.0","id":{},"method":"m"}', -32600),
                           (json.dumps(request(1, "resolve")).encode().replace(b"1,", b"1e400,"), -32600)):
            child.send(line)
            message = child.read()
            self.assertEqual((message["id"], message["error"]["code"]), (None, code), line[:80])
            self.assertIn("result", child.ask(request(1, "resolve", targets=[NOWHERE])))
        self.assertEqual(child.end(), 0)

    def test_half_a_line_at_the_end(self):
        child = self.started()
        child.write(b'{"jsonrpc":"2.0","id":5,"meth')
        self.assertEqual(child.end(), 0)
        self.assertEqual(child.told[-1]["error"]["code"], -32700)


class Ends(Serving):
    def waiting(self):
        child = self.started()
        child.send(request(1, "wait", targets=[NOWHERE], until="reachable"))
        self.assertEqual(child.read()["method"], "progress")
        return child

    def test_the_end_of_the_input_cancels(self):
        child = self.waiting()
        self.assertEqual(child.end(), 0)
        self.assertEqual(child.told[-1]["error"]["data"]["code"], "cancelled")

    def test_sigint_is_ignored_and_sigterm_ends(self):
        child = self.waiting()
        child.process.send_signal(signal.SIGINT)
        self.assertIn("result", child.ask(request(2, "resolve", targets=[NOWHERE])))
        child.process.send_signal(signal.SIGTERM)
        self.assertEqual(child.answer(1)["error"]["data"]["code"], "cancelled")
        self.assertIsNone(child.read())
        self.assertEqual(child.process.wait(PATIENCE), 0)

    def test_nobody_reads_any_more(self):
        child = self.waiting()
        child.process.stdout.close()
        child.process.stdout = None
        self.assertEqual(child.process.wait(PATIENCE), 0)  # noticed without anything to write
        self.assertEqual(child.process.stderr.read(), b"")

    def test_a_client_that_is_killed_leaves_nothing_running(self):
        script = ("import json, subprocess, sys, time\n"
                  "child = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
                  f"child.stdin.write({json.dumps(HELLO).encode() + b'%c' % 10!r}); child.stdin.flush(); child.stdout.readline()\n"
                  "print(child.pid, flush=True); sys.stdin.read()\n")
        parent = subprocess.Popen([sys.executable, "-c", script, ROLLCALL, "serve", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  env=self.environment())
        grandchild = os.pidfd_open(int(parent.stdout.readline()))
        parent.kill()
        parent.communicate()
        self.assertTrue(select.select([grandchild], [], [], PATIENCE)[0])
        os.close(grandchild)

    def test_another_protocol_is_refused(self):
        child = self.child()
        error = child.ask(request(1, "initialize", protocol=2))["error"]
        self.assertEqual(error["data"]["message"], "protocol: 2 is not spoken here, but 1")
        self.assertIsNone(child.read())
        self.assertEqual(child.process.wait(PATIENCE), 1)

    def test_standard_streams_that_are_closed(self):
        """gRPC opens a descriptor before main, and would have made it standard input."""
        for closed in ("<&-", "<&- >&-", "<&- 2>&-", "<&- >&- 2>&-"):
            done = subprocess.run(["sh", "-c", f'"$0" serve --stdio {closed}', ROLLCALL], env=self.environment(), timeout=PATIENCE,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""), closed)

    @unittest.skipIf(SANITIZED, "UBSan stops in Asio's own undoing of an io_context that cannot be made")
    def test_too_few_descriptors_are_no_answered_session(self):
        line = json.dumps(HELLO).encode() + b"\n"
        done = subprocess.run(["sh", "-c", 'ulimit -n 6; exec "$0" serve --stdio', ROLLCALL], env=self.environment(), timeout=PATIENCE, input=line,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"too many descriptors are open", done.stderr)

    def test_without_stdio(self):
        done = self.run_it("serve")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("say so: rollcall serve --stdio", done.stderr)


class Descriptors(Serving):
    def test_shared_descriptors_keep_their_flags(self):
        """Pipes are opened anew; a socket, which cannot be, is set back."""
        reading, stdin = os.pipe()
        stdout, writing = os.pipe()
        child = self.child(stdin=reading, stdout=writing)
        os.write(stdin, json.dumps(HELLO).encode() + b"\n")
        self.assertIn(b"result", os.read(stdout, 4096))
        self.assertTrue(os.get_blocking(reading) and os.get_blocking(writing))
        os.close(stdin)
        self.assertEqual(child.process.wait(PATIENCE), 0)
        for fd in (reading, writing, stdout):
            os.close(fd)
        ours, theirs = socket.socketpair()
        child = self.child(stdin=theirs, stdout=theirs)
        ours.sendall(json.dumps(HELLO).encode() + b"\n")
        self.assertIn(b"result", ours.recv(4096))
        ours.shutdown(socket.SHUT_WR)
        self.assertEqual(child.process.wait(PATIENCE), 0)
        self.assertEqual(fcntl.fcntl(theirs, fcntl.F_GETFL) & os.O_NONBLOCK, 0)
        ours.close()
        theirs.close()


if __name__ == "__main__":
    main()
