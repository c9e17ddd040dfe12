// `rollcall stage`: says what this process does before its program, runs that, and says how it ended.
#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "command/arguments/command_table.hpp"
#include "command/arguments/target_trust.hpp"
#include "command/ask/own_meeting.hpp"
#include "command/process/program.hpp"
#include "command/process/stage_file.hpp"
#include "command/process/supervisor.hpp"
#include "command/run/command_session.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "rollcall/stage_reporter.hpp"

namespace rollcall::command {
namespace {

// Neither the file nor the service keeps the program from running.
class StageCommand {
 public:
  explicit StageCommand(Arguments arguments)
      : arguments_(std::move(arguments)), name_(arguments_.positionals.front()), session_(arguments_, 1) {
    if (!arguments_.program.empty()) program_.emplace(arguments_.program);
  }

  int run() {
    const Result<void> fine = check_stage_name(name_);
    if (!fine) return exec_code(refuse(fine.error()));
    if (program_) {
      const ProgramFailure missing = program_->find();
      if (missing.code != 0) {
        complain(missing.what);
        return missing.code;
      }
    }
    begin();
    const bool is_shown = open_service();
    if (!program_) {
      if (is_shown) say_once(std::chrono::seconds(5));
      return exit_answered;
    }
    const int status = run_program(is_shown);
    if (file_) note(file_->end(name_, status));
    is_over_ = true;
    status_ = status;
    if (reporter_) say_once(std::chrono::seconds(2));
    return status;
  }

 private:
  void begin() {
    Result<StageFile> file = StageFile::open(*process_environment());
    if (!file) return note(file.error());
    file_.emplace(std::move(*file));
    note(file_->begin(name_, program_.has_value()));
  }

  void note(const Result<void>& done) {
    if (done || arguments_.is_quiet) return;
    Failure failure = done.error();
    failure.with_what(fmt::format("stage {}: {}", name_, failure.what()));
    complain(failure);
  }

  // False: there is no service, or it cannot be said which task this is.
  bool open_service() {
    const std::optional<std::string> server = process_environment()->get("ROLLCALL_SERVER");
    if (!server || server->empty()) return false;
    const Result<void> opened = open_target();
    note(opened);
    return opened.has_value();
  }

  Result<void> open_target() {
    arguments_.positionals.clear();
    if (!arguments_.stage_target.empty()) {
      arguments_.positionals.push_back(arguments_.stage_target);
    } else if (const std::optional<std::string> target = process_environment()->get("ROLLCALL_TARGET"); target && !target->empty()) {
      const Result<void> fine = check_trusted(*target);
      if (!fine) return fine;
      arguments_.positionals.push_back(*target);
    } else {
      return Failure(Errc::failed_precondition, "is not shown by the service of ROLLCALL_SERVER, since no cluster is named")
          .with_hint("name it by --target or ROLLCALL_TARGET");
    }
    session_.leave_signals();
    session_.hide_progress();
    if (!session_.open()) return Failure(Errc::invalid_argument, "is not shown by the service");
    const Result<std::vector<ListedTarget>> targets = collect_targets(arguments_);
    if (!targets) return targets.error();
    Result<std::vector<ClusterPart>> parts = make_parts(session_.runtime(), *targets, arguments_);
    if (!parts) return parts.error();
    parts_ = std::move(*parts);
    together_ = put_together(session_.runtime(), parts_);
    return {};
  }

  int run_program(bool is_shown) {
    program_->set_environment({});
    supervisor_.emplace(session_.loop(), 0);
    if (!supervisor_->open(nullptr)) return exit_exec_failed;
    const int refused = supervisor_->start(*program_);
    if (refused != 0) return refused;
    if (is_shown) {
      auto ended = [](const std::exception_ptr&) {};  // cancelled
      asio::co_spawn(session_.loop(), keep_saying(), asio::bind_cancellation_slot(end_.slot(), ended));
    }
    const int status = supervisor_->wait();
    end_.emit(asio::cancellation_type::terminal);
    session_.loop().restart();
    session_.loop().poll();
    return status;
  }

  asio::awaitable<void> keep_saying() {
    asio::steady_timer pause(session_.executor());
    for (;;) {
      const Result<void> said = co_await say(session_.call_options());
      if (!said && said.error().code() != Errc::cancelled && !std::exchange(is_trouble_noted_, true)) note(said);
      pause.expires_after(reporter_ ? reporter_->pause() : Duration(std::chrono::seconds(2)));
      co_await pause.async_wait(asio::use_awaitable);
    }
  }

  asio::awaitable<Result<void>> say(CallOptions options) {
    const QuestionOptions shared(std::move(options));
    if (!reporter_) {
      const Result<OwnMeeting> own = co_await ask_own_meeting(parts_, together_, arguments_.launch, "a stage", shared);
      if (!own) co_return own.error();
      Result<StageReporter> reporter = StageReporter::make(session_.runtime(), own->spec, own->task, own->run);
      if (!reporter) co_return reporter.error();
      reporter_.emplace(std::move(*reporter));
    }
    co_return co_await reporter_->try_report(stages(), shared.next());
  }

  void say_once(Duration patience) {
    CallOptions options = session_.call_options();
    options.timeout(patience);
    session_.ask(say(std::move(options)), [this](const Result<void>& said) { note(said); });
    session_.wait();
  }

  std::vector<StageSpan> stages() const {
    std::vector<StageSpan> all = file_ ? file_->read() : std::vector<StageSpan>();
    if (all.empty()) all.emplace_back(name_, std::chrono::steady_clock::now() - session_.started(), is_over_, status_);
    return all;
  }

  Arguments arguments_;
  const std::string name_;
  asio::cancellation_signal end_;  // outlives what is bound to it
  CommandSession session_;
  std::optional<Supervisor> supervisor_;
  std::optional<Program> program_;
  std::optional<StageFile> file_;
  std::vector<ClusterPart> parts_;
  std::shared_ptr<ClusterResolver> together_;
  std::optional<StageReporter> reporter_;
  bool is_trouble_noted_ = false;
  bool is_over_ = false;
  int status_ = 0;
};

}  // namespace

int run_stage(Arguments arguments) {
  StageCommand command(std::move(arguments));
  return command.run();
}

}  // namespace rollcall::command
