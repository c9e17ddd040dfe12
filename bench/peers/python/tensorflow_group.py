"""Finds an instance group by TensorFlow's GCEClusterResolver: PORT MEMBERS 1 --once.

It uses a parameter's name of the API of 2016, which today's client library refuses; this script corrects the name.
"""
import os

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", TF_ENABLE_ONEDNN_OPTS="0")

import httplib2
import measured
import tensorflow as tf
from googleapiclient import discovery


class Groups:
    def __init__(self, groups):
        self._groups = groups

    def listInstances(self, instanceGroups, **others):
        return self._groups.listInstances(instanceGroup=instanceGroups, **others)

    def listInstances_next(self, **call):
        return self._groups.listInstances_next(**call)


class Service:
    def __init__(self, service):
        self._service = service
        self.instances = service.instances

    def instanceGroups(self):
        return Groups(self._service.instanceGroups())


ROOT, COUNT, _, _ = measured.arguments()
compute = discovery.build("compute", "v1", http=httplib2.Http(), static_discovery=True, client_options={"api_endpoint": ROOT + "compute/v1/"})
reported = measured.Reported()
reported.begin()
resolver = tf.distribute.cluster_resolver.GCEClusterResolver("p", "z", "workers", 8470, credentials=None, service=Service(compute))
reported.end(resolver.cluster_spec().num_tasks("worker"), COUNT + 2)  # two pages of names, then each member
reported.print()
