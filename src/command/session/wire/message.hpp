// The lines of the protocol: requests as received, answers and events as sent. Pure. Specified in docs/protocol.md.
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "json/json_dom.hpp"
#include "rollcall/error.hpp"

namespace rollcall::serve {

inline constexpr int protocol_version = 1;
inline constexpr std::size_t max_request_bytes = 1024 * 1024;  ///< of a line, without its end
inline constexpr std::size_t max_id_bytes = 128;               ///< of an id that is a string

/// JSON-RPC's numbers; `failed` is the number for every failure of a method.
enum class RpcError { no_json = -32700, no_request = -32600, no_method = -32601, bad_params = -32602, failed = -32000 };

/// A request or, where it has no id, a notification.
class Message {
 public:
  explicit Message(JsonDocument line) : document_(std::move(line)) {}
  bool has_id() const noexcept { return id != "null"; }
  /// Null: none were given.
  const boost::json::object* params() const { return find_object(document_.root(), "params"); }
  std::string id = "null";  ///< as JSON: `7`, `"a"`; `null`: there is none
  std::string method;

  /// Sets id and method. Errors: invalid_argument; id is set if it could be read.
  Result<void> read();

 private:
  JsonDocument document_;
};

/// Why a line is not a message. `id`: the id of the answer, which is null or the line's own if that could be read.
class BadLine {
 public:
  BadLine() {}
  BadLine(RpcError number, std::string to, Failure why) : error(number), id(std::move(to)), failure(std::move(why)) {}
  RpcError error = RpcError::no_request;
  std::string id = "null";
  Failure failure;
};

using ReadMessage = std::variant<Message, BadLine>;

/// `line` has no line end. BadLine: not JSON (malformed, truncated, not UTF-8), or not a request (not an object, no `jsonrpc` 2.0, another
/// kind of id or params, unknown members, nested too deeply, longer than max_request_bytes).
ReadMessage read_message(std::string_view line);

/// invalid_argument naming the nearest of the known names, or all of them.
Failure unknown_name(std::string_view noun, std::string_view name, std::span<const std::string_view> known);

/// The id that a notification's params contain under `id`, as Message::id. Errors: invalid_argument, also for a parameter that is not
/// `known`.
Result<std::string> read_id(const boost::json::object* params, std::span<const std::string_view> known);

/// A line each, with its end. `id` as Message::id; `result` and `members` are JSON, an object and the inside of one.
std::string result_line(std::string_view id, std::string_view result);
/// `target`: the target of the failed call, as given. `more`: further JSON members of `data`, `,"progress":{…}`; may be empty.
std::string error_line(std::string_view id, RpcError error, const Failure& failure, std::string_view target = {},
                       std::string_view more = {});
std::string event_line(std::string_view method, std::string_view members);

}  // namespace rollcall::serve
