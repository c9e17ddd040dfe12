#include "tools/spec_command.hpp"

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>

#include "core/system_error.hpp"
#include "core/text.hpp"
#include "launch/render_json.hpp"
#include "launch/render_text.hpp"
#include "rollcall/union_resolver.hpp"
#include "tools/command_sink.hpp"
#include "tools/console.hpp"
#include "tools/exit_codes.hpp"
#include "tools/progress_line.hpp"
#include "tools/spec_targets.hpp"
#include "tools/trace.hpp"

namespace rollcall::tools {
namespace {

class SpecCommand {
 public:
  SpecCommand(Arguments arguments, std::vector<ListedTarget> targets)
      : arguments_(std::move(arguments)), targets_(std::move(targets)), io_(1), signals_(io_), started_(std::chrono::steady_clock::now()),
        progress_(targets_.size(), started_), progress_line_(io_.get_executor(), progress_) {}

  int run() {
    if (!open_trace()) return exit_usage;
    const Runtime runtime(io_.get_executor(), runtime_options());
    answers_.resize(targets_.size());
    const Result<void> begun = arguments_.is_partial ? ask_each(runtime) : ask_together(runtime);
    if (!begun) return refuse(begun.error());
    if (pending_ > 0) {
      watch_signals();
      if (progress_shown_) progress_line_.start();
      io_.run();
    }
    progress_line_.stop();
    write_trace();
    if (is_interrupted_) {
      complain("interrupted");
      return exit_interrupted;
    }
    return arguments_.is_partial ? conclude_each() : conclude_together();
  }

 private:
  using Answer = Result<ClusterSpec>;

  bool open_trace() {
    if (arguments_.trace_file.empty()) return true;
    trace_fd_ = ::open(arguments_.trace_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (trace_fd_ < 0) complain(fmt::format("--trace: cannot write {}: {}", quoted(arguments_.trace_file), std::strerror(errno)));
    return trace_fd_ >= 0;
  }

  void write_trace() {
    if (trace_fd_ < 0) return;
    const bool is_written = write_all(trace_fd_, render_trace(sink_->events(), std::chrono::steady_clock::now()));
    const int error = errno;
    if (::close(trace_fd_) != 0 || !is_written) complain(fmt::format("--trace: cannot write {}: {}", quoted(arguments_.trace_file), std::strerror(error)));
    trace_fd_ = -1;
  }

  RuntimeOptions runtime_options() {
    const bool prints = arguments_.is_verbose || arguments_.log == LogForm::json;
    progress_shown_ = !prints && is_terminal(STDERR_FILENO);
    RuntimeOptions options;
    options.network.connect_to = arguments_.connect_to;
    options.network.ca_file = arguments_.ca_file;
    options.network.dns_servers = arguments_.dns_servers;
    if (!arguments_.token_file.empty()) options.credentials = token_file(arguments_.token_file);
    if (prints || progress_shown_ || trace_fd_ >= 0) {
      sink_ = std::make_shared<CommandSink>(started_);
      sink_->prints_json = arguments_.log == LogForm::json;
      sink_->prints_text = prints && !sink_->prints_json;
      sink_->records = trace_fd_ >= 0;
      sink_->max_attempts = call_options().retry().max_retries() + 1;
      if (progress_shown_) sink_->progress = &progress_;
      options.log = sink_;
    }
    return options;
  }

  CallOptions call_options() const {
    CallOptions options;
    options.timeout(arguments_.timeout).tpu_lookup(arguments_.lookup);
    if (arguments_.retries) options.retry(RetryPolicy().max_retries(*arguments_.retries));
    return options;
  }

  // All targets are one call: the first failure ends it.
  Result<void> ask_together(const Runtime& runtime) {
    std::vector<std::shared_ptr<ClusterResolver>> resolvers;
    for (const ListedTarget& target : targets_) {
      Result<std::shared_ptr<ClusterResolver>> made = make_listed(runtime, target, arguments_);
      if (!made) return made.error();
      resolvers.push_back(std::move(*made));
    }
    ask(resolvers.size() == 1 ? resolvers.front() : make_union_resolver(runtime, std::move(resolvers)), 0);
    return Result<void>();
  }

  // Every target is a call of its own; all have the same deadline.
  Result<void> ask_each(const Runtime& runtime) {
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      Result<std::shared_ptr<ClusterResolver>> made = make_listed(runtime, targets_[i], arguments_);
      if (made) {
        ask(*made, i);
      } else {
        answers_[i].emplace(made.error());
      }
    }
    return Result<void>();
  }

  void ask(const std::shared_ptr<ClusterResolver>& resolver, std::size_t index) {
    ++pending_;
    cancellations_.emplace_back();
    auto on_done = [this, index](std::exception_ptr error, Answer answer) {
      answers_[index].emplace(error ? Answer(of_exception(error)) : std::move(answer));
      if (arguments_.is_partial) progress_.count(answers_[index]->has_value());
      if (--pending_ > 0) return;
      signals_.cancel();
      progress_line_.stop();
    };
    asio::co_spawn(io_, resolver->try_cluster_spec(call_options()), asio::bind_cancellation_slot(cancellations_.back().slot(), std::move(on_done)));
  }

  static Failure of_exception(std::exception_ptr error) {
    try {
      std::rethrow_exception(std::move(error));
    } catch (const ResolveError& thrown) {
      return thrown.failure();
    } catch (const std::system_error& thrown) {
      return Failure(means(thrown.code(), std::errc::operation_canceled) ? Errc::cancelled : Errc::unreachable, thrown.code().message());
    }
  }

  // The first signal cancels; then the defaults are back, and the next one kills.
  void watch_signals() {
    signals_.add(SIGINT);
    signals_.add(SIGTERM);
    signals_.async_wait([this](const std::error_code& error, int) {
      if (error) return;
      is_interrupted_ = true;
      signals_.clear();
      for (asio::cancellation_signal& cancellation : cancellations_) cancellation.emit(asio::cancellation_type::terminal);
    });
  }

  int refuse(const Failure& failure) {
    complain(failure.message());
    return exit_code_for(failure);
  }

  bool print(const ClusterSpec& spec, const std::vector<TargetFailure>& failures) {
    if (arguments_.format == Format::json) return write_result(render_json(spec, failures));
    return write_result(render_text(spec, wants_colour(STDOUT_FILENO)));
  }

  int conclude_together() {
    const Answer& answer = *answers_.front();
    if (!answer) return refuse(answer.error());
    return print(*answer, {}) ? exit_answered : exit_failed;
  }

  int conclude_each() {
    std::vector<ClusterSpec> specs;
    std::vector<TargetFailure> failed;
    std::vector<Failure> failures;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      Answer& answer = *answers_[i];
      if (answer) {
        specs.push_back(std::move(*answer));
        continue;
      }
      failures.push_back(answer.error());
      failed.emplace_back(targets_[i].text, failures.back());
      complain(fmt::format("{}: {}", printable(targets_[i].text), failures.back().message()));
    }
    if (!failures.empty() && targets_.size() > 1) complain(fmt::format("{} of {} targets resolved, {} failed", specs.size(), targets_.size(), failures.size()));
    const Result<ClusterSpec> merged = merge(specs);
    if (!merged) return refuse(merged.error());
    const bool has_result = !specs.empty() || arguments_.format == Format::json;
    if (has_result && !print(*merged, failed)) return exit_failed;
    if (failures.empty()) return exit_answered;
    return specs.empty() ? exit_code_for(failures) : exit_partial;
  }

  Arguments arguments_;
  std::vector<ListedTarget> targets_;
  asio::io_context io_;
  asio::signal_set signals_;
  SteadyTime started_;
  Progress progress_;
  ProgressLine progress_line_;
  std::shared_ptr<CommandSink> sink_;
  std::deque<asio::cancellation_signal> cancellations_;
  std::vector<std::optional<Answer>> answers_;
  std::size_t pending_ = 0;
  int trace_fd_ = -1;
  bool progress_shown_ = false;
  bool is_interrupted_ = false;
};

}  // namespace

int run_spec(Arguments arguments) {
  Result<std::vector<ListedTarget>> targets = collect_targets(arguments);
  if (!targets) {
    complain(targets.error().message());
    return exit_usage;
  }
  SpecCommand command(std::move(arguments), std::move(*targets));
  return command.run();
}

}  // namespace rollcall::tools
