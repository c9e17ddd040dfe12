"""How JAX's detection of TPU pods reads libtpu's variables. No chip is needed: only its presence is faked."""
import json

from jax._src.clusters import cloud_tpu_cluster

cloud_tpu_cluster.running_in_cloud_tpu_vm = True
pod = cloud_tpu_cluster.GkeTpuCluster
print(json.dumps({"coordinator": pod.get_coordinator_address(5, None), "count": pod.get_process_count(), "id": pod.get_process_id(), "present": pod.is_env_present()}))
