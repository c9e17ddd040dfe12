"""Asks for nodes by google-cloud-tpu's asyncio client over gRPC, its default; the port is that of bench/tpu_stub.py."""
import asyncio

import grpc
import measured
from google.cloud import tpu_v2
from google.cloud.tpu_v2.services.tpu.transports import TpuGrpcAsyncIOTransport


async def main():
    root, count, in_flight, rounds = measured.arguments()
    async with grpc.aio.insecure_channel(root.split("/")[2]) as channel:
        client = tpu_v2.TpuAsyncClient(transport=TpuGrpcAsyncIOTransport(channel=channel))

        async def ask(name):
            node = await client.get_node(name=f"projects/p/locations/z/nodes/{name}")
            return node.state == tpu_v2.Node.State.READY and len(node.network_endpoints) == 4

        await measured.run_async(count, rounds, lambda names: measured.so_many_at_once(in_flight, names, ask))


asyncio.run(main())
