"""A worker of a TensorFlow cluster: INDEX ADDRESS…. It serves until it is killed."""
import os
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", TF_ENABLE_ONEDNN_OPTS="0")

import tensorflow as tf

tf.distribute.Server(tf.train.ClusterSpec({"worker": sys.argv[2:]}), "worker", int(sys.argv[1]), protocol="grpc").join()
