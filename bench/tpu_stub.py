"""tpu_stub.py MILLISECONDS: a Cloud TPU API of a thousand nodes over REST and over gRPC, each answer after a delay; run by a Python that has google-cloud-tpu.

Both ways return the same nodes (that of node_server.hpp), from one loop, one by one or all in one list. Answers are made in advance, so that the stub is not the bottleneck. It
prints its two ports; each line of its standard input is answered by `REQUESTS CPU_SECONDS`, and it ends with that. A gRPC connection may have any number of streams, where
Google's has a hundred: gRPC's own server refuses streams over such a limit instead of letting them wait.
"""
import asyncio
import json
import os
import sys
import time

import grpc
from google.cloud import tpu_v2

COUNT = 1000
PARENT = "projects/p/locations/z"
requests = 0
DELAY = float(sys.argv[1]) / 1000


def node(name):
    def endpoint(i):
        return {"ipAddress": f"10.130.0.{26 + i}", "port": 8470, "accessConfig": {"externalIp": f"34.90.10.{i}"}}

    return {
        "name": name,
        "description": "a node",
        "acceleratorType": "v4-32",
        "state": "READY",
        "runtimeVersion": "tpu-vm-v4-base",
        "health": "HEALTHY",
        "networkEndpoints": [endpoint(i) for i in range(4)],
        "cidrBlock": "10.130.0.0/29",
        "createTime": "2026-01-02T03:04:05.123456Z",
        "schedulingConfig": {"preemptible": True},
        "serviceAccount": {
            "email": "123456789012-compute@developer.gserviceaccount.com",
            "scope": ["https://www.googleapis.com/auth/cloud-platform"],
        },
        "networkConfig": {
            "network": "projects/p/global/networks/default",
            "subnetwork": "projects/p/regions/us-central2/subnetworks/default",
            "enableExternalIps": True,
        },
        "id": "6502082742571311568",
        "apiVersion": "V2",
        "shieldedInstanceConfig": {},
        "acceleratorConfig": {"type": "V4", "topology": "2x2x4"},
        "labels": {f"label-{i}": "some value of a label" for i in range(12)},
    }


class Rest(asyncio.Protocol):
    """HTTP/1.1, one request at a time on a connection."""

    answers: dict[bytes, bytes] = {}

    def connection_made(self, transport):
        self.transport = transport
        self.received = b""

    def data_received(self, data):
        self.received += data
        if self.received.endswith(b"\r\n\r\n"):
            path = self.received.split(b" ", 2)[1]
            self.received = b""
            asyncio.get_running_loop().call_later(DELAY, self.transport.write, self.answers[path])


class Grpc(grpc.GenericRpcHandler):
    answers: dict[str, dict[bytes, bytes]] = {}

    def service(self, details):
        answers = self.answers[details.method]

        async def answer(request, _):
            global requests
            requests += 1
            await asyncio.sleep(DELAY)
            return answers[request]

        return grpc.unary_unary_rpc_method_handler(answer)


def put_rest(path, message):
    body = json.dumps(message, separators=(",", ":"))
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=UTF-8\r\nContent-Length: {len(body)}\r\n\r\n"
    Rest.answers[f"/v2/{path}".encode()] = (head + body).encode()


def put_grpc(method, request, answer):
    Grpc.answers.setdefault(f"/google.cloud.tpu.v2.Tpu/{method}", {})[type(request).serialize(request)] = type(answer).serialize(answer)


def prepare():
    nodes = [node(f"{PARENT}/nodes/node-{i}") for i in range(COUNT)]
    messages = [tpu_v2.Node.from_json(json.dumps(one), ignore_unknown_fields=True) for one in nodes]
    for one, message in zip(nodes, messages):
        put_rest(one["name"], one)
        put_grpc("GetNode", tpu_v2.GetNodeRequest(name=one["name"]), message)
    put_rest(f"{PARENT}/nodes?pageSize={COUNT}", {"nodes": nodes})
    put_grpc("ListNodes", tpu_v2.ListNodesRequest(parent=PARENT, page_size=COUNT), tpu_v2.ListNodesResponse(nodes=messages))


def answer_driver():
    """As bench/stub.cpp does: requests over gRPC and CPU seconds, both since the line before."""
    reported, used = 0, time.process_time()
    for _ in sys.stdin:
        now, count = time.process_time(), requests
        print(count - reported, now - used, flush=True)
        reported, used = count, now


async def main():
    prepare()
    loop = asyncio.get_running_loop()
    rest = await loop.create_server(Rest, "127.0.0.1", 0, backlog=COUNT)
    rpc = grpc.aio.server()
    rpc.add_generic_rpc_handlers([Grpc()])
    port = rpc.add_insecure_port("127.0.0.1:0")
    await rpc.start()
    print(rest.sockets[0].getsockname()[1], port, flush=True)
    await loop.run_in_executor(None, answer_driver)
    os._exit(0)  # it has no state that needs an orderly end


asyncio.run(main())
