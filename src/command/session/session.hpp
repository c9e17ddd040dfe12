// One client's session: requests by id, handled concurrently, each answered once. All calls on one executor.
#pragma once

#include <asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "command/session/asking.hpp"
#include "command/session/methods.hpp"
#include "command/session/session_options.hpp"
#include "command/session/wire/line_reader.hpp"
#include "command/session/wire/message.hpp"

namespace rollcall::serve {

inline constexpr std::size_t max_requests = 16384;  ///< requests that are being answered

/// Makes the objects that a session needs for its requests, once its options are known. They outlive the session. Errors: invalid_argument
/// naming the option.
using OpenRuntime = std::function<Result<Runtime>(const SessionOptions& options, std::shared_ptr<LogSink> log)>;

class Session {
 public:
  /// `given`: the command line's options. `on_over` is called once, when no work is left: see end() and finish().
  Session(asio::any_io_executor executor, Outbox& outbox, SessionOptions given, OpenRuntime open, std::function<void()> on_over);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void take(const Line& line);
  /// No more lines will come; running requests continue.
  void finish();
  /// The client has gone: cancels running requests.
  void end();
  /// True if no further lines are accepted.
  bool is_ending() const noexcept { return is_ending_; }
  /// True if the client was refused: it speaks another protocol.
  bool has_refused() const noexcept { return has_refused_; }
  /// None before `initialize`.
  const std::optional<Shared>& shared() const noexcept { return shared_; }

 private:
  void take(const Message& message);
  void refuse(std::string_view id, RpcError error, const Failure& failure, std::string_view target = {});
  void initialize(const Message& message);
  void start(const Message& message, const MethodRow& method);
  void notify(const Message& message);
  void cancel(const Message& message);
  void widen(const Message& message);
  void answer(Request& request, const Result<std::string>& result);
  void conclude();

  asio::any_io_executor executor_;
  Outbox& outbox_;
  SessionOptions options_;
  OpenRuntime open_;
  std::function<void()> on_over_;
  std::optional<Shared> shared_;
  std::unordered_map<std::string, std::unique_ptr<Request>> requests_;
  bool is_ending_ = false;
  bool has_refused_ = false;
};

}  // namespace rollcall::serve
