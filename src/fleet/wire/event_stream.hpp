// Server-Sent Events: bytes of text/event-stream. Source: WHATWG HTML, 9.2 (server-sent events).
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall::fleet {

class ServerEvent {
 public:
  ServerEvent() {}
  ServerEvent(std::string of_type, std::string json, std::string position)
      : type(std::move(of_type)), data(std::move(json)), id(std::move(position)) {}
  std::string type;  ///< `message` if none was given; cut off at 128 bytes, as the id
  std::string data;
  std::string id;    ///< the last one received, in this event or an earlier one
};

/// One event. Neither `type` nor `id` has a line end; each line of `data` is written as one.
std::string render_server_event(std::string_view type, std::string_view data, std::string_view id);
/// A block with `retry:`.
std::string render_retry(std::chrono::milliseconds pause);

/// Reads events from bytes, in pieces of any size.
class EventStreamReader {
 public:
  /// `max`: bytes of one event, a comment or a line.
  explicit EventStreamReader(std::size_t max) : max_(max) {}
  /// Errors: limit_exceeded. malformed_response (bytes that are not UTF-8).
  Result<void> feed(std::string_view bytes);
  /// The next whole event; none: more bytes are needed. A block without data is not an event.
  std::optional<ServerEvent> next();
  /// The last `retry:`, if any.
  const std::optional<std::chrono::milliseconds>& retry() const noexcept { return retry_; }

 private:
  void take_line(std::string_view line);
  std::size_t max_;
  std::string line_;
  bool ends_with_cr_ = false;
  bool is_first_ = true;
  bool has_data_ = false;
  std::string type_;
  std::string data_;
  std::string id_;
  std::deque<ServerEvent> events_;
  std::optional<std::chrono::milliseconds> retry_;
};

}  // namespace rollcall::fleet
