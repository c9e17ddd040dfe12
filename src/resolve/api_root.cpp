#include "resolve/api_root.hpp"

#include <fmt/format.h>

namespace rollcall {

Result<Url> parse_api_root(std::string_view origin_of_value, std::string_view text) {
  Result<Url> url = Url::parse(text);
  if (!url || url->target.find('?') != std::string::npos) {
    if (!url) return Failure(Errc::invalid_argument, fmt::format("{} is not the root of an API: {}", origin_of_value, url.error().what()));
    return Failure(Errc::invalid_argument,
                   fmt::format("{} is not the root of an API: it has a query: {}", origin_of_value, url->without_query()));
  }
  if (!url->target.ends_with('/')) url->target += '/';
  return url;
}

}  // namespace rollcall
