"""Asks through Google's clients for Python: google-auth, google-cloud-tpu (REST), google-api-python-client."""
import logging

import google.auth
import google.auth.credentials
import google.auth.transport.requests
import googleapiclient.discovery
import googleapiclient.errors
from google.api_core.client_options import ClientOptions
from google.api_core.exceptions import GoogleAPICallError
from google.auth.compute_engine import _metadata as metadata
from google.cloud import tpu_v2

import shared

logging.disable(logging.WARNING)


class FixedToken(google.auth.credentials.Credentials):
    """A token that never changes: after a 401 the clients refresh it, and would otherwise only show the failure of that."""

    def __init__(self, token):
        super().__init__()
        self.token = token

    def refresh(self, request):
        pass


def credentials(question):
    if "token" in question:
        return FixedToken(question["token"])
    return google.auth.default(scopes=["https://www.googleapis.com/auth/cloud-platform"])[0]


def ask_metadata(_):
    request = google.auth.transport.requests.Request()
    found, project = google.auth.default()
    found.refresh(request)
    return {
        "is_compute_engine": shared.yes(metadata.is_on_gce(request)),
        "project": project,
        "project_number": str(metadata.get(request, "project/numeric-project-id")),
        "zone": metadata.get(request, "instance/zone").rsplit("/", 1)[-1],
        "account": found.service_account_email,
        "universe": found.universe_domain,
        "token": "given, Bearer" if found.token and found.valid else "none",
    }


def node_of_proto(node):
    """The answer of google-cloud-tpu."""
    health = node.health.name
    return {
        "status": 200,
        "name": node.name,
        "usable": shared.yes(node.state.name == "READY" and node.network_endpoints),
        "state": node.state.name,
        "health": "" if health == "HEALTH_UNSPECIFIED" else health,
        "health_description": node.health_description,
        "description": node.description,
        "id": str(node.id),
        "accelerator_type": node.accelerator_type,
        "accelerator": f"{node.accelerator_config.type_.name} {node.accelerator_config.topology}",
        "runtime_version": node.runtime_version,
        "addresses": [shared.address(one.ip_address, one.port) for one in node.network_endpoints],
        "external_ips": [one.access_config.external_ip for one in node.network_endpoints if one.access_config.external_ip],
        "labels": sorted(f"{key}={value}" for key, value in node.labels.items()),
        "create_time": node.create_time.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "network": node.network_config.network,
        "account": node.service_account.email,
        "spot": shared.yes(node.scheduling_config.spot),
    }


def node_of_json(version):
    """The answer of google-api-python-client: the received JSON."""

    def node_of(node):
        endpoints = node.get("networkEndpoints", [])
        out = {
            "status": 200,
            "name": node["name"],
            "state": node["state"],
            "health": node.get("health", ""),
            "health_description": node.get("healthDescription", ""),
            "description": node.get("description", ""),
            "accelerator_type": node["acceleratorType"],
            "create_time": node["createTime"],
            "labels": sorted(f"{key}={value}" for key, value in node.get("labels", {}).items()),
        }
        if version == "v1":
            out["runtime_version"] = node["tensorflowVersion"]
            if not endpoints and "ipAddress" in node:
                endpoints = [{"ipAddress": node["ipAddress"], "port": node["port"]}]
            if "ipAddress" in node:
                out["ip_address_and_port"] = shared.address(node["ipAddress"], node["port"])
        else:
            out["runtime_version"] = node["runtimeVersion"]
            out["id"] = node["id"]
            out["accelerator"] = f"{node['acceleratorConfig']['type']} {node['acceleratorConfig']['topology']}"
            out["network"] = node["networkConfig"]["network"]
            out["account"] = node["serviceAccount"]["email"]
            out["spot"] = shared.yes(node["schedulingConfig"].get("spot"))
            out["external_ips"] = [one["accessConfig"]["externalIp"] for one in endpoints if "accessConfig" in one]
        out["addresses"] = [shared.address(one["ipAddress"], one["port"]) for one in endpoints]
        out["usable"] = shared.yes(node["state"] == "READY" and endpoints)
        return out

    return node_of


def list_answer(pages, node_of):
    nodes = [node_of(node) for page in pages for node in page]
    return {
        "status": 200,
        "count": len(nodes),
        "pages": len(pages),
        "names": [node["name"] for node in nodes],
        "states": [node["state"] for node in nodes],
        "addresses": [address for node in nodes for address in node["addresses"]],
    }


class CloudTpu:
    """google-cloud-tpu over REST."""

    def client(self, question):
        options = ClientOptions(api_endpoint=shared.root(question).rstrip("/"))
        return tpu_v2.TpuClient(transport="rest", credentials=credentials(question), client_options=options)

    def node(self, question):
        try:
            name = shared.parent(question) + "/nodes/" + question["node"]
            return node_of_proto(self.client(question).get_node(name=name))
        except GoogleAPICallError as error:
            return {"status": error.code.value, "usable": "no", "message": error.message.split(": ", 1)[-1]}

    def list(self, question):
        request = tpu_v2.ListNodesRequest(
            parent=shared.parent(question), page_size=question.get("page_size", 0), page_token=question.get("page_token", "")
        )
        try:
            pages = self.client(question).list_nodes(request=request).pages
            return list_answer([page.nodes for page in pages], node_of_proto)
        except GoogleAPICallError as error:
            return {"status": error.code.value, "message": error.message.split(": ", 1)[-1]}


class ApiClient:
    """google-api-python-client, which builds itself from the discovery document."""

    def __init__(self, version):
        self.version = version
        self.node_of = node_of_json(version)

    def nodes(self, question):
        service = googleapiclient.discovery.build(
            "tpu",
            self.version,
            discoveryServiceUrl=shared.root(question) + "$discovery/rest?version={apiVersion}",
            credentials=credentials(question),
            cache_discovery=False,
        )
        return service.projects().locations().nodes()

    def node(self, question):
        try:
            name = shared.parent(question) + "/nodes/" + question["node"]
            return self.node_of(self.nodes(question).get(name=name).execute())
        except googleapiclient.errors.HttpError as error:
            return {"status": error.status_code, "usable": "no", "message": error.reason}

    def list(self, question):
        optional = {"pageSize": question.get("page_size"), "pageToken": question.get("page_token")}
        nodes = self.nodes(question)
        request = nodes.list(parent=shared.parent(question), **{key: value for key, value in optional.items() if value})
        pages = []
        try:
            while request is not None:
                answer = request.execute()
                pages.append(answer.get("nodes", []))
                request = nodes.list_next(request, answer)
        except googleapiclient.errors.HttpError as error:
            return {"status": error.status_code, "message": error.reason}
        return list_answer(pages, self.node_of)


def functions(client):
    return {"node": client.node, "list": client.list}


if __name__ == "__main__":
    shared.ask_all(
        {
            "google-auth": {"metadata": ask_metadata},
            "google-cloud-tpu": functions(CloudTpu()),
            "google-api-python-client v2": functions(ApiClient("v2")),
            "google-api-python-client v1": functions(ApiClient("v1")),
        }
    )
