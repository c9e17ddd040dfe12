"""One worker, with the environment of env://: adds its rank to the others', and prints its state."""
import json
import os

import torch
import torch.distributed as distributed

distributed.init_process_group("gloo")
value = torch.tensor([distributed.get_rank() + 1.0])
distributed.all_reduce(value)
reported = {name: os.environ.get(name) for name in ("LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "TORCHELASTIC_RUN_ID")}
with open(os.environ["RESULTS"], "a") as file:  # one write, so that lines of several do not mix
    file.write(json.dumps({"rank": distributed.get_rank(), "size": distributed.get_world_size(), "sum": float(value), **reported}) + "\n")
