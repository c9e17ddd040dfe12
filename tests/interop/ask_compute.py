"""Asks google-cloud-compute and `rollcall spec` about a simulated Compute Engine, compares, and writes the transcript.

ask_compute.py TRANSCRIPT : the environment has the simulator's lines, INTEROP_ROLLCALL, INTEROP_CA and INTEROP_VERSIONS.
"""
import os
import subprocess
import sys
import urllib.parse

import google.auth
from google.api_core.client_options import ClientOptions
from google.api_core.exceptions import GoogleAPICallError
from google.cloud import compute_v1

PROJECT, ZONE, REGION = "example-proj", "us-central1-a", "us-central1"
WORKERS = [f"worker-{i}" for i in range(12)]
IPS = {name: f"10.128.0.{2 + i}" for i, name in enumerate(WORKERS)}
ENDPOINT = urllib.parse.urlsplit(os.environ["CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE"])


def client(kind):
    credentials = google.auth.default(scopes=["https://www.googleapis.com/auth/cloud-platform"])[0]
    options = ClientOptions(api_endpoint=f"{ENDPOINT.scheme}://{ENDPOINT.netloc}")
    return kind(transport="rest", credentials=credentials, client_options=options)


def last(url):
    return url.rsplit("/", 1)[-1]


def listing(group, state="RUNNING"):
    """A zonal group's members through all pages, as the client follows them."""
    request = compute_v1.ListInstancesInstanceGroupsRequest(
        project=PROJECT, zone=ZONE, instance_group=group, order_by="name",
        instance_groups_list_instances_request_resource=compute_v1.InstanceGroupsListInstancesRequest(instance_state=state))
    return list(client(compute_v1.InstanceGroupsClient).list_instances(request=request).pages)


def regional(group):
    request = compute_v1.ListInstancesRegionInstanceGroupsRequest(
        project=PROJECT, region=REGION, instance_group=group,
        region_instance_groups_list_instances_request_resource=compute_v1.RegionInstanceGroupsListInstancesRequest(instance_state="RUNNING"))
    return list(client(compute_v1.RegionInstanceGroupsClient).list_instances(request=request).pages)


def items(pages):
    return [item for page in pages for item in page.items]


def instance(zone, name):
    return client(compute_v1.InstancesClient).get(project=PROJECT, zone=zone, instance=name)


def filtered(text):
    request = compute_v1.ListInstancesRequest(project=PROJECT, zone=ZONE, filter=text)
    return sorted(one.name for one in client(compute_v1.InstancesClient).list(request=request))


def upstream(pages, port):
    """The addresses as TensorFlow's GCEClusterResolver finds them: one get for each member, sorted as text."""
    found = []
    for item in items(pages):
        parts = item.instance.split("/")
        found.append(instance(parts[-3], parts[-1]).network_interfaces[0].network_i_p + f":{port}")
    return sorted(found)


def refusal(ask):
    try:
        ask()
    except GoogleAPICallError as error:
        reasons = [one.get("reason") for one in error.errors or []]
        return f"{error.code.value} {', '.join(str(one) for one in reasons if one)}".strip()
    return "no error"


def rollcall(target, *options):
    command = [os.environ["INTEROP_ROLLCALL"], "spec", target, "--project", PROJECT, "--ca", os.environ["INTEROP_CA"], "--retries", "0", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return f"exit code {done.returncode}: {done.stderr.strip()}"
    return [line.split()[2] for line in done.stdout.splitlines() if not line.endswith(" -")]  # `-`: a job without tasks


def questions():
    zonal = f"gce:workers,zone={ZONE}"
    text_order = sorted(f"{ip}:8470" for ip in IPS.values())
    name_order = [f"{IPS[name]}:8470" for name in WORKERS]
    yield "Members of a zonal group that run, by name", [last(item.instance) for item in items(listing("workers"))], sorted(WORKERS), None
    yield "Pages of five", [len(page.items) for page in listing("workers")], [5, 5, 2], None
    yield "Members in every state", sorted({item.status for item in items(listing("workers", "ALL"))}), ["PROVISIONING", "RUNNING"], None
    yield "Named ports of a member", sorted((port.name, port.port) for port in items(listing("workers"))[0].named_ports), [("ssh", 22), ("tf", 8470)], None
    yield "An empty group", upstream(listing("empty"), 8470), [], rollcall(f"gce:empty,zone={ZONE},port=8470")
    yield "The cluster in text order", upstream(listing("workers"), 8470), text_order, rollcall(zonal + ",port=8470")
    yield "The cluster by instances.list", None, text_order, rollcall(zonal + ",port=8470,lookup=list")
    yield "The cluster in the order of names", None, name_order, rollcall(zonal + ",named_port=tf,order=name")
    yield "IPv6 addresses", [f"[{instance(ZONE, name).network_interfaces[0].ipv6_address}]:1" for name in WORKERS], \
        [f"[fd20:0:0:7::{2 + i:x}]:1" for i in range(12)], rollcall(zonal + ",port=1,address=ipv6,order=name")
    yield "The second interface", [f"{instance(ZONE, name).network_interfaces[1].network_i_p}:1" for name in WORKERS], \
        [f"192.168.7.{2 + i}:1" for i in range(12)], rollcall(zonal + ",port=1,nic=nic1,order=name")
    servers = regional("servers")
    yield "A regional group over two zones", upstream(servers, 2222), ["10.128.1.65:2222", "10.128.1.66:2222"], \
        rollcall(f"gce:servers,region={REGION},named_port=tf")
    # The client has no field for returnPartialSuccess: that is Rollcall's question alone.
    yield "A zone that does not answer, partial answers taken", None, ["10.128.2.2:1"], rollcall(f"gce:lost,region={REGION},port=1,partial=true")
    warned = listing("warned")
    yield "A list with a warning", upstream(warned, 1), ["10.128.2.2:1"], rollcall(f"gce:warned,zone={ZONE},port=1,partial=true")
    yield "Its warning", [(page.warning.code, page.warning.data[0].value) for page in warned], [("UNREACHABLE", "zones/us-central1-f")], None
    yield "Its warning, partial answers not taken", None, "503 backendError", rollcall(f"gce:warned,zone={ZONE},port=1")[:11]
    yield "A zone that does not answer", refusal(lambda: regional("lost")), "503 backendError", \
        rollcall(f"gce:lost,region={REGION},port=1")[:11]
    yield "An instance: status, zone, labels, external address", \
        [(one.status, last(one.zone), dict(one.labels), one.network_interfaces[0].access_configs[0].nat_i_p) for one in [instance(ZONE, "worker-3")]], \
        [("RUNNING", ZONE, {"team": "vision"}, "203.0.113.5")], None
    yield "An instance that is provisioned has no address", instance(ZONE, "young").network_interfaces[0].network_i_p, "", None
    yield "A filter of today", filtered('(name = "worker-1") OR (name = "worker-10")'), ["worker-1", "worker-10"], None
    yield "A filter of the older style", filtered("name eq 'worker-1.*'"), ["worker-1", "worker-10", "worker-11"], None
    yield "The group itself", [(one.name, one.size, last(one.zone)) for one in
                               [client(compute_v1.InstanceGroupsClient).get(project=PROJECT, zone=ZONE, instance_group="workers")]], \
        [("workers", 13, ZONE)], None
    yield "A group that is not there", refusal(lambda: listing("nobody")), "404 notFound", rollcall(f"gce:nobody,zone={ZONE},port=1")[:11]
    yield "A quota of requests that is exceeded is 403", refusal(lambda: listing("throttled")), "403 rateLimitExceeded", \
        rollcall(f"gce:throttled,zone={ZONE},port=1")[:11]
    yield "A filter that is none", refusal(lambda: filtered("name")), "400 invalid", None


# What `rollcall spec` ends with where Google's client raises.
EXIT_CODES = {"404 notFound": "exit code 1", "403 rateLimitExceeded": "exit code 5", "503 backendError": "exit code 5"}


def shown(value):
    if isinstance(value, list):
        return f"{len(value)}: {value[0]} … {value[-1]}" if len(value) > 4 else ", ".join(str(one) for one in value) or "none"
    return "not asked" if value is None else str(value) or "none"


def main():
    lines = ["# Google's Compute Engine client and Rollcall, asked the same\n",
             "Written by `tests/interop/compute`; see `README.md` beside it. Everything was asked of one `rollcall sim compute.json`, over TLS.\n",
             "| | version |\n| --- | --- |"]
    for line in os.environ["INTEROP_VERSIONS"].splitlines():
        lines.append("| {} | {} |".format(*line.rsplit(" ", 1)))
    lines.append("\n| question | google-cloud-compute | rollcall | |\n| --- | --- | --- | --- |")
    passed = failed = 0
    for text, reported, expected, ours in questions():
        wanted = EXIT_CODES.get(expected, expected) if isinstance(expected, str) else expected
        is_same = reported in (None, expected) and ours in (None, wanted)
        passed, failed = passed + is_same, failed + (not is_same)
        lines.append(f"| {text} | {shown(reported)} | {shown(ours)} | {'as compute.json says' if is_same else f'**DIFFERENT** from {expected}'} |")
    lines.append(f"\n{passed} passed, {failed} failed, 0 skipped")
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    print("\n".join(lines))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
