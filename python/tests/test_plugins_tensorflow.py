"""The drop-ins for TensorFlow: with TensorFlow where it is installed, else with stand-ins for its base classes."""
from __future__ import annotations

import copy
import importlib.util
from collections.abc import Iterator
from typing import Any

import pytest

import stand_ins
from rollcall_cluster import DeadlineExceeded, FailedPrecondition, InvalidArgument, NotFound, Task
from stand_ins import FakeClient

IS_REAL = importlib.util.find_spec("tensorflow") is not None
CLUSTER = {"chief": ["c:1"], "worker": ["a:1", "b:2"], "ps": {1: "p:3"}, "none": {}}


@pytest.fixture(scope="module")
def rtf() -> Iterator[Any]:
    with stand_ins.plugin("tensorflow", stand_ins.tensorflow) as module:
        yield module


def test_it_is_what_a_strategy_asks(rtf: Any) -> None:
    client = FakeClient(CLUSTER, Task("worker", 1))
    resolver = rtf.ClusterResolver("t:", client=client, num_accelerators={"GPU": 4})
    for _ in range(6):
        assert resolver.cluster_spec().as_dict() == {"chief": ["c:1"], "worker": ["a:1", "b:2"], "ps": {1: "p:3"}}
    assert (resolver.task_type, resolver.task_id, resolver.rpc_layer) == ("worker", 1, "grpc")
    assert resolver.num_accelerators() == {"GPU": 4}
    assert resolver.num_accelerators().get("TPU", 0) == 0
    assert not hasattr(resolver, "port")
    assert client.questions() == ["wait", "whoami"], "asked once, however often TensorFlow asks"
    assert isinstance(resolver, rtf.tf.distribute.cluster_resolver.ClusterResolver)


def test_it_is_true_and_copies_are_itself(rtf: Any) -> None:
    resolver = rtf.ClusterResolver("t:", client=FakeClient({}, Task("evaluator", 0)))
    assert bool(resolver)
    assert not hasattr(resolver, "__len__")
    assert copy.deepcopy({"r": resolver})["r"] is resolver


def test_masters(rtf: Any) -> None:
    resolver = rtf.ClusterResolver("t:", client=FakeClient(CLUSTER, Task("worker", 1)))
    assert resolver.master() == "grpc://b:2"
    assert resolver.master("ps", 1) == "grpc://p:3"
    assert resolver.master("worker", 0, "grpc+loas") == "grpc+loas://a:1"
    with pytest.raises(KeyError):
        resolver.master("ps", 0)


def test_accelerators_are_counted_by_tensorflow_unless_they_are_given(rtf: Any) -> None:
    counted = rtf.ClusterResolver("t:", client=FakeClient(CLUSTER, Task("worker", 1))).num_accelerators()
    assert type(counted) is dict
    assert counted == ({} if IS_REAL else {"COUNTED": 1})


def test_an_unknown_task_raises_when_it_is_asked_for(rtf: Any) -> None:
    resolver = rtf.ClusterResolver("t:", client=FakeClient(CLUSTER))
    assert resolver.master() == "grpc://c:1", "who only connects to the cluster needs no task"
    for name in ("task_type", "task_id"):
        with pytest.raises(FailedPrecondition, match="nothing tells"):
            getattr(resolver, name)
    resolver.task_type = "worker"
    with pytest.raises(FailedPrecondition):
        _ = resolver.task_type
    resolver.task_id = 0
    assert (resolver.task_type, resolver.task_id, resolver.master()) == ("worker", 0, "grpc://a:1")


def test_a_task_that_is_given_is_not_asked_for(rtf: Any) -> None:
    client = FakeClient(CLUSTER)
    resolver = rtf.ClusterResolver("t:", task_type="worker", task_id=0, client=client, until="state", timeout=5)
    assert (resolver.task_type, resolver.task_id) == ("worker", 0)
    assert client.asked == [("wait", ("t:",), {"timeout": 5, "until": "state"})]


def test_tasks_that_cannot_be(rtf: Any) -> None:
    for given in ({"task_type": "worker"}, {"task_id": 0}):
        with pytest.raises(InvalidArgument, match="go together"):
            rtf.ClusterResolver("t:", client=FakeClient(CLUSTER), **given)
    for own in (Task("worker", 2), Task("ps", 0), Task("trainer", 0)):
        with pytest.raises(NotFound, match=rf"this process is {own.job} {own.index}.*chief \(1\), worker \(2\), ps \(1\)"):
            rtf.ClusterResolver("t:", task_type=own.job, task_id=own.index, client=FakeClient(CLUSTER))


def test_an_evaluator_is_in_no_cluster(rtf: Any) -> None:
    resolver = rtf.ClusterResolver("t:", task_type="evaluator", task_id=0, client=FakeClient(CLUSTER))
    assert (resolver.task_type, resolver.master()) == ("evaluator", "grpc://c:1")


def test_missing_members_are_raised_before_anything_starts(rtf: Any) -> None:
    for kind in (rtf.ClusterResolver, rtf.TPUClusterResolver):
        with pytest.raises(DeadlineExceeded, match="worker 1"):
            kind("t:", client=FakeClient(DeadlineExceeded("missing: worker 1")))


def test_without_waiting(rtf: Any) -> None:
    client = FakeClient(CLUSTER, Task("chief", 0))
    assert rtf.ClusterResolver("t:", wait=False, client=client).task_type == "chief"
    assert client.questions() == ["resolve", "whoami"]


def test_tpu_workers_go_to_tensorflow_as_a_list(rtf: Any) -> None:
    client = FakeClient({"worker": ["10.0.0.1:8470", "10.0.0.2:8470"]})
    resolver = rtf.TPUClusterResolver("tpu:t", client=client, job_name="tpu_worker", until="state")
    assert resolver.master() == "grpc://10.0.0.1:8470"
    assert resolver.cluster_spec().as_dict() == {"tpu_worker": ["10.0.0.1:8470", "10.0.0.2:8470"]}
    assert resolver.rpc_layer == "grpc"
    assert client.asked == [("wait", ("tpu:t",), {"timeout": 1800.0, "until": "state"})]
    assert isinstance(resolver, rtf.tf.distribute.cluster_resolver.TPUClusterResolver)
