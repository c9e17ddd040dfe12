"""Lists pods by aiohttp and json, by hand: PORT COUNT."""
import asyncio
import json
import sys

import aiohttp


async def main():
    async with aiohttp.ClientSession(headers={"Authorization": "Bearer test-token"}) as session:
        async with session.get(f"http://127.0.0.1:{sys.argv[1]}/api/v1/namespaces/train/pods") as response:
            pods = json.loads(await response.read())["items"]
    return sum(pod["status"]["phase"] == "Running" and bool(pod["status"]["podIP"]) for pod in pods)


sys.exit(asyncio.run(main()) != int(sys.argv[2]))
