"""Descriptions of a cluster for frameworks and launchers, in their own forms: the files, lines and environments that `rollcall spec --format` prints.

    import os
    from rollcall_cluster import launch

    os.environ.update(launch.torch_env_sync("auto:"))                      # blocking
    text = await launch.mpi_hostfile("tpu:trainer", slots=4)               # asyncio
    launch.tf_config_sync({"worker": ["a:1", "b:1"]}, task=("worker", 1))  # of a given cluster: no request is sent

Every form is a coroutine function and has a blocking twin, `NAME_sync`. The command writes all forms; docs/launch.md shows each. Here a form that is only an environment is a
dict, and so are the arguments of `jax.distributed.initialize`; `cluster_def` is bytes, and the others are text: a line for programs without its line end, a file as it is.
"""
from __future__ import annotations

import base64
import inspect
import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar

from ._errors import InvalidArgument
from ._question import Call, Texts, checked_seconds, checked_targets, checked_task, params_of, texts_of
from ._values import ClusterSpec, Json, Task

if TYPE_CHECKING:  # only for users of asyncio
    from ._async import Client
    from ._sync import SyncClient

P = ParamSpec("P")
T = TypeVar("T")
Cluster = str | ClusterSpec | Mapping[str, Sequence[str] | Mapping[Any, str]]  #: a target, or a given cluster


@dataclass(frozen=True)
class _Asked:
    """The part of a question that is the same for all forms."""

    params: dict[str, Any]
    seconds: float
    client: Any


def _asked(
    *cluster: Cluster,
    task: str | tuple[str, int] | Task | None = None,
    jobs: Texts = None,
    coordinator_port: int | str | None = None,
    job_id: str | None = None,
    slots: int | None = None,
    accelerator_type: str | None = None,
    name: str | None = None,
    timeout: float | None = 30.0,
    client: Client | SyncClient | None = None,
) -> _Asked:
    """
    Args:
        cluster: targets, several of which are one cluster; or one ClusterSpec or mapping, as `resolve` returns it: then no request is sent.
        task: the task of this host, as `worker:3`, a pair or a Task. Without it the targets are asked, as by `whoami`; if it is unknown, forms that need it raise
            FailedPrecondition, and the others leave it out.
        jobs: only these take part, in this order; default: all, a chief or master first.
        coordinator_port: where the first task waits for the others: a port, `usual` (the framework's own, the default), `task` (that of its address) or `derived`
            (from the cluster's addresses, or from `job_id`).
        job_id: names this run, the same on every host; default: made of the cluster's addresses.
        slots: processes or accelerators of each host; default: those of the target, else the number of its tasks.
        accelerator_type: of each slice, such as `v5litepod-16`; default: that of the target.
        name: the name of the cluster, for forms that have one.
        timeout: seconds for the whole call; None: no limit.
        client: the client to use, a Client, or a SyncClient for the blocking twin; default: the package's own.

    Raises: RollcallError: InvalidArgument (a host that no launcher accepts), FailedPrecondition (a fact that the form needs is unknown, or ranks have a hole), NotReady (no
        tasks), NotFound (a job or task that the cluster does not have), LimitExceeded (a variable longer than a program can be given), and those of the targets; TypeError for a
        value that is neither a target nor a cluster.
    """
    seconds = checked_seconds("timeout", timeout)
    params = params_of(
        task=None if task is None else checked_task(task),
        jobs=texts_of("jobs", jobs),
        coordinator_port=coordinator_port,
        job_id=job_id,
        slots=slots,
        accelerator_type=accelerator_type,
        name=name,
        timeout=seconds,
    )
    targets = [one for one in cluster if isinstance(one, str)]
    known = [one for one in cluster if isinstance(one, (ClusterSpec, Mapping))]
    if not known:
        params["targets"] = checked_targets(tuple(targets) if len(targets) == len(cluster) else cluster)  # type: ignore[arg-type]
        return _Asked(params, seconds, client)
    if len(cluster) > 1:
        raise InvalidArgument("a cluster that is known stands alone: neither targets nor other clusters beside it")
    spec = known[0] if isinstance(known[0], ClusterSpec) else ClusterSpec(known[0])
    if spec.failures:
        raise InvalidArgument(f"the cluster is not whole: {spec.failures[0].target} has no answer: {spec.failures[0].message}")
    params["cluster"] = spec.as_dict()
    return _Asked(params, seconds, client)


@dataclass(frozen=True)
class _Kind(Generic[T]):
    """Converts the command's text to the form's Python type."""

    decode: Callable[[Json], T]
    answer: str
    is_environment: bool = False

    def call(self, form: str, asked: _Asked) -> Call[T]:
        params = {"format": form.replace("_", "-"), **asked.params}
        if self.is_environment:
            params["environment"] = True
        return Call("launch", params, self.decode, asked.seconds)


def _bytes(data: Json) -> bytes:
    return base64.b64decode(data["base64"], validate=True)


_TEXT = _Kind(lambda data: str(data["text"]), "str")
_LINE = _Kind(lambda data: str(data["text"]).removesuffix("\n"), "str")
_BYTES = _Kind(_bytes, "bytes")
_ARGUMENTS: _Kind[dict[str, Any]] = _Kind(lambda data: dict(json.loads(data["text"])), "dict[str, Any]")
_VARIABLES: _Kind[dict[str, str]] = _Kind(lambda data: dict(data["environment"]), "dict[str, str]", is_environment=True)
_EITHER: _Kind[str | bytes] = _Kind(lambda data: _bytes(data) if "base64" in data else str(data["text"]), "str | bytes")


async def _ask(client: Any, call: Call[T]) -> T:
    from . import _async

    if client is not None and not isinstance(client, _async.Client):
        raise TypeError(f"client is a Client here, not {type(client).__name__}: the blocking twin takes a SyncClient")
    return await (client or _async.default)._ask(call)


def _ask_sync(client: Any, call: Call[T]) -> T:
    from . import _sync

    if client is not None and not isinstance(client, _sync.SyncClient):
        raise TypeError(f"client is a SyncClient here, not {type(client).__name__}: the coroutine function takes a Client")
    return (client or _sync.default)._ask(call)


def _shown(function: Any, name: str, about: str, answer: str, *first: inspect.Parameter) -> None:
    """Sets the name, the docstring and the signature of the function."""
    signature = inspect.signature(_asked)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{about}\n{_asked.__doc__}"
    function.__signature__ = signature.replace(parameters=[*first, *signature.parameters.values()], return_annotation=answer)


def _twins(arguments: Callable[P, _Asked], form: str, kind: _Kind[T], about: str) -> tuple[Callable[P, Coroutine[Any, Any, T]], Callable[P, T]]:
    async def ask(*args: P.args, **kwargs: P.kwargs) -> T:
        asked = arguments(*args, **kwargs)
        return await _ask(asked.client, kind.call(form, asked))

    def ask_sync(*args: P.args, **kwargs: P.kwargs) -> T:
        asked = arguments(*args, **kwargs)
        return _ask_sync(asked.client, kind.call(form, asked))

    _shown(ask, form, about, kind.answer)
    _shown(ask_sync, form + "_sync", about, kind.answer)
    return ask, ask_sync


def _any_form(
    arguments: Callable[P, _Asked], name: str, kind: _Kind[T], about: str
) -> tuple[Callable[Concatenate[str, P], Coroutine[Any, Any, T]], Callable[Concatenate[str, P], T]]:
    async def ask(format: str, /, *args: P.args, **kwargs: P.kwargs) -> T:
        asked = arguments(*args, **kwargs)
        return await _ask(asked.client, kind.call(format, asked))

    def ask_sync(format: str, /, *args: P.args, **kwargs: P.kwargs) -> T:
        asked = arguments(*args, **kwargs)
        return _ask_sync(asked.client, kind.call(format, asked))

    form = inspect.Parameter("format", inspect.Parameter.POSITIONAL_ONLY, annotation="str")
    _shown(ask, name, about, kind.answer, form)
    _shown(ask_sync, name + "_sync", about, kind.answer, form)
    return ask, ask_sync


# fmt: off
# The forms of the command, in its order.
tf_config, tf_config_sync = _twins(_asked, "tf_config", _LINE, "The text of TensorFlow's variable `TF_CONFIG`, with this host's task where that is known.")
cluster_def, cluster_def_sync = _twins(_asked, "cluster_def", _BYTES, "A serialized `tensorflow.ClusterDef`: `ClusterDef.FromString(…)` reads it.")
cluster_def_text, cluster_def_text_sync = _twins(_asked, "cluster_def_text", _TEXT, "The same in protobuf's text form.")
jax, jax_sync = _twins(_asked, "jax", _ARGUMENTS, "The arguments of `jax.distributed.initialize(**…)`. `environment(\"jax\", …)` has them as variables.")
pjrt, pjrt_sync = _twins(_asked, "pjrt", _VARIABLES, "What libtpu reads of its hosts: `TPU_WORKER_ID`, `TPU_WORKER_HOSTNAMES`, …")
megascale, megascale_sync = _twins(_asked, "megascale", _VARIABLES, "What libtpu reads of a job of several slices: `MEGASCALE_*`.")
torchrun, torchrun_sync = _twins(_asked, "torchrun", _LINE, "A command line without the program. `environment(\"torchrun\", …)` has it as `PET_*`.")
torch_env, torch_env_sync = _twins(_asked, "torch_env", _VARIABLES, "For torch's `init_method=\"env://\"`: `MASTER_ADDR`, `MASTER_PORT`, `RANK`, `WORLD_SIZE`, …")
torch_xla, torch_xla_sync = _twins(_asked, "torch_xla", _VARIABLES, "What PyTorch/XLA reads: `PJRT_DEVICE` and the processes.")
mpi_hostfile, mpi_hostfile_sync = _twins(_asked, "mpi_hostfile", _TEXT, "Open MPI's hostfile: `host slots=4`.")
mpich_hostfile, mpich_hostfile_sync = _twins(_asked, "mpich_hostfile", _TEXT, "MPICH's and Intel MPI's: `host:4`.")
slurm_nodelist, slurm_nodelist_sync = _twins(_asked, "slurm_nodelist", _LINE, "The hosts as Slurm writes them, compressed: `n[001-003]`.")
ray, ray_sync = _twins(_asked, "ray", _TEXT, "The lines that start Ray's head and its workers.")
hosts, hosts_sync = _twins(_asked, "hosts", _TEXT, "Lines of `/etc/hosts`.")
ssh_config, ssh_config_sync = _twins(_asked, "ssh_config", _TEXT, "A `Host` block of ssh's configuration for each host.")
ansible, ansible_sync = _twins(_asked, "ansible", _TEXT, "An inventory of Ansible.")
prometheus, prometheus_sync = _twins(_asked, "prometheus", _TEXT, "Targets for Prometheus' `file_sd_configs`.")
plain, plain_sync = _twins(_asked, "plain", _TEXT, "An address a line.")
env, env_sync = _twins(_asked, "env", _VARIABLES, "What `rollcall exec` sets: `ROLLCALL_*` and `TF_CONFIG`.")

render, render_sync = _any_form(_asked, "render", _EITHER, "The cluster in the form of that name, as `rollcall spec --format` prints it: bytes for `cluster-def`, else text.")
environment, environment_sync = _any_form(_asked, "environment", _VARIABLES, "What a process of that framework finds in its environment. Unimplemented: the form is none.")
# fmt: on
