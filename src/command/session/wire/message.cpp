#include "command/session/wire/message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "json/json_dom.hpp"
#include "json/json_text.hpp"
#include "render/render_cluster.hpp"

namespace rollcall::serve {
namespace {

constexpr std::string_view as_a_line = "send one JSON-RPC 2.0 request a line: see docs/protocol.md";

Failure unfit(std::string what) { return Failure(Errc::invalid_argument, std::move(what)).with_hint(std::string(as_a_line)); }

ParseLimits line_limits() {
  ParseLimits limits;
  limits.max_depth = 32;
  limits.max_document = max_request_bytes;
  return limits;
}

// An integer or a text, as JSON; empty: neither, or too long.
std::string id_text(const boost::json::value& value) {
  if (const std::int64_t* number = value.if_int64()) return fmt::format_int(*number).str();
  if (const std::uint64_t* number = value.if_uint64()) return fmt::format_int(*number).str();
  const boost::json::string* const text = value.if_string();
  if (!text || text->size() > max_id_bytes) return {};
  std::string out;
  append_json_string(out, std::string_view(*text));
  return out;
}

Failure bad_id(const boost::json::value& value) {
  if (value.is_string()) return unfit(fmt::format("id is longer than {} bytes", max_id_bytes));
  return unfit(fmt::format("id is {}, not a whole number or a text", kind_name(value)));
}

BadLine no_json(const Failure& failure) {
  const bool is_json = failure.code() == Errc::limit_exceeded;
  return BadLine(is_json ? RpcError::no_request : RpcError::no_json, "null",
                 Failure(is_json ? Errc::limit_exceeded : Errc::invalid_argument, failure.what()).with_hint(std::string(as_a_line)));
}

}  // namespace

ReadMessage read_message(std::string_view line) {
  Result<JsonDocument> document = JsonDocument::parse("the line", line, line_limits());
  if (!document) return no_json(document.error());
  Message message(std::move(*document));
  const Result<void> fine = message.read();
  if (!fine) return BadLine(RpcError::no_request, std::move(message.id), fine.error());
  return message;
}

Result<void> Message::read() {
  const boost::json::value& root = document_.root();
  const boost::json::object* const members = root.if_object();
  if (!members) {
    return unfit(root.is_array() ? std::string("the line is an array: batches are not taken")
                                 : fmt::format("the line is {}, not an object", kind_name(root)));
  }
  if (const boost::json::value* const given = find(root, "id")) {
    std::string text = id_text(*given);
    if (text.empty()) return bad_id(*given);
    id = std::move(text);
  }
  for (const auto& member : *members) {
    static constexpr std::array<std::string_view, 4> known = {"jsonrpc", "id", "method", "params"};
    const std::string_view key = member.key();
    if (std::find(known.begin(), known.end(), key) == known.end()) return unknown_name("member", key, known);
  }
  if (find_text(root, "jsonrpc") != "2.0") return unfit("jsonrpc is not \"2.0\"");
  const boost::json::value* const called = find(root, "method");
  if (!called || !called->is_string())
    return unfit(called ? fmt::format("method is {}, not a text", kind_name(*called)) : std::string("method is missing"));
  method = std::string(std::string_view(called->get_string()));
  const boost::json::value* const given = find(root, "params");
  if (given && !given->is_object()) return unfit(fmt::format("params is {}, not an object: parameters have names", kind_name(*given)));
  return Result<void>();
}

Failure unknown_name(std::string_view noun, std::string_view name, std::span<const std::string_view> known) {
  Failure failure(Errc::invalid_argument, fmt::format("unknown {} {}", noun, quoted(name, 64)));
  if (const auto meant = nearest(name, known)) return failure.with_hint(fmt::format("did you mean {}?", *meant));
  return failure.with_hint(known.empty() ? fmt::format("it takes no {}", noun) : fmt::format("known are {}", fmt::join(known, ", ")));
}

Result<std::string> read_id(const boost::json::object* params, std::span<const std::string_view> known) {
  static const boost::json::object none;
  for (const auto& member : params ? *params : none) {
    const std::string_view name = member.key();
    if (std::find(known.begin(), known.end(), name) == known.end()) return unknown_name("parameter", name, known);
  }
  const boost::json::value* const id = params ? params->if_contains("id") : nullptr;
  if (!id) return unfit("params.id is missing");
  std::string text = id_text(*id);
  if (text.empty()) return bad_id(*id);
  return text;
}

std::string result_line(std::string_view id, std::string_view result) {
  std::string line;  // a large result is copied once
  line.reserve(id.size() + result.size() + 64);
  line.append(R"({"jsonrpc":"2.0","id":)").append(id).append(R"(,"result":)").append(result).append("}\n");
  return line;
}

std::string error_line(std::string_view id, RpcError error, const Failure& failure, std::string_view target, std::string_view more) {
  std::string out = fmt::format("{{\"jsonrpc\":\"2.0\",\"id\":{},\"error\":{{\"code\":{},\"message\":", id, static_cast<int>(error));
  append_json_string(out, failure.message());
  std::string data = render_failure_json(TargetFailure(std::string(target), failure));
  data.pop_back();
  return fmt::format("{},\"data\":{}{}}}}}}}\n", out, data, more);
}

std::string event_line(std::string_view method, std::string_view members) {
  return fmt::format("{{\"jsonrpc\":\"2.0\",\"method\":\"{}\",\"params\":{{{}}}}}\n", method, members);
}

}  // namespace rollcall::serve
