"""tensorflow_list.py URL: the devices that TensorFlow's own client lists there, as JSON."""
import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"

# pylint: disable=wrong-import-position
import tensorflow as tf

with tf.compat.v1.Session(sys.argv[1], config=tf.compat.v1.ConfigProto(operation_timeout_in_ms=20000)) as session:
    devices = session.list_devices()
fields = ("name", "device_type", "memory_limit_bytes", "incarnation")
json.dump([{field: getattr(device, field) for field in fields} for device in devices], sys.stdout)
