# pyright: basic, reportMissingImports=false, reportMissingModuleSource=false, reportAttributeAccessIssue=false
"""JAX finds, and waits for, its processes.

    import rollcall_cluster.jax

    rollcall_cluster.jax.initialize("kubernetes:…", timeout=1800)       # instead of jax.distributed.initialize()

or, without a change of the call, with the target in `ROLLCALL_TARGET` or found out:

    import rollcall_cluster.jax                                          # makes the name known; changes nothing for others
    jax.distributed.initialize(cluster_detection_method="rollcall")

When a peer is missing at JAX's own time-out the process is aborted by SIGABRT, which no `except` catches. Here the cluster is awaited first, and all but
the first process wait for the coordinator to listen: who is missing is named by DeadlineExceeded. Every task is one process.
"""
from __future__ import annotations

import os
from typing import Any

import jax
from jax._src.clusters import ClusterEnv  # private, yet made for this: there is no other way to a name for cluster_detection_method

from ._errors import InvalidArgument
from ._plugins import WAIT_TIMEOUT, Finding, WaitOptions, checked_rank, join_address, main_address, rank_of, ranked, split_options
from ._sync import SyncClient

_COORDINATOR_PORT = 8482  # JAX's own choice for TPUs

__all__ = ["RollcallCluster", "initialize"]


class _Processes:
    """The processes of a cluster, this one's place, and the coordinator, which every process has to see at the same address."""

    def __init__(self, finding: Finding, job: str | None, process_id: object, port: int | str | None) -> None:
        tasks = ranked(finding.cluster, job)
        self.count = len(tasks)
        self.id = rank_of(tasks, finding.own_task()) if process_id is None else checked_rank("process_id", process_id, self.count)
        self.coordinator = join_address(*main_address(tasks[0], port, _COORDINATOR_PORT))


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
    """Waits for the cluster, then calls `jax.distributed.initialize` with all that it needs, so that JAX detects nothing itself.

    Args:
        targets: what to find, as on the command line; several are one cluster; default: `ROLLCALL_TARGET`, else `auto:`.
        wait: wait until the cluster is ready and the coordinator listens; else take it as it is.
        timeout: seconds for the wait; None: no limit. JAX's own `initialization_timeout` comes after it.
        process_id: which process this is; default: what `whoami` finds out. It is not guessed.
        job: the job whose tasks are the processes; default: the only one, after a chief or master if there is one.
        coordinator_port: where process 0 listens; default: `JAX_COORDINATOR_PORT`, else the port of its task, unless that is 8470, the TPU
            runtime's; then 8482. The same on all processes.
        client: who asks; default: the package's own.
        options: of `wait` (`until`, `members`, `on_progress`, …) and of `jax.distributed.initialize` (`local_device_ids`, …).

    Raises: DeadlineExceeded, which names who is missing; NotReady; other RollcallErrors. Once all of them are there, what JAX raises.
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
    """What `jax.distributed.initialize(cluster_detection_method="rollcall")` asks.

    The target is in `ROLLCALL_TARGET`, else `auto:`. It is awaited as long as `initialization_timeout` says. Which process this is says
    `JAX_PROCESS_ID` where it is set, else `whoami`; how many there have to be, `JAX_NUM_PROCESSES` where it is set. The coordinator's port: `JAX_COORDINATOR_PORT`,
    else as for `initialize`.
    """

    name = "rollcall"
    opt_in_only_method = True
    _found: _Processes | None = None

    @classmethod
    def is_env_present(cls) -> bool:
        """True: it is only asked when it was named."""
        return True

    @classmethod
    def get_coordinator_address(cls, timeout_secs: int | None = 300, override_coordinator_port: str | None = None) -> str:
        """Finds the cluster, anew each time, and waits for it. Raises DeadlineExceeded, which names who is missing, and other RollcallErrors."""
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
    def _current(cls) -> _Processes:
        if cls._found is None:  # the coordinator's address was given to JAX
            cls._find(300, None)
        assert cls._found is not None
        return cls._found

    @classmethod
    def _find(cls, timeout: float | None, port: str | None) -> tuple[Finding, _Processes]:
        expected = os.environ.get("JAX_NUM_PROCESSES")
        options = WaitOptions(members=_count("JAX_NUM_PROCESSES", expected)) if expected else WaitOptions()
        finding = Finding((), True, timeout, None, options)
        cls._found = _Processes(finding, None, os.environ.get("JAX_PROCESS_ID"), port)
        if expected and cls._found.count != int(expected):
            raise InvalidArgument(f"JAX_NUM_PROCESSES is {expected}, but {', '.join(finding.targets)} has {cls._found.count} tasks")
        return finding, cls._found


def _count(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit()) or not 0 < int(text) < 1_000_000_000:
        raise InvalidArgument(f"{name} is {text!r}, not a number of processes")
    return int(text)
