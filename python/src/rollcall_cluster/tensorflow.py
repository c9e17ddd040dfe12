# pyright: basic, reportMissingImports=false, reportMissingModuleSource=false
"""Waits for the cluster of a TensorFlow job and describes it: drop-ins for `tf.distribute.cluster_resolver`.

    import tensorflow as tf
    from rollcall_cluster.tensorflow import ClusterResolver

    resolver = ClusterResolver("auto:", timeout=1800)                     # returns once every task is ready
    strategy = tf.distribute.MultiWorkerMirroredStrategy(cluster_resolver=resolver)

TensorFlow's own wait is not reliable: a strategy whose peer is missing blocks without a message and does not even react to SIGTERM. A resolver of this module waits before any
TensorFlow server starts, reports the missing members, and raises DeadlineExceeded in the end.
"""
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import tensorflow as tf

from ._errors import Conflict, FailedPrecondition, InvalidArgument, NotFound, RollcallError
from ._plugins import WAIT_TIMEOUT, Finding, WaitOptions, ranked, split_options
from ._sync import SyncClient
from ._values import ClusterSpec, Task

if TYPE_CHECKING:
    from typing_extensions import Unpack

_OUTSIDE = "evaluator"  # the only task type of TensorFlow outside the cluster

__all__ = ["ClusterResolver", "TPUClusterResolver"]


class ClusterResolver(tf.distribute.cluster_resolver.ClusterResolver):
    """For MultiWorkerMirroredStrategy, ParameterServerStrategy and `tf.config.experimental_connect_to_cluster`.

    The cluster is found once, here, blocking, and never changes: TensorFlow asks several times and must get the same answer.

    Args:
        targets: the targets to find, as on the command line; several are one cluster; default: `ROLLCALL_TARGET`, else `auto:`.
        task_type, task_id: the task of this process; both or none. Default: the one that `whoami` finds. It is not guessed: if it is unknown, these two properties raise when
            they are read, which strategies do at once and `experimental_connect_to_cluster` does not.
        rpc_layer: TensorFlow's protocol.
        num_accelerators: of this host, by type, such as `{"GPU": 4}`; default: TensorFlow counts them itself.
        wait: wait until the cluster is ready; else take it as it is.
        timeout: seconds for everything; None: no limit.
        client: the client to use; default: the package's own.
        options: of `wait`: `until`, `members`, `on_progress`, … The wait uses the service's state of each task: no server listens yet at the ports of TensorFlow, so
            `until="reachable"` never ends.

    Raises: DeadlineExceeded with the missing members; NotReady; other RollcallErrors.

    Attributes:
        cluster: the ClusterSpec of Rollcall.
        rpc_layer: the protocol.
    """

    def __init__(
        self,
        *targets: str,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str = "grpc",
        num_accelerators: Mapping[str, int] | None = None,
        wait: bool = True,
        timeout: float | None = WAIT_TIMEOUT,
        client: SyncClient | None = None,
        **options: Unpack[WaitOptions],
    ) -> None:
        super().__init__()
        if (task_type is None) != (task_id is None):
            raise InvalidArgument("task_type and task_id go together: one was given without the other")
        finding = Finding(targets, wait, timeout, client, options)
        self.cluster = finding.cluster
        self.rpc_layer = rpc_layer
        self._num_accelerators = None if num_accelerators is None else dict(num_accelerators)
        self._unknown_task: RollcallError | None = None
        if task_type is not None and task_id is not None:
            self._set_task(Task(task_type, task_id))
        else:
            try:
                self._set_task(finding.own_task())
            except (Conflict, FailedPrecondition, InvalidArgument, NotFound) as trouble:
                self._unknown_task = trouble

    def _set_task(self, task: Task) -> None:
        if task.job != _OUTSIDE and (task.job not in self.cluster or task.index not in self.cluster.addresses(task.job)):
            counts = ", ".join(f"{job} ({self.cluster.num_tasks(job)})" for job in self.cluster)
            raise NotFound(f"this process is {task.job} {task.index}, which the cluster does not have: it has {counts or 'no tasks'}")
        self._task_type = task.job
        self._task_id = task.index

    @property
    def task_type(self) -> str:
        """This process's job. Raises the error that kept it from being found."""
        if self._unknown_task is not None:
            raise self._unknown_task
        return self._task_type

    @task_type.setter
    def task_type(self, task_type: str) -> None:
        self._task_type = task_type
        if hasattr(self, "_task_id"):
            self._unknown_task = None

    @property
    def task_id(self) -> int:
        """This process's index in its job. Raises the error that kept it from being found."""
        if self._unknown_task is not None:
            raise self._unknown_task
        return self._task_id

    @task_id.setter
    def task_id(self, task_id: int) -> None:
        self._task_id = task_id
        if hasattr(self, "_task_type"):
            self._unknown_task = None

    def cluster_spec(self) -> tf.train.ClusterSpec:
        """The cluster that was found at the start."""
        return tf.train.ClusterSpec({job: self.cluster.addresses(job) for job in self.cluster if self.cluster.num_tasks(job)})

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """The address of a task, as `grpc://host:port`: of the named one, else of this process, else of the first. KeyError without such a task."""
        if task_type is None or task_id is None:
            is_member = self._unknown_task is None and self._task_type in self.cluster
            task_type, task_id = (self._task_type, self._task_id) if is_member else _first(self.cluster)
        address = self.cluster.addresses(task_type)[task_id]
        layer = rpc_layer or self.rpc_layer
        return f"{layer}://{address}" if layer else address

    def num_accelerators(self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None) -> dict[str, int]:
        """The accelerators of a host, by type."""
        if self._num_accelerators is not None:
            return dict(self._num_accelerators)
        return dict(super().num_accelerators(task_type, task_id, config_proto))

    def __deepcopy__(self, memo: dict[int, Any]) -> ClusterResolver:
        """Itself: a copy of a strategy must not search again."""
        return self

    def __repr__(self) -> str:
        task = "" if self._unknown_task is not None else f", task_type={self._task_type!r}, task_id={self._task_id}"
        return f"ClusterResolver({self.cluster.as_dict()!r}{task})"


class TPUClusterResolver(tf.distribute.cluster_resolver.TPUClusterResolver):
    """For TPUStrategy over TPU workers that run TensorFlow servers. TensorFlow itself does not call the Cloud TPU API.

    Args:
        targets: as for ClusterResolver, such as `tpu:trainer`.
        job: the job whose tasks are the workers; default: the only one.
        wait, timeout, client: as for ClusterResolver.
        options: of `wait`, where `until="state,health,endpoints,reachable"` waits for the servers as well; and `job_name`, `coordinator_name` and
            `coordinator_address` of TensorFlow's TPUClusterResolver.

    Raises: as ClusterResolver.

    Attributes:
        cluster: the ClusterSpec of Rollcall.
    """

    rpc_layer = "grpc"

    def __init__(
        self, *targets: str, job: str | None = None, wait: bool = True, timeout: float | None = WAIT_TIMEOUT, client: SyncClient | None = None, **options: Any
    ) -> None:
        waiting, passed_on = split_options(options)
        self.cluster = Finding(targets, wait, timeout, client, waiting).cluster
        workers = ",".join(f"grpc://{task.address}" for task in ranked(self.cluster, job))
        super().__init__(tpu=workers, **passed_on)


def _first(cluster: ClusterSpec) -> tuple[str, int]:
    task = next(iter(cluster.tasks), None)
    if task is None:
        raise FailedPrecondition("the cluster has no tasks")
    return task.job, task.index
