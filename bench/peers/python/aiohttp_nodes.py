"""Asks for nodes by aiohttp, by hand: one session with as many connections as requests in flight."""
import asyncio
import json

import aiohttp
import measured


async def main():
    root, count, in_flight, rounds = measured.arguments()
    headers = {"Authorization": "Bearer test-token"}
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=in_flight, ssl=measured.trust()), headers=headers) as session:

        async def ask(name):
            async with session.get(f"{root}v2/projects/p/locations/z/nodes/{name}") as response:
                node = json.loads(await response.read())
            return node["state"] == "READY" and len(node["networkEndpoints"]) == 4

        await measured.run_async(count, rounds, lambda names: measured.so_many_at_once(in_flight, names, ask))


asyncio.run(main())
