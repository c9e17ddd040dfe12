"""Asks for nodes by TensorFlow's TPUClusterResolver, one after the other: its HTTP client serves one thread. By default it reads the API's description for every answer; with
--service as a last argument it gets the description once, as an expert user may do.
"""
import os
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", TF_ENABLE_ONEDNN_OPTS="0")

import httplib2
import measured
import tensorflow as tf
from googleapiclient import discovery
from oauth2client.client import AccessTokenCredentials

ROOT, COUNT, _, ROUNDS = measured.arguments()
os.environ["TPU_API_DISCOVERY_URL"] = ROOT + "discovery"
IS_GIVEN = "--service" in sys.argv
service = discovery.build("tpu", "v1", http=httplib2.Http(), discoveryServiceUrl=ROOT + "discovery") if IS_GIVEN else None


def ask(name):
    resolver = tf.distribute.cluster_resolver.TPUClusterResolver(name, zone="z", project="p", credentials=AccessTokenCredentials("test-token", "bench"), service=service)
    return resolver.cluster_spec().num_tasks("worker") == 4


reported = measured.Reported()
for round_number in range(ROUNDS):
    reported.begin()
    ready = sum(map(ask, measured.names(COUNT)))
    reported.end(ready, COUNT + (round_number == 0) if IS_GIVEN else 2 * COUNT)  # the description is a request, too
reported.print()
