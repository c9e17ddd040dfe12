// The public preflight: checks what is given, and listens with sockets.
#include "rollcall/preflight.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "call/call_scope.hpp"
#include "net/server/http_server.hpp"
#include "preflight/flight.hpp"

namespace rollcall {
namespace {

// For the checks themselves, after the meeting.
constexpr std::chrono::nanoseconds time_for_checks = std::chrono::minutes(2);

Result<std::size_t> own_place(const std::vector<meeting::MeetingTask>& tasks, const LaunchedTask& own) {
  if (tasks.size() > PreflightOptions::max_members)
    return Failure(Errc::invalid_argument, fmt::format("the cluster has {} tasks, and a preflight probes all pairs of at most {}",
                                                       tasks.size(), PreflightOptions::max_members));
  for (const meeting::MeetingTask& task : tasks) {
    if (task.address.port) continue;
    return Failure(Errc::invalid_argument,
                   fmt::format("{} has no port at which it could be probed: {}", task.name, task.address.to_text()));
  }
  return meeting::place_of(tasks, own);
}

// As for a barrier: the port is the program's later, and a loopback address is listened at alone, for several tasks of one machine.
Result<std::shared_ptr<void>> listen_at(Runtime::Impl& runtime, HttpServer::Handler handler, const Endpoint& at) {
  const std::uint16_t port = at.port.value_or(0);
  ServerLimits limits;
  limits.body_bytes = preflight::max_report_bytes;
  limits.connections = 10'000;
  limits.ends_by_reset = true;
  const auto server = std::make_shared<HttpServer>(runtime.executor, std::move(handler), limits, runtime.time);
  const bool is_here_alone = is_loopback_literal(at.host);
  const Result<std::uint16_t> on_v4 = server->listen(is_here_alone ? at.host : "0.0.0.0", port);
  const Result<std::uint16_t> on_v6 = is_here_alone ? on_v4 : server->listen("::", port);
  // A host may have one family alone. But a port that is free in one of two is another program's.
  const auto is_taken = [](const Result<std::uint16_t>& listening) {
    return !listening && to_lower(listening.error().what()).find("in use") != std::string::npos;
  };
  if ((on_v4 || on_v6) && !is_taken(on_v4) && !is_taken(on_v6)) return std::shared_ptr<void>(server);
  server->stop();
  const Failure& why = on_v4 ? on_v6.error() : on_v4.error();
  return Failure(Errc::failed_precondition, fmt::format("port {} of this host is not free: {}", port, why.what()))
      .with_hint(fmt::format("end what listens there, which `ss -ltnp 'sport = :{}'` shows", port));
}

asio::awaitable<Result<PreflightVerdict>> run_preflight(Call& call, ClusterSpec spec, LaunchedTask own, PreflightOptions options) {
  Runtime::Impl& runtime = impl_of(call);
  const Result<std::vector<meeting::MeetingTask>> tasks = meeting::meeting_tasks(spec);
  if (!tasks) co_return tasks.error();
  const Result<std::size_t> place = own_place(*tasks, own);
  if (!place) co_return place.error();
  meeting::Listen listen = [&runtime](HttpServer::Handler handler, const Endpoint& at) {
    return listen_at(runtime, std::move(handler), at);
  };
  preflight::Flight flight(runtime, *tasks, *place, options, std::move(listen));
  co_return co_await flight.fly(call);
}

}  // namespace

asio::awaitable<Result<PreflightVerdict>> try_preflight_cluster(Runtime runtime, ClusterSpec spec, LaunchedTask own,
                                                                PreflightOptions options) {
  CallSubject subject(fmt::format("the preflight of {}:{}", printable(own.job, 64), own.index));
  CallOptions call;
  call.timeout(options.timeout() + time_for_checks);
  auto script = [spec = std::move(spec), own = std::move(own), options = std::move(options)](Call& of) {
    return run_preflight(of, spec, own, options);
  };
  return run_call<PreflightVerdict>(shared_impl_of(runtime), std::move(call), std::move(subject), std::move(script));
}

asio::awaitable<PreflightVerdict> preflight_cluster(Runtime runtime, ClusterSpec spec, LaunchedTask own, PreflightOptions options) {
  return value_or_throw(try_preflight_cluster(std::move(runtime), std::move(spec), std::move(own), std::move(options)));
}

}  // namespace rollcall
