"""The shared parts of the plug-ins: the time limit, the order of tasks, addresses, ports, and a followed cluster."""
from __future__ import annotations

import ast
import re
import subprocess
import sys
from typing import Any

import pytest

from conftest import ROOT
from rollcall_cluster import ClusterSpec, DeadlineExceeded, FailedPrecondition, InvalidArgument, NotFound, Task
from rollcall_cluster._plugins import Finding, WaitOptions, checked_rank, main_address, rank_of, ranked, split_address, split_options
from stand_ins import FakeClient

TWO = {"worker": ["a:1", "b:2"]}


def found(client: FakeClient, *targets: str, wait: bool = True, timeout: float | None = 60, **options: Any) -> Finding:
    return Finding(targets, wait, timeout, client, WaitOptions(**options))  # type: ignore[arg-type, typeddict-item]


def test_the_package_and_the_shared_part_import_no_framework() -> None:
    code = "import sys, rollcall_cluster._plugins, rollcall_cluster._followed; print(sorted({'tensorflow', 'jax', 'torch', 'lightning', 'horovod'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": ":".join(sys.path)}).stdout == "[]\n"


def test_a_wait_has_the_options_and_one_limit_for_everything() -> None:
    client = FakeClient(TWO, Task("worker", 1))
    finding = found(client, "t:", until="state", members=2)
    assert finding.cluster == ClusterSpec(TWO)
    assert finding.own_task() == Task("worker", 1)
    finding.await_listener("store", "a:1")
    (_, targets, options), (_, _, who), (_, listener, last) = client.asked
    assert (targets, options) == (("t:",), {"timeout": 60, "until": "state", "members": 2})
    assert 59 < who["timeout"] <= 60
    assert listener == ("simple:job.store=a:1",)
    assert last["until"] == "reachable"
    assert 59 < last["timeout"] <= 60


def test_without_a_limit_none_is_passed_on() -> None:
    client = FakeClient(TWO, Task("worker", 1))
    found(client, timeout=None).own_task()
    assert [options["timeout"] for _, _, options in client.asked] == [None, None]


def test_a_question_that_comes_late_still_has_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    client = FakeClient(TWO, Task("worker", 0))
    finding = found(client, timeout=20)
    now[0] = 119.5
    assert (finding.left(), finding.left(10)) == (1.0, 10.0)


def test_without_waiting_it_is_resolved_and_options_of_wait_are_refused() -> None:
    client = FakeClient(TWO)
    assert found(client, wait=False).cluster == ClusterSpec(TWO)
    assert client.questions() == ["resolve"]
    with pytest.raises(InvalidArgument, match="members, until without wait=True"):
        found(client, wait=False, until="state", members=3)


def test_the_target_is_the_variable_and_without_it_ones_own_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROLLCALL_TARGET", raising=False)
    client = FakeClient(TWO)
    assert found(client).targets == ("auto:",)
    monkeypatch.setenv("ROLLCALL_TARGET", "tpu:trainer")
    assert found(client).targets == ("tpu:trainer",)
    assert found(client, "a:", "b:").targets == ("a:", "b:")


def test_options_are_split_between_wait_and_the_framework() -> None:
    assert split_options({"until": "state", "local_device_ids": [0], "members": 2}) == ({"until": "state", "members": 2}, {"local_device_ids": [0]})


@pytest.mark.parametrize(
    ("cluster", "job", "order"),
    [
        ({"worker": ["a:1", "b:1"]}, None, "worker0 worker1"),
        ({"worker": ["a:1"], "chief": ["c:1"]}, None, "chief0 worker0"),
        ({"worker": ["a:1"], "master": ["c:1"], "ps": {}}, None, "master0 worker0"),
        ({"worker": ["a:1"], "ps": ["c:1"]}, "ps", "ps0"),
        ({"chief": ["a:1"]}, None, "chief0"),
    ],
)
def test_tasks_are_numbered(cluster: dict[str, Any], job: str | None, order: str) -> None:
    tasks = ranked(ClusterSpec(cluster), job)
    assert " ".join(f"{task.job}{task.index}" for task in tasks) == order
    assert [rank_of(tasks, Task(task.job, task.index)) for task in tasks] == list(range(len(tasks)))


@pytest.mark.parametrize(
    ("cluster", "job", "kind", "words"),
    [
        ({"worker": ["a:1"], "ps": ["c:1"]}, None, InvalidArgument, "jobs worker, ps: say with job="),
        ({"chief": ["a:1"], "master": ["c:1"]}, None, InvalidArgument, "say with job="),
        ({"chief": ["a:1"], "worker": ["c:1"], "ps": ["d:1"]}, None, InvalidArgument, "say with job="),
        ({"worker": {0: "a:1", 2: "c:1"}}, None, FailedPrecondition, "worker 1 is missing"),
        ({"worker": ["a:1"]}, "trainer", NotFound, "no job 'trainer': it has worker"),
        ({}, None, FailedPrecondition, "no tasks"),
        ({"worker": {}}, "worker", FailedPrecondition, "no tasks"),
    ],
)
def test_tasks_that_cannot_be_numbered(cluster: dict[str, Any], job: str | None, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        ranked(ClusterSpec(cluster), job)


def test_a_task_that_is_none_of_them() -> None:
    with pytest.raises(NotFound, match="this process is ps 1, which is none of the 2 tasks of worker"):
        rank_of(ranked(ClusterSpec(TWO)), Task("ps", 1))


@pytest.mark.parametrize("value", [-1, 4, "4", "", "one", "1.0", "\u0661", True, None, "99999999999"])
def test_ranks_that_are_none(value: object) -> None:
    with pytest.raises(InvalidArgument, match=r"rank is .* not a number from 0 to 3"):
        checked_rank("rank", value, 4)


def test_ranks() -> None:
    assert [checked_rank("rank", value, 4) for value in (0, 3, "2", " 1 ")] == [0, 3, 2, 1]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a:1", ("a", 1)),
        ("10.0.0.1:8470", ("10.0.0.1", 8470)),
        ("[fd00::1]:80", ("fd00::1", 80)),
        ("[fd00::1]", ("fd00::1", None)),
        ("host.of.pod", ("host.of.pod", None)),
    ],
)
def test_addresses(text: str, parts: tuple[str, int | None]) -> None:
    assert split_address(text) == parts


@pytest.mark.parametrize("text", ["", ":1", "a:", "a:b", "a:99999", "fd00::1", "[fd00::1", "a:1:2", "[]:1", "a:1\n"])
def test_addresses_that_are_none(text: str) -> None:
    with pytest.raises(InvalidArgument, match="no address"):
        split_address(text)


@pytest.mark.parametrize(
    ("address", "port", "expected"),
    [
        ("a:2222", None, ("a", 2222)),
        ("a:8470", None, ("a", 29500)),
        ("a", None, ("a", 29500)),
        ("[::1]:8470", None, ("::1", 29500)),
        ("a:2222", 7, ("a", 7)),
        ("a:2222", "8482", ("a", 8482)),
        ("a:8470", "8470", ("a", 8470)),
    ],
)
def test_the_main_address(address: str, port: int | str | None, expected: tuple[str, int]) -> None:
    assert main_address(Task("worker", 0, address), port, 29500) == expected


@pytest.mark.parametrize("port", [0, -1, 65536, "x", "", True])
def test_ports_that_are_none(port: int | str) -> None:
    with pytest.raises(InvalidArgument, match="not a number from 1 to 65535"):
        main_address(Task("worker", 0, "a:1"), port, 29500)


def test_missing_members_are_passed_on() -> None:
    with pytest.raises(DeadlineExceeded, match="worker 1"):
        found(FakeClient(DeadlineExceeded("1 of 2 ready; missing: worker 1")))


def test_what_the_guide_imports_is_there() -> None:
    """Its programs need the frameworks; this only checks that they are valid Python and use names that exist."""
    page = (ROOT / "docs/python-frameworks.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
    used = [(node.module, name.name) for block in blocks for node in ast.walk(ast.parse(block)) if isinstance(node, ast.ImportFrom) for name in node.names]
    ours = [(module, name) for module, name in used if module is not None and module.startswith("rollcall_cluster.")]
    assert {module for module, _ in ours} == {f"rollcall_cluster.{name}" for name in ("tensorflow", "lightning", "horovod")}
    for module, name in ours:
        source = (ROOT / "python/src" / module.replace(".", "/")).with_suffix(".py").read_text(encoding="utf-8")
        assert f'"{name}"' in source[source.index("__all__") :].splitlines()[0]
