"""One node of a PyTorch job, which `check.py` starts: `torch_node.py HOW …`. Its last line is `RESULT` and the result."""
from __future__ import annotations

import json
import os
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as distributed
from job import hold, result



def summed() -> float:
    value = torch.tensor([distributed.get_rank() + 1.0])
    distributed.all_reduce(value)
    return float(value)


def init_method(url: str) -> None:
    import rollcall_cluster.torch

    hold()
    begin = time.monotonic()
    try:
        distributed.init_process_group("gloo", init_method=url, timeout=timedelta(seconds=float(os.environ.get("PATIENCE", "60"))))
    except rollcall_cluster.RollcallError as trouble:
        result(error=type(trouble).__name__, text=str(trouble), after=time.monotonic() - begin)
        return
    result(sum=summed(), rank=distributed.get_rank(), size=distributed.get_world_size())


def agent(*arguments: str) -> None:
    """torchrun. Versions without the group `torchrun.handlers` of entry points get the backend registered in the same way."""
    import rollcall_cluster.torch
    from torch.distributed.elastic.rendezvous import registry, rendezvous_handler_registry
    from torch.distributed.run import main

    hold()
    if not hasattr(registry, "_register_out_of_tree_handlers"):
        rendezvous_handler_registry.register("rollcall", rollcall_cluster.torch.get_handler())
    main([*arguments])


def worker() -> None:
    """The program that the agent starts. The first group stays until it is restarted, if the arguments say so."""
    distributed.init_process_group("gloo")
    size = distributed.get_world_size()
    line = json.dumps({"sum": summed(), "rank": distributed.get_rank(), "size": size, "restarts": os.environ.get("TORCHELASTIC_RESTART_COUNT")})
    with open(os.environ["RESULTS"], "a") as file:  # one write, so that lines of several do not mix
        file.write(line + "\n")
    if size < int(os.environ.get("STAY_BELOW", "0")):
        time.sleep(60)


def lightning(target: str, node: str) -> None:
    from lightning_fabric import Fabric
    from rollcall_cluster.lightning import RollcallEnvironment

    hold()
    environment = RollcallEnvironment(target, node_rank=int(node), timeout=60)
    fabric = Fabric(accelerator="cpu", devices=1, num_nodes=2, strategy="ddp", plugins=[environment])
    fabric.launch()
    model = fabric.setup(torch.nn.Linear(1, 1, bias=False))
    model(torch.tensor([[fabric.global_rank + 1.0]])).sum().backward()
    gradient = float(next(model.parameters()).grad)
    result(sum=float(fabric.all_reduce(torch.tensor(fabric.global_rank + 1.0), reduce_op="sum")), gradient=gradient, rank=fabric.global_rank, size=fabric.world_size)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
