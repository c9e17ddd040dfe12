"""Over the frameworks' own source files, without their binaries: `plain_sources.py HOW FOLDER [TARGET]`. Its last line is `RESULT` and the result."""
from __future__ import annotations

import importlib.metadata
import importlib.util
import sys
import time
import types
from pathlib import Path
from typing import Any

from job import hold, result


def package(name: str, **members: Any) -> types.ModuleType:
    module = types.ModuleType(name)
    module.__path__ = []
    for key, value in members.items():
        setattr(module, key, value)
    sys.modules[name] = module
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, module)
    return module


def source(name: str, file: Path) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    parent, _, child = name.rpartition(".")
    setattr(sys.modules[parent], child, module)
    spec.loader.exec_module(module)
    return module


def torchrun(folder: str) -> None:
    """The real registry finds the backend by its entry point, as `--rdzv-backend=rollcall` does."""
    root = Path(folder) / "torch/distributed"
    for name in ("torch", "torch.distributed.elastic", "torch.distributed.elastic.utils", "torch.distributed.elastic.rendezvous"):
        if name == "torch.distributed.elastic":
            package("torch.distributed", Store=object, TCPStore=object, PrefixStore=object, register_rendezvous_handler=lambda *_: None)
        package(name)
    package("torch.distributed.elastic.utils.distributed", get_free_port=None)
    api = source("torch.distributed.elastic.rendezvous.api", root / "elastic/rendezvous/api.py")
    package("torch.distributed.elastic.rendezvous.dynamic_rendezvous", create_handler=None)
    registry = source("torch.distributed.elastic.rendezvous.registry", root / "elastic/rendezvous/registry.py")
    registry._register_default_handlers()
    if hasattr(registry, "_register_out_of_tree_handlers"):
        registry._register_out_of_tree_handlers()
    parameters = api.RendezvousParameters("rollcall", "tpu:trainer,zone=us-central2-b", "run", 2, 4, timeout="30", local_addr=None)
    handler = registry.get_rendezvous_handler(parameters)
    missing = sorted(name for name in api.RendezvousHandler.__abstractmethods__ if getattr(type(handler), name) is getattr(api.RendezvousHandler, name))
    groups = [entry.value for entry in importlib.metadata.entry_points(group="torchrun.handlers")]
    result(handler=type(handler).__module__, backend=handler.get_backend(), missing=missing, targets=handler._targets, store=handler.use_agent_store, found=groups)


def lightning(folder: str, target: str) -> None:
    """The base class of the newest Lightning."""
    for name in ("lightning_fabric", "lightning_fabric.plugins"):
        package(name)
    file = Path(folder) / "lightning_fabric/plugins/environments/cluster_environment.py"
    environments = package("lightning_fabric.plugins.environments")
    base = source("lightning_fabric.plugins.environments.cluster_environment", file).ClusterEnvironment
    environments.ClusterEnvironment = base  # type: ignore[attr-defined]
    from rollcall_cluster.lightning import RollcallEnvironment

    environment = RollcallEnvironment(target, node_rank=1, timeout=60)
    environment.validate_settings(num_devices=1, num_nodes=2)
    result(members=sorted(base.__abstractmethods__), is_base=isinstance(environment, base), address=environment.main_address, port=environment.main_port)


def horovod(folder: str, target: str) -> None:
    """Horovod's own host manager polls, as its elastic driver does, until a second host appears."""
    sys.path.insert(0, folder)
    from horovod.runner.elastic.discovery import HostManager
    from rollcall_cluster.horovod import RollcallDiscovery

    hold()
    discovery = RollcallDiscovery(target, slots=4)
    manager = HostManager(discovery)
    seen: list[tuple[list[str], int]] = []
    until = time.monotonic() + 60
    slowest = 0.0
    while time.monotonic() < until and (not seen or len(seen[-1][0]) < 2):
        begin = time.monotonic()
        manager.update_available_hosts()
        if seen:
            slowest = max(slowest, time.monotonic() - begin)
        now = (list(manager.current_hosts.host_assignment_order), manager.current_hosts.count_available_slots())
        if not seen or now != seen[-1]:
            seen.append(now)
        time.sleep(0.1)
    discovery.close()
    result(seen=seen, slowest_after_the_first=slowest)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
