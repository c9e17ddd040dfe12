# pyright: basic, reportMissingImports=false, reportMissingModuleSource=false, reportAttributeAccessIssue=false
"""Waits for the processes of a JAX job and connects them.

    import rollcall_cluster.jax

    rollcall_cluster.jax.initialize("kubernetes:…", timeout=1800)       # instead of jax.distributed.initialize()

or, with an unchanged call, with the target in `ROLLCALL_TARGET` or detected:

    import rollcall_cluster.jax                                          # registers the name; changes nothing for others
    jax.distributed.initialize(cluster_detection_method="rollcall")

A program that `rollcall exec --as jax` starts needs neither target nor question: the import alone is enough for `jax.distributed.initialize()`.

If a peer is missing at JAX's own time-out, SIGABRT aborts the process, and no `except` catches that. This module waits for the cluster first, and all but the first process wait
for the coordinator to listen: DeadlineExceeded then has the missing members. Every task is one process.
"""
from __future__ import annotations

import os
from typing import Any

import jax
from jax._src.clusters import ClusterEnv  # private, but made for this: there is no other way to add a name for cluster_detection_method

from ._errors import InvalidArgument
from ._plugins import WAIT_TIMEOUT, Finding, WaitOptions, checked_rank, join_address, main_address, rank_of, ranked, split_options
from ._sync import SyncClient

_COORDINATOR_PORT = 8482  # JAX's own choice for TPUs

__all__ = ["LaunchedCluster", "RollcallCluster", "initialize"]


class _Processes:
    """The processes of a cluster, this process's number, and the coordinator, which must have the same address for every process."""

    def __init__(self, finding: Finding, job: str | None, process_id: object, port: int | str | None) -> None:
        tasks = ranked(finding.cluster, job)
        self.count = len(tasks)
        self.id = rank_of(tasks, finding.own_task()) if process_id is None else checked_rank("process_id", process_id, self.count)
        self.coordinator = join_address(*main_address(tasks[0], port, _COORDINATOR_PORT))


class _Launched:
    """The same by the variables that `rollcall exec --as jax` and Kubeflow Trainer set. JAX itself reads only the coordinator's of them."""

    def __init__(self) -> None:
        self.count = _count("JAX_NUM_PROCESSES", os.environ["JAX_NUM_PROCESSES"])
        self.id = checked_rank("JAX_PROCESS_ID", os.environ["JAX_PROCESS_ID"], self.count)
        self.coordinator = os.environ["JAX_COORDINATOR_ADDRESS"]

    @staticmethod
    def is_set() -> bool:
        return all(os.environ.get(name) for name in ("JAX_COORDINATOR_ADDRESS", "JAX_NUM_PROCESSES", "JAX_PROCESS_ID"))


def initialize(
    *targets: str,
    wait: bool = True,
    timeout: float | None = WAIT_TIMEOUT,
    process_id: int | None = None,
    job: str | None = None,
    coordinator_port: int | None = None,
    client: SyncClient | None = None,
    **options: Any,
) -> None:
    """Waits for the cluster, then calls `jax.distributed.initialize` with all arguments, so that JAX detects nothing itself.

    Args:
        targets: the targets to find, as on the command line; several are one cluster; default: `ROLLCALL_TARGET`, else `auto:`.
        wait: wait until the cluster is ready and the coordinator listens; else take it as it is.
        timeout: seconds for the wait; None: no limit. JAX's own `initialization_timeout` comes after it.
        process_id: the number of this process; default: the one that `whoami` finds. It is not guessed.
        job: the job whose tasks are the processes; default: the only one, after a chief or master if there is one.
        coordinator_port: where process 0 listens; default: `JAX_COORDINATOR_PORT`, else the port of its task, unless that is 8470, the TPU
            runtime's; then 8482. The same on all processes.
        client: the client to use; default: the package's own.
        options: of `wait` (`until`, `members`, `on_progress`, …) and of `jax.distributed.initialize` (`local_device_ids`, …).

    Raises: DeadlineExceeded with the missing members; NotReady; other RollcallErrors. Once the cluster is complete, the errors of JAX.
    """
    waiting, passed_on = split_options(options)
    finding = Finding(targets, wait, timeout, client, waiting)
    port = coordinator_port if coordinator_port is not None else os.environ.get("JAX_COORDINATOR_PORT")
    processes = _Processes(finding, job, process_id, port)
    if wait and processes.id != 0:
        finding.await_listener("coordinator", processes.coordinator)
    jax.distributed.initialize(
        coordinator_address=processes.coordinator,
        num_processes=processes.count,
        process_id=processes.id,
        cluster_detection_method="deactivate",
        **passed_on,
    )


class RollcallCluster(ClusterEnv):
    """The implementation of `jax.distributed.initialize(cluster_detection_method="rollcall")`.

    Without a target in `ROLLCALL_TARGET`, a coordinator, number and size that a launcher has set in `JAX_COORDINATOR_ADDRESS`, `JAX_PROCESS_ID` and `JAX_NUM_PROCESSES` are
    taken as they are, since it has waited. Else the target is that variable's, or `auto:`. The wait for it lasts at most `initialization_timeout`. The number of this process
    is `JAX_PROCESS_ID` where it is set, else that of `whoami`; the number of processes is `JAX_NUM_PROCESSES` where it is set. The coordinator's port:
    `JAX_COORDINATOR_PORT`, else as for `initialize`.
    """

    name = "rollcall"
    opt_in_only_method = True
    _found: _Processes | _Launched | None = None

    @classmethod
    def is_env_present(cls) -> bool:
        """True: JAX only asks when this method was named."""
        return True

    @classmethod
    def get_coordinator_address(cls, timeout_secs: int | None = 300, override_coordinator_port: str | None = None) -> str:
        """Finds the cluster again at each call, and waits for it. Raises DeadlineExceeded with the missing members, and other RollcallErrors."""
        finding, processes = cls._find(timeout_secs, override_coordinator_port)
        if processes.id != 0:
            finding.await_listener("coordinator", processes.coordinator)
        return processes.coordinator

    @classmethod
    def get_process_count(cls) -> int:
        return cls._current().count

    @classmethod
    def get_process_id(cls) -> int:
        return cls._current().id

    @classmethod
    def get_local_process_id(cls) -> int | None:
        """None: a process has all devices of its host."""
        return None

    @classmethod
    def _current(cls) -> _Processes | _Launched:
        if _Launched.is_set() and not os.environ.get("ROLLCALL_TARGET"):
            return _Launched()
        if cls._found is None:  # the coordinator's address was given to JAX
            cls._find(300, None)
        assert cls._found is not None
        return cls._found

    @classmethod
    def _find(cls, timeout: float | None, port: str | None) -> tuple[Finding, _Processes]:
        expected = os.environ.get("JAX_NUM_PROCESSES")
        options = WaitOptions(members=_count("JAX_NUM_PROCESSES", expected)) if expected else WaitOptions()
        finding = Finding((), True, timeout, None, options)
        found = _Processes(finding, None, os.environ.get("JAX_PROCESS_ID"), port)
        if expected and found.count != int(expected):
            raise InvalidArgument(f"JAX_NUM_PROCESSES is {expected}, but {', '.join(finding.targets)} has {found.count} tasks")
        cls._found = found
        return finding, found


class LaunchedCluster(ClusterEnv):
    """What JAX itself finds under `rollcall exec --as jax`, for a plain `jax.distributed.initialize()`: the process's number and how many there are.

    JAX asks its own detections first, such as Slurm's. Where it has to be this one, name it: `cluster_detection_method="rollcall"`.
    """

    name = "rollcall-exec"

    @classmethod
    def is_env_present(cls) -> bool:
        """True where the launcher has set all three variables."""
        return _Launched.is_set()

    @classmethod
    def get_coordinator_address(cls, timeout_secs: int | None = 300, override_coordinator_port: str | None = None) -> str:
        return _Launched().coordinator

    @classmethod
    def get_process_count(cls) -> int:
        return _Launched().count

    @classmethod
    def get_process_id(cls) -> int:
        return _Launched().id

    @classmethod
    def get_local_process_id(cls) -> int | None:
        """None: the devices are those of `JAX_LOCAL_DEVICE_IDS`, or all."""
        return None


def _count(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit()) or not 0 < int(text) < 1_000_000_000:
        raise InvalidArgument(f"{name} is {text!r}, not a number of processes")
    return int(text)
