"""Two processes add their ranks, by gloo; each multiplies on the GPU where there is one."""
import time

import torch
import torch.distributed as dist

begin = time.monotonic()
dist.init_process_group("gloo")
value = torch.tensor([float(dist.get_rank() + 1)])
dist.all_reduce(value)
device = "cuda" if torch.cuda.is_available() else "cpu"
product = (torch.ones(64, 64, device=device) @ torch.ones(64, 64, device=device)).sum().item()
print(f"started as {dist.get_rank()} of {dist.get_world_size()}: sum {value.item()}, {product:.0f} on {device}, "
      f"{time.monotonic() - begin:.1f} s after its start", flush=True)
assert value.item() == sum(range(1, dist.get_world_size() + 1))
dist.destroy_process_group()
