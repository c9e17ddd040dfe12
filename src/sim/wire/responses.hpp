// Responses in the form of Google's front ends, and their corruption by faults.
#pragma once

#include <string>
#include <string_view>

#include "rollcall/sim/cloud.hpp"
#include "sim/model/model.hpp"

namespace rollcall::sim {

/// With two blanks of indentation and a newline at the end, as the services print by default, or compact.
std::string json_text(const json::value& value, bool is_pretty);

/// Replaces fields of `out` by the user's fields in `raw`; null removes one.
void apply_raw(json::object& out, const json::object& raw);

/// Merges `patch` into `into`: objects key by key, null removes, everything else replaces.
void merge_json(json::object& into, const json::object& patch);

/// Adds a field if its value, a text, a list or an object, is not empty.
template <class Value>
void put(json::object& out, std::string_view key, Value value) {
  if (!value.empty()) out[key] = std::move(value);
}

Reply json_reply(const json::value& value, bool is_pretty);

/// `{"error": {...}}`. The code's name follows from the HTTP status unless given.
Reply google_error(int status, std::string_view message, json::array details = {}, std::string_view code_name = {});
json::object error_info(std::string_view reason, std::string_view domain, json::object metadata);
json::object retry_info(std::string_view delay);

Reply resource_not_found(std::string_view name);
/// With a BadRequest that names the field, if there is one. The default message applies unless `message` is given.
Reply invalid_argument(std::string_view field, std::string_view description, std::string_view message = {});
/// The page for an unknown path.
Reply html_not_found(std::string_view path);
/// The page of a front end whose back end does not answer.
Reply html_error(int status);

/// `INVALID_ARGUMENT` for 400, …
std::string_view rpc_code_name(int status);
std::string_view default_message(int status);
/// The phrase of the status line; `Unknown` for a status without one.
std::string_view status_phrase(int status);

/// The body. If the fault is corrupt, every eleventh byte has its top bit flipped.
std::string corrupted_body(const Reply& reply);

/// The Content-Length under wrong_length: `bytes`, else 16 more than the body's size.
std::size_t wrong_length(const Fault& fault, std::size_t body_size);

}  // namespace rollcall::sim
