"""Two processes of accelerate add their numbers."""
import time

begin = time.monotonic()
import torch
from accelerate import Accelerator

accelerator = Accelerator(cpu=True)
value = accelerator.reduce(torch.tensor([float(accelerator.process_index + 1)]), reduction="sum")
print(f"started as {accelerator.process_index} of {accelerator.num_processes}: sum {value.item()}, {time.monotonic() - begin:.1f} s "
      "after its start", flush=True)
assert value.item() == sum(range(1, accelerator.num_processes + 1))
