// `rollcall record`: what the services answer about a cluster, as a file that `rollcall sim` plays.
#include <fmt/format.h>

#include <asio/steady_timer.hpp>
#include <optional>

#include "base/text.hpp"
#include "command/arguments/command_table.hpp"
#include "command/arguments/targets.hpp"
#include "command/run/command_session.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "rollcall/sim/recorder.hpp"
#include "rollcall/watch.hpp"

namespace rollcall::command {
namespace {

// Goes on until the watch is closed or fails.
asio::awaitable<Result<bool>> record_changes(std::shared_ptr<ClusterWatch> following) {
  for (;;) {
    const Result<ClusterChange> change = co_await following->try_next();
    if (!change && change.error().code() == Errc::cancelled) co_return true;
    if (!change) co_return change.error();
  }
}

// Asks once, as `status` does, and then follows for `time`, as `wait` does.
asio::awaitable<Result<bool>> record_cluster(std::shared_ptr<ClusterResolver> resolver, CallOptions options, std::optional<Duration> time,
                                             asio::any_io_executor executor) {
  const Result<ClusterStatus> status = co_await resolver->try_cluster_status(options);
  if (!status) co_return status.error();
  if (!time) co_return true;
  WatchOptions watched;
  watched.request_options(options);
  const std::shared_ptr<ClusterWatch> following = watch(resolver, std::move(watched));
  asio::steady_timer end(executor);
  end.expires_after(*time);
  end.async_wait([following](const std::error_code&) { following->close(); });
  co_return co_await record_changes(following);
}

Failure nothing_recorded(const Arguments& arguments) {
  return Failure(Errc::failed_precondition,
                 fmt::format("nothing was recorded: {} asks no service over HTTP",
                             printable(arguments.positionals.empty() ? "the target" : arguments.positionals.front(), 200)))
      .with_hint("kubernetes:, tpu: and gce: targets do; questions over gRPC and DNS, files and programs are not recorded");
}

}  // namespace

int run_record(Arguments arguments) {
  const Result<std::vector<ListedTarget>> targets = collect_targets(arguments);
  if (!targets) return refuse(targets.error(), exit_usage);
  sim::RecorderOptions kept;
  kept.is_anonymous = arguments.is_anonymous;
  sim::Recorder recorder(std::move(kept));
  CommandSession asking(arguments, 1);
  asking.record_into(recorder);
  asking.expect_signal();
  if (!asking.open()) return exit_usage;
  const Result<std::vector<ClusterPart>> parts = make_parts(asking.runtime(), *targets, arguments);
  if (!parts) return refuse(parts.error());
  std::optional<Result<bool>> ended;
  asking.ask(record_cluster(put_together(asking.runtime(), *parts), asking.call_options(), arguments.record_time, asking.executor()),
             [&ended](Result<bool> result) { ended.emplace(std::move(result)); });
  const bool is_whole = asking.wait();
  const bool has_failed = is_whole && ended && !*ended;
  if (recorder.exchanges() == 0) return refuse(has_failed ? ended->error() : nothing_recorded(arguments));
  std::vector<std::string> texts;
  for (const ClusterPart& part : *parts) texts.push_back(part.target);
  if (!write_result(recorder.file(texts))) return exit_failed;
  if (const std::string missing = recorder.left_out(); !missing.empty()) complain("the recording is too large, it has no " + missing);
  if (has_failed) return refuse(ended->error());  // why it failed can be seen in the file
  return asking.exit_code(exit_answered);
}

}  // namespace rollcall::command
