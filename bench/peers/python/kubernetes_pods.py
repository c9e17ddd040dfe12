"""Lists pods by the official Kubernetes client: PORT COUNT."""
import sys

from kubernetes import client

api = client.CoreV1Api(client.ApiClient(client.Configuration(host=f"http://127.0.0.1:{sys.argv[1]}")))
pods = api.list_namespaced_pod("train").items
ready = sum(pod.status.phase == "Running" and bool(pod.status.pod_ip) for pod in pods)
sys.exit(ready != int(sys.argv[2]))
