#include "command/run/command_session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <cerrno>
#include <cstring>

#include "base/path_text.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "command/process/command_files.hpp"
#include "command/process/command_runtime.hpp"
#include "command/process/own_environment.hpp"
#include "command/process/replaced_file.hpp"
#include "command/show/trace.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "command/terminal/reader_write.hpp"
#include "rollcall/kubernetes_resolver.hpp"
#include "rollcall/sleepless_time.hpp"

namespace rollcall::command {
namespace {

TraceEnd trace_end_now() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host.front() = '\0';
  return TraceEnd(std::chrono::steady_clock::now(), std::chrono::system_clock::now(), host.data());
}

}  // namespace

CommandSession::CommandSession(const Arguments& arguments, std::size_t targets)
    : arguments_(arguments), io_(1), signals_(io_.get_executor()), started_(std::chrono::steady_clock::now()), progress_(targets, started_),
      progress_line_(io_.get_executor(), progress_) {}

bool CommandSession::open() {
  if (!arguments_.trace_file.empty()) {
    trace_fd_ = open_to_write(arguments_.trace_file);
    if (trace_fd_ < 0) {
      refuse(Failure(Errc::invalid_argument,
                     fmt::format("--trace: cannot write {}: {}", quoted_path(arguments_.trace_file), std::strerror(errno))));
      return false;
    }
  }
  if (!arguments_.token_file.empty()) {
    Result<std::shared_ptr<Credentials>> credentials = given_token(arguments_.token_file, arguments_.timeout);
    if (!credentials) {
      refuse(credentials.error());
      return false;
    }
    credentials_ = std::move(*credentials);
  }
  RuntimeOptions options = runtime_options();
  if (counts_ || !arguments_.metrics_file.empty()) {
    metrics_ = std::make_shared<Metrics>(options.log);
    options.log = metrics_;
  }
  if (!arguments_.metrics_file.empty()) {
    metrics_file_.emplace(arguments_.metrics_file, metrics_, io_.get_executor());
    const Result<void> written = metrics_file_->try_write();  // better reported now than after an hour's wait
    if (!written) {
      refuse(written.error());
      return false;
    }
  }
  runtime_.emplace(io_.get_executor(), std::move(options));
  return true;
}

RuntimeOptions CommandSession::runtime_options() {
  const bool prints = arguments_.is_verbose || arguments_.log == LogForm::json;
  progress_shown_ = !prints && !arguments_.is_quiet && !is_progress_hidden_ && is_redrawable(STDERR_FILENO);
  RuntimeOptions options =
      runtime_options_of(arguments_, own_environment(), io_.get_executor(), [](const std::string& warning) { complain(warning); });
  options.credentials = credentials_;
  if (asks_directly_) {  // of a service
    options.server.emplace();
    options.time = sleepless_time();
  }
  if (recorder_) {
    options.server.emplace();
    options.around_http = [recorder = recorder_](std::shared_ptr<HttpTransport> http) { return recorder->around(std::move(http)); };
  }
  options.has_terminal = ::isatty(STDIN_FILENO) == 1;
  sink_ = std::make_shared<CommandSink>(started_);
  sink_->prints_json = arguments_.log == LogForm::json;
  sink_->prints_text = prints && !sink_->prints_json;
  sink_->records = trace_fd_ >= 0;
  sink_->max_attempts = call_options().retry().max_retries() + 1;
  if (progress_shown_) sink_->progress = &progress_;
  sink_->before_line = [this] { clear_line(); };
  options.log = sink_;
  return options;
}

CallOptions CommandSession::call_options() const {
  CallOptions options;
  options.timeout(arguments_.timeout);
  options.with(TpuCallOptions().lookup(arguments_.lookup).count_from(arguments_.count_from).device_query(arguments_.device_query));
  options.with(PodCallOptions().knows_number(arguments_.members > 0));
  if (arguments_.retries) options.retry(RetryPolicy().max_retries(*arguments_.retries));
  return options;
}

namespace {
asio::awaitable<void> close_runtime(Runtime runtime) { co_await runtime.close(); }
}  // namespace

bool CommandSession::wait() {
  if (pending_ > 0) {
    if (!are_signals_left_) signals_.listen([this] { interrupt(); });
    if (progress_shown_) progress_line_.start();
    do {
      io_.restart();
      io_.run();
    } while (pending_ > 0);
    io_.restart();
    if (are_signals_left_) {  // operations that were cancelled but still run may use objects that their owner destroys now
      io_.poll();
    } else {
      // Work for callers that may still come, such as a late plugin, must not delay the end.
      if (!keeps_runtime_ || has_failed_) asio::co_spawn(io_, close_runtime(*runtime_), asio::detached);
      // A program that ignores SIGTERM gets the rest of the command's own time, but at least a moment.
      constexpr Duration moment = std::chrono::milliseconds(200);
      const SteadyTime now = std::chrono::steady_clock::now();
      io_.run_until(std::max(saturating_sum(started_, arguments_.timeout), saturating_sum(now, moment)));
    }
  }
  progress_line_.stop();
  write_trace();
  write_metrics();
  if (is_interrupted_ && !is_signal_expected_) complain("interrupted");
  return !is_interrupted_;
}

void CommandSession::end() {
  if (signals_.stop()) is_interrupted_ = true;
  progress_line_.stop();
  if (metrics_file_) metrics_file_->stop();
  io_.stop();
}

void CommandSession::interrupt() {
  is_interrupted_ = true;
  stop_waiting_for_readers();
  for (asio::cancellation_signal& cancellation : cancellations_) cancellation.emit(asio::cancellation_type::terminal);
}

void CommandSession::update_metrics(const ClusterStatus& status) {
  if (!metrics_file_) return;
  metrics_->take(status);
  metrics_file_->changed();
}

void CommandSession::update_metrics_from(const std::shared_ptr<const ClusterWatch>& following) {
  if (!metrics_file_) return;
  metrics_file_->refresh_by([metrics = metrics_, following] { metrics->take(following->status()); });
  metrics_file_->changed();
}

void CommandSession::write_metrics() {
  if (metrics_file_) is_metrics_lost_ = !metrics_file_->write();
}

void CommandSession::write_trace() {
  if (trace_fd_ < 0) return;
  is_trace_lost_ = !write_all(trace_fd_, render_trace(sink_->take_events(), trace_end_now(), sink_->dropped()));
  int error = errno;
  if (::close(trace_fd_) != 0 && !is_trace_lost_) {
    error = errno;
    is_trace_lost_ = true;
  }
  trace_fd_ = -1;
  if (is_trace_lost_) complain(fmt::format("--trace: cannot write {}: {}", quoted_path(arguments_.trace_file), std::strerror(error)));
}

int CommandSession::exit_code(int code) const noexcept {
  return code == exit_answered && (is_trace_lost_ || is_metrics_lost_) ? exit_failed : code;
}

}  // namespace rollcall::command
