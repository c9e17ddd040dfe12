# pyright: basic, reportMissingImports=false, reportMissingModuleSource=false
"""Waits for the nodes of a Lightning job and connects them.

    from rollcall_cluster.lightning import RollcallEnvironment

    trainer = Trainer(num_nodes=4, devices=8, plugins=[RollcallEnvironment("auto:", timeout=1800)])
"""
from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from ._errors import InvalidArgument
from ._plugins import WAIT_TIMEOUT, Finding, WaitOptions, checked_rank, main_address, rank_of, ranked
from ._sync import SyncClient

if TYPE_CHECKING:
    from typing_extensions import Unpack

# `lightning` and `lightning_fabric` have a class each, and a Trainer accepts only its own: use the one that is imported.
if "lightning_fabric" in sys.modules and "lightning" not in sys.modules:
    from lightning_fabric.plugins.environments import ClusterEnvironment
else:
    try:
        from lightning.fabric.plugins.environments import ClusterEnvironment
    except ModuleNotFoundError:
        from lightning_fabric.plugins.environments import ClusterEnvironment

_MAIN_PORT = 29500  # PyTorch's own choice

__all__ = ["RollcallEnvironment"]


class RollcallEnvironment(ClusterEnvironment):
    """A node for each task of the cluster. The cluster is found once, here, blocking; Lightning starts the processes of the node, one for each device.

    Args:
        targets: the targets to find, as on the command line; several are one cluster; default: `ROLLCALL_TARGET`, else `auto:`.
        node_rank: the number of this node; default: the one that `whoami` finds. It is not guessed.
        job: the job whose tasks are the nodes; default: the only one, after a chief or master if there is one.
        main_port: where node 0 listens; default: the port of its task, unless that is 8470, the TPU runtime's; then 29500.
        wait: wait until the cluster is ready; else take it as it is.
        timeout: seconds for everything; None: no limit.
        client: the client to use; default: the package's own.
        options: of `wait`: `until`, `members`, `on_progress`, …

    Raises: DeadlineExceeded with the missing members; NotReady; other RollcallErrors.

    Attributes:
        cluster: the ClusterSpec of Rollcall.
    """

    def __init__(
        self,
        *targets: str,
        node_rank: int | None = None,
        job: str | None = None,
        main_port: int | None = None,
        wait: bool = True,
        timeout: float | None = WAIT_TIMEOUT,
        client: SyncClient | None = None,
        **options: Unpack[WaitOptions],
    ) -> None:
        super().__init__()
        finding = Finding(targets, wait, timeout, client, options)
        self.cluster = finding.cluster
        tasks = ranked(self.cluster, job)
        self._num_nodes = len(tasks)
        self._node_rank = rank_of(tasks, finding.own_task()) if node_rank is None else checked_rank("node_rank", node_rank, len(tasks))
        self._main_address, self._main_port = main_address(tasks[0], main_port, _MAIN_PORT)
        self._world_size = self._num_nodes
        self._global_rank = self._node_rank

    @property
    def creates_processes_externally(self) -> bool:
        """False in the first process of the node; True in those that Lightning starts beside it."""
        return "LOCAL_RANK" in os.environ

    @property
    def main_address(self) -> str:
        """The host of node 0."""
        return self._main_address

    @property
    def main_port(self) -> int:
        """The port at which node 0 listens."""
        return self._main_port

    @staticmethod
    def detect() -> bool:
        """True if `ROLLCALL_TARGET` is set. Lightning itself does not call it: it has a fixed list of environments."""
        return bool(os.environ.get("ROLLCALL_TARGET"))

    def world_size(self) -> int:
        return self._world_size

    def set_world_size(self, size: int) -> None:
        self._world_size = size

    def global_rank(self) -> int:
        return self._global_rank

    def set_global_rank(self, rank: int) -> None:
        self._global_rank = rank

    def local_rank(self) -> int:
        return int(os.environ.get("LOCAL_RANK", "0"))

    def node_rank(self) -> int:
        return self._node_rank

    def validate_settings(self, num_devices: int, num_nodes: int) -> None:
        """Raises InvalidArgument, a ValueError, when the Trainer was given another number of nodes than there are."""
        if num_nodes != self._num_nodes:
            raise InvalidArgument(f"num_nodes={num_nodes} was given to Lightning, but the cluster has {self._num_nodes} tasks: {self.cluster!r}")

    def teardown(self) -> None:
        """Forgets the values that Lightning's launcher wrote into the environment."""
        os.environ.pop("WORLD_SIZE", None)
