// The service as a whole: its addresses, certificate, settings, and shutdown.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "async/async_event.hpp"
#include "base/ip.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "fleet/fleet.hpp"
#include "fleet/http/fleet_http.hpp"
#include "fleet/pinned_places.hpp"
#include "fleet/service/leased_fleet.hpp"
#include "fleet/service/listening.hpp"
#include "fleet/service/service_resolvers.hpp"
#include "fleet/service/xds_listener.hpp"
#include "fleet/settings/lease_settings.hpp"
#include "fleet/settings/option_faults.hpp"
#include "net/server/http_server.hpp"
#include "net/server/server_context.hpp"
#include "net/socket/descriptor.hpp"
#include "rollcall/endpoint.hpp"
#include "rollcall/fleet_service.hpp"

namespace rollcall {
namespace {

using fleet::ListenAddress;

TlsFiles files_of(const FleetTls& tls) {
  TlsFiles files;
  files.certificate = tls.certificate_file;
  files.key = tls.key_file;
  files.authorities = tls.client_authorities_file;
  return files;
}

class LocalFleetService final : public FleetService {
 public:
  LocalFleetService(Runtime runtime, std::shared_ptr<fleet::Fleet> fleet, std::shared_ptr<fleet::Access> access,
                    std::shared_ptr<ServerContext> tls, const FleetServiceOptions& options, FleetWatchers watchers)
      : runtime_(std::move(runtime)), fleet_(std::move(fleet)), access_(std::move(access)), tls_(std::move(tls)), started_with_(options),
        http_(std::make_shared<fleet::FleetHttp>(fleet_, http_options(options, std::move(watchers)))),
        xds_(fleet_, http_->entry(), discovery_connections(options)), pinned_(fleet_, options.slurm),
        server_(impl_of(runtime_).executor, http_->handler(), server_limits(options), impl_of(runtime_).time) {
    server_.leave_bodies(http_->body_rule());
    http_->entry()->loop_lag().start();
    clients_ = options.clients;
    allow_ = options.allow;
    authorities_ = text_of(options.tls.client_authorities_file);
  }
  ~LocalFleetService() override { stop(); }

  static Result<std::shared_ptr<LocalFleetService>> start(Runtime runtime, const FleetServiceOptions& options, FleetWatchers watchers) {
    const Result<void> checked = check_fleet_options(options);
    if (!checked) return checked.error();
    std::vector<ListenAddress> addresses;
    for (const std::string& text : options.listen) addresses.push_back(ListenAddress::parse(text).value());
    std::vector<ListenAddress> xds_addresses;
    for (const std::string& text : options.xds_listen) xds_addresses.push_back(ListenAddress::parse(text).value());
    Result<std::shared_ptr<fleet::Access>> access = fleet::make_access(runtime, options);
    if (!access) return access.error();
    Result<std::shared_ptr<ServerContext>> tls = std::shared_ptr<ServerContext>();
    if (!options.tls.certificate_file.empty()) tls = fleet::open_server_tls(runtime, files_of(options.tls));
    if (!tls) return tls.error();
    Result<std::shared_ptr<fleet::Fleet>> fleet = make_fleet(runtime, options);
    if (!fleet) return fleet.error();
    const auto made = std::make_shared<LocalFleetService>(std::move(runtime), std::move(*fleet), std::move(*access), std::move(*tls),
                                                          options, std::move(watchers));
    for (const ListenAddress& address : addresses) {
      const Result<void> listening = made->listen(address);
      if (!listening) return listening.error();
    }
    const Result<void> discovery = made->xds_.open(xds_addresses, made->chooser());
    if (!discovery) return discovery.error();
    const Result<std::string> url = fleet::serving_url(options.lease, *impl_of(made->runtime_).environment);
    if (!url) return url.error();
    if (!url->empty() || !made->urls_.empty()) made->fleet_->serves_at(url->empty() ? made->urls_.front() : *url);
    made->pinned_.follow(options.follow);
    return made;
  }

  std::vector<std::string> urls() const override { return urls_; }
  std::vector<std::string> xds_addresses() const override {
    std::vector<std::string> texts;
    for (const ListenAddress& address : xds_.addresses()) {
      const std::string host = tls_ ? tls_->name_for(address.host) : address.host;
      texts.push_back(Endpoint(host, address.port).to_text());
    }
    return texts;
  }

  asio::awaitable<void> drain(Duration patience) override {
    constexpr Duration pace = std::chrono::milliseconds(20);
    Runtime::Impl& impl = impl_of(runtime_);
    const SteadyTime end = saturating_sum(impl.time->now(), patience);
    co_await fleet_->leave();  // first: the streams go on at a replica that follows the next leader
    http_->entry()->close(patience / 2);
    xds_.close(patience / 2);
    bool goes_on = true;
    while (goes_on && http_->entry()->admission().slots() > 0 && impl.time->now() < end) {
      goes_on = co_await sleep_until(*impl.timers, std::min(end, impl.time->now() + pace));
    }
    stop();
  }

  Result<void> reload(FleetServiceOptions options) override {
    if (options.listen != started_with_.listen || options.xds_listen != started_with_.xds_listen) {
      return Failure(Errc::failed_precondition, "what a service listens on cannot be changed while it runs").with_hint("restart it");
    }
    if (options.tls.certificate_file.empty() != (tls_ == nullptr)) {
      return Failure(Errc::failed_precondition, "whether a service speaks TLS cannot be changed while it runs").with_hint("restart it");
    }
    if (options.slurm != started_with_.slurm) {
      return Failure(Errc::failed_precondition, "how Slurm is asked cannot be changed while a service runs").with_hint("restart it");
    }
    if (options.lease != started_with_.lease) {
      return Failure(Errc::failed_precondition, "the lease cannot be changed while a service runs").with_hint("restart it");
    }
    if (options.bounds.targets != started_with_.bounds.targets || options.polls_per_minute != started_with_.polls_per_minute ||
        options.bounds.followers > started_with_.bounds.followers) {
      return Failure(
                 Errc::failed_precondition,
                 "limits.targets and quota cannot be changed while a service runs, nor can limits.followers become more than at its start")
          .with_hint("restart it");
    }
    const Result<void> checked = check_fleet_options(options);
    if (!checked) return checked.error();
    const Result<void> guarded = check_guarded(options);
    if (!guarded) return guarded.error();
    // All files are read before anything changes: a reload is all or nothing.
    if (tls_) {
      Result<std::shared_ptr<ServerContext>> tried = fleet::open_server_tls(runtime_, files_of(options.tls));
      if (!tried) return tried.error();
    }
    const Result<void> changed = access_->change(options);
    if (!changed) return changed.error();
    if (tls_) {
      const Result<void> taken = tls_->change(files_of(options.tls));
      if (!taken) return taken.error();
    }
    allow_ = options.allow;
    http_->entry()->change(options.bounds);
    http_->entry()->judge_again();
    http_->set_for_this_machine(is_for_this_machine(options));
    // The proofs of connected clients may not be valid under the new settings.
    const std::string authorities = text_of(options.tls.client_authorities_file);
    const bool requires_reauthentication = options.clients != clients_ || authorities != authorities_;
    if (requires_reauthentication) {
      clients_ = options.clients;
      authorities_ = authorities;
      http_->entry()->require_reauthentication();
      server_.close_certified();
      xds_.close_certified();
    }
    pinned_.follow(options.follow);
    return Result<void>();
  }

  void stop() override {
    http_->entry()->close();
    xds_.close(Duration(0));
    xds_.stop();
    pinned_.close();
    fleet_->close();
    server_.stop();
  }

 private:
  // With clients, requests need a proof that a page of another site cannot have the browser send.
  static bool is_for_this_machine(const FleetServiceOptions& options) {
    const auto is_loopback = [](const std::string& text) {
      const Result<ListenAddress> address = ListenAddress::parse(text);
      return address && address->is_loopback;
    };
    return options.clients.empty() && std::all_of(options.listen.begin(), options.listen.end(), is_loopback);
  }
  // A setting that is missing must not open the service: a truncated file looks like one from which the protection was removed on purpose.
  Result<void> check_guarded(const FleetServiceOptions& options) const {
    const bool loses_clients = !clients_.empty() && options.clients.empty();
    const bool loses_allow = !allow_.empty() && options.allow.empty() && options.clients.empty();
    if (!loses_clients && !loses_allow) return Result<void>();
    return Failure(Errc::refused_by_policy, loses_clients ? "without clients all who reach the service could read what only some may now"
                                                          : "without allow all targets could be asked for, where only some may be now")
        .with_hint("settings that open a service hold from a new start on");
  }
  std::string text_of(const std::string& path) const {
    constexpr std::size_t max_bytes = 1 << 20;
    const Result<std::string> text = path.empty() ? Result<std::string>(std::string()) : impl_of(runtime_).files->read(path, max_bytes);
    return text ? *text : std::string();
  }
  static fleet::FleetOptions fleet_options(const FleetServiceOptions& options) {
    fleet::FleetOptions made;
    made.max_targets = options.bounds.targets;
    made.polls_per_minute_of = options.polls_per_minute;
    return made;
  }
  static Result<std::shared_ptr<fleet::Fleet>> make_fleet(const Runtime& runtime, const FleetServiceOptions& options) {
    const bool is_alone = options.lease.engine == FleetLease::Engine::none;
    if (is_alone) return fleet::make_fleet(runtime, fleet_options(options), fleet::service_resolvers(options.slurm));
    return fleet::make_leased_fleet(runtime, options, fleet_options(options));
  }
  fleet::FleetHttpOptions http_options(const FleetServiceOptions& options, FleetWatchers watchers) const {
    fleet::FleetHttpOptions made;
    made.bounds = options.bounds;
    made.access = access_;
    made.is_for_this_machine = is_for_this_machine(options);
    made.watchers = std::move(watchers);
    made.server_limits = server_limits(options);
    return made;
  }
  // Connections of followers, and some for single requests.
  static ServerLimits server_limits(const FleetServiceOptions& options) {
    ServerLimits limits;
    limits.body_bytes = 4 * 1024;  // of other requests: those with a meaningful body go by FleetHttp::body_rule()
    const std::size_t wanted = std::max(limits.connections, options.bounds.followers + options.bounds.followers / 8);
    limits.connections = std::min(wanted, descriptors_for_clients() - discovery_connections(options));
    return limits;
  }
  // gRPC clients and Envoy have their own connections. One takes about 16 kB, five times a connection of HTTP/1.1, and a client needs one
  // for all of its streams.
  static std::size_t discovery_connections(const FleetServiceOptions& options) {
    constexpr std::size_t max = 2000;
    return options.xds_listen.empty() ? 0 : std::min(max, descriptors_for_clients() / 4);
  }

  HttpServer::TlsChooser chooser() const {
    if (!tls_) return {};
    return [context = tls_](std::string_view) { return context->current(); };
  }
  Result<void> listen(const ListenAddress& address) {
    const Result<std::uint16_t> bound =
        fleet::listen_at(address, [this](const std::string& ip, std::uint16_t port) { return server_.listen(ip, port, chooser()); });
    if (!bound) return bound.error();
    std::string host = tls_ ? tls_->name_for(address.host) : address.host;
    if (host.find(':') != std::string::npos) host = '[' + host + ']';
    urls_.push_back(fmt::format("{}://{}:{}", tls_ ? "https" : "http", host, *bound));
    return Result<void>();
  }
  Runtime runtime_;
  std::shared_ptr<fleet::Fleet> fleet_;
  std::shared_ptr<fleet::Access> access_;
  std::shared_ptr<ServerContext> tls_;  // null: plain HTTP
  FleetServiceOptions started_with_;
  std::vector<FleetClients> clients_;
  std::vector<std::string> allow_;
  std::string authorities_;  // PEM
  std::shared_ptr<fleet::FleetHttp> http_;
  fleet::XdsListener xds_;
  fleet::PinnedPlaces pinned_;
  HttpServer server_;
  std::vector<std::string> urls_;
};

}  // namespace

Result<std::shared_ptr<FleetService>> FleetService::start(Runtime runtime, FleetServiceOptions options, FleetWatchers watchers) {
  Result<std::shared_ptr<LocalFleetService>> started = LocalFleetService::start(std::move(runtime), options, std::move(watchers));
  if (!started) return started.error();
  return std::shared_ptr<FleetService>(std::move(*started));
}

}  // namespace rollcall
