"""Asks a TensorFlow master for the devices of its cluster, as TensorFlow's resolvers do to count accelerators: ADDRESS."""
import os
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", TF_ENABLE_ONEDNN_OPTS="0")

import tensorflow as tf

print("asking", flush=True)
with tf.compat.v1.Session(f"grpc://{sys.argv[1]}") as session:
    print(len(session.list_devices()))
