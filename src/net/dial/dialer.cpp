#include "net/dial/dialer.hpp"

#include <fmt/format.h>

#include <asio/this_coro.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/ip.hpp"
#include "base/path_text.hpp"
#include "base/text.hpp"
#include "call/token_mask.hpp"
#include "net/codec/request_writer.hpp"
#include "net/dial/address_race.hpp"
#include "net/dial/local_socket.hpp"
#include "net/dial/proxy_tunnel.hpp"
#include "net/dial/route.hpp"
#include "net/dns/name_lookup.hpp"
#include "net/socket/address_bytes.hpp"
#include "net/socket/descriptor.hpp"
#include "net/socket/dial_step.hpp"
#include "net/tls/access_table.hpp"
#include "net/tls/server_certificate.hpp"
#include "net/tls/tls_handshake.hpp"

namespace rollcall {
namespace {

using asio::ip::tcp;

// State that the dials of one Dialer share; a dial in progress keeps it alive.
class DialContext {
 public:
  DialContext(asio::any_io_executor on, std::shared_ptr<TimerQueue> queue, NetworkOptions network)
      : executor(std::move(on)), timers(std::move(queue)), options(std::move(network)),
        throttle(std::make_shared<LoopThrottle>(executor, options.handshakes_per_turn)), accesses(TlsFiles(options)), routes(options) {}

  // For messages; empty: the system's.
  std::string authorities_from(const ServerAccess* access) const {
    if (access && !access->authorities.empty()) return access->authorities_from;
    return options.ca_file.empty() ? std::string() : "the CA file " + path_text(options.ca_file);
  }

  asio::any_io_executor executor;
  std::shared_ptr<TimerQueue> timers;
  NetworkOptions options;
  std::shared_ptr<LoopThrottle> throttle;
  AccessTable accesses;
  RouteFinder routes;
};

// The TLS context of a dial. The first one takes a millisecond and a half: it is made while the first answer of the network is awaited, and
// an unusable CA file is noticed before that.
class TlsOfDial {
 public:
  TlsOfDial(DialContext& context, std::shared_ptr<const ServerAccess> access, bool is_wanted)
      : context_(context), access_(std::move(access)), is_wanted_(is_wanted) {}
  Result<void> prepare() {
    if (!is_wanted_ || made_) return {};
    Result<std::shared_ptr<TlsContext>> made = context_.accesses.context(access_);
    has_failed_ = made.has_error();
    if (has_failed_) return made.error();
    made_ = std::move(*made);
    return {};
  }
  bool has_failed() const noexcept { return has_failed_; }
  const std::shared_ptr<TlsContext>& made() const noexcept { return made_; }

 private:
  DialContext& context_;
  const std::shared_ptr<const ServerAccess> access_;
  const bool is_wanted_;
  std::shared_ptr<TlsContext> made_;
  bool has_failed_ = false;
};

// Limited by the deadline only.
asio::awaitable<bool> await_descriptor(DialStep& step) {
  step.begin(Phase::overall, Duration::zero());
  return await_descriptor(step.timers(), step.deadline());
}

Failure out_of_descriptors(const DialStep& step, const std::string& doing) {
  return step.why_stopped(doing + ", which waited for a free file descriptor,").with_hint(out_of_descriptors_hint);
}

Failure silent_servers(const DialStep& step, const std::string& doing, const NameLookup& lookup) {
  const std::string asked = lookup.asked();
  return step.why_stopped(asked.empty() ? doing : fmt::format("{} (asked {})", doing, asked)).with_hint(lookup.hint());
}

asio::awaitable<Result<std::vector<asio::ip::address>>> look_up(std::shared_ptr<DialContext> context, std::string host, DialStep& step,
                                                                Duration timeout, TlsOfDial& tls) {
  std::optional<std::vector<asio::ip::address>> known = known_addresses(host);
  if (known) co_return std::move(*known);
  const std::string doing = fmt::format("looking up {}", quoted(host));
  for (;;) {
    step.begin(Phase::resolve, timeout);
    NameLookup lookup(context->executor, *context->timers, host, context->options.dns_servers, step.event());
    const Result<void> prepared = tls.prepare();
    if (prepared.has_error()) co_return prepared.error();
    while (!lookup.is_over()) {
      const bool goes_on = co_await step.pause();
      if (!goes_on && !lookup.is_over()) co_return silent_servers(step, doing, lookup);
    }
    Result<std::vector<asio::ip::address>> result = lookup.take_result();
    if (step.is_cancelled()) co_return step.why_stopped(doing);
    if (!lookup.has_run_out_of_descriptors()) co_return result;
    const bool goes_on = co_await await_descriptor(step);
    if (!goes_on) co_return out_of_descriptors(step, doing);
  }
}

asio::awaitable<Result<tcp::socket>> connect(std::shared_ptr<DialContext> context, Destination to, std::vector<asio::ip::address> addresses,
                                             DialStep& step, const ExchangeOptions& options, TlsOfDial& tls) {
  std::vector<tcp::endpoint> endpoints;
  for (const asio::ip::address& address : addresses) endpoints.emplace_back(address, to.port);
  endpoints = interleave_families(endpoints);
  const std::string where = quoted(fmt::format("{}:{}", to.host, to.port));
  for (;;) {
    step.begin(Phase::connect, options.connect_timeout);
    AddressRace race(context->executor, *context->timers, endpoints, step.event(), options.max_segment);
    const Result<void> prepared = tls.prepare();
    if (prepared.has_error()) co_return prepared.error();
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

// A failure to reach the proxy must not be reported as the server's.
Failure on_the_way(Failure failure, const ProxyUrl& proxy) {
  failure.with_what(fmt::format("the proxy {} ({}) cannot be reached: {}", quoted(proxy.shown()), proxy.from, failure.what()));
  if (failure.code() == Errc::cancelled || failure.code() == Errc::invalid_argument) return failure;
  return failure.with_hint(
      failure.code() == Errc::tls_failed
          ? failure.hint()
          : fmt::format("check the proxy's address and that it runs, or reach the host without it ({})", proxy.way_without));
}

// A proxy that gets addresses gets one that is valid on another machine, the first in the order of the look-up.
Result<Destination> shown_address(const Destination& to, const std::vector<asio::ip::address>& addresses, const ProxyUrl& proxy) {
  for (const asio::ip::address& address : addresses)
    if (!is_near_host(address.to_string())) return Destination(address.to_string(), to.port);
  return Failure(Errc::failed_precondition,
                 fmt::format("{} is this machine or a link-local address ({}), to which the proxy {} cannot lead", quoted(to.host),
                             addresses.empty() ? "no address" : addresses.front().to_string(), quoted(proxy.shown())))
      .with_hint(fmt::format("reach it without the proxy ({}), or let the proxy look the name up (socks5h)", proxy.way_without))
      .with_phase(Phase::resolve);
}

// The name may be one that the proxy knows.
Failure looked_up_here(Failure failure, const ProxyUrl& proxy) {
  if (failure.code() != Errc::unknown_host) return failure;
  return failure.with_hint(
      fmt::format("{} is socks5, for which names are looked up here: write socks5h, and the proxy looks them up", proxy.from));
}

// As client-go: what verifies a server, or does not, holds for the proxy that is named beside it.
bool verifies_proxy(const ServerAccess* access) {
  return access && !access->proxy.empty() && (!access->authorities.empty() || access->skips_verification);
}

// The stream for the server's bytes: to the server itself, or through the proxy's open tunnel.
asio::awaitable<Result<Stream>> open_route(std::shared_ptr<DialContext> context, Route route, const Url& url, DialStep& step,
                                           const ExchangeOptions& options, std::shared_ptr<const ServerAccess> access, Reach allowed,
                                           TlsOfDial& tls) {
  if (route.proxy && options.observer) options.observer->proxy_chosen(route.proxy->shown());
  if (route.proxy && route.proxy->scheme == ProxyScheme::socks5) {
    Result<std::vector<asio::ip::address>> known = co_await look_up(context, route.to.host, step, options.resolve_timeout, tls);
    if (known.has_error()) co_return looked_up_here(known.error(), *route.proxy);
    Result<Destination> reported = shown_address(route.to, *known, *route.proxy);
    if (reported.has_error()) co_return reported.error();
    route.to = std::move(*reported);
  }
  const Destination first = route.first();
  Result<std::vector<asio::ip::address>> addresses = co_await look_up(context, first.host, step, options.resolve_timeout, tls);
  if (addresses.has_error()) co_return route.proxy ? on_the_way(addresses.error(), *route.proxy) : addresses.error();
  if (allowed != Reach::anywhere) {
    const std::string any = addresses->empty() ? first.host : addresses->front().to_string();
    std::erase_if(*addresses, [allowed](const asio::ip::address& address) {
      return allowed == Reach::near ? !is_near_host(address.to_string()) : !is_loopback_ip(bytes_of(address));
    });
    if (addresses->empty()) co_return secret_in_clear(url, any);
  }
  Result<tcp::socket> socket = co_await connect(context, first, std::move(*addresses), step, options, tls);
  if (socket.has_error()) co_return route.proxy ? on_the_way(socket.error(), *route.proxy) : socket.error();
  Result<Stream> stream = Stream(std::move(*socket));
  if (!route.proxy) co_return stream;

  if (route.proxy->scheme == ProxyScheme::https) {
    const std::shared_ptr<const ServerAccess> verified_by = verifies_proxy(access.get()) ? access : nullptr;
    Result<std::shared_ptr<TlsContext>> outer = context->accesses.context(verified_by);
    if (outer.has_error()) co_return outer.error();
    step.begin(Phase::handshake, options.handshake_timeout);
    HandshakeWith with(std::move(*outer), context->throttle, first.host, first.port);
    with.authorities_from = context->authorities_from(verified_by.get());
    stream = co_await shake_hands(std::move(with), std::move(*stream), step);
    if (stream.has_error()) co_return on_the_way(stream.error(), *route.proxy);
  }
  step.begin(Phase::connect, options.connect_timeout);
  const Result<void> tunnel = co_await open_tunnel(*stream, route.to, *route.proxy, step);
  if (tunnel.has_error()) co_return tunnel.error();
  co_return stream;
}

// A proxy, and the peer at the end of its tunnel, may repeat what they received, such as in the names of a certificate.
Failure without_credentials(Failure failure, const std::optional<ProxyUrl>& proxy) {
  if (!proxy || !proxy->has_credentials()) return failure;
  std::vector<Secret<std::string>> secrets;
  const Secret<std::string> user(proxy->user);
  for (const Secret<std::string>* const secret : {&user, &proxy->password}) {
    if (secret->reveal().size() >= TokenTable::min_token) secrets.push_back(*secret);
  }
  if (!secrets.empty()) TokenMask(std::make_shared<const TokenTable>(std::move(secrets))).hide_in(failure);
  return failure;
}

asio::awaitable<Result<Stream>> dial_url(std::shared_ptr<DialContext> context, const Url& url, const ExchangeOptions& options,
                                         std::shared_ptr<const ServerAccess> given_access, Reach allowed, Duration waited,
                                         bool may_use_http2) {
  const asio::cancellation_state cancellation = co_await asio::this_coro::cancellation_state;
  DialStep step(*context->timers, options, cancellation, waited);
  static const ServerAccess ordinary;
  const ServerAccess& access = given_access ? *given_access : ordinary;
  if (!access.socket_path.empty()) {
    step.begin(Phase::connect, options.connect_timeout);
    Result<Stream> local = connect_local(context->executor, access.socket_path);
    step.end();
    co_return local;
  }
  Result<Route> route = context->routes.find(url, options, &access);
  if (route.has_error()) co_return route.error().with_target(url.origin());
  const std::optional<ProxyUrl> proxy = route->proxy;
  TlsOfDial tls(*context, given_access, url.is_https);
  if (proxy) {  // failures on the way to it are described as the proxy's
    const Result<void> prepared = tls.prepare();
    if (prepared.has_error()) co_return prepared.error();
  }
  Result<Stream> stream = co_await open_route(context, std::move(*route), url, step, options, given_access, allowed, tls);
  if (stream.has_error()) {
    Failure failure = without_credentials(stream.error(), proxy);
    if (failure.code() != Errc::refused_by_policy && !tls.has_failed()) failure.with_target(url.origin());
    co_return failure;
  }
  if (!url.is_https) {
    step.end();
    co_return stream;
  }
  step.begin(Phase::handshake, options.handshake_timeout);
  HandshakeWith with(tls.made(), context->throttle, access.server_name.empty() ? url.host : access.server_name, url.port);
  with.offers_http2 = may_use_http2 && context->options.http2 && !access.only_http1;
  with.authorities_from = context->authorities_from(&access);
  stream = co_await shake_hands(std::move(with), std::move(*stream), step);
  if (stream.has_error()) co_return without_credentials(stream.error(), proxy).with_target(url.origin());
  if (auto* const observer = dynamic_cast<CertificateObserver*>(options.observer)) report_certificate(*stream->tls(), *observer);
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
                                             Reach reach, Duration waited, bool may_use_http2) {
  return dial_url(impl_->context, url, options, std::move(access), reach, waited, may_use_http2);
}

bool Dialer::takes_proxy(const Url& url, const ExchangeOptions& options, const ServerAccess* access) const {
  return impl_->context->routes.takes_proxy(url, options, access);
}

std::uint64_t Dialer::access_number(const std::shared_ptr<const ServerAccess>& access) { return impl_->context->accesses.number(access); }

}  // namespace rollcall
