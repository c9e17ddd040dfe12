#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "async/timer_queue.hpp"
#include "base/path_text.hpp"
#include "rollcall/sim/server.hpp"
#include "sim/members/sim_members.hpp"
#include "sim/serve/authority.hpp"
#include "sim/serve/socket_servers.hpp"

namespace rollcall::sim {

class SimServer::Impl {
 public:
  std::shared_ptr<Cloud> cloud;
  std::shared_ptr<Authority> authority;
  std::unique_ptr<HttpServer> server;
  std::unique_ptr<GrpcServer> workers;  // null if there are no workers
  std::unique_ptr<SlurmdPorts> slurmd;  // null if there are no Slurm nodes
  std::unique_ptr<SimMembers> members;  // null if there are none
  SimServerOptions options;
  std::uint16_t http_port = 0;
  std::uint16_t https_port = 0;

  std::string authority_of(std::string_view host, std::uint16_t port) const {
    return host.find(':') == std::string_view::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
  }
};

SimServer::SimServer(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
SimServer::~SimServer() { stop(); }

Result<std::shared_ptr<SimServer>> SimServer::start(asio::any_io_executor executor, std::shared_ptr<Cloud> cloud,
                                                    SimServerOptions options) {
  auto impl = std::make_shared<Impl>();
  auto authority = Authority::create();
  if (!authority) return authority.error();
  impl->authority = *std::move(authority);
  const auto time = options.time ? options.time : system_time();
  const auto context = std::make_shared<ServerContext>(cloud, std::make_shared<TimerQueue>(time, executor));
  impl->cloud = std::move(cloud);
  impl->options = std::move(options);
  impl->server = std::make_unique<HttpServer>(executor, [context](ServerExchange& exchange) { return serve(context, exchange); });
  const auto http = impl->server->listen(impl->options.ip, impl->options.http_port);
  if (!http) return http.error();
  impl->http_port = *http;
  const auto https = impl->server->listen(impl->options.ip, impl->options.https_port,
                                          [authority = impl->authority](std::string_view name) { return authority->context_for(name); });
  if (!https) return https.error();
  impl->https_port = *https;
  if (!impl->options.awaits_request) impl->cloud->start(time->now(), time->wall_now());
  if (!impl->cloud->worker_addresses().empty()) {
    auto workers = GrpcServer::start(executor, impl->cloud, context->timers, impl->options.ip);
    if (!workers) return workers.error();
    impl->workers = *std::move(workers);
  }
  if (!impl->cloud->slurmd_addresses().empty()) {
    auto slurmd = SlurmdPorts::start(executor, impl->cloud, context->timers);
    if (!slurmd) return slurmd.error();
    impl->slurmd = *std::move(slurmd);
  }
  if (impl->cloud->members()) {
    auto members = SimMembers::start(executor, impl->cloud->members(), time);
    if (!members) return members.error();
    impl->members = *std::move(members);
  }
  return std::shared_ptr<SimServer>(new SimServer(std::move(impl)));
}

std::uint16_t SimServer::http_port() const noexcept { return impl_->http_port; }
std::uint16_t SimServer::https_port() const noexcept { return impl_->https_port; }
const std::string& SimServer::ca_pem() const noexcept { return impl_->authority->pem(); }
const std::map<std::string, std::uint64_t, std::less<>>& SimServer::counts() const noexcept { return impl_->cloud->counts(); }
std::uint16_t SimServer::workers_port() const noexcept { return impl_->workers ? impl_->workers->shared_port() : 0; }

void SimServer::stop() {
  if (impl_->workers) impl_->workers->stop();
  if (impl_->slurmd) impl_->slurmd->stop();
  if (impl_->members) impl_->members->stop();
  impl_->server->stop();
}

std::vector<std::pair<std::string, std::string>> SimServer::environment() const {
  const std::string metadata = impl_->authority_of(impl_->options.ip, impl_->http_port);
  const bool is_https = impl_->options.points_to_https;
  const std::string root = fmt::format("{}://localhost:{}/", is_https ? "https" : "http", is_https ? impl_->https_port : impl_->http_port);
  std::vector<std::pair<std::string, std::string>> variables = {
      {"GCE_METADATA_HOST", metadata},
      {"GCE_METADATA_IP", metadata},
      {"GCE_METADATA_ROOT", metadata},  // the only source of tokens for oauth2client, and thus for TensorFlow
      {"CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU", root},
      {"CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE", root + "compute/v1/"},
      {"CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDRESOURCEMANAGER", root},
      {"TPU_API_DISCOVERY_URL", root + "$discovery/rest?version={apiVersion}"}};
  const WallTime now = (impl_->options.time ? impl_->options.time : system_time())->wall_now();
  const std::string token = impl_->cloud->slurm_token(now);
  if (!token.empty()) {
    variables.emplace_back("SLURM_JWT", token);
    variables.emplace_back("ROLLCALL_SIM_SLURM", root.substr(0, root.size() - 1));
  }
  if (impl_->members) variables.emplace_back("ROLLCALL_SIM_MEMBERS", target_of(*impl_->cloud->members()));
  const std::vector<std::string> targets = impl_->cloud->recorded_targets();
  if (targets.size() == 1) variables.emplace_back("ROLLCALL_TARGET", targets.front());
  return variables;
}

std::string SimServer::kubeconfig() const {
  return impl_->cloud->kubeconfig("https://" + impl_->authority_of(impl_->options.ip, impl_->https_port), ca_pem());
}

std::string SimServer::export_lines() const {
  std::string out;
  for (const auto& [name, value] : environment()) out += fmt::format("export {}='{}'\n", name, value);
  return out;
}

std::vector<std::string> SimServer::connect_to() const {
  const std::string https = impl_->authority_of(impl_->options.ip, impl_->https_port);
  const std::string http = impl_->authority_of(impl_->options.ip, impl_->http_port);
  std::vector<std::string> out;
  for (const std::string_view service : {"tpu", "compute", "oauth2", "sts", "iamcredentials", "cloudresourcemanager"}) {
    out.push_back(fmt::format("{}.googleapis.com:443:{}", service, https));
  }
  for (const std::string_view machine : {"metadata.google.internal", "169.254.169.254"})
    out.push_back(fmt::format("{}:80:{}", machine, http));
  if (impl_->workers) out.insert(out.end(), impl_->workers->connect_to().begin(), impl_->workers->connect_to().end());
  return out;
}

Result<void> SimServer::write_ca(const std::string& path) const {
  const std::string text = ca_pem();
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  bool is_written = file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (file >= 0 && ::close(file) != 0) is_written = false;
  if (!is_written)
    return Failure(Errc::failed_precondition, fmt::format("cannot write the certificate to {}", path_text(path)))
        .with_target(path_text(path));
  return Result<void>();
}

}  // namespace rollcall::sim
