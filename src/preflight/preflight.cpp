// The public preflight: checks what is given, and listens with sockets.
#include "rollcall/preflight.hpp"

#include <fmt/format.h>

#include <map>

#include "base/text.hpp"
#include "call/call_scope.hpp"
#include "meeting/member_port.hpp"
#include "meeting/shared_secret.hpp"
#include "preflight/flight.hpp"

namespace rollcall {
namespace {

// For the checks themselves, after the meeting.
constexpr std::chrono::nanoseconds time_for_checks = std::chrono::minutes(4);

// All at one port: then two of them cannot be on one host.
Result<void> move_to_port(std::vector<meeting::MeetingTask>& tasks, std::uint16_t port) {
  std::map<std::string, std::string, std::less<>> there;
  for (meeting::MeetingTask& task : tasks) {
    task.address.port = port;
    const auto [at, is_first] = there.emplace(task.address.to_text(), task.name);
    if (is_first) continue;
    return Failure(Errc::invalid_argument, fmt::format("{} and {} are on one host, {}, and cannot both listen at port {}", at->second,
                                                       task.name, task.address.host, port))
        .with_hint("leave the port out: then each listens at that of its own address");
  }
  return {};
}

Result<std::size_t> own_place(const std::vector<meeting::MeetingTask>& tasks, const LaunchedTask& own) {
  if (tasks.size() > PreflightOptions::max_members)
    return Failure(Errc::invalid_argument,
                   fmt::format("the cluster has {} tasks, and a preflight takes {} at most", tasks.size(), PreflightOptions::max_members));
  for (const meeting::MeetingTask& task : tasks) {
    if (task.address.port) continue;
    return Failure(Errc::invalid_argument, fmt::format("{} has no port at which it could be probed: {}", task.name, task.address.to_text()))
        .with_hint("name one that is free on every host: --preflight-port 29498");
  }
  return meeting::place_of(tasks, own);
}

asio::awaitable<Result<PreflightVerdict>> run_preflight(Call& call, ClusterSpec spec, LaunchedTask own, PreflightOptions options) {
  Runtime::Impl& runtime = impl_of(call);
  Result<std::vector<meeting::MeetingTask>> tasks = meeting::meeting_tasks(spec);
  if (!tasks) co_return tasks.error();
  const Result<void> moved = options.port() == 0 ? Result<void>() : move_to_port(*tasks, options.port());
  if (!moved) co_return moved.error();
  const Result<std::size_t> place = own_place(*tasks, own);
  if (!place) co_return place.error();
  const Result<Secret<std::string>> secret = co_await meeting::read_shared_secret(call, options.secret_file());
  if (!secret) co_return secret.error();
  meeting::Listen listen = [&runtime, &tasks](HttpServer::Handler handler, HttpServer::BodyRule bodies, const Endpoint& at) {
    return meeting::listen_for_members(runtime, std::move(handler), std::move(bodies), at, tasks->size());
  };
  auto guard = std::make_shared<meeting::MemberGuard>(*secret, *place);
  preflight::Flight flight(runtime, *tasks, *place, options, std::move(listen), std::move(guard));
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
