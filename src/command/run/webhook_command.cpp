// `rollcall webhook`: answers the reviews of API servers, until a signal comes.
#include <fmt/format.h>

#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <utility>

#include "base/text.hpp"
#include "command/arguments/command_table.hpp"
#include "command/process/service_manager.hpp"
#include "command/run/command_session.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "command/terminal/reader_write.hpp"
#include "command/terminal/signals.hpp"
#include "json/json_text.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/webhook.hpp"

namespace rollcall::command {
namespace {

WebhookOptions options_of_webhook(const Arguments& arguments) {
  WebhookOptions options;
  options.listen = arguments.webhook_listen;
  options.certificate_file = arguments.webhook_certificate;
  options.key_file = arguments.webhook_key;
  options.image = arguments.webhook_image;
  options.refuses_faulty = arguments.refuses_bad_annotations;
  return options;
}

void report_pod(const Arguments& arguments, const ReviewedPod& pod) {
  if (arguments.log == LogForm::json) {
    std::string line = R"({"event":"pod_reviewed")";
    append_json_field(line, "namespace", pod.namespace_name);
    append_json_field(line, "name", pod.name);
    append_json_field(line, "target", pod.target);
    if (!pod.fault.empty()) append_json_field(line, "fault", pod.fault);
    report_json(line + "}");
  } else if (!arguments.is_quiet) {
    const std::string name = printable(fmt::format("{}/{}", pod.namespace_name, pod.name), 400);
    complain(pod.fault.empty() ? fmt::format("{} waits for {}", name, printable(pod.target, 400))
                               : fmt::format("{} does not wait: {}", name, printable(pod.fault, 1024)));
  }
}

asio::awaitable<Result<bool>> answer_on(asio::any_io_executor executor, Duration patience) {
  asio::steady_timer timer(executor, std::chrono::ceil<asio::steady_timer::duration>(patience));
  co_await timer.async_wait(asio::use_awaitable);
  co_return true;
}

class RunningWebhook {
 public:
  RunningWebhook(const Arguments& arguments, CommandSession& session)
      : arguments_(arguments), session_(session), manager_(session.executor(), *process_environment()),
        signals_(session.executor(), {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {}

  int run() {
    const auto on_pod = [this](const ReviewedPod& pod) { report_pod(arguments_, pod); };
    const Result<std::shared_ptr<Webhook>> started = Webhook::start(session_.runtime(), options_of_webhook(arguments_), on_pod);
    if (!started) return refuse(started.error(), started.error().code() == Errc::failed_precondition ? exit_failed : exit_usage);
    webhook_ = *started;
    if (!signals_.open()) {
      complain("webhook: signals cannot be received: too many descriptors are open (ulimit -n)");
      return exit_failed;
    }
    if (!write_result(webhook_->url() + "\n")) return exit_failed;
    stop_waiting_for_readers();  // reviews must not wait for the reader of the log
    signals_.listen([this](ArrivedSignal) { take(); });
    manager_.notify_ready();
    while (!is_ending_) session_.loop().run_one();
    session_.wait();
    signals_.stop();
    manager_.stop();
    webhook_->stop();
    return exit_answered;
  }

 private:
  void take() {
    if (std::exchange(is_ending_, true)) return session_.interrupt();
    manager_.notify_stopping();
    webhook_->drain();
    session_.ask(answer_on(session_.executor(), arguments_.webhook_drain), [](const Result<bool>&) {});
  }

  const Arguments& arguments_;
  CommandSession& session_;
  ServiceManager manager_;
  SignalQueue signals_;
  std::shared_ptr<Webhook> webhook_;
  bool is_ending_ = false;
};

}  // namespace

int run_webhook(Arguments arguments) {
  CommandSession session(arguments, 0);
  session.hide_progress();
  session.leave_signals();
  session.ask_directly();
  if (!session.open()) return exit_usage;
  return RunningWebhook(arguments, session).run();
}

}  // namespace rollcall::command
