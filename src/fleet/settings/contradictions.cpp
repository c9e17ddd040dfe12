// Names in settings that do not exist on this machine. They may be those of another machine, for which the settings are.
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <asio/ip/udp.hpp>
#include <cerrno>
#include <set>

#include "base/text.hpp"
#include "fleet/settings/lease_settings.hpp"
#include "fleet/settings/option_faults.hpp"
#include "resolvers/kubernetes/access/kubernetes_server.hpp"

namespace rollcall {
namespace {

// Binds a socket that sends nothing, to a port that nothing listens on.
bool is_of_this_machine(const std::string& ip) {
  asio::error_code error;
  const asio::ip::address address = asio::ip::make_address(ip, error);
  if (error) return true;
  const asio::ip::udp::endpoint any_port(address, 0);
  const int probe = ::socket(any_port.protocol().family(), SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return true;  // without a socket there is no way to know
  const bool is_absent = ::bind(probe, any_port.data(), static_cast<socklen_t>(any_port.size())) != 0 && errno == EADDRNOTAVAIL;
  ::close(probe);
  return !is_absent;
}

class Contradictions {
 public:
  Contradictions(const Environment& environment, const Files& files) : environment_(environment), files_(files) {}

  void check_address(const std::string& setting, const std::string& text) {
    const Result<fleet::ListenAddress> address = fleet::ListenAddress::parse(text);
    if (!address || address->host.empty() || is_of_this_machine(address->host)) return;
    found_.push_back(fmt::format("{}: {} is no address of this machine", setting, quoted(text, 80)));
  }
  // Once for each context: several places may name the same one.
  void check_context(const std::string& setting, const std::string& context) {
    if (!seen_.insert(context).second) return;
    const Result<std::optional<KubernetesServer>> server = find_in_kubeconfig(environment_, files_, KubernetesOptions().context(context));
    if (!server) {
      found_.push_back(fmt::format("{}: {}", setting, server.error().message()));
    } else if (!*server && !context.empty()) {
      found_.push_back(fmt::format("{}: there is no kubeconfig here to look up the context {} in", setting, quoted(context, 80)));
    } else if (!*server && !environment_.get("KUBERNETES_SERVICE_HOST")) {
      found_.push_back(fmt::format("{}: there is no kubeconfig here, and this is not a pod", setting));
    }
  }
  void check_lease(const FleetLease& lease) {
    if (lease.engine == FleetLease::Engine::kubernetes) check_context("lease.kubernetes", lease.context);
    const Result<std::string> url = fleet::serving_url(lease, environment_);
    if (!url) found_.push_back(url.error().message());
  }
  std::vector<std::string> take() { return std::move(found_); }

 private:
  const Environment& environment_;
  const Files& files_;
  std::set<std::string> seen_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> question_fleet_options(const FleetServiceOptions& options, const Environment& environment, const Files& files) {
  Contradictions contradictions(environment, files);
  for (std::size_t i = 0; i < options.listen.size(); ++i) contradictions.check_address(fmt::format("listen[{}]", i), options.listen[i]);
  for (std::size_t i = 0; i < options.xds_listen.size(); ++i)
    contradictions.check_address(fmt::format("xds.listen[{}]", i), options.xds_listen[i]);
  contradictions.check_lease(options.lease);
  for (std::size_t i = 0; i < options.follow.size(); ++i) {
    const FleetPlace& place = options.follow[i];
    if (place.kind == FleetPlace::Kind::kubernetes) contradictions.check_context(fmt::format("follow[{}].kubernetes", i), place.context);
  }
  for (std::size_t i = 0; i < options.clients.size(); ++i) {
    const FleetClients& clients = options.clients[i];
    const bool is_by_environment = clients.method == FleetClients::Method::kubernetes && clients.kubeconfig.empty();
    if (is_by_environment) contradictions.check_context(fmt::format("clients[{}].kubernetes", i), clients.context);
  }
  return contradictions.take();
}

}  // namespace rollcall
