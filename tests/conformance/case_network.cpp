#include "conformance/case_network.hpp"

#include <asio/ip/address.hpp>

#include "rollcall/endpoint.hpp"

namespace rollcall::conformance {
namespace {

ConnectTo route(std::string from, std::uint16_t from_port, std::uint16_t to_port) {
  ConnectTo result;
  result.from_host = std::move(from);
  result.from_port = from_port;
  result.to_host = "127.0.0.1";
  result.to_port = to_port;
  return result;
}

bool is_https(const HttpMatch& request) { return request.scheme == "https"; }

}  // namespace

std::vector<std::string> https_hosts(const Case& the_case) {
  std::vector<std::string> result;
  for (const HttpEntry& entry : the_case.http) {
    if (!is_https(entry.request) || !entry.request.host) continue;
    const Result<Endpoint> host = Endpoint::parse(*entry.request.host);
    if (host) result.push_back(host->host);
  }
  return result;
}

std::vector<std::string> tls_addresses(const Case& the_case) {
  std::vector<std::string> result;
  for (std::string& host : https_hosts(the_case)) {
    std::error_code error;
    asio::ip::make_address(host, error);
    if (!error) result.push_back(std::move(host));
  }
  return result;
}

std::vector<std::string> metadata_hosts(const Case& the_case) {
  std::vector<std::string> result = {"metadata.google.internal", "169.254.169.254"};
  for (const char* const name : {"GCE_METADATA_HOST", "GCE_METADATA_ROOT", "GCE_METADATA_IP"}) {
    const auto found = the_case.env.find(std::string_view(name));
    if (found != the_case.env.end()) result.push_back(found->second);
  }
  return result;
}

NetworkOptions towards_servers(const Case& the_case, const std::string& ca_file, std::uint16_t http_port, std::uint16_t https_port) {
  NetworkOptions network;
  network.ca_file = ca_file;
  for (const HttpEntry& entry : the_case.http) {
    if (!entry.request.host || !entry.request.scheme) continue;
    const bool is_tls = is_https(entry.request);
    const Result<Endpoint> host = Endpoint::parse(*entry.request.host);
    const std::uint16_t usual = is_tls ? 443 : 80;
    if (host) network.connect_to.push_back(route(host->host, host->port.value_or(usual), is_tls ? https_port : http_port));
  }
  network.connect_to.push_back(route("", 443, https_port));
  network.connect_to.push_back(route("", 0, http_port));
  return network;
}

NetworkOptions towards_grpc(const Case& the_case, std::uint16_t grpc_port, std::uint16_t silent_port) {
  NetworkOptions network;
  for (const GrpcEntry& entry : the_case.grpc) {
    const Result<Endpoint> target = Endpoint::parse(entry.target);
    if (target) network.connect_to.push_back(route(target->host, target->port.value_or(0), grpc_port));
  }
  network.connect_to.push_back(route("", 0, silent_port));
  return network;
}

NetworkOptions towards_port(const std::string& ca_file, std::uint16_t port) {
  NetworkOptions network;
  network.ca_file = ca_file;
  network.connect_to.push_back(route("", 0, port));
  return network;
}

NetworkOptions with_dns_server(const std::string& ca_file, const std::string& server) {
  NetworkOptions network;
  network.ca_file = ca_file;
  network.dns_servers.push_back(server);
  return network;
}

}  // namespace rollcall::conformance
