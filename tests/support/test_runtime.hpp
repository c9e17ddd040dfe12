// A Runtime in virtual time over a scripted transport, with a log that tests can read.
#pragma once

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rollcall/call.hpp"
#include "rollcall/runtime.hpp"
#include "rollcall/testing/virtual_loop.hpp"
#include "support/fake_programs.hpp"
#include "support/scripted_transport.hpp"

namespace rollcall::testing {

class RecordingLog final : public LogSink {
 public:
  std::vector<std::string> lines;
  std::vector<std::string> facts;  // kind, operation, source and host of the events that have one of these
  bool is_content_with_news = false;
  std::optional<EventKind> content_after;
  bool wants_requests() const noexcept override { return !is_content_with_news; }
  void on_event(const Event& event) noexcept override {
    std::string line(to_string(event.kind));
    if (event.status != 0) line += fmt::format(" {}", event.status);
    if (event.failure) line += fmt::format(" {}", to_string(event.failure->code()));
    if (event.kind == EventKind::backing_off) line += fmt::format(" {:g}s", std::chrono::duration<double>(event.delay).count());
    lines.push_back(std::move(line));
    if (!event.operation.empty() || !event.host.empty())
      facts.push_back(fmt::format("{}|{}|{}|{}", to_string(event.kind), event.operation, event.source, event.host));
    if (event.kind == content_after) is_content_with_news = true;
  }
};

class TestRuntime : public VirtualLoop {
 public:
  explicit TestRuntime(std::map<std::string, std::string, std::less<>> variables = {}, Limits limits = {},
                       std::shared_ptr<Credentials> credentials = static_token(Secret<std::string>("test-token")),
                       std::map<std::string, std::string, std::less<>> files = {})
      : timers(std::make_shared<TimerQueue>(time, io.get_executor())), transport(std::make_shared<ScriptedTransport>(timers)),
        programs(std::make_shared<FakePrograms>(timers)), log(std::make_shared<RecordingLog>()),
        runtime(make(std::move(variables), limits, std::move(credentials), std::move(files))) {}

  std::shared_ptr<TimerQueue> timers;
  std::shared_ptr<ScriptedTransport> transport;
  std::shared_ptr<FakePrograms> programs;
  std::shared_ptr<RecordingLog> log;
  Runtime runtime;

  void answer(int status, std::string body = {}) { transport->answers.emplace_back(ScriptedTransport::reply(status, std::move(body))); }
  void answer(Failure failure) { transport->answers.emplace_back(Result<HttpResponse>(std::move(failure))); }

 private:
  Runtime make(std::map<std::string, std::string, std::less<>> variables, Limits limits, std::shared_ptr<Credentials> credentials,
               std::map<std::string, std::string, std::less<>> files) {
    RuntimeOptions options;
    options.http = transport;
    options.time = time;
    options.random_seed = 1;
    options.environment = fixed_environment(std::move(variables));
    options.files = fixed_files(std::move(files));
    options.programs = programs;
    options.credentials = std::move(credentials);
    options.log = log;
    options.limits = limits;
    return Runtime(io.get_executor(), std::move(options));
  }
};

}  // namespace rollcall::testing
