#!/usr/bin/env python3
"""A stand-in for `rollcall serve --stdio` with chosen faults: FAKE_HELLO sets the one at the start, a question's target the one of its answer."""
import json
import os
import signal
import sys
from typing import Any

HELLO = os.environ.get("FAKE_HELLO", "")
GOOD = {"level": "ready", "text": ""}
MEMBER = {"job": "worker", "index": 0, "address": "a:1", "state": "ready", "health": "lost", "health_text": "<b>"}
STATUS = {"phase": "running", "state": GOOD, "health": GOOD, "cluster": {"worker": ["a:1"]}, "expected": 1, "members": [MEMBER]}
CHANGE = {"change": "trouble", "time": "2026-11-22T10:00:00Z", "text": "x" * 200}


def put(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def fail(number: object, code: str, message: str, **data: object) -> None:
    put({"id": number, "error": {"code": -32000, "message": message, "data": {"code": code, "message": message, **data}}})


def progress(number: object, ready: int) -> None:
    missing = [{"job": "worker", "index": 0, "last_index": 3 - ready, "why": "CREATING", "for_ms": 1500}]
    line = f"{ready}/4 ready · waiting"
    put({"method": "progress", "params": {"id": number, "progress": {"at_ms": 5, "ready": ready, "total": 4, "phase": "running", "missing": missing, "line": line}}})


def hello(message: dict[str, Any]) -> None:
    number = message["id"]
    if HELLO == "die":
        sys.stderr.write("fake: cannot find my feet\n")
        os._exit(7)
    if HELLO == "hang":
        return
    if HELLO == "garbage":
        print("Usage: rollcall [OPTIONS]", flush=True)
        return
    if HELLO == "refuse":
        fail(number, "invalid_argument", "protocol: 1 is not spoken here, but 2")
        os._exit(0)
    if HELLO == "options":
        fail(number, "invalid_argument", "token_file: /nowhere cannot be read")
        return
    if HELLO == "infinite":
        put({"id": number, "result": {"protocol": 1, "max_requests": float("inf")}})
        return
    limits = json.loads(os.environ.get("FAKE_LIMITS", "{}"))
    put({"id": number, "result": {"protocol": 2 if HELLO == "newer" else 1, "name": "rollcall", "version": "9.9", "options": message["params"]["options"], **limits}})


class Server:
    def __init__(self) -> None:
        self.held: dict[object, str] = {}
        self.cancels = 0
        self.most = json.loads(os.environ.get("FAKE_LIMITS", "{}")).get("max_requests", 16384)
        self.results = {
            "resolve": {"cluster": {"worker": ["a:1", "b:1"], "ps": {"3": "c:1"}, "chief": {}}, "failures": []},
            "status": {"status": STATUS},
            "why": {"is_ready": False, "ready": 0, "total": 1, "groups": [], "warnings": [], "unread": [], "status": STATUS},
            "whoami": {"job": "worker", "index": 1, "address": "", "evidence": "RANK=1"},
            "accelerators": {"counts": {"TPU": 4}},
        }
        self.results["wait"] = self.results["status"]

    def take(self, message: dict[str, Any]) -> None:
        method, number, params = message["method"], message.get("id"), message["params"]
        if method == "initialize":
            hello(message)
        elif method == "cancel":
            self.cancel(params["id"])
        elif method == "more":
            if self.held.get(params["id"]) == "flood":
                self.flood(params["id"], params["events"])
        elif not HELLO:
            self.ask(method, number, params, params.get("targets", ["fake:found"])[0].removeprefix("fake:"))

    def cancel(self, number: object) -> None:
        self.cancels += 1
        how = self.held.pop(number, "deaf")
        if how == "wins":
            put({"id": number, "result": self.results["resolve"]})
        elif how != "deaf":
            sys.stderr.write("cancelled\n")
            fail(number, "cancelled", "the question was cancelled")

    def flood(self, number: object, events: int) -> None:
        for _ in range(events):
            put({"method": "change", "params": {"id": number, "change": CHANGE, "cluster": {}}})

    def ask(self, method: str, number: object, params: dict[str, Any], how: str) -> None:
        if len(self.held) >= self.most:
            fail(number, "limit_exceeded", "no more at a time")
        elif how in ("held", "wins"):
            self.held[number] = how
            if method == "wait":
                progress(number, 1)
        elif how == "hang":
            if method == "wait":
                progress(number, 1)
        elif how == "die":
            sys.stderr.write("fake: fell\t\x1b[31mover\n")
            sys.stderr.flush()
            os._exit(3)
        elif how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif how == "garbage":
            print("Segmentation fault", flush=True)
        elif how == "half":
            sys.stdout.write('{"jsonrpc":"2.0","id":1,"res')
            sys.stdout.flush()
            os._exit(0)
        elif how == "deep":
            print("[" * 200000, flush=True)
        elif how == "list":
            print("[1]", flush=True)
        elif how == "binary":
            sys.stdout.buffer.write(b"\xff\xfe\x00\n")
            sys.stdout.buffer.flush()
        elif how == "null":
            put({"id": None, "error": {"code": -32700, "message": "no JSON"}})
        elif how == "neither":
            put({"id": number})
        elif how == "shape":
            put({"id": number, "result": {"cluster": 7}})
        elif how == "text":
            put({"id": number, "result": "yes"})
        elif how == "badprogress":
            put({"method": "progress", "params": {"id": number, "progress": {"ready": 1}}})
            self.held[number] = "held"
        elif how == "endless":
            while True:
                sys.stdout.write("x" * 65536)
        elif how == "strangers":
            put({"id": 99999, "result": {}})
            put({"method": "progress", "params": {"id": 99999, "progress": {}}})
            put({"method": "news", "params": {"id": number, "of": "a later version"}})
            put({"id": number, "result": self.results[method]})
        elif how == "noise":
            sys.stderr.write("noise\n" * 100000)
            put({"id": number, "result": self.results[method]})
        elif how == "closed":
            os.close(1)
            signal.pause()
        elif how == "log":
            put({"method": "log", "params": {"record": {"event": "security_warning", "text": "careful"}}})
            put({"method": "log", "params": {"record": {"event": "attempt_started", "attempt": 1}}})
            put({"id": number, "result": self.results[method]})
        elif how == "changes":
            for one in range(3):
                put({"method": "change", "params": {"id": number, "change": {**CHANGE, "text": str(one)}, "cluster": {}}})
            self.held[number] = "held"
        elif how == "flood":  # as many as the window allows
            self.held[number] = how
            self.flood(number, params.get("window", 1 << 60))
        elif how == "deluge":  # more than the window allows
            self.held[number] = how
            self.flood(number, params["window"] + 1)
        elif how == "found":
            put({"method": "found", "params": {"id": number, "found": {"kind": "tpu", "name": "t", "target": "tpu:t"}}})
            put({"method": "missing", "params": {"id": number, "failure": {"code": "permission_denied", "message": "zone z must not be seen"}}})
            put({"id": number, "result": {"found": 1, "missing": 1}})
        elif how.startswith("error:"):
            last = {"ready": 3, "total": 4, "missing": [{"job": "worker", "index": 2, "address": "c:1", "why": "refused"}], "line": "3/4 ready"}
            fail(number, how[6:], "it is so", target="fake:" + how, hint="do that", asked="http://x", phase="connect", attempts=2, http_status=503, elapsed_ms=1500, progress=last)
        elif how == "unheard":
            put({"id": number, "error": {"code": -32601, "message": "unknown method", "data": {"code": "invalid_argument", "message": "unknown method"}}})
        elif how == "progress":
            for ready in range(5):
                progress(number, ready)
            put({"id": number, "result": self.results[method]})
        elif how == "environment":
            put({"id": number, "result": {"cluster": {"worker": [os.environ.get("PROBE", "none") + ":1"]}, "failures": []}})
        elif how == "cancels":
            put({"id": number, "result": {"cluster": {"worker": [f"{self.cancels}:1"]}, "failures": []}})
        elif how == "deaf":
            self.ask(method, number, params, "pid")
            while True:
                signal.pause()
        elif how == "pid":
            put({"id": number, "result": {"cluster": {"worker": [f"{os.getpid()}:{os.getsid(0)}"]}, "failures": []}})
        else:
            put({"id": number, "result": self.results[method]})


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    server = Server()
    for line in sys.stdin:
        server.take(json.loads(line))
