// A node in each version of the Cloud TPU API.
#include <fmt/format.h>

#include "sim/tpu/tpu_api.hpp"
#include "sim/wire/responses.hpp"

namespace rollcall::sim {

namespace {

constexpr std::string_view v1_fields =
    "name,description,acceleratorType,ipAddress,port,state,healthDescription,tensorflowVersion,network,cidrBlock,serviceAccount,"
    "createTime,schedulingConfig(preemptible,reserved),networkEndpoints(ipAddress,port),health,labels/*,useServiceNetworking,"
    "apiVersion,symptoms(createTime,symptomType,details,workerId)";

constexpr std::string_view v2_fields =
    "name,description,acceleratorType,state,healthDescription,runtimeVersion,"
    "networkConfig(network,subnetwork,enableExternalIps,canIpForward,queueCount),"
    "networkConfigs(network,subnetwork,enableExternalIps,canIpForward,queueCount),cidrBlock,serviceAccount(email,scope),createTime,"
    "schedulingConfig(preemptible,reserved,spot),networkEndpoints(ipAddress,port,accessConfig(externalIp)),health,labels/*,metadata/*,"
    "tags,id,dataDisks(sourceDisk,mode),apiVersion,symptoms(createTime,symptomType,details,workerId),queuedResource,"
    "acceleratorConfig(type,topology),shieldedInstanceConfig(enableSecureBoot),multisliceNode";

// The additional fields of v2alpha1.
constexpr std::string_view alpha_fields =
    ",autocheckpointEnabled,bootDiskConfig(customerEncryptionKey(kmsKeyName),enableConfidentialCompute),"
    "upcomingMaintenance(type,canReschedule,windowStartTime,windowEndTime,latestWindowStartTime,maintenanceStatus)";

json::array endpoints_json(const std::vector<NodeEndpoint>& endpoints, bool has_access_config) {
  json::array out;
  for (const NodeEndpoint& endpoint : endpoints) {
    json::object one;
    put(one, "ipAddress", endpoint.ip);
    if (endpoint.port != 0) one["port"] = endpoint.port;
    if (has_access_config && !endpoint.external_ip.empty()) one["accessConfig"] = json::object{{"externalIp", endpoint.external_ip}};
    out.push_back(std::move(one));
  }
  return out;
}

json::object scheduling_json(const NodeModel& node, bool has_spot) {
  json::object out;
  if (node.is_preemptible) out["preemptible"] = true;
  if (node.is_reserved) out["reserved"] = true;
  if (has_spot && node.is_spot) out["spot"] = true;
  return out;
}

json::object network_json(const NodeModel& node) {
  json::object out;
  out["network"] = node.network.empty() ? "projects/" + node.project + "/global/networks/default" : node.network;
  const std::string region = node.zone.substr(0, node.zone.rfind('-'));
  if (node.network.empty()) out["subnetwork"] = "projects/" + node.project + "/regions/" + region + "/subnetworks/default";
  bool has_external = false;
  for (const NodeMoment& moment : node.timeline) {
    for (const NodeEndpoint& endpoint : moment.endpoints) has_external = has_external || !endpoint.external_ip.empty();
  }
  if (has_external) out["enableExternalIps"] = true;
  return out;
}

void put_version_fields(json::object& out, const NodeModel& node, const NodeMoment& moment, bool is_v1) {
  if (is_v1) {
    if (!moment.endpoints.empty()) {
      out["ipAddress"] = moment.endpoints.front().ip;
      if (moment.endpoints.front().port != 0) out["port"] = std::to_string(moment.endpoints.front().port);
    }
    put(out, "tensorflowVersion", node.runtime_version);
    out["network"] = node.network.empty() ? "global/networks/default" : node.network;
    put(out, "serviceAccount", node.service_account);
    return;
  }
  put(out, "runtimeVersion", node.runtime_version);
  out["networkConfig"] = network_json(node);
  if (!node.service_account.empty()) {
    out["serviceAccount"] =
        json::object{{"email", node.service_account}, {"scope", json::array{"https://www.googleapis.com/auth/cloud-platform"}}};
  }
  put(out, "metadata", node.metadata);
  put(out, "tags", node.tags);
  put(out, "id", moment.id);
  put(out, "queuedResource", node.queued_resource);
  if (node.is_multislice) out["multisliceNode"] = true;
  if (!node.config_type.empty()) {
    json::object config{{"type", node.config_type}};
    put(config, "topology", node.topology);
    out["acceleratorConfig"] = std::move(config);
  }
  out["shieldedInstanceConfig"] = json::object();
}

}  // namespace

json::object node_json(const NodeModel& node, const NodeMoment& moment, std::string_view version, std::string_view start_time) {
  const bool is_v1 = version == "v1";
  json::object out{{"name", node.full_name()}};
  put(out, "description", node.description);
  put(out, "acceleratorType", node.accelerator_type);
  put(out, "state", moment.state);
  put(out, "healthDescription", moment.health_description);
  put_version_fields(out, node, moment, is_v1);
  put(out, "cidrBlock", node.cidr_block);
  out["createTime"] = node.create_time.empty() ? start_time : std::string_view(node.create_time);
  out["schedulingConfig"] = scheduling_json(node, !is_v1);
  if (!(is_v1 && node.is_legacy)) put(out, "networkEndpoints", endpoints_json(moment.endpoints, !is_v1));
  put(out, "health", moment.health);
  put(out, "labels", node.labels);
  put(out, "symptoms", moment.symptoms);
  out["apiVersion"] = is_v1 ? "V1" : version == "v2" ? "V2" : "V2_ALPHA1";
  if (version == "v2alpha1") put(out, "upcomingMaintenance", moment.upcoming_maintenance);
  apply_raw(out, moment.raw);
  return out;
}

std::string node_schema(std::string_view version) {
  return version == "v1" ? std::string(v1_fields) : fmt::format("{}{}", v2_fields, version == "v2" ? "" : alpha_fields);
}

}  // namespace rollcall::sim
