// A client and its session in virtual time, over the simulated cloud of examples/waiting.json.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fstream>
#include <iterator>

#include "command/session/session.hpp"
#include "support/cloud_loop.hpp"
#include "support/paths.hpp"
#include "support/result.hpp"

namespace rollcall::testing {

using serve::Line;
using serve::Outbox;
using serve::Session;
using serve::SessionOptions;

inline std::string waiting_cloud() {
  std::ifstream file(source_dir() / "examples/waiting.json");
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// A client and its session.
class Client : public CloudLoop {
 public:
  explicit Client(bool initializes = true, Texts variables = {}) : CloudLoop(waiting_cloud(), std::move(variables)) {
    if (!initializes) return;
    send(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocol":1}})");
    REQUIRE_THAT(read(), Catch::Contains(R"("protocol":1)"));
  }

  void send(std::string_view line) {
    session.take(Line(line, false));
    poll();
  }
  /// The request `method` with `id`.
  void ask(std::string_view id, std::string_view method, std::string_view params) {
    send(fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"{}","params":{}}})", id, method, params));
  }
  void cancel(std::string_view id) { send(fmt::format(R"({{"jsonrpc":"2.0","method":"cancel","params":{{"id":{}}}}})", id)); }
  /// All messages since the last call.
  std::string read() {
    std::string text = outbox.take();
    outbox.written(text.size());
    return text;
  }
  /// The same as one line of JSON.
  boost::json::value read_one() {
    const std::string text = read();
    INFO(text);
    REQUIRE(std::count(text.begin(), text.end(), '\n') == 1);
    return boost::json::parse(text);
  }
  /// `-32602: what`
  std::string refusal() {
    const boost::json::value answer = read_one();
    const boost::json::value& error = answer.at("error");
    return fmt::format("{} {}: {}", boost::json::serialize(answer.at("id")), error.at("code").as_int64(),
                       std::string_view(error.at("data").at("message").as_string()));
  }

  static SessionOptions command_options() {
    SessionOptions options;
    options.rows = command::session_option_rows();
    return options;
  }

  SessionOptions opened;
  std::shared_ptr<LogSink> log;
  int times_over = 0;
  Outbox outbox;
  Session session{io.get_executor(), outbox, command_options(),
                  [this](const SessionOptions& options, std::shared_ptr<LogSink> sink) {
                    opened = options;
                    log = std::move(sink);
                    return Result<Runtime>(runtime);
                  },
                  [this] { ++times_over; }};
};

}  // namespace rollcall::testing
