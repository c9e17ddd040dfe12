// The public barrier: checks what is given, and listens with sockets.
#include "rollcall/barrier.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "call/call_scope.hpp"
#include "meeting/attendance.hpp"
#include "meeting/member_port.hpp"
#include "meeting/shared_secret.hpp"

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

Result<std::shared_ptr<void>> listen_at_barrier(Runtime::Impl& runtime, HttpServer::Handler handler, HttpServer::BodyRule bodies,
                                                const Endpoint& at, std::size_t tasks) {
  Result<std::shared_ptr<void>> listening = meeting::listen_for_members(runtime, std::move(handler), std::move(bodies), at, tasks);
  if (listening) return listening;
  return Failure(listening.error()).with_hint(listening.error().hint() + ", or name another port on every host: --barrier-port");
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
  const Result<Secret<std::string>> secret = co_await meeting::read_shared_secret(call, options.secret_file());
  if (!secret) co_return secret.error();
  // A port, and a secret, say that the tasks meet at themselves.
  const Result<std::shared_ptr<RemoteServers>> service =
      options.port() == 0 && secret->empty() ? RemoteServers::of(runtime) : Result<std::shared_ptr<RemoteServers>>(nullptr);
  if (!service) co_return service.error();
  const Result<void> has_ports = *service ? Result<void>() : check_ports(*tasks, options);
  if (!has_ports) co_return has_ports.error();
  meeting::Listen listen = [&runtime, &tasks](HttpServer::Handler handler, HttpServer::BodyRule bodies, const Endpoint& at) {
    return listen_at_barrier(runtime, std::move(handler), std::move(bodies), at, tasks->size());
  };
  auto guard = std::make_shared<meeting::MemberGuard>(*secret, *place);
  meeting::Attendance attendance(runtime, *tasks, *place, options, std::move(listen), std::move(guard), *service);
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
