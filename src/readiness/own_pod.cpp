#include "readiness/own_pod.hpp"

#include "base/text.hpp"

namespace rollcall {

std::string own_pod(const Environment& environment, const Files& files) {
  constexpr const char* account = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";
  constexpr std::size_t max_namespace = 256;
  const std::string host = environment.get("HOSTNAME").value_or("");
  if (host.empty() || !environment.get("KUBERNETES_SERVICE_HOST")) return {};
  const Result<std::string> namespace_name = files.read(account, max_namespace);
  return (namespace_name ? std::string(trim(*namespace_name)) : std::string()) + "/" + host;
}

bool is_own_pod(std::string_view member_name, std::string_view own) noexcept {
  return !own.empty() && (own.front() == '/' ? member_name.ends_with(own) : member_name == own);
}

}  // namespace rollcall
