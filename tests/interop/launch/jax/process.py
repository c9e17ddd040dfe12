"""One process of a JAX job: `process.py environment` or `process.py JSON`. It prints how JAX understands that input."""
import json
import os
import sys

import jax

if sys.argv[1] == "environment":
    jax.distributed.initialize(num_processes=int(os.environ["JAX_NUM_PROCESSES"]), process_id=int(os.environ["JAX_PROCESS_ID"]))
else:
    jax.distributed.initialize(**json.loads(sys.argv[1]))

from jax._src import distributed  # noqa: E402  where the process's own view of the coordinator is
from jax.experimental import multihost_utils  # noqa: E402

print(json.dumps({
    "count": jax.process_count(),
    "index": jax.process_index(),
    "gathered": multihost_utils.process_allgather(jax.numpy.array([jax.process_index() + 1])).ravel().tolist(),
    "coordinator": distributed.global_state.coordinator_address,
}))
