"""Finds the machines of a training cluster and waits for them.

    import rollcall_cluster

    status = rollcall_cluster.wait_sync("tpu:trainer", timeout=1800)      # blocking
    spec = await rollcall_cluster.resolve("tpu:trainer")                  # asyncio

Every question is a coroutine function and has a blocking twin, `NAME_sync`. A `Client` or a `SyncClient` holds options for all its questions. The work is done by the command
`rollcall`, which runs as a child process and stays. Nothing is imported, and no child started, before it is needed.
"""
from __future__ import annotations

import importlib

_QUESTIONS = ("resolve", "status", "why", "wait", "devices", "accelerators", "whoami", "topology", "doctor", "barrier", "preflight", "watch", "discover")
_MODULES = {
    "_async": "AsyncStream Client",
    "_sync": "SyncClient SyncStream",
    "_values": "ClusterSpec Failure Task",
    "_states": "Accelerators Barrier BarrierAbsence BarrierProgress Cause Change ChangeKind Condition Member MemberState MissingMember Notice Part Progress Status Why WhyGroup",
    "_inventory": "Check Device Devices Diagnosis Found HostDevices LocalDevice LocalDevices TargetDevices Topology VisibleDevices Worker",
    "_preflight": "Finding FindingMember GpuHealth GpuUser HostFact HostFacts PreflightUnknown Verdict",
    "_errors": "Cancelled CommandFailed CommandMismatch CommandNotFound Conflict ConnectTimeout DeadlineExceeded FailedPrecondition HandshakeTimeout"
    " HttpError InvalidArgument LimitExceeded MalformedResponse NotFound NotReady PermissionDenied RateLimited RefusedByPolicy ResolveTimeout"
    " ResponseTimeout RollcallError RpcError TlsFailed Unauthenticated Unavailable Unimplemented UnknownHost Unreachable",
}
_SUBMODULES = ("launch", "testing")
_DROP_INS = ("horovod", "jax", "lightning", "tensorflow", "torch")  # their import loads a framework, and registers a name there
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}

__version__ = "0.1.0"
__all__ = sorted(_HOME) + [name + twin for name in _QUESTIONS for twin in ("", "_sync")]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> object:
    """Imports a name when it is used: asyncio only for the asyncio client, since the blocking twin does not need it."""
    if name in _HOME:
        value = getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    elif name in _QUESTIONS or name.removesuffix("_sync") in _QUESTIONS:
        module = importlib.import_module("._sync" if name.endswith("_sync") else "._async", __name__)
        value = getattr(module.default, name.removesuffix("_sync"))
    elif name in _SUBMODULES:
        value = importlib.import_module(f".{name}", __name__)
    else:
        advice = f": import {__name__}.{name} first" if name in _DROP_INS else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{advice}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__", "__doc__"]
