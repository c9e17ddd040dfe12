// The public barrier: checks what is given, and listens with sockets.
#include "rollcall/barrier.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "call/call_scope.hpp"
#include "meeting/attendance.hpp"

namespace rollcall {
namespace {

Result<void> check_ports(const std::vector<meeting::MeetingTask>& tasks, const BarrierOptions& options) {
  if (options.port() != 0) return {};
  for (const std::size_t task : meeting::gatherers_of(tasks)) {
    if (tasks[task].address.port) continue;
    return Failure(Errc::invalid_argument,
                   fmt::format("{} has no port at which the others can meet: {}", tasks[task].name, tasks[task].address.to_text()))
        .with_hint("name one that is free on every host: --barrier-port 29499");
  }
  return {};
}

// The port is the program's later: connections end with RST, which leaves none in TIME_WAIT. A loopback address is listened at alone, since
// several tasks of one machine may have one each; other hosts cannot reach it in any case.
Result<std::shared_ptr<void>> listen_here(Runtime::Impl& runtime, HttpServer::Handler handler, const Endpoint& at) {
  const std::uint16_t port = at.port.value_or(0);
  ServerLimits limits;
  limits.body_bytes = meeting::max_hello_bytes;
  limits.ends_by_reset = true;
  const auto server = std::make_shared<HttpServer>(runtime.executor, std::move(handler), limits, runtime.time);
  const bool is_here_alone = is_loopback_literal(at.host);
  const Result<std::uint16_t> on_v4 = server->listen(is_here_alone ? at.host : "0.0.0.0", port);
  // A host may have one family alone.
  const Result<std::uint16_t> on_v6 = is_here_alone ? on_v4 : server->listen("::", port);
  if (on_v4 || on_v6) return std::shared_ptr<void>(server);
  return Failure(Errc::failed_precondition,
                 fmt::format("port {} of this host, where the others meet, is not free: {}", port, on_v4.error().what()))
      .with_hint(fmt::format("end what listens there, which `ss -ltnp 'sport = :{}'` shows, or name another port on every host: "
                             "--barrier-port",
                             port));
}

asio::awaitable<Result<BarrierRelease>> run_barrier(Call& call, ClusterSpec spec, LaunchedTask own, BarrierOptions options) {
  Runtime::Impl& runtime = impl_of(call);
  const Result<std::vector<meeting::MeetingTask>> tasks = meeting::meeting_tasks(spec);
  if (!tasks) co_return tasks.error();
  for (const StageSpan& stage : options.stages()) {
    const Result<void> fine = check_stage_name(stage.name);
    if (!fine) co_return fine.error();
  }
  const Result<std::size_t> place = meeting::place_of(*tasks, own);
  if (!place) co_return place.error();
  if (tasks->size() == 1) {
    BarrierRelease alone;
    alone.generation = std::max<std::int64_t>(options.generation(), 1);
    co_return alone;
  }
  // A port says that the tasks meet at themselves.
  const Result<std::shared_ptr<RemoteServers>> service =
      options.port() == 0 ? RemoteServers::of(runtime) : Result<std::shared_ptr<RemoteServers>>(nullptr);
  if (!service) co_return service.error();
  const Result<void> has_ports = *service ? Result<void>() : check_ports(*tasks, options);
  if (!has_ports) co_return has_ports.error();
  meeting::Listen listen = [&runtime](HttpServer::Handler handler, const Endpoint& at) {
    return listen_here(runtime, std::move(handler), at);
  };
  meeting::Attendance attendance(runtime, *tasks, *place, options, std::move(listen), *service);
  co_return co_await attendance.attend(call);
}

}  // namespace

asio::awaitable<Result<BarrierRelease>> try_barrier(Runtime runtime, ClusterSpec spec, LaunchedTask own, BarrierOptions options) {
  CallSubject subject(fmt::format("the barrier of {}:{}", printable(own.job, 64), own.index));
  CallOptions request_options = options.request_options();
  auto script = [spec = std::move(spec), own = std::move(own), options = std::move(options)](Call& call) {
    return run_barrier(call, spec, own, options);
  };
  return run_call<BarrierRelease>(shared_impl_of(runtime), std::move(request_options), std::move(subject), std::move(script));
}

asio::awaitable<BarrierRelease> barrier(Runtime runtime, ClusterSpec spec, LaunchedTask own, BarrierOptions options) {
  return value_or_throw(try_barrier(std::move(runtime), std::move(spec), std::move(own), std::move(options)));
}

}  // namespace rollcall
