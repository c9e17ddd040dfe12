"""One process of a TensorFlow job, which `check.py` starts: `tensorflow_worker.py HOW TARGET [JOB INDEX]`. Its last line is `RESULT` and the result."""
from __future__ import annotations

import copy
import os
import socket
import sys
import time
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")

import rollcall_cluster
import tensorflow as tf
from job import hold, result
from rollcall_cluster.tensorflow import ClusterResolver, TPUClusterResolver

CALLS = ("cluster_spec", "task_type", "task_id", "port", "rpc_layer", "num_accelerators", "master")


class Recorded(ClusterResolver):  # type: ignore[misc]
    """Records TensorFlow's calls."""

    calls: list[str] = []  # noqa: RUF012
    is_recording = False

    def __getattribute__(self, name: str) -> Any:
        if name in CALLS and Recorded.is_recording:
            Recorded.calls.append(name)
        return super().__getattribute__(name)

    def num_accelerators(self, *arguments: Any, **options: Any) -> dict[str, int]:
        """The resolver's own calls are not TensorFlow's."""
        Recorded.is_recording = False
        try:
            return super().num_accelerators(*arguments, **options)
        finally:
            Recorded.is_recording = True


def own_task(arguments: list[str]) -> dict[str, Any]:
    return {"task_type": arguments[0], "task_id": int(arguments[1])} if arguments else {}


def sum_of(strategy: Any, value: float) -> float:
    @tf.function  # type: ignore[untyped-decorator]
    def step() -> Any:
        return strategy.run(lambda: tf.distribute.get_replica_context().all_reduce("sum", tf.constant(value)))

    return float(step().numpy())


def mirrored(target: str, *task: str) -> None:
    hold()
    begin = time.monotonic()
    resolver = Recorded(target, timeout=60, **own_task(list(task)))
    waited = time.monotonic() - begin
    Recorded.is_recording = True
    strategy = tf.distribute.MultiWorkerMirroredStrategy(cluster_resolver=resolver)
    total = sum_of(strategy, resolver._task_id + 1.0)
    Recorded.is_recording = False
    result(sum=total, calls=Recorded.calls, waited=waited, task=[resolver.task_type, resolver.task_id], is_copy_same=copy.deepcopy(strategy) is not None)


def fit(target: str, *task: str) -> None:
    import tf_keras

    strategy = tf.distribute.MultiWorkerMirroredStrategy(cluster_resolver=ClusterResolver(target, timeout=60, **own_task(list(task))))
    with strategy.scope():
        model = tf_keras.Sequential([tf_keras.layers.Dense(1, kernel_initializer="zeros", input_shape=(1,))])
        model.compile("sgd", "mse")
    data = tf.data.Dataset.from_tensor_slices((tf.range(32.0)[:, None] / 32, tf.range(32.0)[:, None] / 16)).repeat().batch(8)
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    history = model.fit(data.with_options(options), epochs=3, steps_per_epoch=4, verbose=0)
    result(losses=history.history["loss"], tf_keras=tf_keras.__version__)


def never(target: str, *task: str) -> None:
    """The address of its own task, where it would listen, is the last argument."""
    *task_words, address = task
    begin = time.monotonic()
    try:
        resolver = ClusterResolver(target, timeout=5, **own_task(task_words))
    except rollcall_cluster.DeadlineExceeded as trouble:
        host, _, port = address.rpartition(":")
        with socket.socket() as own:
            own.bind((host, int(port)))  # raises if a server were there
        result(error=type(trouble).__name__, text=str(trouble), missing=[one.label for one in trouble.missing], after=time.monotonic() - begin, is_port_free=True)
        return
    tf.distribute.MultiWorkerMirroredStrategy(cluster_resolver=resolver)
    result(error="", text="it began")


def patient(target: str, *task: str) -> None:
    """Waits until a signal ends it. At Ctrl-C it exits at once: the time that Python needs to end with TensorFlow loaded does not matter here."""
    try:
        ClusterResolver(target, timeout=600, on_progress=lambda progress: print("PROGRESS", flush=True), **own_task(list(task)))
    except KeyboardInterrupt:
        os._exit(130)


def parameter_server(target: str, *task: str) -> None:
    resolver = Recorded(target, timeout=60, **own_task(list(task)))
    if resolver.task_type in ("worker", "ps"):
        server = tf.distribute.Server(resolver.cluster_spec(), job_name=resolver.task_type, task_index=resolver.task_id, protocol=resolver.rpc_layer)
        print("SERVING", flush=True)
        server.join()
    Recorded.is_recording = True
    strategy = tf.distribute.experimental.ParameterServerStrategy(cluster_resolver=resolver)
    Recorded.is_recording = False
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        variable = tf.Variable(1.0)

    @tf.function  # type: ignore[untyped-decorator]
    def step() -> Any:
        return variable.assign_add(2.0)

    value = coordinator.schedule(step)
    coordinator.join()
    result(value=float(coordinator.fetch(value)), device=variable.device, calls=Recorded.calls)


def tpu(target: str) -> None:
    resolver = TPUClusterResolver(target, timeout=60)
    result(
        master=resolver.master(),
        spec=resolver.cluster_spec().as_dict(),
        is_real=isinstance(resolver, tf.distribute.cluster_resolver.TPUClusterResolver),
        is_copy_same=copy.deepcopy(resolver) is resolver,
        job=resolver.get_job_name(),
    )


def connect(target: str) -> None:
    """A client that is not a task of the cluster: it computes on the first one."""
    resolver = ClusterResolver(target, timeout=60)
    tf.config.experimental_connect_to_cluster(resolver)
    with tf.device("/job:worker/task:0"):
        value = tf.constant(20.0) + 1.0
    result(device=value.device, value=float(value.numpy()))


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
