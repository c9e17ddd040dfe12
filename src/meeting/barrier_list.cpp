#include "rollcall/barrier_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "call/call_scope.hpp"
#include "fleet/client/remote_servers.hpp"
#include "meeting/attendance.hpp"
#include "meeting/wire/meeting_documents.hpp"

namespace rollcall {
namespace {

using ListedBarriers = Result<std::vector<ListedBarrier>>;

ListedBarrier listed_barrier(meeting::RunLine& line) {
  ListedBarrier barrier;
  barrier.run = std::move(line.run);
  barrier.tasks = std::move(line.tasks);
  barrier.progress.tasks = static_cast<int>(line.roll.members);
  barrier.progress.here = static_cast<int>(line.roll.here);
  for (const meeting::MissingTask& missing : line.roll.missing) barrier.progress.missing.push_back(meeting::absence_of(missing));
  barrier.is_released = line.roll.is_released();
  barrier.generation = line.roll.generation;
  barrier.waiting = std::chrono::milliseconds(std::min<std::int64_t>(line.waiting_ms, std::int64_t{1} << 40));
  return barrier;
}

asio::awaitable<ListedBarriers> barriers_from(Call& call, std::shared_ptr<RemoteServers> servers) {
  Failure last;
  for (std::size_t server = 0; server < servers->count(); ++server) {
    ServerAnswer answer = co_await servers->ask_path(call, server, "/v1/runs");
    if (answer.sent == SentState::document) {
      Result<std::vector<meeting::RunLine>> runs = meeting::read_runs(answer.body, served_limits(impl_of(call)));
      if (!runs) co_return runs.error();
      std::vector<ListedBarrier> barriers;
      for (meeting::RunLine& run : *runs) barriers.push_back(listed_barrier(run));
      co_return barriers;
    }
    last = answer.failure;
  }
  co_return last;
}

}  // namespace

std::string ListedBarrier::line() const {
  if (is_released) return fmt::format("{}: started (start {})", tasks, generation);
  return fmt::format("{}: {}", tasks, progress.line());
}

asio::awaitable<ListedBarriers> try_list_barriers(Runtime runtime, CallOptions options) {
  const std::shared_ptr<Runtime::Impl> impl = shared_impl_of(runtime);
  const Result<std::shared_ptr<RemoteServers>> servers = RemoteServers::needed(*impl);
  if (!servers) co_return servers.error();
  const auto script = [known = *servers](Call& call) { return barriers_from(call, known); };
  co_return co_await run_call<std::vector<ListedBarrier>>(impl, std::move(options), CallSubject("barriers"), script);
}

}  // namespace rollcall
