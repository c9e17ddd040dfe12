"""The nodes, devices and workloads of the comparison, and the numbers that each workload must be given."""
import json

NAMESPACE = "train"
H100 = {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}
TPU = {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice", "cloud.google.com/gke-tpu-topology": "2x4"}
NODES = {  # name: resources of device plugins, labels, and devices of drivers
    "gpu-1": ({"nvidia.com/gpu": 8}, H100, {}),
    "gpu-2": ({"nvidia.com/gpu": 8}, H100, {}),
    "tpu-1": ({"google.com/tpu": 4}, TPU, {}),
    "tpu-2": ({"google.com/tpu": 4}, TPU, {}),
    "mig-1": ({"nvidia.com/mig-1g.10gb": 7}, {}, {}),
    "dra-1": ({}, {}, {"gpu.nvidia.com": [f"gpu-{i}" for i in range(8)], "compute-domain.nvidia.com": ["channel-0"]}),
    "dra-2": ({}, {}, {"gpu.nvidia.com": [f"gpu-{i}" for i in range(8)], "compute-domain.nvidia.com": ["channel-0"]}),
    "dra-3": ({}, {}, {"gpu.nvidia.com": [f"gpu-0-mig-1g10gb-19-{i}" for i in range(4)]}),
    "dra-4": ({}, {}, {"gpu.nvidia.com": [f"gpu-{i}" for i in range(4)]}),
    "dra-5": ({}, {}, {"gpu.nvidia.com": [f"gpu-{i}" for i in range(4)]}),
}
CLASSES = {  # name: driver, further fields
    "gpu.nvidia.com": ("gpu.nvidia.com", {}),
    "mig.nvidia.com": ("gpu.nvidia.com", {}),
    "compute-domain-default-channel.nvidia.com": ("compute-domain.nvidia.com", {}),
    "extended.example.com": ("gpu.nvidia.com", {"extendedResourceName": "nvidia.com/gpu"}),
}


def device_class(name):
    driver, more = CLASSES[name]
    spec = {"selectors": [{"cel": {"expression": f"device.driver == '{driver}'"}}], **more}
    return {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": name}, "spec": spec}


def slices():
    for node, (_, _, drivers) in NODES.items():
        for driver, devices in drivers.items():
            name = f"{node}-{driver}".replace(".", "-")
            yield {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": name},
                   "spec": {"driver": driver, "nodeName": node, "pool": {"name": node, "generation": 1, "resourceSliceCount": 1}, "devices": [{"name": device} for device in devices]}}


def exactly(name, count=None, device_class_name="gpu.nvidia.com", **more):
    fields = {"deviceClassName": device_class_name, **more}
    return {"name": name, "exactly": fields if count is None else {**fields, "count": count}}


def claim(kind, name, requests):
    spec = {"devices": {"requests": requests}}
    return {"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": {"name": name, "namespace": NAMESPACE}, "spec": {"spec": spec} if kind == "ResourceClaimTemplate" else spec}


def job(name, pods, containers, on=None, claims=()):
    """An Indexed Job; `on`: the node's name, or labels that it must have."""
    selector = on if isinstance(on, dict) else {"kubernetes.io/hostname": on} if on else {}
    spec = {"restartPolicy": "Never", "nodeSelector": selector, "resourceClaims": list(claims),
            "containers": [{"name": f"c{i}", "image": "registry.example/trainer:v9", "resources": resources} for i, resources in enumerate(containers)]}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": NAMESPACE},
            "spec": {"completions": pods, "parallelism": pods, "completionMode": "Indexed", "template": {"spec": spec}}}


def limits(name, count):
    return {"limits": {name: str(count)}}


def uses(*claims):
    return {"claims": [dict(zip(("name", "request"), one.split("/"), strict=False)) for one in claims]}


class Workload:
    """`counts`: of each task that is counted; None: not known. `slots`: of each pod; None: refused. `waits`: so many pods find no node."""

    def __init__(self, name, what, objects, counts, source="resource claims", kind="GPU", slots="as counts", model="", waits=0, user="admin"):
        self.name, self.what, self.objects, self.counts, self.source, self.kind = name, what, objects, counts, source, kind
        self.slots = counts if slots == "as counts" else slots
        self.model, self.waits, self.user = model, waits, user

    @property
    def pods(self):
        made = self.objects or next(one.objects for one in WORKLOADS if one.name == self.name)  # those of an earlier workload of this name
        return made[-1]["spec"]["completions"]


def own(name, template):
    return {"name": name, "resourceClaimTemplateName": template}


WORKLOADS = [
    Workload("limits", "limits: 8 GPUs", [job("limits", 2, [limits("nvidia.com/gpu", 8)], H100)], [8, 8], "resource limits", model="H100"),
    Workload("tpus", "limits: 4 TPUs, GKE's labels", [job("tpus", 2, [limits("google.com/tpu", 4)], TPU)], [4, 4], "resource limits", "TPU", model="v6e"),
    Workload("mig", "limits: 3 MIG devices", [job("mig", 1, [limits("nvidia.com/mig-1g.10gb", 3)])], [3], "resource limits"),
    Workload("template", "a claim of 4 GPUs for each pod; one pod waits",
             [claim("ResourceClaimTemplate", "four", [exactly("gpus", 4)]), job("template", 3, [uses("gpus")], "dra-1", [own("gpus", "four")])], [4, 4, 4], waits=1),
    Workload("requests", "two containers, each with a request of one claim, and a channel",
             [claim("ResourceClaimTemplate", "parts", [exactly("a", 2), exactly("b"), exactly("c", 1), exactly("channel", 1, "compute-domain-default-channel.nvidia.com")]),
              job("requests", 1, [uses("gpus/a", "gpus/channel"), uses("gpus/b")], "dra-2", [own("gpus", "parts")])], [3]),
    Workload("choice", "the first of 16 GPUs or 2 that there are",
             [claim("ResourceClaimTemplate", "first", [{"name": "gpus", "firstAvailable": [{"name": "many", "deviceClassName": "gpu.nvidia.com", "count": 16}, {"name": "few", "deviceClassName": "gpu.nvidia.com", "count": 2}]}]),
              job("choice", 1, [uses("gpus")], "dra-2", [own("gpus", "first")])], [2]),
    Workload("parts", "a claim of 2 MIG devices", [claim("ResourceClaimTemplate", "mig-2", [exactly("gpus", 2, "mig.nvidia.com")]), job("parts", 2, [uses("gpus")], "dra-3", [own("gpus", "mig-2")])], [2, 2]),
    Workload("all", "a claim of all GPUs of a node", [claim("ResourceClaimTemplate", "all", [exactly("gpus", allocationMode="All")]), job("all", 1, [uses("gpus")], "dra-4", [own("gpus", "all")])], [4]),
    Workload("all-waiting", "the same, before a node has them", [job("all-waiting", 1, [uses("gpus")], "dra-4", [own("gpus", "all")])], None, slots=None, waits=1),
    Workload("shared", "two pods, one claim of 2 GPUs",
             [claim("ResourceClaim", "pool", [exactly("gpus", 2)]), job("shared", 2, [uses("gpus")], "dra-5", [{"name": "gpus", "resourceClaimName": "pool"}])], [2], slots=None),
    Workload("extended", "limits: 1 GPU that a claim of the scheduler provides", [job("extended", 1, [limits("nvidia.com/gpu", 1)], "dra-5")], [1], "resource limits"),
    Workload("template", "the claims of 4 GPUs, for a user who may list pods alone", [], None, slots=None, waits=1, user="pods-only"),
]


def everything():
    yield from map(device_class, CLASSES)
    yield from slices()


def as_text(objects):
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})
