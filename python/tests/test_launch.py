"""Launch contracts: each form equals the command's output, from targets and from given clusters."""
from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import rollcall_cluster as r
from conftest import COMMAND, run
from rollcall_cluster import launch
from rollcall_cluster.testing import SimulatedCloud

CLUSTER = {"chief": ["10.0.0.1:8470"], "worker": ["10.0.0.2:8470", "[2001:db8::3]:8470"]}
TARGET = "simple:job.chief=10.0.0.1:8470,job.worker=10.0.0.2:8470+[2001:db8::3]:8470"
HOSTS = {"worker": ["10.0.0.1:8470", "10.0.0.2:8470", "10.0.0.3:8470", "10.0.0.4:8470"]}
HOSTS_TARGET = "simple:job.worker=10.0.0.1:8470+10.0.0.2:8470+10.0.0.3:8470+10.0.0.4:8470"
TASK = ("worker", 1)
FACTS: dict[str, Any] = {"task": TASK, "slots": 4, "accelerator_type": "v4-32"}
GENERIC = ("render", "environment")
FORMS = [name for name in vars(launch) if not name.startswith("_") and name + "_sync" in vars(launch) and name not in GENERIC]

AskLaunch = Callable[..., Any]


@pytest.fixture(params=["async", "sync"])
def reported(request: pytest.FixtureRequest, real: str) -> AskLaunch:
    """`reported("tf_config", …)`: by either twin."""

    def by_loop(name: str, *cluster: Any, **facts: Any) -> Any:
        async def main() -> Any:
            return await getattr(launch, name)(*cluster, **facts)

        return run(main())

    def blocking(name: str, *cluster: Any, **facts: Any) -> Any:
        return getattr(launch, name + "_sync")(*cluster, **facts)

    return by_loop if request.param == "async" else blocking


def printed(form: str, target: str) -> bytes | None:
    """The command's output, or its failure; None: it does not write that form yet."""
    facts = ["--task", "worker:1", "--slots", "4", "--accelerator-type", "v4-32"]
    ended = subprocess.run([COMMAND, "spec", target, *facts, "--format", form], capture_output=True, check=False, timeout=60)
    if b"not written yet" in ended.stderr:
        return None
    return ended.stdout if ended.returncode == 0 else b"refused: " + ended.stderr


def variables_of(reported: AskLaunch, form: str, cluster: Any) -> dict[str, str]:
    try:
        return dict(reported("environment", form, cluster, **FACTS))
    except r.Unimplemented:
        return {}


def is_lines_of(variables: dict[str, str], text: bytes) -> bool:
    """True for a form that is only an environment."""
    lines = text.splitlines()
    return bool(variables) and len(lines) == len(variables) and all(line.startswith(name.encode() + b"=") for line, name in zip(lines, variables, strict=True))


def flat(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value


def test_the_forms_are_those_of_the_command(real: str) -> None:
    reported = subprocess.run([real, "complete", "--", "spec", "--format", ""], capture_output=True, text=True, check=True, timeout=60).stdout
    listed = [line.split("\t")[0] for line in reported.splitlines()]
    assert [name.replace("-", "_") for name in listed if name not in ("text", "json")] == FORMS


@pytest.mark.parametrize(("known", "target"), [(CLUSTER, TARGET), (HOSTS, HOSTS_TARGET)], ids=["mixed", "hosts"])
@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_what_the_command_prints(reported: AskLaunch, form: str, known: Any, target: str) -> None:
    name = form.replace("_", "-")
    wanted = printed(name, target)
    for cluster in (known, r.ClusterSpec(known), target):
        if wanted is None or wanted.startswith(b"refused: "):  # by both twins
            with pytest.raises(r.Unimplemented if wanted is None else r.RollcallError) as caught:
                reported(form, cluster, **FACTS)
            assert wanted is None or caught.value.message in wanted.decode()
            continue
        assert flat(reported("render", name, cluster, **FACTS)) == wanted
        assert flat(reported("render", form, cluster, **FACTS)) == wanted
        value = reported(form, cluster, **FACTS)
        if form == "jax":
            assert value == json.loads(wanted)
        elif is_lines_of(variables := variables_of(reported, name, cluster), wanted):
            assert value == variables
        else:
            assert flat(value) in (wanted, wanted.removesuffix(b"\n"))


@pytest.mark.parametrize("form", FORMS)
def test_an_environment_is_for_a_program(reported: AskLaunch, form: str) -> None:
    try:
        variables = reported("environment", form, HOSTS, **FACTS)
    except (r.Unimplemented, r.FailedPrecondition):  # not a form, or not possible for this cluster
        return
    assert variables and all(isinstance(one, str) for pair in variables.items() for one in pair)
    shown = f"import json, os; print(json.dumps({{name: os.environ[name] for name in {list(variables)!r}}}))"
    ended = subprocess.run([sys.executable, "-c", shown], env={**os.environ, **variables}, capture_output=True, text=True, check=True, timeout=60)
    assert json.loads(ended.stdout) == variables


def test_what_is_reported_of_a_task(reported: AskLaunch) -> None:
    assert reported("torch_env", CLUSTER, task=r.Task("worker", 1), coordinator_port=7)["RANK"] == "2"
    assert reported("torch_env", TARGET + ",type=worker,task=0")["RANK"] == "1"
    assert json.loads(reported("tf_config", CLUSTER)) == {"cluster": CLUSTER}
    assert json.loads(reported("tf_config", CLUSTER, task=TASK)) == json.loads(r.ClusterSpec(CLUSTER).tf_config(TASK))
    with pytest.raises(r.FailedPrecondition, match="--task"):
        reported("torch_env", CLUSTER)
    with pytest.raises(r.NotFound):
        reported("torch_env", CLUSTER, task=("worker", 2))


def test_options(reported: AskLaunch) -> None:
    assert reported("torch_env", CLUSTER, task=TASK, coordinator_port=29511)["MASTER_PORT"] == "29511"
    assert reported("torch_env", CLUSTER, task=TASK, coordinator_port="task")["MASTER_PORT"] == "8470"
    ports = {reported("torch_env", CLUSTER, task=TASK, coordinator_port="derived", job_id=one)["MASTER_PORT"] for one in ("a", "b", "c")}
    assert len(ports) > 1
    assert reported("plain", CLUSTER, jobs="worker") == "10.0.0.2:8470\n[2001:db8::3]:8470\n"
    assert reported("plain", CLUSTER, jobs=["worker", "chief"]).endswith("10.0.0.1:8470\n")
    assert re.search("--nproc.per.node=8 ", reported("torchrun", CLUSTER, task=TASK, slots=8))
    assert reported("torch_env", CLUSTER, task="worker:0") == reported("torch_env", CLUSTER, task=("worker", 0))
    sparse = {"worker": {3: "a:1"}}
    assert json.loads(reported("tf_config", sparse))["cluster"] == {"worker": {"3": "a:1"}}


def test_what_is_wrong_is_named(reported: AskLaunch) -> None:
    with pytest.raises(r.InvalidArgument, match="did you mean torchrun"):
        reported("render", "torchrnu", CLUSTER)
    with pytest.raises(r.Unimplemented, match="plain is no environment"):
        reported("environment", "plain", CLUSTER)
    with pytest.raises(r.InvalidArgument, match="slots"):
        reported("plain", CLUSTER, slots=0)
    with pytest.raises(r.InvalidArgument, match="coordinator_port"):
        reported("plain", CLUSTER, coordinator_port="any")
    with pytest.raises(r.InvalidArgument, match="no target"):
        reported("plain")
    with pytest.raises(TypeError, match="not int 5"):
        reported("plain", "tpu:a", 5)
    with pytest.raises(r.InvalidArgument, match="stands alone"):
        reported("plain", CLUSTER, "tpu:a")
    with pytest.raises(r.InvalidArgument, match="not whole: tpu:b"):
        reported("plain", r.ClusterSpec(CLUSTER, [r.Failure("not_found", "there is none", "tpu:b")]))
    with pytest.raises(r.InvalidArgument, match="bytes; the command reads"):
        reported("plain", {"worker": [f"{'h' * 60}{index}:1" for index in range(20_000)]})
    with pytest.raises(r.NotReady):
        reported("plain", {})
    for task in ("worker", 7, ("worker",)):
        with pytest.raises((TypeError, ValueError), match=r"task is .*'worker:3'"):
            reported("torch_env", CLUSTER, task=task)
    with pytest.raises(TypeError, match="client is a"):
        reported("plain", CLUSTER, client=object())


def test_a_client_of_one_s_own(real: str, simulated_cloud: Callable[..., SimulatedCloud]) -> None:
    cloud = simulated_cloud({"nodes": [{"name": "trainer", "accelerator_type": "v4-16"}]})
    wanted = "10.128.0.10:8470\n10.128.0.11:8470\n"
    assert launch.plain_sync("tpu:trainer") == wanted
    with r.SyncClient(environ=cloud.environ) as client:
        assert launch.plain_sync("tpu:trainer", client=client) == wanted
        with pytest.raises(r.NotFound):
            launch.plain_sync("tpu:missing", client=client)

    async def main() -> None:
        async with r.Client(environ=cloud.environ) as client:
            assert await launch.plain("tpu:trainer", client=client) == wanted
            with pytest.raises(TypeError, match="SyncClient"):
                launch.plain_sync("tpu:trainer", client=client)

    run(main())


def test_functions_show_what_they_take() -> None:
    for name in (*FORMS, *GENERIC):
        for twin in (name, name + "_sync"):
            function = getattr(launch, twin)
            assert function.__name__ == twin
            assert "coordinator_port:" in (function.__doc__ or "")
            assert inspect.iscoroutinefunction(function) == (twin == name)
            parameters = list(inspect.signature(function).parameters)
            assert parameters[-1] == "client" and ("format" in parameters) == (name in GENERIC)


def test_without_asyncio() -> None:
    program = "import sys; from rollcall_cluster import launch; assert 'asyncio' not in sys.modules, 'asyncio'"
    subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, check=True, timeout=60)
