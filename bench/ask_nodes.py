"""ask_nodes.py CLIENT HOW PORT: asks tpu_stub.py's port for its thousand nodes and prints, as JSON, the wall seconds, the CPU seconds of this process, and
those of its child, each the median of several rounds.

CLIENT is `rollcall` or `google`, the asyncio client of google-cloud-tpu over gRPC, as is its default. HOW is `each`: a question for each node, all at once;
`one`: one question with all names; `list`: one list. A round begins without a child or a connection; imports are not measured.
"""
import asyncio
import json
import resource
import statistics
import sys
import time

WHO, HOW, PORT = sys.argv[1:]
COUNT = 1000
ROUNDS = 7
PARENT = "projects/p/locations/z"


async def by_rollcall():
    import rollcall_cluster

    environment = {"CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU": f"http://127.0.0.1:{PORT}/", "ROLLCALL_ACCESS_TOKEN": "t"}
    targets = [f"tpu:node-{i}" for i in range(COUNT)]
    async with rollcall_cluster.Client(project="p", zone="z", environ=environment) as client:
        if HOW == "each":
            found = await asyncio.gather(*(client.resolve(target) for target in targets))
        else:
            found = [await client.resolve(*targets, list=True if HOW == "list" else None)]
        assert sum(spec.num_tasks() for spec in found) == 4 * COUNT


async def by_google():
    import grpc
    from google.cloud import tpu_v2
    from google.cloud.tpu_v2.services.tpu.transports import TpuGrpcAsyncIOTransport

    async with grpc.aio.insecure_channel(f"127.0.0.1:{PORT}") as channel:
        client = tpu_v2.TpuAsyncClient(transport=TpuGrpcAsyncIOTransport(channel=channel))
        if HOW == "list":
            found = [node async for node in await client.list_nodes(tpu_v2.ListNodesRequest(parent=PARENT, page_size=COUNT))]
        else:
            found = await asyncio.gather(*(client.get_node(name=f"{PARENT}/nodes/node-{i}") for i in range(COUNT)))
        assert sum(len(node.network_endpoints) for node in found) == 4 * COUNT


def clocks():
    """A child counts once it has ended."""
    child = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter(), time.process_time(), child.ru_utime + child.ru_stime


def measure():
    ask = by_google if WHO == "google" else by_rollcall
    asyncio.run(ask())  # imports
    taken = []
    for _ in range(ROUNDS):
        before = clocks()
        asyncio.run(ask())
        taken.append([now - then for now, then in zip(clocks(), before)])
    print(json.dumps([statistics.median(column) for column in zip(*taken)]))


measure()
