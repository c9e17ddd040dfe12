// The objects that a method uses while it answers one request.
#pragma once

#include <asio/cancellation_signal.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command/arguments/targets.hpp"
#include "command/session/outbox.hpp"
#include "command/session/question.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall::serve {

/// A request that is being answered. Its address stays valid.
class Request {
 public:
  explicit Request(std::string text) : id(std::move(text)) {}
  std::string id;      ///< as Message::id
  std::string target;  ///< the target that a failure is about; empty: several
  asio::cancellation_signal signal;
  ProgressSlot slot;
  std::string progress;  ///< the newest progress, sent or not, as JSON; empty: none
  /// How many more events the client accepts for now; none: as many as there is room for.
  std::optional<std::size_t> window;
  AsyncEvent widened;
};

/// State that all requests of a session share, once it is initialized.
class Shared {
 public:
  Shared(Runtime made, const command::Arguments& given, Outbox& to) : runtime(std::move(made)), arguments(given), outbox(to) {}
  Runtime runtime;
  const command::Arguments& arguments;  ///< the session's options
  Outbox& outbox;
};

/// A handle; valid until the request is answered.
class Asking {
 public:
  Asking(Shared& shared, Request& request) : shared_(&shared), request_(&request) {}
  const Runtime& runtime() const { return shared_->runtime; }
  const command::Arguments& arguments() const { return shared_->arguments; }
  /// With the session's retries.
  CallOptions call_options(const Question& question) const;
  /// All of the targets as one cluster. Errors: invalid_argument.
  Result<std::shared_ptr<ClusterResolver>> make_cluster(const Question& question) const;
  static std::vector<command::ListedTarget> listed(const Question& question);
  /// Sets which of several targets the failure belongs to.
  void blame(std::string target) { request_->target = std::move(target); }

  /// Call it before making an answer that may be large: waits until the client has read enough of the earlier answers. Errors: cancelled.
  asio::awaitable<Result<void>> turn();

  /// Sets the newest progress, as JSON; `is_sent`: the client has asked for progress.
  void progress(std::string json, bool is_sent);
  /// Sets how many more events the client accepts; sending suspends when none is left.
  void open_window(std::optional<std::size_t> events) { request_->window = events; }
  /// Sends an event of this request once there is room for it: `members` are JSON, with a comma in front. False when cancelled.
  asio::awaitable<bool> send_event(std::string_view method, std::string members);

 private:
  Shared* shared_;
  Request* request_;
};

}  // namespace rollcall::serve
