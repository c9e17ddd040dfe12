"""Asks for nodes by google-cloud-tpu over REST, from as many threads as requests in flight."""
from concurrent.futures import ThreadPoolExecutor

import measured
import requests.adapters
from google.auth.credentials import AnonymousCredentials
from google.cloud import tpu_v2
from google.cloud.tpu_v2.services.tpu.transports import TpuRestTransport

ROOT, COUNT, IN_FLIGHT, ROUNDS = measured.arguments()
transport = TpuRestTransport(host=ROOT.split("/")[2], credentials=AnonymousCredentials(), url_scheme="http")
transport._session.mount("http://", requests.adapters.HTTPAdapter(pool_connections=1, pool_maxsize=IN_FLIGHT))
client = tpu_v2.TpuClient(transport=transport)


def ask(name):
    node = client.get_node(name=f"projects/p/locations/z/nodes/{name}")
    return node.state == tpu_v2.Node.State.READY and len(node.network_endpoints) == 4


with ThreadPoolExecutor(IN_FLIGHT) as pool:
    measured.run(COUNT, ROUNDS, lambda names: sum(pool.map(ask, names)))
