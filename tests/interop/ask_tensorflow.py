"""Asks through TensorFlow's TPUClusterResolver and the Cloud TPU client under it."""
import logging
import os
import re
import warnings

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
warnings.simplefilter("ignore")
logging.disable(logging.WARNING)

# pylint: disable=wrong-import-position
import tensorflow as tf
from oauth2client.client import AccessTokenCredentials
from tensorflow.python.tpu.client import client as tpu_client

import shared

Resolver = tf.distribute.cluster_resolver.TPUClusterResolver


def canonical(spelled):
    """TensorFlow writes IPv6 addresses without brackets; the port is what follows the last colon."""
    ip, port = spelled.rsplit(":", 1)
    return shared.address(ip.strip("[]"), port)


def failure_of(error):
    text = str(error)
    state = re.search(r'is not yet ready; state: "([A-Z_]+)"', text)
    if state:
        return {"status": 200, "usable": "no", "state": state.group(1)}
    if "The access_token is expired or invalid" in text:
        return {"status": 401, "usable": "no"}  # so oauth2client says it
    found = re.search(r'<HttpError (\d+) when requesting \S+ returned "(.*?)"(?:\.|>)', text)
    if not found:
        raise error
    return {"status": int(found.group(1)), "usable": "no", "message": found.group(2)}


def ask_node(question):
    os.environ["TPU_API_DISCOVERY_URL"] = shared.root(question) + "$discovery/rest?version={apiVersion}"
    arguments = {"tpu": question["node"], "project": question.get("project", shared.PROJECT), "zone": question.get("zone", shared.ZONE)}
    if "token" in question:
        arguments["credentials"] = AccessTokenCredentials(question["token"], "interop")
    try:
        spelled = Resolver(**arguments).cluster_spec().as_dict()["worker"]
    except (ValueError, RuntimeError) as error:
        return failure_of(error)
    out = {"status": 200, "usable": "yes", "addresses": [canonical(one) for one in spelled]}
    if spelled != out["addresses"]:
        out["remark"] = f"TensorFlow itself writes {spelled[0]}"
    client = tpu_client.Client(**arguments)
    out["state"] = client.state()
    out["health"] = client.health()
    out["accelerator_type"] = client.accelerator_type()
    out["runtime_version"] = client.runtime_version()
    return out


def ask_metadata(_):
    client = tpu_client.Client(tpu="trainer")
    state = client.state()  # needs a token, which oauth2client takes from the metadata server
    return {"project": client._project, "zone": client._zone, "token": "given, Bearer" if state == "READY" else "none"}


def ask_resolver(question):
    environment = question.get("environment", {})
    os.environ.update(environment)
    try:
        resolver = Resolver(**question["tensorflow"])
        spec = resolver.cluster_spec().as_dict()
        return {"cluster": spec, "master": resolver.master()}
    except RuntimeError as error:
        return {"cluster": {}, "error": f"not ready: {failure_of(error)['state']}"}
    finally:
        for name in environment:
            del os.environ[name]


if __name__ == "__main__":
    shared.ask_all({"TensorFlow": {"node": ask_node, "metadata": ask_metadata, "resolver": ask_resolver}})
