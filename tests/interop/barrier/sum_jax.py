"""Two processes of JAX add their numbers. JAX reads the coordinator from a variable, and takes number and id as arguments (docs/launch.md)."""
import os
import time

begin = time.monotonic()
import jax

jax.distributed.initialize(num_processes=int(os.environ["JAX_NUM_PROCESSES"]), process_id=int(os.environ["JAX_PROCESS_ID"]))
from jax.experimental import multihost_utils

values = multihost_utils.process_allgather(jax.numpy.array([jax.process_index() + 1]))
print(f"started as {jax.process_index()} of {jax.process_count()}: sum {int(values.sum())}, {time.monotonic() - begin:.1f} s after its start",
      flush=True)
assert int(values.sum()) == sum(range(1, jax.process_count() + 1))
