#include "call/api_root.hpp"

#include <fmt/format.h>

namespace rollcall {

Result<Url> parse_api_root(std::string_view origin_of_value, std::string_view text, std::string_view what) {
  Result<Url> url = Url::parse(text);
  if (!url) return Failure(Errc::invalid_argument, fmt::format("{} is not {}: {}", origin_of_value, what, url.error().what()));
  if (url->target.find('?') != std::string::npos) {
    return Failure(Errc::invalid_argument, fmt::format("{} is not {}: it has a query: {}", origin_of_value, what, url->without_query()));
  }
  if (!url->target.ends_with('/')) url->target += '/';
  return url;
}

}  // namespace rollcall
