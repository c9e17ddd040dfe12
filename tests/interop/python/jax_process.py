"""One process of a JAX job, which `check.py` starts: `jax_process.py HOW [TARGET] [INDEX]`. Its last line is `RESULT` and the result."""
from __future__ import annotations

import os
import sys
import time
from typing import Any

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
from jax._src.clusters import ClusterEnv
from job import hold, result



def gathered() -> list[int]:
    import numpy
    from jax.experimental import multihost_utils

    return [int(one) for one in multihost_utils.process_allgather(numpy.array([jax.process_index() + 1])).flatten()]


def counting_foreign_detection() -> list[str]:
    """Records from now on which environments JAX asks whether they are present."""
    asked: list[str] = []
    for kind in ClusterEnv._cluster_types:
        original = kind.is_env_present

        def counted(name: str = kind.name or kind.__name__, original: Any = original) -> bool:
            asked.append(name)
            return bool(original())

        kind.is_env_present = counted
    return asked


def initialize(target: str, index: str = "", timeout: str = "60") -> None:
    import rollcall_cluster.jax

    hold()
    asked = counting_foreign_detection()
    begin = time.monotonic()
    try:
        rollcall_cluster.jax.initialize(target, process_id=int(index) if index else None, timeout=float(timeout), initialization_timeout=30)
    except rollcall_cluster.RollcallError as trouble:
        result(error=type(trouble).__name__, text=str(trouble), missing=[one.label for one in trouble.missing], after=time.monotonic() - begin)
        return
    result(gathered=gathered(), asked=asked, index=jax.process_index(), after=time.monotonic() - begin)


def named(timeout: str = "60") -> None:
    """Target in ROLLCALL_TARGET, or detected."""
    import rollcall_cluster.jax

    begin = time.monotonic()
    try:
        jax.distributed.initialize(cluster_detection_method="rollcall", initialization_timeout=int(timeout))
    except rollcall_cluster.RollcallError as trouble:
        result(error=type(trouble).__name__, text=str(trouble), after=time.monotonic() - begin)
        return
    result(gathered=gathered(), index=jax.process_index(), coordinator=rollcall_cluster.jax.RollcallCluster._found.coordinator)


def imported() -> None:
    """The effect of the import alone on a program that does not name it."""
    before = [kind.__name__ for kind in ClusterEnv._cluster_types]
    import rollcall_cluster.jax  # noqa: F401

    asked = counting_foreign_detection()
    try:
        jax.distributed.initialize()
    except ValueError as trouble:
        text = str(trouble)
    after = [kind.__name__ for kind in ClusterEnv._cluster_types]
    result(added=after[len(before) :], asked=asked, text=text)


def alone(address: str) -> None:
    """JAX without Rollcall, and without its peer."""
    jax.distributed.initialize(address, 2, 1, initialization_timeout=5)
    result(text="it began")


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
