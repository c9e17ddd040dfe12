"""The real command, against the simulated cloud: the same answers and errors as from the command itself."""
from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rollcall_cluster as r
from conftest import Ask, run
from rollcall_cluster.testing import SimulatedCloud

YOUNG = {"at": 0, "state": "CREATING", "endpoints": []}
LATE = {
    "nodes": [
        {"name": "trainer", "accelerator_type": "v4-32"},
        {"name": "late", "accelerator_type": "v4-16", "timeline": [YOUNG, {"at": 0.2, "state": "READY", "endpoints": ["10.0.9.1", "10.0.9.2"]}]},
        {"name": "never", "accelerator_type": "v4-16", "timeline": [YOUNG]},
        {"name": "gone", "accelerator_type": "v4-16", "timeline": [{"at": 0, "state": "PREEMPTED"}]},
    ]
}


@pytest.fixture
def cloud(real: str, simulated_cloud: Callable[..., SimulatedCloud]) -> SimulatedCloud:
    return simulated_cloud(LATE)


def printed(*arguments: str) -> tuple[int, str, str]:
    ended = subprocess.run([os.environ["ROLLCALL_COMMAND"], *arguments], capture_output=True, text=True, check=False, timeout=60)
    return ended.returncode, ended.stdout, ended.stderr


def test_resolve_is_what_the_command_prints(ask: Ask, cloud: SimulatedCloud) -> None:
    spec = ask("resolve", "tpu:trainer", "simple:job.ps=10.0.0.4:2222")
    code, out, _ = printed("spec", "tpu:trainer", "simple:job.ps=10.0.0.4:2222", "--format", "json")
    assert (code, json.loads(out)["cluster"]) == (0, spec.as_dict())
    assert spec["ps"] == ["10.0.0.4:2222"]


ERRORS = {
    "tpu:missing": r.NotFound,
    "tpx:trainer": r.InvalidArgument,
    "tpu:never": r.NotReady,
    "dns:missing.invalid,port=1": r.RollcallError,
    "tpu:näme": r.RollcallError,
}


@pytest.mark.parametrize("target", ERRORS)
def test_errors_are_those_of_the_command(ask: Ask, cloud: SimulatedCloud, target: str) -> None:
    with pytest.raises(ERRORS[target]) as caught:
        ask("resolve", target, timeout=5)
    _, out, _ = printed("spec", target, "--partial", "--format", "json", "--timeout", "5s")
    (failure,) = json.loads(out)["failures"] if out else (None,)
    if failure is not None:
        assert (failure["code"], failure["hint"]) == (caught.value.code, caught.value.hint)
        assert failure["message"] == caught.value.message


def test_partial(ask: Ask, cloud: SimulatedCloud) -> None:
    spec = ask("resolve", "tpu:trainer", "tpu:missing", partial=True)
    assert spec.num_tasks("worker") == 4
    assert [(one.target, one.code) for one in spec.failures] == [("tpu:missing", "not_found")]


def test_waiting_reports_missing_members(ask: Ask, cloud: SimulatedCloud) -> None:
    seen: list[r.Progress] = []
    status = ask("wait", "tpu:late", timeout=60, on_progress=seen.append)
    assert status.cluster["worker"] == ["10.0.9.1:8470", "10.0.9.2:8470"]
    assert status.num_ready == 2
    assert (seen[-1].ready, seen[-1].total) == (2, 2)
    with pytest.raises(TimeoutError) as caught:
        ask("wait", "tpu:never", timeout=2, on_progress=None)
    assert isinstance(caught.value, r.DeadlineExceeded)
    missing = [one for one in caught.value.missing if isinstance(one, r.MissingMember)]
    assert [(one.job, one.index, one.why) for one in missing] == [("worker", 0, "CREATING"), ("worker", 1, "CREATING")]
    with pytest.raises(r.NotReady, match="PREEMPTED"):
        ask("wait", "tpu:gone", timeout=60, on_progress=None)


def test_status(ask: Ask, cloud: SimulatedCloud) -> None:
    status = ask("status", "tpu:trainer")
    assert (status.num_ready, status.expected, status.phase, status.state.level) == (4, 4, "running", r.MemberState.READY)
    assert ask("status", "tpu:never").members[0].state is r.MemberState.WAITING


def test_why(ask: Ask, cloud: SimulatedCloud) -> None:
    assert ask("why", "tpu:trainer").is_ready
    why = ask("why", "tpu:never")
    assert (why.is_ready, why.ready, why.warnings, why.unread) == (False, 0, (), ())
    assert why.groups[0].state is r.MemberState.WAITING
    assert why.groups[0].why
    assert why.status.expected == why.total
    assert str(why).startswith(f"0/{why.total} ready\n")


def test_cancelled_work_has_ended(cloud: SimulatedCloud) -> None:
    async def main() -> None:
        begun = asyncio.Event()
        tasks = [asyncio.ensure_future(r.wait("tpu:never", on_progress=lambda _: begun.set())) for _ in range(50)]
        await begun.wait()
        for task in tasks:
            task.cancel()
        assert {type(one) for one in await asyncio.gather(*tasks, return_exceptions=True)} == {asyncio.CancelledError}
        assert (await r.resolve("tpu:trainer")).num_tasks() == 4

    run(main())


def test_ten_thousand_questions_at_once(real: str) -> None:
    async def main() -> None:
        specs = await asyncio.gather(*(r.resolve(f"simple:job.worker=h{n}:1") for n in range(10_000)))
        assert [spec["worker"] for spec in specs] == [[f"h{n}:1"] for n in range(10_000)]

    run(main())


def test_options_hold_for_a_client(cloud: SimulatedCloud) -> None:
    with r.SyncClient(project="example-proj", zone="nowhere-a") as client, pytest.raises(r.NotFound, match="nowhere-a"):
        client.resolve("tpu:trainer")
    with r.SyncClient(environ=cloud.environ) as client:
        assert client.resolve("tpu:trainer").num_tasks() == 4
    with r.SyncClient(zone="a", token_file="/nowhere/token") as client, pytest.raises(r.InvalidArgument, match="/nowhere/token"):
        client.resolve("tpu:trainer")
    with r.SyncClient(connect_to="nonsense") as client, pytest.raises(r.InvalidArgument, match="connect_to"):
        client.resolve("tpu:trainer")


def test_the_simulated_cloud_sets_the_environment_and_puts_it_back(real: str, tmp_path: Path) -> None:
    before = dict(os.environ)
    with SimulatedCloud(LATE) as cloud:
        assert os.environ["TPU_API_DISCOVERY_URL"] == cloud.environment["TPU_API_DISCOVERY_URL"]
        pid = int(cloud.environment["ROLLCALL_SIM_PID"])
        with SimulatedCloud(LATE, sets_environ=False) as other:
            assert r.resolve_sync("tpu:trainer").num_tasks() == 4
            assert other.environ["ROLLCALL_SIM_PID"] != os.environ["ROLLCALL_SIM_PID"]
    assert dict(os.environ) == before
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with pytest.raises(r.CommandFailed, match=r"the simulation did not start: .*nodez"), SimulatedCloud({"nodez": []}):
        pass
    assert dict(os.environ) == before


def questions() -> list[tuple[str, tuple[Any, ...], dict[str, Any]]]:
    return [
        ("devices", ("tpu:trainer",), {}),
        ("devices", ("local",), {}),
        ("devices", ("simple:job.worker=a:1,num_accelerators=GPU:4",), {}),
        ("accelerators", ("tpu:trainer",), {}),
        ("topology", ("v4-32",), {}),
        ("topology", ("tpu:trainer",), {}),
        ("doctor", (), {}),
        ("whoami", ("simple:job.worker=a:1+b:1,type=worker,task=1",), {}),
    ]


@pytest.mark.parametrize(("question", "arguments", "options"), questions(), ids=lambda value: str(value))
def test_other_questions(ask: Ask, cloud: SimulatedCloud, question: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
    answer = ask(question, *arguments, **options)
    if question == "devices":
        if arguments == ("local",):  # as this machine is
            assert (answer.targets, answer.failures) == ((), ())
            assert all(one.count is None or one.count >= 0 for one in answer.local)
        elif arguments == ("tpu:trainer",):
            assert (answer.targets[0].num_hosts, answer.targets[0].topology) == (4, "2x2x4")
        else:
            assert (answer.targets[0].model, answer.targets[0].hosts[0].count("GPU")) == ("", 4)
    elif question == "accelerators":
        assert answer == {"TPU": 4}
    elif question == "topology":
        assert (answer.type, answer.hosts, answer.host_bounds) == ("v4-32", 4, (1, 1, 4))
        assert len(answer.workers) == (4 if ":" in arguments[0] else 0)
    elif question == "doctor":
        assert {check.name for check in answer.checks} >= {"proxy", "credentials"}
    else:
        assert (answer.job, answer.index) == ("worker", 1)


def test_this_host_stands_alone(ask: Ask, cloud: SimulatedCloud) -> None:
    with pytest.raises(r.InvalidArgument, match="cannot stand beside targets"):
        ask("devices", "local", "tpu:trainer")
    with pytest.raises(r.InvalidArgument, match="did you mean local"):
        ask("devices", "locl")


def test_watching(cloud: SimulatedCloud) -> None:
    async def main() -> None:
        async with r.watch("tpu:late") as changes:
            async for change in changes:
                if change.kind is r.ChangeKind.CLUSTER_READY:
                    assert change.cluster is not None and change.cluster["worker"] == ["10.0.9.1:8470", "10.0.9.2:8470"]
                    break

    run(main())
    with r.watch_sync("tpu:trainer") as changes:
        kinds = [next(changes).kind for _ in range(5)]
    assert kinds == [r.ChangeKind.MEMBER_JOINED] * 4 + [r.ChangeKind.CLUSTER_READY]


def test_searching(cloud: SimulatedCloud) -> None:
    async def main() -> list[str]:
        return sorted([one.name async for one in r.discover(project="example-proj", kind="tpu")])

    assert run(main()) == ["gone", "late", "never", "trainer"]
    assert [one.target for one in r.discover_sync(project="example-proj", filter="name=trainer", kind=["tpu"])] == ["tpu:trainer,project=example-proj,zone=us-central2-b"]
    with pytest.raises(r.RollcallError):
        list(r.discover_sync(project="another-proj"))
