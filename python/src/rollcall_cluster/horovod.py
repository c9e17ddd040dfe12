# pyright: basic, reportMissingImports=false, reportMissingModuleSource=false
"""Elastic Horovod finds its hosts: pass `RollcallDiscovery("kubernetes:…", slots=4)` as the discovery of its settings."""
from __future__ import annotations

from horovod.runner.elastic.discovery import HostDiscovery

from ._errors import InvalidArgument, Unreachable
from ._followed import Followed
from ._plugins import split_address, targets_or_default
from ._session import logger
from ._states import Member
from ._sync import SyncClient

__all__ = ["RollcallDiscovery"]


class RollcallDiscovery(HostDiscovery):
    """Gives Horovod, which polls every second, the ready hosts. The first call asks the service; from then on the cluster is followed.

    Args:
        targets: the targets to find, as on the command line; several are one cluster; default: `ROLLCALL_TARGET`, else `auto:`.
        slots: processes per host.
        timeout: seconds for the first poll.
    """

    def __init__(self, *targets: str, slots: int = 1, timeout: float | None = 30.0) -> None:
        super().__init__()
        if isinstance(slots, bool) or not isinstance(slots, int) or slots < 1:
            raise InvalidArgument(f"slots is {slots!r}, not a number from 1 on")
        self._targets = targets_or_default(targets)
        self._slots = slots
        self._timeout = timeout
        self._followed: Followed | None = None
        self._last: dict[str, int] = {}

    def find_available_hosts_and_slots(self) -> dict[str, int]:
        """The hosts without ports, as Horovod expects them, each with its slots; empty while no host is ready.

        Raises: RollcallError for a failure that a retry cannot fix, such as PermissionDenied. An unreachable service is logged, and the last answer is returned again: hosts are
        not removed because of a failed request.
        """
        if self._followed is not None:
            if self._followed.failure is None:
                ready = self._followed.ready_members()
                if ready is not None:  # else the thread has started but not seen anything: the last answer is newer
                    self._last = self._hosts(ready)
                return dict(self._last)
            self._followed.close()
            self._followed = None
        try:
            # A separate client: it is closed here, and not shared with Horovod's threads and forks.
            with SyncClient() as client:
                self._last = self._hosts([member for member in client.status(*self._targets, timeout=self._timeout).members if member.is_ready])
        except (Unreachable, TimeoutError) as trouble:
            logger.warning("%s cannot be asked for hosts: %s", ", ".join(self._targets), trouble)
            return dict(self._last)
        self._followed = Followed(*self._targets)
        return dict(self._last)

    def close(self) -> None:
        """Stops following the cluster."""
        if self._followed is not None:
            self._followed.close()
            self._followed = None

    def _hosts(self, members: list[Member]) -> dict[str, int]:
        return {split_address(member.address)[0]: self._slots for member in members}
