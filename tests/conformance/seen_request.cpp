#include "conformance/seen_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/parse.hpp>

#include "base/text.hpp"
#include "base/url.hpp"
#include "conformance/compare.hpp"
#include "conformance/text_form.hpp"

namespace rollcall::conformance {
namespace {

std::string decode(std::string_view text) { return percent_decode(text).value_or(std::string(text)); }

// In a query a plus sign is a blank.
std::string decode_query(std::string_view text) {
  std::string blanks(text);
  std::replace(blanks.begin(), blanks.end(), '+', ' ');
  return decode(blanks);
}

std::string normal_host(std::string_view host, std::string_view scheme) {
  const std::string_view port = scheme == "https" ? ":443" : ":80";
  if (host.ends_with(port)) host.remove_suffix(port.size());
  return to_lower(host);
}

bool contains_method(const HttpMatch& match, std::string_view method) {
  return !match.method || equals_ignoring_case(*match.method, method);
}

}  // namespace

SeenRequest SeenRequest::from(const ServerRequest& request) {
  SeenRequest result;
  result.method = request.method;
  result.scheme = request.is_https ? "https" : "http";
  result.host = normal_host(request.host, result.scheme);
  result.set_target(request.target);
  result.headers = request.headers;
  result.body = request.body;
  return result;
}

SeenRequest SeenRequest::from(const HttpRequest& request) {
  SeenRequest result;
  result.method = to_string(request.method);
  result.scheme = request.url.is_https ? "https" : "http";
  result.host = normal_host(request.url.authority(), result.scheme);
  result.set_target(request.url.target);
  result.headers = request.headers;
  if (!request.bearer.empty()) result.headers.add("Authorization", "Bearer " + std::string(request.bearer.reveal()));
  result.body = request.body;
  return result;
}

void SeenRequest::set_target(std::string_view target) {
  const std::size_t mark = target.find('?');
  path = decode(target.substr(0, mark));
  if (mark == std::string_view::npos) return;
  std::string_view rest = target.substr(mark + 1);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
    const std::size_t equals = pair.find('=');
    if (pair.empty()) continue;
    query.emplace_back(decode_query(pair.substr(0, equals)), equals == std::string_view::npos ? "" : decode_query(pair.substr(equals + 1)));
  }
}

std::string SeenRequest::to_text() const {
  std::string text = fmt::format("{} {}://{}{}", method, scheme, host, path);
  for (std::size_t i = 0; i < query.size(); ++i) text += fmt::format("{}{}={}", i == 0 ? '?' : '&', query[i].first, query[i].second);
  return printable(text, 300);
}

bool SeenRequest::matches(const HttpMatch& match) const {
  if (!contains_method(match, method) || (match.scheme && to_lower(*match.scheme) != scheme)) return false;
  if (match.host && normal_host(*match.host, scheme) != host) return false;
  const auto is_path = [this](const std::string& wanted) { return wanted == path || decode(wanted) == path; };
  if (!match.paths.empty() && std::none_of(match.paths.begin(), match.paths.end(), is_path)) return false;
  for (const auto& pair : match.query) {
    if (std::find(query.begin(), query.end(), pair) == query.end()) return false;
  }
  for (const std::string& absent : match.query_absent) {
    if (std::any_of(query.begin(), query.end(), [&](const auto& pair) { return pair.first == absent; })) return false;
  }
  if (missing_header(*this, match.headers)) return false;
  if (match.body_json) {
    std::error_code error;
    const json::value parsed = json::parse(body, error);
    if (error || mismatch(*match.body_json, parsed)) return false;
  }
  return true;
}

std::optional<std::string> missing_header(const SeenRequest& request, const std::vector<std::pair<std::string, json::value>>& headers) {
  for (const auto& [name, wanted] : headers) {
    bool is_there = false;
    std::string found;
    request.headers.each([&, &header = name, &expected = wanted](std::string_view field, std::string_view value) {
      if (!equals_ignoring_case(field, header)) return;
      found = value;
      const bool is_text = expected.is_string() || expected.is_object();
      is_there = is_there || !mismatch(is_text ? expected : json::value(scalar_text(expected)), json::value(value));
    });
    if (!is_there)
      return fmt::format("{}: {} ({})", name, short_text(wanted), found.empty() ? "absent" : "it is '" + printable(found) + "'");
  }
  return std::nullopt;
}

}  // namespace rollcall::conformance
