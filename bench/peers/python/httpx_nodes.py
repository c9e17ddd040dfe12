"""Asks for nodes by httpx over HTTP/2, where the server chooses it, by hand: one client for all requests."""
import asyncio
import json

import httpx
import measured


async def main():
    root, count, in_flight, rounds = measured.arguments()
    headers = {"Authorization": "Bearer test-token"}
    async with httpx.AsyncClient(http2=True, verify=measured.trust(), headers=headers, limits=httpx.Limits(max_connections=in_flight), timeout=60) as client:

        async def ask(name):
            node = json.loads((await client.get(f"{root}v2/projects/p/locations/z/nodes/{name}")).content)
            return node["state"] == "READY" and len(node["networkEndpoints"]) == 4

        await measured.run_async(count, rounds, lambda names: measured.so_many_at_once(in_flight, names, ask))


asyncio.run(main())
