// A cluster by DNS: the addresses of names (such as a headless service of Kubernetes), or the hosts and ports of a service (SRV).
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "rollcall/endpoint.hpp"
#include "rollcall/resolver.hpp"

namespace rollcall {

/// Which of a name's addresses become tasks.
enum class DnsFamily {
  one,   ///< the IPv4 addresses, or the IPv6 ones when there is none: a host with both is one task
  v4,
  v6,
  both,  ///< all, IPv4 first
};

class DnsOptions {
 public:
  DnsOptions() {}
  explicit DnsOptions(std::vector<Endpoint> names) : names_(std::move(names)) {}
  // clang-format off
  /// Their tasks follow each other in this order. A name may be an address, and have a port of its own. At most 64.
  DnsOptions& names(std::vector<Endpoint> v) { names_ = std::move(v); return *this; }
  /// For names without one. SRV records have their own.
  DnsOptions& port(std::uint16_t v) { port_ = v; return *this; }
  DnsOptions& job(std::string v) { job_ = std::move(v); return *this; }
  DnsOptions& family(DnsFamily v) { family_ = v; return *this; }
  /// Queries SRV records. Default: for names that begin with `_`.
  DnsOptions& srv(bool v) { srv_ = v; return *this; }
  /// Queries again, every second until the deadline, while a name does not exist or has no record.
  DnsOptions& wait(bool v) { wait_ = v; return *this; }
  DnsOptions& task_type(std::string v) { task_type_ = std::move(v); return *this; }
  DnsOptions& task_id(int v) { task_id_ = v; return *this; }
  DnsOptions& rpc_layer(std::string v) { rpc_layer_ = std::move(v); return *this; }
  // clang-format on
  const std::vector<Endpoint>& names() const { return names_; }
  std::uint16_t port() const { return port_; }
  const std::string& job() const { return job_; }
  DnsFamily family() const { return family_; }
  std::optional<bool> srv() const { return srv_; }
  bool wait() const { return wait_; }
  const std::optional<std::string>& task_type() const { return task_type_; }
  std::optional<int> task_id() const { return task_id_; }
  const std::optional<std::string>& rpc_layer() const { return rpc_layer_; }

 private:
  std::vector<Endpoint> names_;
  std::uint16_t port_ = default_worker_port;
  std::string job_ = "worker";
  DnsFamily family_ = DnsFamily::one;
  std::optional<bool> srv_;
  bool wait_ = false;
  std::optional<std::string> task_type_;
  std::optional<int> task_id_;
  std::optional<std::string> rpc_layer_;
};

/// Queries the Runtime's DnsTransport at every call; name servers, not /etc/hosts (but localhost is known). The tasks of a name are sorted,
/// independent of the order of the answers: addresses by number, services by priority, then by host in natural order and port. The hosts of
/// services stay names. Errors: unknown_host (no such name, or no record), limit_exceeded over Limits::max_endpoints, and those of
/// DnsTransport.
class DnsResolver : public ClusterResolver {
 public:
  /// How long the last answer is valid: the shortest time to live of its records. None before the first answer, and for addresses.
  virtual std::optional<std::chrono::seconds> ttl() const = 0;

 protected:
  using ClusterResolver::ClusterResolver;
};

/// Sends no query. Invalid `options` fail at the first call.
std::shared_ptr<DnsResolver> make_dns_resolver(Runtime runtime, DnsOptions options);

}  // namespace rollcall
