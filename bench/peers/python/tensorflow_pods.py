"""Lists pods by TensorFlow's KubernetesClusterResolver: PORT COUNT."""
import os
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", TF_ENABLE_ONEDNN_OPTS="0")

import tensorflow as tf
from kubernetes import client

api = client.CoreV1Api(client.ApiClient(client.Configuration(host=f"http://127.0.0.1:{sys.argv[1]}")))
resolver = tf.distribute.cluster_resolver.KubernetesClusterResolver({"worker": ["job-name=trainer"]}, 8470, override_client=api)
sys.exit(resolver.cluster_spec().num_tasks("worker") != int(sys.argv[2]))
