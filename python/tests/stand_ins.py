"""Stand-ins for the tests of plug-ins: a client with fixed answers and, where a framework is not installed, minimal versions of its base classes.

An installed framework is used itself. The stand-ins have the parts that the plug-ins use, with the same signatures as the real ones.
"""
from __future__ import annotations

import importlib.util
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest

from rollcall_cluster import ClusterSpec, FailedPrecondition, Member, Task
from rollcall_cluster._states import Condition, Status

READY = Condition()


class FakeClient:
    """Returns a fixed cluster and task, and records its calls. An exception instead of an answer is raised."""

    _idle: tuple[Any, ...] = ()  # it has no children, as the package's own client has

    def __init__(self, cluster: dict[str, Any] | Exception, own: Task | Exception | None = None) -> None:
        self.cluster = cluster
        self.own: Task | Exception = own if own is not None else FailedPrecondition("nothing tells which task this process is")
        self.asked: list[tuple[str, tuple[str, ...], dict[str, Any]]] = []
        self.listeners: dict[str, Exception] = {}

    def _spec(self) -> ClusterSpec:
        if isinstance(self.cluster, Exception):
            raise self.cluster
        return ClusterSpec(self.cluster)

    def resolve(self, *targets: str, **options: Any) -> ClusterSpec:
        self.asked.append(("resolve", targets, options))
        return self._spec()

    def wait(self, *targets: str, **options: Any) -> Status:
        self.asked.append(("wait", targets, options))
        for target, trouble in self.listeners.items():
            if target in targets:
                raise trouble
        if options.get("until") == "reachable":  # the servers that listen, by address
            return Status("running", READY, READY, ClusterSpec(), 0, ())
        return self.status(*targets)

    def status(self, *targets: str, **_options: Any) -> Status:
        spec = self._spec()
        return Status("running", READY, READY, spec, 0, tuple(Member(task.job, task.index, address=task.address) for task in spec.tasks))

    def whoami(self, *targets: str, **options: Any) -> Task:
        self.asked.append(("whoami", targets, options))
        if isinstance(self.own, Exception):
            raise self.own
        return self.own

    def questions(self) -> list[str]:
        return [question for question, _, _ in self.asked]

    def __enter__(self) -> FakeClient:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def _modules(*names: str) -> dict[str, Any]:
    made: dict[str, Any] = {name: ModuleType(name) for name in names}
    for name, module in made.items():
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(made[parent], child, module)
        module.__path__ = []
    return made


def tensorflow() -> dict[str, Any]:
    class Resolver:
        def num_accelerators(self, task_type: object = None, task_id: object = None, config_proto: object = None) -> dict[str, int]:
            return defaultdict(int, COUNTED=1)

    class TPUResolver(Resolver):
        def __init__(self, tpu: str, job_name: str = "worker") -> None:
            self.tpu, self.job_name = tpu, job_name

        def cluster_spec(self) -> ClusterSpecOfTensorFlow:
            return ClusterSpecOfTensorFlow({self.job_name: dict(enumerate(one.removeprefix("grpc://") for one in self.tpu.split(",")))})

        def master(self) -> str:
            return self.tpu.split(",")[0]

    class ClusterSpecOfTensorFlow:
        def __init__(self, jobs: dict[str, dict[int, str]]) -> None:
            self.jobs = jobs

        def as_dict(self) -> dict[str, Any]:
            return {job: list(tasks.values()) if list(tasks) == list(range(len(tasks))) else tasks for job, tasks in self.jobs.items()}

    made = _modules("tensorflow", "tensorflow.distribute", "tensorflow.distribute.cluster_resolver", "tensorflow.train")
    made["tensorflow.distribute.cluster_resolver"].ClusterResolver = Resolver
    made["tensorflow.distribute.cluster_resolver"].TPUClusterResolver = TPUResolver
    made["tensorflow.train"].ClusterSpec = ClusterSpecOfTensorFlow
    return made


def jax() -> dict[str, Any]:
    class ClusterEnv:
        name = ""
        opt_in_only_method = False
        _cluster_types: list[type] = []  # noqa: RUF012

        def __init_subclass__(cls) -> None:
            cls._cluster_types.append(cls)

    made = _modules("jax", "jax._src", "jax._src.clusters", "jax.distributed")
    made["jax._src.clusters"].ClusterEnv = ClusterEnv
    made["jax.distributed"].initialize = None
    return made


def torch() -> dict[str, Any]:
    """Its store is a dict for each `host:port`, which only a host makes."""

    class Store:
        made: dict[tuple[str, int], dict[str, int]] = {}  # noqa: RUF012

        def __init__(self, host: str, port: int, _size: object, is_host: bool, _timeout: object, multi_tenant: bool = False) -> None:
            assert multi_tenant
            self.values = self.made.setdefault((host, port), {}) if is_host else self.made[host, port]

        def add(self, key: str, number: int) -> int:
            self.values[key] = self.values.get(key, 0) + number
            return self.values[key]

    class Prefix:
        def __init__(self, prefix: str, store: Store) -> None:
            self.prefix, self.store = prefix, store

        def add(self, key: str, number: int) -> int:
            return self.store.add(f"{self.prefix}/{key}", number)

    schemes: dict[str, Callable[..., Any]] = {}
    made = _modules("torch", "torch.distributed", "torch.distributed.elastic", "torch.distributed.elastic.rendezvous", "torch.distributed.elastic.rendezvous.api")
    made["torch.distributed"].TCPStore = Store
    made["torch.distributed"].PrefixStore = Prefix
    made["torch.distributed"].register_rendezvous_handler = schemes.__setitem__
    api = made["torch.distributed.elastic.rendezvous.api"]
    api.RendezvousHandler = object
    for name in ("Error", "ClosedError", "TimeoutError", "ConnectionError"):
        setattr(api, "Rendezvous" + name, type("Rendezvous" + name, (getattr(api, "RendezvousError", Exception),), {}))
    return made


def lightning_fabric() -> dict[str, Any]:
    made = _modules("lightning_fabric", "lightning_fabric.plugins", "lightning_fabric.plugins.environments")
    made["lightning_fabric.plugins.environments"].ClusterEnvironment = object
    return made


def horovod() -> dict[str, Any]:
    made = _modules("horovod", "horovod.runner", "horovod.runner.elastic", "horovod.runner.elastic.discovery")
    made["horovod.runner.elastic.discovery"].HostDiscovery = object
    return made


def is_installed(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


@contextmanager
def plugin(name: str, framework: Callable[[], dict[str, Any]]) -> Iterator[Any]:
    """The plug-in's module over the framework, or over its stand-in. The stand-in and the modules imported over it are removed afterwards."""
    stands_in = not is_installed(framework.__name__)
    own = f"rollcall_cluster.{name}"
    with pytest.MonkeyPatch.context() as patch:
        if stands_in:
            for module, value in framework().items():
                patch.setitem(sys.modules, module, value)
            sys.modules.pop(own, None)
        try:
            yield importlib.import_module(own)
        finally:
            if stands_in:
                sys.modules.pop(own, None)
