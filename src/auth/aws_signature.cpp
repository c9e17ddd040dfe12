#include "auth/aws_signature.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/text.hpp"
#include "base/url.hpp"
#include "base/wiped_buffer.hpp"
#include "crypto/signature.hpp"

namespace rollcall {
namespace {

constexpr std::string_view unreserved = "-._~";

// Escaped bytes are escaped once more, as for every service except S3.
std::string canonical_path(std::string_view path) { return percent_encode(path, "-._~/"); }

std::string canonical_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> parameters;
  for (const std::string_view part : split(query, '&')) {
    if (part.empty()) continue;
    const std::size_t equals = std::min(part.find('='), part.size());
    const auto encoded = [](std::string_view text) { return percent_encode(percent_decode(text).value_or(std::string(text)), unreserved); };
    parameters.emplace_back(encoded(part.substr(0, equals)), equals < part.size() ? encoded(part.substr(equals + 1)) : std::string());
  }
  std::sort(parameters.begin(), parameters.end());
  std::string text;
  for (const auto& [name, value] : parameters) text.append(text.empty() ? "" : "&").append(name).append("=").append(value);
  return text;
}

// Replaces runs of blanks by one, and removes blanks at the ends.
std::string canonical_value(std::string_view value) {
  std::string text;
  text.reserve(value.size());  // it may be a secret, of which a growing buffer would leave copies in memory
  for (const char c : trim(value)) {
    if (c != ' ' || text.empty() || text.back() != ' ') text.push_back(c);
  }
  return text;
}

std::string hashed(std::string_view text) { return to_hex(sha256(text)); }

}  // namespace

void sign_aws_request(HttpRequest& request, const AwsKeys& keys, std::string_view region, std::string_view service, WallTime now) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  const std::string date = fmt::format("{:%Y%m%dT%H%M%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)));
  const std::string day = date.substr(0, 8);
  request.headers.set("X-Amz-Date", date);
  if (!keys.session_token.empty()) request.headers.set("X-Amz-Security-Token", keys.session_token.reveal());

  std::map<std::string, Secret<std::string>> headers;  // the session token is among them
  headers["host"] = Secret<std::string>(request.url.authority());
  request.headers.each([&headers](std::string_view name, std::string_view value) {
    if (equals_ignoring_case(name, "authorization")) return;
    Secret<std::string>& line = headers[to_lower(name)];
    const Secret<std::string> more(canonical_value(value));
    line = joined_secret({line.reveal(), line.empty() ? "" : ",", more.reveal()});
  });
  std::string lines;
  std::string names;
  for (const auto& [name, value] : headers) {
    for (const std::string_view part : {std::string_view(name), std::string_view(":"), value.reveal(), std::string_view("\n")})
      append_and_wipe(lines, part);
    names.append(names.empty() ? "" : ";").append(name);
  }
  const std::string_view target(request.url.target);
  const std::size_t question_mark = std::min(target.find('?'), target.size());
  const std::string_view query = question_mark < target.size() ? target.substr(question_mark + 1) : std::string_view();
  const Secret<std::string> canonical = joined_secret({to_string(request.method), "\n", canonical_path(target.substr(0, question_mark)),
                                                       "\n", canonical_query(query), "\n", lines, "\n", names, "\n", hashed(request.body)});
  clear_and_wipe(lines);
  const std::string scope = fmt::format("{}/{}/{}/aws4_request", day, region, service);
  const std::string to_sign = fmt::format("AWS4-HMAC-SHA256\n{}\n{}\n{}", date, scope, hashed(canonical.reveal()));

  Secret<std::string> key = joined_secret({"AWS4", keys.secret_access_key.reveal()});
  for (const std::string_view part : {std::string_view(day), region, service, std::string_view("aws4_request")}) {
    key = hmac_sha256(key.reveal(), part);
  }
  request.headers.set("Authorization", fmt::format("AWS4-HMAC-SHA256 Credential={}/{}, SignedHeaders={}, Signature={}", keys.access_key_id,
                                                   scope, names, to_hex(hmac_sha256(key.reveal(), to_sign).reveal())));
}

}  // namespace rollcall
