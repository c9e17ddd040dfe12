// A node of the Cloud TPU API as a server writes it: about 1,800 bytes, of which a resolve needs the state and the endpoints.
#pragma once

#include <string>
#include <string_view>

namespace bench {

inline std::string node_json(std::string_view name) {
  std::string json = R"({"name":"projects/p/locations/z/nodes/)";
  json += name;
  json +=
      R"(","description":"a node","acceleratorType":"v4-32","state":"READY","runtimeVersion":"tpu-vm-v4-base","health":"HEALTHY","networkEndpoints":[)";
  for (int i = 0; i < 4; ++i) {
    json += i ? "," : "";
    json += R"({"ipAddress":"10.130.0.)" + std::to_string(26 + i) + R"(","port":8470,"accessConfig":{"externalIp":"34.90.10.)" +
            std::to_string(i) + R"("}})";
  }
  json +=
      R"(],"cidrBlock":"10.130.0.0/29","createTime":"2026-01-02T03:04:05.123456Z","schedulingConfig":{"preemptible":true},)"
      R"("serviceAccount":{"email":"123456789012-compute@developer.gserviceaccount.com","scope":["https://www.googleapis.com/auth/cloud-platform"]},)"
      R"("networkConfig":{"network":"projects/p/global/networks/default","subnetwork":"projects/p/regions/us-central2/subnetworks/default","enableExternalIps":true},)"
      R"("id":"6502082742571311568","apiVersion":"V2","shieldedInstanceConfig":{},"acceleratorConfig":{"type":"V4","topology":"2x2x4"},"labels":{)";
  for (int i = 0; i < 12; ++i) json += (i ? ",\"" : "\"") + ("label-" + std::to_string(i)) + R"(":"some value of a label")";
  return json + "}}";
}

}  // namespace bench
