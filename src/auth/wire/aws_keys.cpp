#include "auth/wire/aws_keys.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/field_text.hpp"
#include "base/text.hpp"
#include "json/json_dom.hpp"

namespace rollcall {

Result<AwsKeys> parse_aws_keys(std::string_view json) {
  constexpr std::string_view name = "the answer with the AWS keys";
  constexpr std::size_t max_text = 16 * 1024;
  ParseLimits limits;
  limits.max_document = 256 * 1024;
  const Result<JsonDocument> document = JsonDocument::parse(name, json, limits);
  if (!document) return document.error();
  // The instance's server answers 200 even if it has no keys, and gives the reason.
  const std::string_view code = find_text(document->root(), "Code").value_or("Success");
  if (code != "Success") {
    const std::string_view why = find_text(document->root(), "Message").value_or("");
    return Failure(Errc::unauthenticated,
                   fmt::format("AWS gives no keys: {}{}{}", printable(code, 100), why.empty() ? "" : ": ", printable(why, 300)))
        .with_hint("check the role of this machine: who may assume it, and that it is still there");
  }
  std::optional<Failure> fault;
  const auto read = [&](std::string_view key, bool is_required) {
    const std::string_view text = find_text(document->root(), key).value_or("");
    if (text.empty() && is_required) fault.emplace(Errc::malformed_response, fmt::format("{} has no {}", name, key));
    if (text.empty()) return std::string();
    if (text.size() > max_text || !is_graphic(text)) fault.emplace(Errc::malformed_response, fmt::format("{}: {} is no key", name, key));
    return std::string(text);
  };
  AwsKeys keys;
  keys.access_key_id = read("AccessKeyId", true);
  keys.secret_access_key = Secret<std::string>(read("SecretAccessKey", true));
  keys.session_token = Secret<std::string>(read("Token", false));
  if (fault) return *fault;
  return keys;
}

bool is_aws_region(std::string_view text) noexcept {
  return !text.empty() && text.size() <= 40 &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

}  // namespace rollcall
