"""tensorflow_server.py INDEX PORT…: a TensorFlow server, one worker of a cluster on loopback. Says `ready` and serves until killed."""
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"

# pylint: disable=wrong-import-position
import tensorflow as tf

index, *ports = sys.argv[1:]
cluster = tf.train.ClusterSpec({"worker": [f"127.0.0.1:{port}" for port in ports]})
server = tf.distribute.Server(cluster, job_name="worker", task_index=int(index), protocol="grpc")
print("ready", flush=True)
server.join()
