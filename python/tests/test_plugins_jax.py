"""JAX: with JAX where it is installed, else with a stand-in for the parts that the plug-in uses. No process group is started."""
from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

import stand_ins
from rollcall_cluster import DeadlineExceeded, FailedPrecondition, InvalidArgument, Task, _sync
from stand_ins import FakeClient

CLUSTER = {"worker": ["10.0.0.1:2222", "10.0.0.2:2222"]}


@pytest.fixture(scope="module")
def rjax() -> Iterator[Any]:
    with stand_ins.plugin("jax", stand_ins.jax) as module:
        yield module


@pytest.fixture
def started(rjax: Any, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The arguments with which JAX was started."""
    calls: list[dict[str, Any]] = []
    monkeypatch.setattr(rjax.jax.distributed, "initialize", lambda **options: calls.append(options))
    monkeypatch.setattr(rjax.RollcallCluster, "_found", None)
    for name in ("JAX_COORDINATOR_ADDRESS", "JAX_COORDINATOR_PORT", "JAX_PROCESS_ID", "JAX_NUM_PROCESSES", "ROLLCALL_TARGET"):
        monkeypatch.delenv(name, raising=False)
    return calls


def use(client: FakeClient, monkeypatch: pytest.MonkeyPatch) -> FakeClient:
    monkeypatch.setattr(_sync, "default", client)
    return client


def test_jax_is_reported_everything_and_detects_nothing(rjax: Any, started: list[dict[str, Any]]) -> None:
    client = FakeClient(CLUSTER, Task("worker", 1))
    rjax.initialize("t:", timeout=60, client=client, members=2, local_device_ids=[0], initialization_timeout=30)
    assert started == [
        {
            "coordinator_address": "10.0.0.1:2222",
            "num_processes": 2,
            "process_id": 1,
            "cluster_detection_method": "deactivate",
            "local_device_ids": [0],
            "initialization_timeout": 30,
        }
    ]
    assert client.asked[0] == ("wait", ("t:",), {"timeout": 60, "members": 2})
    assert client.asked[2][1] == ("simple:job.coordinator=10.0.0.1:2222",)
    assert client.asked[2][2]["until"] == "reachable"


def test_the_first_process_and_processes_without_a_wait_do_not_await_the_coordinator(rjax: Any, started: list[dict[str, Any]]) -> None:
    client = FakeClient(CLUSTER)
    rjax.initialize("t:", process_id=0, client=client)
    assert client.questions() == ["wait"]
    client = FakeClient(CLUSTER)
    rjax.initialize("t:", process_id=1, wait=False, client=client)
    assert client.questions() == ["resolve"]
    assert [one["process_id"] for one in started] == [0, 1]


def test_a_missing_peer_or_coordinator_is_an_exception_and_jax_is_not_started(rjax: Any, started: list[dict[str, Any]]) -> None:
    with pytest.raises(DeadlineExceeded, match="missing: worker 1"):
        rjax.initialize("t:", client=FakeClient(DeadlineExceeded("missing: worker 1")))
    client = FakeClient(CLUSTER, Task("worker", 1))
    client.listeners["simple:job.coordinator=10.0.0.1:2222"] = DeadlineExceeded("missing: coordinator 0 (10.0.0.1:2222)")
    with pytest.raises(DeadlineExceeded, match="coordinator 0"):
        rjax.initialize("t:", client=client)
    with pytest.raises(FailedPrecondition, match="nothing tells"):
        rjax.initialize("t:", client=FakeClient(CLUSTER))
    assert started == []


@pytest.mark.parametrize(
    ("address", "given", "variable", "expected"),
    [
        ("10.0.0.1:2222", None, None, "10.0.0.1:2222"),
        ("10.0.0.1:8470", None, None, "10.0.0.1:8482"),
        ("[fd00::1]:8470", None, None, "[fd00::1]:8482"),
        ("10.0.0.1:2222", None, "7001", "10.0.0.1:7001"),
        ("10.0.0.1:2222", 7000, "7001", "10.0.0.1:7000"),
    ],
)
def test_the_coordinators_port(
    rjax: Any, started: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, address: str, given: int | None, variable: str | None, expected: str
) -> None:
    if variable is not None:
        monkeypatch.setenv("JAX_COORDINATOR_PORT", variable)
    rjax.initialize("t:", process_id=0, coordinator_port=given, client=FakeClient({"worker": [address]}))
    assert started[0]["coordinator_address"] == expected


def test_importing_it_changes_nothing_for_others(rjax: Any) -> None:
    kinds = rjax.ClusterEnv._cluster_types
    ours = [kind for kind in kinds if kind.name == "rollcall"]
    assert ours == [rjax.RollcallCluster]
    assert ours[0].opt_in_only_method


def test_it_is_found_by_its_name(rjax: Any, started: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    client = use(FakeClient(CLUSTER, Task("worker", 1)), monkeypatch)
    monkeypatch.setenv("ROLLCALL_TARGET", "tpu:trainer")
    kind = rjax.RollcallCluster
    assert kind.is_env_present()
    assert kind.get_coordinator_address(timeout_secs=30, override_coordinator_port=None) == "10.0.0.1:2222"
    assert (kind.get_process_count(), kind.get_process_id(), kind.get_local_process_id()) == (2, 1, None)
    assert client.questions() == ["wait", "whoami", "wait"], "asked once"
    assert client.asked[0][1:] == (("tpu:trainer",), {"timeout": 30})


def test_by_its_name_the_port_is_overridden(rjax: Any, started: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    use(FakeClient(CLUSTER, Task("worker", 0)), monkeypatch)
    assert rjax.RollcallCluster.get_coordinator_address(timeout_secs=30, override_coordinator_port="7001") == "10.0.0.1:7001"
    with pytest.raises(InvalidArgument, match="port is 'x'"):
        rjax.RollcallCluster.get_coordinator_address(timeout_secs=30, override_coordinator_port="x")


def test_a_coordinator_that_jax_was_given_is_not_awaited(rjax: Any, started: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    client = use(FakeClient(CLUSTER, Task("worker", 1)), monkeypatch)
    assert (rjax.RollcallCluster.get_process_count(), rjax.RollcallCluster.get_process_id()) == (2, 1)
    assert client.questions() == ["wait", "whoami"]


def test_what_a_launcher_says_counts(rjax: Any, started: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    client = use(FakeClient(CLUSTER), monkeypatch)
    monkeypatch.setenv("JAX_PROCESS_ID", "1")
    monkeypatch.setenv("JAX_NUM_PROCESSES", "2")
    kind = rjax.RollcallCluster
    kind.get_coordinator_address(timeout_secs=30, override_coordinator_port=None)
    assert kind.get_process_id() == 1
    assert client.asked[0][2]["members"] == 2
    assert "whoami" not in client.questions()


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("JAX_PROCESS_ID", "2", "process_id is '2', not a number from 0 to 1"),
        ("JAX_PROCESS_ID", "-1", "process_id"),
        ("JAX_NUM_PROCESSES", "3", "JAX_NUM_PROCESSES is 3, but auto: has 2 tasks"),
        ("JAX_NUM_PROCESSES", "0", "not a number of processes"),
        ("JAX_NUM_PROCESSES", "two", "not a number of processes"),
    ],
)
def test_what_a_launcher_says_wrong(rjax: Any, started: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, name: str, value: str, words: str) -> None:
    use(FakeClient(CLUSTER, Task("worker", 0)), monkeypatch)
    monkeypatch.setenv(name, value)
    with pytest.raises(InvalidArgument, match=words):
        rjax.RollcallCluster.get_coordinator_address(timeout_secs=30, override_coordinator_port=None)


def detected(rjax: Any, method: str | None) -> tuple[str, int, int]:
    """As JAX's `initialize` detects what it was not given; the coordinator's variable it reads itself. Other environments are not asked."""
    kinds = [kind for kind in rjax.ClusterEnv._cluster_types if kind.__module__ == rjax.__name__]
    if method is not None:
        kind = next(kind for kind in kinds if kind.name == method)
        assert kind.is_env_present()
    else:
        kind = next(kind for kind in kinds if not kind.opt_in_only_method and kind.is_env_present())
    coordinator = os.environ.get("JAX_COORDINATOR_ADDRESS") or kind.get_coordinator_address(timeout_secs=300, override_coordinator_port=None)
    return coordinator, kind.get_process_count(), kind.get_process_id()


def launched(monkeypatch: pytest.MonkeyPatch, **changed: str | None) -> None:
    """The variables of `rollcall exec --as jax`."""
    for name, value in {"JAX_COORDINATOR_ADDRESS": "10.0.0.1:8482", "JAX_NUM_PROCESSES": "4", "JAX_PROCESS_ID": "3", **changed}.items():
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)


@pytest.mark.parametrize("method", [None, "rollcall"])
def test_what_exec_has_set_is_enough(rjax: Any, started: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, method: str | None) -> None:
    client = use(FakeClient(FailedPrecondition("nothing is asked")), monkeypatch)
    launched(monkeypatch)
    assert detected(rjax, method) == ("10.0.0.1:8482", 4, 3)
    assert client.questions() == []


def test_a_target_that_was_named_is_asked_all_the_same(rjax: Any, started: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    client = use(FakeClient(CLUSTER), monkeypatch)
    launched(monkeypatch, ROLLCALL_TARGET="tpu:t", JAX_NUM_PROCESSES="2", JAX_PROCESS_ID="1")
    assert detected(rjax, "rollcall") == ("10.0.0.1:8482", 2, 1)
    assert client.questions() == ["wait"]


@pytest.mark.parametrize("name", ["JAX_COORDINATOR_ADDRESS", "JAX_NUM_PROCESSES", "JAX_PROCESS_ID"])
def test_a_part_of_what_exec_sets_is_no_launch(rjax: Any, started: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    for value in (None, ""):
        launched(monkeypatch, **{name: value})
        assert not rjax.LaunchedCluster.is_env_present()


@pytest.mark.parametrize("method", [None, "rollcall"])
@pytest.mark.parametrize(("name", "value"), [("JAX_PROCESS_ID", "4"), ("JAX_PROCESS_ID", "-1"), ("JAX_PROCESS_ID", "x"), ("JAX_NUM_PROCESSES", "0"), ("JAX_NUM_PROCESSES", " 4")])
def test_numbers_of_a_launcher_that_cannot_be(
    rjax: Any, started: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, name: str, value: str, method: str | None
) -> None:
    use(FakeClient(FailedPrecondition("nothing is asked")), monkeypatch)
    launched(monkeypatch, **{name: value})
    with pytest.raises(InvalidArgument, match=name):
        detected(rjax, method)
