#include "net/dial/dialer.hpp"

#include <fmt/format.h>

#include <asio/this_coro.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "net/codec/request_writer.hpp"
#include "net/dial/address_race.hpp"
#include "net/dial/connect_to.hpp"
#include "net/dial/proxy_tunnel.hpp"
#include "net/dns/name_lookup.hpp"
#include "net/socket/descriptor.hpp"
#include "net/socket/dial_step.hpp"
#include "net/tls/access_table.hpp"
#include "net/tls/tls_handshake.hpp"

namespace rollcall {
namespace {

using asio::ip::tcp;

// What the dials of one Dialer share; a dial in progress keeps it alive.
class DialContext {
 public:
  DialContext(asio::any_io_executor on, std::shared_ptr<TimerQueue> queue, NetworkOptions network)
      : executor(std::move(on)), timers(std::move(queue)), options(std::move(network)),
        gate(std::make_shared<LoopThrottle>(executor, options.handshakes_per_turn)), accesses(options.ca_file) {}

  asio::any_io_executor executor;
  std::shared_ptr<TimerQueue> timers;
  NetworkOptions options;
  std::shared_ptr<LoopThrottle> gate;
  AccessTable accesses;
};

// Bounded by the deadline alone.
asio::awaitable<bool> await_descriptor(DialStep& step) {
  step.begin(Phase::overall, Duration::zero());
  return await_descriptor(step.timers(), step.deadline());
}

Failure out_of_descriptors(const DialStep& step, const std::string& doing) {
  return step.why_stopped(doing + ", which waited for a free file descriptor,").with_hint(out_of_descriptors_hint);
}

asio::awaitable<Result<std::vector<asio::ip::address>>> look_up(std::shared_ptr<DialContext> context, std::string host, DialStep& step,
                                                                Duration timeout) {
  std::optional<std::vector<asio::ip::address>> known = known_addresses(host);
  if (known) co_return std::move(*known);
  const std::string doing = fmt::format("looking up {}", quoted(host));
  for (;;) {
    step.begin(Phase::resolve, timeout);
    NameLookup lookup(context->executor, *context->timers, host, context->options.dns_servers, step.waiter());
    while (!lookup.is_over()) {
      const bool goes_on = co_await step.pause();
      if (!goes_on && !lookup.is_over()) co_return step.why_stopped(doing);
    }
    Result<std::vector<asio::ip::address>> result = lookup.take_result();
    if (step.is_cancelled()) co_return step.why_stopped(doing);
    if (!lookup.has_run_out_of_descriptors()) co_return result;
    const bool goes_on = co_await await_descriptor(step);
    if (!goes_on) co_return out_of_descriptors(step, doing);
  }
}

asio::awaitable<Result<tcp::socket>> connect(std::shared_ptr<DialContext> context, Destination destination,
                                             std::vector<asio::ip::address> addresses, DialStep& step, Duration timeout) {
  std::vector<tcp::endpoint> endpoints;
  for (const asio::ip::address& address : addresses) endpoints.emplace_back(address, destination.port);
  endpoints = interleave_families(endpoints);
  const std::string where = quoted(fmt::format("{}:{}", destination.host, destination.port));
  for (;;) {
    step.begin(Phase::connect, timeout);
    AddressRace race(context->executor, *context->timers, endpoints, step.waiter());
    while (!race.is_over()) {
      const bool goes_on = co_await step.pause();
      if (!goes_on && !race.is_over()) {
        Failure failure = step.why_stopped(fmt::format("connecting to {}", where));
        co_return failure.with_what(fmt::format("{} ({})", failure.what(), race.errors()));
      }
    }
    if (step.is_cancelled()) co_return step.why_stopped(fmt::format("connecting to {}", where));
    std::optional<tcp::socket> winner = race.take_winner();
    if (winner) co_return std::move(*winner);
    if (!race.has_run_out_of_descriptors()) {
      co_return Failure(Errc::unreachable, fmt::format("could not connect to {}: {}", where, race.errors()))
          .with_phase(Phase::connect)
          .with_hint("check the address and port, that the service runs there, and that no firewall is in between");
    }
    const bool goes_on = co_await await_descriptor(step);
    if (!goes_on) co_return out_of_descriptors(step, fmt::format("connecting to {}", where));
  }
}

// What the socket is to be connected to, and what is to be asked of a proxy there.
class Route {
 public:
  explicit Route(Destination to) : first(std::move(to)) {}
  Destination first;
  std::optional<Destination> through_proxy_to;
};

Result<Route> find_route(const NetworkOptions& network, const Url& url, const ExchangeOptions& options, const ServerAccess& access) {
  Route route(apply_connect_to(network.connect_to, url.host, url.port));
  // Plain http goes to its server directly: asking a proxy for it takes another form of request.
  const std::string& chosen = access.proxy.empty() ? network.proxy : access.proxy;
  if (chosen.empty() || !options.allow_proxy || !url.is_https) return route;
  const Result<Url> proxy = Url::parse(chosen);
  if (proxy.has_error() || proxy->is_https) {
    const std::string why = proxy ? fmt::format("{} is not plain http", proxy->origin()) : proxy.error().what();
    return Failure(Errc::invalid_argument, "the proxy cannot be used: " + why).with_hint("write http://HOST:PORT");
  }
  route.through_proxy_to = std::exchange(route.first, Destination(proxy->host, proxy->port));
  return route;
}

asio::awaitable<Result<Stream>> dial_url(std::shared_ptr<DialContext> context, const Url& url, const ExchangeOptions& options,
                                         std::shared_ptr<const ServerAccess> given_access, Reach reach) {
  const asio::cancellation_state cancellation = co_await asio::this_coro::cancellation_state;
  DialStep step(*context->timers, options, cancellation);
  static const ServerAccess ordinary;
  const ServerAccess& access = given_access ? *given_access : ordinary;
  const Result<Route> route = find_route(context->options, url, options, access);
  if (route.has_error()) co_return route.error().with_target(url.origin());
  Result<std::shared_ptr<TlsContext>> tls = std::shared_ptr<TlsContext>();
  if (url.is_https)
    tls = context->accesses.context(given_access);  // first, so that a CA file that cannot be used is noticed before any server is asked
  if (tls.has_error()) co_return tls.error();

  Result<std::vector<asio::ip::address>> addresses = co_await look_up(context, route->first.host, step, options.resolve_timeout);
  if (addresses.has_error()) co_return addresses.error().with_target(url.origin());
  if (reach == Reach::this_machine) {
    const std::string first = addresses->empty() ? route->first.host : addresses->front().to_string();
    std::erase_if(*addresses, [](const asio::ip::address& address) { return !is_loopback_literal(address.to_string()); });
    if (addresses->empty()) co_return secret_in_clear(url, first);
  }

  Result<tcp::socket> socket = co_await connect(context, route->first, std::move(*addresses), step, options.connect_timeout);
  if (socket.has_error()) co_return socket.error().with_target(url.origin());

  if (route->through_proxy_to) {
    const std::string proxy = fmt::format("{}:{}", route->first.host, route->first.port);
    const Result<void> tunnel = co_await open_tunnel(*socket, *route->through_proxy_to, proxy, step);
    if (tunnel.has_error()) co_return tunnel.error().with_target(url.origin());
  }
  if (!url.is_https) {
    step.end();
    co_return Stream(std::move(*socket));
  }
  step.begin(Phase::handshake, options.handshake_timeout);
  HandshakeWith with(std::move(*tls), context->gate, access.server_name.empty() ? url.host : access.server_name, url.port);
  if (!access.authorities.empty()) {
    with.authorities_from = access.authorities_from;
  } else if (!context->options.ca_file.empty()) {
    with.authorities_from = "the CA file in use";
  }
  Result<Stream> stream = co_await shake_hands(std::move(with), std::move(*socket), step);
  if (stream.has_error()) co_return stream.error().with_target(url.origin());
  co_return stream;
}

}  // namespace

class Dialer::Impl {
 public:
  Impl(asio::any_io_executor executor, std::shared_ptr<TimerQueue> timers, NetworkOptions options)
      : context(std::make_shared<DialContext>(std::move(executor), std::move(timers), std::move(options))) {}
  std::shared_ptr<DialContext> context;
};

Dialer::Dialer(asio::any_io_executor executor, std::shared_ptr<TimerQueue> timers, NetworkOptions options)
    : impl_(std::make_unique<Impl>(std::move(executor), std::move(timers), std::move(options))) {}

Dialer::~Dialer() = default;

asio::awaitable<Result<Stream>> Dialer::dial(const Url& url, const ExchangeOptions& options, std::shared_ptr<const ServerAccess> access,
                                             Reach reach) {
  return dial_url(impl_->context, url, options, std::move(access), reach);
}

std::uint64_t Dialer::access_number(const std::shared_ptr<const ServerAccess>& access) { return impl_->context->accesses.number(access); }

}  // namespace rollcall
