// Scalar values of the GCE metadata server.
#include "google/wire/metadata_value.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_value = 4096;

Failure malformed_value(std::string_view path, std::string_view what) {
  return Failure(Errc::malformed_response, fmt::format("the metadata value {} {}", path, what));
}

Result<std::string> parse_name(std::string_view path, std::string_view name, std::string_view other_characters) {
  const bool is_name = !name.empty() && name.size() <= 128 && name.front() != '-' && name.front() != '.' &&
                       std::all_of(name.begin(), name.end(), [&](char c) {
                         return is_lower(c) || is_upper(c) || is_digit(c) || other_characters.find(c) != std::string_view::npos;
                       });
  if (!is_name) return malformed_value(path, fmt::format("is {}", name.empty() ? "empty" : quoted(name, 80)));
  return std::string(name);
}

}  // namespace

Result<std::string> parse_metadata_value(std::string_view path, std::string_view body) {
  const std::string_view value = trim(body);
  if (value.size() > max_value) return malformed_value(path, fmt::format("has {} bytes", value.size()));
  if (!value.empty() && value.front() == '<') {
    return malformed_value(path, "is an HTML page")
        .with_hint("Something else answers at the metadata server's address: a captive portal or a proxy.");
  }
  const bool has_control = std::any_of(value.begin(), value.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; });
  if (has_control) return malformed_value(path, fmt::format("contains control characters: {}", quoted(value, 80)));
  return std::string(value);
}

Result<std::string> parse_metadata_zone(std::string_view body) {
  constexpr std::string_view path = "instance/zone";
  const Result<std::string> value = parse_metadata_value(path, body);
  if (!value) return value;
  return parse_name(path, std::string_view(*value).substr(value->rfind('/') + 1), "-");
}

Result<std::string> parse_metadata_project(std::string_view body) {
  constexpr std::string_view path = "project/project-id";
  const Result<std::string> value = parse_metadata_value(path, body);
  if (!value) return value;
  return parse_name(path, *value, "-_.:");
}

}  // namespace rollcall
