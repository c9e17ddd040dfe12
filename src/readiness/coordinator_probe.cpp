// Checks the coordinator's port before a launch: binds it on the host of the first process, and connects to it from other hosts.
#include "rollcall/coordinator_probe.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "async/async_event.hpp"
#include "base/backoff.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/call_scope.hpp"
#include "call/rules/refused_connection.hpp"
#include "call/runtime_impl.hpp"
#include "readiness/rules/what_ends.hpp"

namespace rollcall {
namespace {

constexpr Duration max_probe_silence = std::chrono::seconds(10);

// 0, or errno. Binds as servers do: on all addresses, even if connections of an earlier server are still in TIME_WAIT.
int try_to_listen(int family, std::uint16_t port) {
  const int socket = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
  if (socket < 0) return errno;
  const int yes = 1;
  const int no = 0;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(port);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  const bool is_v6 = family == AF_INET6;
  if (is_v6) ::setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  const auto* const address = is_v6 ? reinterpret_cast<const sockaddr*>(&v6) : reinterpret_cast<const sockaddr*>(&v4);
  const socklen_t size = is_v6 ? sizeof v6 : sizeof v4;
  const bool listens = ::bind(socket, address, size) == 0 && ::listen(socket, 1) == 0;
  const int error = listens ? 0 : errno;
  ::close(socket);
  return error;
}

Result<void> check_own_port(const Endpoint& endpoint) {
  int error = try_to_listen(AF_INET6, *endpoint.port);
  if (error == EAFNOSUPPORT || error == EADDRNOTAVAIL) error = try_to_listen(AF_INET, *endpoint.port);
  if (error == 0) return Result<void>();
  std::string what = fmt::format("port {} of this host, where the first process is to wait for the others at {}, cannot be listened at: {}",
                                 *endpoint.port, endpoint.to_text(), std::strerror(error));
  return Failure(Errc::failed_precondition, std::move(what))
      .with_hint(error == EADDRINUSE
                     ? fmt::format("end what listens there, which `ss -ltnp 'sport = :{0}'` shows, or choose another port on "
                                   "every host: --coordinator-port",
                                   *endpoint.port)
                     : "choose another port on every host: --coordinator-port");
}

asio::awaitable<Result<void>> try_way(Call& call, const Endpoint& endpoint) {
  Runtime::Impl& impl = impl_of(call);
  const SteadyTime until = std::min(saturating_sum(impl.time->now(), max_probe_silence), call.deadline());
  const Result<void> taken = co_await impl.tcp->connect(endpoint, until);
  if (taken || has_host_refused(taken.error())) co_return Result<void>();  // nothing needs to listen there yet
  Failure failure = taken.error();
  if (failure.code() == Errc::cancelled) co_return failure;
  failure.with_what(fmt::format("the first process is to wait for the others at {}, which this host cannot reach: {}", endpoint.to_text(),
                                failure.what()));
  failure.with_target({});  // the message names it already
  const bool is_name = failure.code() == Errc::unknown_host || failure.code() == Errc::resolve_timeout;
  failure.with_hint(is_name ? fmt::format("let this host look up {}, or list the hosts by their addresses", endpoint.host)
                            : fmt::format("let firewalls pass TCP to port {} of {}, and check that the hosts are in one network",
                                          *endpoint.port, endpoint.host));
  co_return failure;
}

// Names below .invalid never exist. Source: RFC 6761, 6.4.
bool may_come(const Failure& failure, const Endpoint& endpoint) {
  const std::string host = to_lower(endpoint.host);
  const bool is_never_there = host == "invalid" || host.ends_with(".invalid") || host.ends_with(".invalid.");
  return outlook_of(failure) == Outlook::passes && !is_never_there;
}

// The names, ports and routes of a new job may appear seconds later: they are retried while the call has time.
asio::awaitable<Result<void>> check_way(Call& call, const Endpoint& endpoint) {
  Runtime::Impl& impl = impl_of(call);
  ExponentialBackoff backoff(std::chrono::milliseconds(500), std::chrono::seconds(5));
  for (;;) {
    Result<void> way = co_await try_way(call, endpoint);
    if (way || !may_come(way.error(), endpoint)) co_return way;
    state_of(call).last_trouble = way.error().what();
    const SteadyTime next = saturating_sum(impl.time->now(), with_jitter(backoff.next(), 0.5, 0.5, impl.uniform()));
    if (next >= call.deadline()) co_return way;
    const bool is_awake = co_await sleep_until(*impl.timers, next);
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled between two tries of the coordinator");
  }
}

asio::awaitable<Result<void>> run_probe(Call& call, LaunchCoordinator coordinator) {
  if (!coordinator.endpoint.port)
    co_return Failure(Errc::invalid_argument, fmt::format("the coordinator's address {} has no port", coordinator.endpoint.to_text()));
  if (coordinator.is_here) co_return check_own_port(coordinator.endpoint);
  co_return co_await check_way(call, coordinator.endpoint);
}

}  // namespace

asio::awaitable<Result<void>> try_probe_coordinator(Runtime runtime, LaunchCoordinator coordinator, CallOptions options) {
  CallSubject subject(fmt::format("the coordinator at {}", printable(coordinator.endpoint.to_text(), 300)));
  auto script = [coordinator = std::move(coordinator)](Call& call) { return run_probe(call, coordinator); };
  return run_call<void>(shared_impl_of(runtime), std::move(options), std::move(subject), std::move(script));
}

asio::awaitable<void> probe_coordinator(Runtime runtime, LaunchCoordinator coordinator, CallOptions options) {
  return value_or_throw(try_probe_coordinator(std::move(runtime), std::move(coordinator), std::move(options)));
}

}  // namespace rollcall
