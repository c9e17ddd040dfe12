"""rollcall serve --stdio as a process: the examples of docs/protocol.md, the schema, bad lines, and every kind of end."""
import fcntl
import socket
import time

from json_schema import Schema
from serve_client import *

ROOT = pathlib.Path(HERE).parent.parent
WAITING = os.path.join(EXAMPLES, "waiting.json")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


class Barrier(Serving):
    def test_sessions_and_the_command_meet(self):
        port = free_port()
        target = f"simple:job.chief=127.0.0.1:{port},job.worker=127.0.0.2:{port}+127.0.0.3:{port}"
        children = {name: self.started() for name in ("worker:0", "chief:0")}
        for name, child in children.items():
            job, index = name.split(":")
            child.send(request(1, "barrier", targets=[target], task={"job": job, "index": int(index)}))
        for child in children.values():
            while "2/3 here · worker:1: not started" not in child.read()["params"]["progress"]["line"]:
                pass
        last = self.run_it("exec", target, "--barrier", "--task", "worker:1", "--", "sh", "-c", "echo $ROLLCALL_GENERATION")
        self.assertEqual((last.returncode, last.stdout), (0, "1\n"), last.stderr)
        for name, rank in (("chief:0", 0), ("worker:0", 1)):
            result = children[name].answer(1)["result"]
            self.assertEqual((f"{result['job']}:{result['index']}", result["rank"], result["generation"]), (name, rank, 1))
            self.assertEqual(result["cluster"]["worker"], [f"127.0.0.2:{port}", f"127.0.0.3:{port}"])
            self.assertEqual(children[name].end(), 0)

    def test_the_late_are_named_and_a_cancelled_task_has_left(self):
        target = f"simple:job.worker=127.0.0.1:{free_port()}+127.0.0.2:1"
        child = self.started()
        error, timeout = {"message": ""}, 0.5
        while "1/2 here" not in error["message"] and timeout < PATIENCE:  # longer on a slow machine, where it ends before the first round
            error = child.ask(request(1, "barrier", targets=[target], task={"job": "worker", "index": 0}, timeout=timeout))["error"]
            timeout *= 2
        self.assertEqual(error["data"]["code"], "deadline_exceeded")
        self.assertIn("1/2 here · worker:1: not ", error["message"])
        self.assertEqual(error["data"]["progress"]["missing"][0]["task"], "worker:1")
        child.send(request(2, "barrier", targets=[target], task={"job": "worker", "index": 0}))
        while child.read().get("method") != "progress":
            pass
        child.send(cancel(2))
        self.assertEqual(child.answer(2)["error"]["data"]["code"], "cancelled")
        with socket.create_server(("127.0.0.1", int(target.split(":")[2].split("+")[0]))):
            pass  # the port is free
        for params, text in (({"task": {"job": "worker", "index": 9}}, "'worker:9' is no task of the cluster"), ({"port": 0}, "port"), ({"generation": 0}, "generation")):
            self.assertIn(text, child.ask(request(3, "barrier", targets=[target], **params))["error"]["message"])
        self.assertEqual(child.end(), 0)


class Preflight(Serving):
    def cluster(self):
        port = free_port()
        return port, "simple:job.worker=" + "+".join(f"127.0.0.{i + 1}:{port}" for i in range(2))

    def test_a_session_and_the_command_check_each_other(self):
        port, target = self.cluster()
        child = self.started()
        child.send(request(1, "preflight", targets=[target], checks=["kernel"], task={"job": "worker", "index": 0}, timeout=60))
        while True:
            progress = child.read()["params"]["progress"]
            if "1/2 here · worker:1: not " in progress["line"]:
                break
        self.assertEqual((progress["stage"], progress["here"], progress["total"], progress["missing"][0]["task"]), ("preflight", 1, 2, "worker:1"))
        other = self.run_it("preflight", target, "--task", "worker:1", "--checks", "kernel", "--format", "json", "--quiet")
        result = child.answer(1)["result"]
        self.assertEqual((result["passed"], result["present"], result["pairs_tested"], result["judged_by"]), (True, 2, 2, "worker 0"))
        self.assertEqual((other.returncode, json.loads(other.stdout)["run"]), (0, result["run"]), other.stderr)
        self.assertEqual(child.end(), 0)
        for index in range(2):
            with socket.socket() as bound:
                bound.bind((f"127.0.0.{index + 1}", port))  # fails while a connection is in TIME_WAIT there

    def test_this_host_as_the_command_prints_it(self):
        child = self.started()
        for checks, command, passed in ((["kernel"], "true", True), (["kernel", "expect:kernel=0.1"], "true", False), (["kernel"], "echo bad; exit 1", False)):
            result = child.ask(request(1, "preflight", checks=checks, verdict_from=[command]))["result"]
            printed = json.loads(self.run_it("preflight", "--format", "json", "--checks", ",".join(checks), "--verdict-from", command).stdout)
            self.assertEqual(({**result, "took_ms": 0}, result["passed"]), ({**printed, "took_ms": 0}, passed))
        self.assertEqual(child.end(), 0)

    def test_a_cancelled_member_frees_its_port(self):
        port, target = self.cluster()
        child = self.started()
        child.send(request(1, "preflight", targets=[target], checks=["kernel"], task={"job": "worker", "index": 0}))
        while child.read().get("method") != "progress":
            pass
        child.send(cancel(1))
        error = child.answer(1)["error"]
        self.assertEqual((error["data"]["code"], error["data"]["progress"]["here"]), ("cancelled", 1))
        with socket.socket() as bound:
            bound.bind(("127.0.0.1", port))
        self.assertEqual(child.end(), 0)

    def test_a_cancelled_question_ends_the_command_that_it_waits_for(self):
        child = self.started()
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "pid")
            child.send(request(1, "preflight", checks=["kernel"], verdict_from=[f"echo $$ > {folder}/new; mv {folder}/new {file}; exec sleep 1000"]))
            self.until(file.exists)
            process = pathlib.Path("/proc", file.read_text().strip())
        child.send(cancel(1))
        self.assertEqual(child.answer(1)["error"]["data"]["code"], "cancelled")
        self.until(lambda: not process.exists())
        self.assertEqual(child.end(), 0)

    def until(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end)

    def test_one_port_for_all(self):
        port = free_port()
        target = "simple:job.worker=127.0.0.1+127.0.0.2"  # addresses without ports
        children = [self.started() for _ in range(2)]
        for index, child in enumerate(children):
            child.send(request(1, "preflight", targets=[target], checks=["kernel"], task={"job": "worker", "index": index}, port=port, timeout=60))
        for child in children:
            self.assertTrue(child.answer(1)["result"]["passed"])
            self.assertEqual(child.end(), 0)

    def test_a_wrong_parameter_is_named(self):
        child = self.started()
        _, target = self.cluster()
        for params, text in (({"checks": ["kernle"]}, "checks: 'kernle' is no check"), ({"checks": "kernel"}, "checks: "), ({"checks": [""]}, "checks: "), ({"verdict_from": ["nagios:"]}, "verdict_from: a command for a verdict is empty"),
                             ({"verdict_from": ["true"] * 9}, "verdict_from: 9 commands"), ({"port": 0}, "port: "),
                             ({"targets": []}, "targets: "), ({"port": 29500}, "port: is of a cluster, and needs targets"), ({"job_id": "a"}, "job_id: is of a cluster"),
                             ({"task": {"job": "worker", "index": 0}}, "task: is of a cluster"), ({"secret_file": "/x"}, "secret_file: is of a cluster"),
                             ({"targets": [target], "task": {"job": "worker"}}, "task: "), ({"timeout": 0}, "timeout: "), ({"check": []}, "'check'"),
                             ({"targets": [target], "task": {"job": "worker", "index": 9}}, "'worker:9' is no task of the cluster"),
                             ({"targets": [target], "task": {"job": "worker", "index": 0}, "secret_file": "/nonexistent"}, "cannot read '/nonexistent'"),
                             ({"targets": ["simple:job.worker=127.0.0.1+127.0.0.2"], "task": {"job": "worker", "index": 0}}, "no port at which it could be probed"),
                             ({"targets": ["simple:job.worker=127.0.0.1:1+127.0.0.1:2"], "task": {"job": "worker", "index": 0}, "port": 9}, "cannot both listen at port 9")):
            with self.subTest(params=params):
                self.assertIn(text, child.ask(request(1, "preflight", **{"checks": ["kernel"], **params}))["error"]["message"])
        self.assertEqual(child.end(), 0)


class Examples(Serving):
    def test_the_page(self):
        """Each block of docs/protocol.md is a session: the shown messages come, `…` stands for anything, and times may differ."""
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
                shown = re.sub(r"\\ for\\ \d+\\\.\d\\ s", r"\\ for\\ [\\d.]+\\ m?s", shown)
                said = json.dumps(child.read(), ensure_ascii=False, separators=(",", ":"))
                self.assertRegex(said, f"^{shown}$")
            self.assertEqual(child.end(), 0)

    def test_requests_from_a_file(self):
        """The end of a file ends no request."""
        self.simulate(WAITING)
        with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as reported:
            for message in (HELLO, request(1, "wait", targets=["tpu:trainer"]), request(2, "resolve", targets=[NOWHERE])):
                asked.write(json.dumps(message).encode() + b"\n")
            asked.write(b'{"half')
            asked.seek(0)
            done = subprocess.run([ROLLCALL, "serve", "--stdio"], stdin=asked, stdout=reported, env=self.environment(), timeout=PATIENCE)
            self.assertEqual(done.returncode, 0)
            reported.seek(0)
            answers = {message["id"]: message for message in map(json.loads, reported) if "method" not in message}
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
                    ("topology", {"target": "tpu:trainer"}), ("doctor", {"timeout": 20}), ("doctor", {"target": "tpu:trainer"}),
                    ("launch", {"format": "plain", "targets": ["tpu:trainer"], "timeout": 20}), ("launch", {"format": "tf-config", "cluster": {"a": {"1": "b:1"}}, "environment": True}),
                    ("launch", {"format": "cluster-def", "cluster": {"a": ["b:1"]}, "task": {"job": "a", "index": 0}, "jobs": ["a"], "coordinator_port": "task", "slots": 4}),
                    ("launch", {"format": "torch-env", "cluster": {"a": ["b:1"]}, "coordinator_port": 29511, "job_id": "r", "accelerator_type": "v4-16", "name": "n"}),
                    ("barrier", {"targets": ["simple:job.worker=127.0.0.1:1"], "task": {"job": "worker", "index": 0}, "job_id": "r", "generation": 7, "timeout": 20}),
                    ("barrier", {"targets": ["simple:job.worker=127.0.0.1:1+127.0.0.2:1"], "task": {"job": "worker", "index": 0}, "port": free_port(), "timeout": 0.5}),
                    ("preflight", {"timeout": 60}), ("preflight", {"checks": ["kernel", "expect:kernel=0"], "verdict_from": ["true", "false"], "progress": False}),
                    ("preflight", {"targets": ["simple:job.worker=127.0.0.1:1+127.0.0.2:1"], "task": {"job": "worker", "index": 0}, "port": free_port(), "job_id": "r", "timeout": 0.5})], 1):
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
        for message in child.reported:
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
        self.assertNotIn("hidden-", json.dumps(child.reported))

    def test_the_schema_refuses(self):
        schema = Schema(read_json(ROOT / "docs/protocol.schema.json"))
        self.assertEqual(schema.faults(HELLO, "request"), [])
        for message in (request(1, "wiat", targets=["a"]), request(1, "wait", targets=[]), request(1, "wait", targets=["a"], untill="x"),
                        request(1, "wait", targets=["a"], timeout=0), request(1.5, "wait", targets=["a"]), request(1, "wait"), request(1 << 64, "wait", targets=["a"]),
                        {"jsonrpc": "2.0", "method": "cancel", "params": {}}, request("x" * 129, "wait", targets=["a"])):
            self.assertNotEqual(schema.faults(message, "request"), [], message)


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
        self.assertEqual(child.reported[-1]["error"]["code"], -32700)


class Ends(Serving):
    def waiting(self):
        child = self.started()
        child.send(request(1, "wait", targets=[NOWHERE], until="reachable"))
        self.assertEqual(child.read()["method"], "progress")
        return child

    def test_the_end_of_the_input_cancels(self):
        child = self.waiting()
        self.assertEqual(child.end(), 0)
        self.assertEqual(child.reported[-1]["error"]["data"]["code"], "cancelled")

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
        self.assertEqual(child.process.wait(PATIENCE), 0)  # noticed without a write
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


class Descriptors(Serving):
    def test_shared_descriptors_keep_their_flags(self):
        """Pipes are opened again; a socket, which cannot be, gets its flags back."""
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
