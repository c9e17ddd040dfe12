"""Rollcall's output for TensorFlow, read by TensorFlow: `check.py TRANSCRIPT`. ROLLCALL_COMMAND is the command; jobs.py has the transcript and the clouds."""
from __future__ import annotations

import json
import os
import platform
import random
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import tensorflow as tf
from google.protobuf import text_format
from google.protobuf import __version__ as protobuf_version
from jobs import PATIENCE, T, cloud, free_ports, tpu
from rollcall_cluster import launch
from tensorflow.core.protobuf import cluster_pb2

COMMAND = os.environ["ROLLCALL_COMMAND"]
TRAIN = Path(__file__).with_name("train.py")
CLUSTERS: list[tuple[str, dict[str, Any]]] = [
    ("two workers", {"worker": ["10.0.0.1:8470", "10.0.0.2:8470"]}),
    ("chief, workers and parameter servers", {"chief": ["c:2222"], "worker": ["w0:2222", "w1:2222"], "ps": ["p0:2222", "p1:2222"]}),
    ("missing indices", {"worker": {1: "10.0.0.1:8470", 7: "10.0.0.7:8470"}, "ps": ["p:1"]}),
    ("IPv6", {"worker": ["[2001:db8::1]:8470", "[2001:db8::2]:8470"]}),
    ("a job whose name needs escapes", {'wörker "0"\\': ["a:1", "b:1"]}),
]


def printed(form: str, cluster: dict[str, Any], *options: str) -> bytes:
    """By the command, which finds the cluster in a TF_CONFIG."""
    environ = {**os.environ, "TF_CONFIG": json.dumps({"cluster": cluster})}
    return subprocess.run([COMMAND, "spec", "tfconfig:", "--format", form, *options], env=environ, check=True, stdout=subprocess.PIPE, timeout=60).stdout


def seen(text: bytes | str) -> tuple[Any, Any, Any]:
    os.environ["TF_CONFIG"] = text.decode() if isinstance(text, bytes) else text
    try:
        resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
        return resolver.cluster_spec(), resolver.task_type, resolver.task_id
    finally:
        del os.environ["TF_CONFIG"]


def is_same(cluster: dict[str, Any], task: tuple[str, int], config: bytes | str, definition: bytes, text: bytes | str) -> bool:
    """All three forms are the same cluster that TensorFlow itself makes."""
    wanted = tf.train.ClusterSpec(cluster)
    spec, job, index = seen(config)
    is_config = spec == wanted and (job, index) == task
    is_definition = cluster_pb2.ClusterDef.FromString(definition) == wanted.as_cluster_def()
    is_text = text_format.Parse(text, cluster_pb2.ClusterDef()) == wanted.as_cluster_def()
    return is_config and is_definition and is_text


def forms() -> None:
    T.section(
        "The forms, read by TensorFlow",
        "`--format tf-config` by `TFConfigClusterResolver`, `cluster-def` by `ClusterDef.FromString`, `cluster-def-text` by `text_format.Parse`;",
        "each gives `tf.train.ClusterSpec` of the same cluster, and the first one the task.",
    )
    for what, cluster in CLUSTERS:
        job, tasks = next(iter(cluster.items()))
        task = (job, max(tasks) if isinstance(tasks, dict) else len(tasks) - 1)
        config = printed("tf-config", cluster, "--task", f"{task[0]}:{task[1]}")
        good = is_same(cluster, task, config, printed("cluster-def", cluster), printed("cluster-def-text", cluster))
        T.row(what, f"`{config.decode().strip()}`", good)


def random_cluster(dice: random.Random) -> dict[str, Any]:
    hosts = ("10.0.0.{}:8470", "h{}.example:1", "[2001:db8::{:x}]:65535", "host-{}", "ö{}:7")
    cluster: dict[str, Any] = {}
    for job in dice.sample(["worker", "ps", "chief", "evaluator", "a b", "ä\"\\'", "\u200b", "j:1"], dice.randint(1, 4)):
        addresses = [dice.choice(hosts).format(dice.randint(1, 250)) for _ in range(dice.randint(1, 12))]
        is_sparse = dice.random() < 0.3
        cluster[job] = dict(zip(dice.sample(range(40), len(addresses)), addresses)) if is_sparse else addresses
    return cluster


def random_forms() -> None:
    dice = random.Random(17)
    good = 0
    for _ in range(200):
        cluster = random_cluster(dice)
        job, tasks = dice.choice(list(cluster.items()))
        task = (job, dice.choice(list(tasks) if isinstance(tasks, dict) else range(len(tasks))))
        good += is_same(cluster, task, launch.tf_config_sync(cluster, task=task), launch.cluster_def_sync(cluster), launch.cluster_def_text_sync(cluster))
    T.equal("200 random clusters, by `rollcall_cluster.launch`: equal", good, 200)


def training() -> None:
    line = "rollcall exec tpu:now --task worker:0 --as tf-config -- python train.py"
    T.section("Two workers train", f"`{line}`, and the same with `worker:1`; both on this machine, against a simulated cloud. `train.py` calls `MultiWorkerMirroredStrategy()` and knows nothing else.")
    with free_ports(2) as ports, cloud(tpu("now", ports)):
        words = [[*shlex.split(line.replace("worker:0", f"worker:{index}"))[:-2], sys.executable, str(TRAIN)] for index in (0, 1)]
        workers = [subprocess.Popen([COMMAND, *one[1:]], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) for one in words]
        try:
            reported = [worker.communicate(timeout=PATIENCE)[0].strip().rpartition("\n")[2] for worker in workers]
        finally:
            for worker in workers:
                worker.kill()
    T.equal("what they print", reported, ["worker 0 of 2: 1.5", "worker 1 of 2: 1.5"])
    T.equal("their exit codes", [worker.returncode for worker in workers], [0, 0])


def main() -> int:
    version = subprocess.run([COMMAND, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[0].removeprefix("rollcall ")
    versions = {"rollcall": version, "tensorflow": tf.__version__, "protobuf": protobuf_version, "Python": platform.python_version()}
    T.lines += ["# Launch contracts of TensorFlow", "", "Written by `tests/interop/launch/tensorflow/run`.", "", "| | version |", "| --- | --- |"]
    T.lines += [f"| {name} | {version} |" for name, version in versions.items()]
    forms()
    random_forms()
    training()
    Path(sys.argv[1]).write_text("\n".join(T.lines) + "\n", encoding="utf-8")
    return 1 if T.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
