#include "call/rules/token_end.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/base64.hpp"
#include "base/text.hpp"
#include "base/wiped_buffer.hpp"
#include "json/json_dom.hpp"

namespace rollcall {

std::optional<WallTime> token_end(std::string_view token) {
  constexpr std::size_t max_token = 64 * 1024;
  if (token.size() > max_token || std::count(token.begin(), token.end(), '.') != 2) return std::nullopt;
  std::optional<std::string> claims = base64url_decode(split(token, '.')[1]);
  if (!claims) return std::nullopt;
  ParseLimits limits;
  limits.max_document = max_token;
  const Result<JsonDocument> document = JsonDocument::parse("the token", *claims, limits);
  clear_and_wipe(*claims);
  const boost::json::value* const end = document && document->root().is_object() ? find(document->root(), "exp") : nullptr;
  if (!end || !end->is_number()) return std::nullopt;
  const double seconds = end->to_number<double>();
  constexpr double max = 9'000'000'000.0;  // the year 2255
  if (std::isnan(seconds)) return std::nullopt;
  return WallTime(std::chrono::seconds(static_cast<std::int64_t>(std::clamp(seconds, -max, max))));
}

}  // namespace rollcall
