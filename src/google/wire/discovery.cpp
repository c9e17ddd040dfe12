// Google API discovery.
#include "google/wire/discovery.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "base/url.hpp"
#include "json/json_dom.hpp"
#include "rollcall/http_message.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_endpoint_bytes = 4096;

bool is_visible_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c > ' ' && c < 0x7f; });
}

bool is_variable_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return is_alnum(c) || c == '_' || c == '.'; });
}

Failure malformed(std::string_view what) { return Failure(Errc::malformed_response, fmt::format("the discovery document {}", what)); }

}  // namespace

Result<std::string> expand_discovery_template(std::string_view source, std::string_view address, std::string_view api,
                                              std::string_view api_version) {
  const auto refuse = [&](std::string_view what) {
    return Failure(Errc::invalid_argument, fmt::format("the discovery address in {} {}: {}", source, what, quoted(address, 200)))
        .with_hint("Expected is a URL with at most {api} and {apiVersion} in it.");
  };
  if (address.size() > max_endpoint_bytes) return refuse("is too long");
  if (!is_visible_ascii(address)) return refuse("contains blanks or other characters that a URL cannot have");
  std::string expanded;
  std::size_t at = 0;
  while (at < address.size()) {
    const std::size_t brace = std::min(address.find_first_of("{}", at), address.size());
    expanded += address.substr(at, brace - at);
    if (brace == address.size()) break;
    const std::size_t end = address.find_first_of("{}", brace + 1);
    if (address[brace] == '}' || end == std::string_view::npos || address[end] == '{') return refuse("has unbalanced braces");
    const std::string_view name = address.substr(brace + 1, end - brace - 1);
    if (!is_variable_name(name)) return refuse("has something other than a variable's name in braces");
    if (name == "api") expanded += percent_encode_path_segment(api);
    if (name == "apiVersion") expanded += percent_encode_path_segment(api_version);
    if (expanded.size() > max_endpoint_bytes) return refuse("expands to too long a text");
    at = end + 1;
  }
  return expanded;
}

std::string DiscoveryDocument::base_url() const {
  std::string url = root_url;
  if (url.empty() || url.back() != '/') url += '/';
  url += std::string_view(service_path).substr(std::min(service_path.find_first_not_of('/'), service_path.size()));
  if (url.back() != '/') url += '/';
  return url;
}

Result<DiscoveryDocument> parse_discovery(std::string_view json, const ParseLimits& limits) {
  const Result<JsonDocument> document = JsonDocument::parse("the discovery document", json, limits);
  if (!document) return document.error();
  const boost::json::value& root = document->root();
  if (!root.is_object()) return malformed(fmt::format("is {}, not an object", kind_name(root)));
  DiscoveryDocument result;
  const auto root_url = find_text(root, "rootUrl");
  if (!root_url || root_url->empty()) return malformed("has no rootUrl");
  const bool is_url = root_url->size() <= max_endpoint_bytes && is_visible_ascii(*root_url) &&
                      root_url->find_first_of("?#{}") == std::string_view::npos && Url::parse(*root_url).has_value();
  if (!is_url) return malformed(fmt::format("has a rootUrl that is no http or https URL: {}", quoted(*root_url, 200)));
  result.root_url = *root_url;
  if (const boost::json::value* path = find(root, "servicePath")) {
    if (!path->is_string()) return malformed(fmt::format("has a servicePath that is {}", kind_name(*path)));
    const std::string_view text(path->get_string());
    const bool is_path = text.size() <= max_endpoint_bytes && is_visible_ascii(text) &&
                         text.find_first_of("?#{}\\") == std::string_view::npos && text.find("//") == std::string_view::npos &&
                         text.find("..") == std::string_view::npos;
    if (!is_path) return malformed(fmt::format("has a servicePath that is no path: {}", quoted(text, 200)));
    result.service_path = text;
  }
  result.version = find_text(root, "version").value_or("").substr(0, 64);
  return result;
}

}  // namespace rollcall
