// Error bodies of Google's services and of Kubernetes.
#include "call/rules/google_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <cstdint>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "json/json_dom.hpp"

namespace rollcall {
namespace {

namespace json = boost::json;

constexpr std::size_t max_reason_bytes = 4096;

void keep(std::string& slot, std::optional<std::string_view> text) {
  if (slot.empty() && text) slot.assign(text->substr(0, max_reason_bytes));
}

int weight_of(std::string_view reason) { return is_rate_limit(reason) ? 2 : reason == "quotaExceeded" ? 1 : 0; }

// Compute reports the reason of a 403 in one of several places.
void keep_reason(std::string& slot, std::optional<std::string_view> reason) {
  if (reason && weight_of(*reason) > weight_of(slot)) slot.clear();
  keep(slot, reason);
}

bool is_type(std::string_view type, std::string_view name) {
  return type.size() >= name.size() && type.substr(type.size() - name.size()) == name;
}

void read_detail(const json::value& detail, GoogleError& error) {
  const std::string_view type = find_text(detail, "@type").value_or("");
  if (is_type(type, "google.rpc.ErrorInfo")) {
    keep_reason(error.reason, find_text(detail, "reason"));
    if (const json::value* metadata = find(detail, "metadata")) {
      keep(error.service, find_text(*metadata, "service"));
      keep(error.permission, find_text(*metadata, "permission"));
    }
  } else if (is_type(type, "google.rpc.RetryInfo")) {
    error.note_retry_after(parse_proto_duration(find_text(detail, "retryDelay").value_or("")));
  } else if (is_type(type, "google.rpc.QuotaFailure")) {
    error.has_quota_failure = true;
  }
}

// Kubernetes' Status; kind and apiVersion are missing when a server's storage has failed.
void read_kubernetes_status(const json::value& document, GoogleError& error) {
  if (find_text(document, "status") != "Failure") return;
  error.is_json = true;
  keep(error.message, find_text(document, "message"));
  keep(error.reason, find_text(document, "reason"));
  const json::value* const details = find(document, "details");
  const json::value* const seconds = details ? find(*details, "retryAfterSeconds") : nullptr;
  constexpr std::int64_t max = 86400;
  if (seconds && seconds->is_int64() && seconds->get_int64() > 0)
    error.note_retry_after(std::chrono::seconds(std::min(seconds->get_int64(), max)));
}

// The form of other clouds and of CI servers: `{"code": "AccessDenied", "message": …}`, in either case.
void read_plain_words(const json::value& document, GoogleError& error) {
  for (const char* const key : {"code", "Code", "errorCode", "type"}) keep(error.reason, find_text(document, key));
  for (const char* const key : {"message", "Message", "detail", "error_description"}) keep(error.message, find_text(document, key));
}

void read_error(const json::value& root, GoogleError& error) {
  const json::array* array = root.if_array();
  const json::value& document = array && !array->empty() ? array->front() : root;
  const json::value* body = find(document, "error");
  if (!body) {
    read_kubernetes_status(document, error);
    if (!error.is_json) read_plain_words(document, error);
    return;
  }
  error.is_json = true;
  if (body->is_string()) {  // OAuth
    keep(error.reason, std::string_view(body->get_string()));
    keep(error.message, find_text(document, "error_description"));
    keep(error.message, find_text(document, "message"));
    return;
  }
  keep(error.message, find_text(*body, "message"));
  keep(error.status, find_text(*body, "status"));
  if (const json::value* details = find(*body, "details"); details && details->is_array()) {
    for (const json::value& detail : details->get_array()) read_detail(detail, error);
  }
  if (const json::value* errors = find(*body, "errors"); errors && errors->is_array()) {
    for (const json::value& entry : errors->get_array()) keep_reason(error.reason, find_text(entry, "reason"));
  }
}

// The text between `<NAME>` and the next tag.
std::string_view element_text(std::string_view body, std::string_view name) {
  const std::string open = fmt::format("<{}>", name);
  const std::size_t start = body.find(open);
  if (start == std::string_view::npos) return {};
  const std::string_view rest = body.substr(start + open.size());
  return trim(rest.substr(0, rest.find('<')));
}

// Whole seconds; a number with too many digits is clamped.
std::optional<Duration> parse_seconds(std::string_view digits) {
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  const auto limit = std::chrono::duration_cast<std::chrono::seconds>(max_server_delay);
  const std::int64_t seconds = parse_decimal<std::int64_t>(digits).value_or(limit.count());
  return std::chrono::seconds(std::min<std::int64_t>(seconds, limit.count()));
}

}  // namespace

std::optional<Duration> parse_retry_after(std::string_view value, WallTime now) {
  value = trim(value);
  if (const auto seconds = parse_seconds(value)) return seconds;
  const auto date = parse_http_date(value, now);
  if (!date) return std::nullopt;
  if (*date <= now) return Duration(0);
  return std::min(saturating_difference(*date, now), max_server_delay);
}

std::optional<Duration> parse_proto_duration(std::string_view value) {
  if (value.empty() || value.back() != 's') return std::nullopt;
  value.remove_suffix(1);
  const std::size_t dot = value.find('.');
  const std::optional<Duration> seconds = parse_seconds(value.substr(0, dot));
  if (!seconds || dot == std::string_view::npos) return seconds;
  std::string_view fraction = value.substr(dot + 1);
  if (fraction.empty() || fraction.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  fraction = fraction.substr(0, 9);
  auto nanoseconds = parse_decimal<std::int64_t>(fraction).value_or(0);
  for (std::size_t i = fraction.size(); i < 9; ++i) nanoseconds *= 10;
  return std::min(*seconds + Duration(nanoseconds), max_server_delay);
}

void GoogleError::note_retry_after(std::optional<Duration> delay) {
  if (delay && (!retry_delay || *retry_delay < *delay)) retry_delay = delay;
}

bool is_rate_limit(std::string_view reason) {
  return reason == "RATE_LIMIT_EXCEEDED" || reason == "rateLimitExceeded" || reason == "userRateLimitExceeded";
}

GoogleError parse_google_error(int http_status, std::string_view content_type, std::string_view body) {
  GoogleError error;
  error.code = http_status;
  const std::string_view text = trim(body);
  if (text.empty()) return error;
  if (text.front() == '{' || text.front() == '[') {
    ParseLimits limits;
    limits.max_document = 1 << 20;
    const Result<JsonDocument> document = JsonDocument::parse("the error", text, limits);
    if (document) {
      read_error(document->root(), error);
    } else {
      error.message = "the body is broken JSON";
    }
  } else if (text.front() == '<' || to_lower(content_type.substr(0, 64)).find("html") != std::string::npos) {
    const std::string_view head = text.substr(0, max_reason_bytes);
    error.message = element_text(head, "Message");  // AWS's XML, and that of Google's storage
    error.reason = element_text(head, "Code");
    if (!error.message.empty()) return error;
    const std::string_view title = element_text(head, "title");
    error.message = title.empty() ? "an HTML page" : fmt::format("an HTML page titled \"{}\"", title.substr(0, 200));
  } else {
    error.message = text.substr(0, std::min<std::size_t>(text.find_first_of("\r\n"), 200));
  }
  return error;
}

std::string describe(const GoogleError& error) {
  std::string text = fmt::format("HTTP {}", error.code);
  if (!error.status.empty()) text += " " + printable(error.status, 64);
  if (!error.reason.empty()) text += " (" + printable(error.reason, 64) + ")";
  if (!error.message.empty()) text += ": " + printable(error.message, 300);
  return text;
}

}  // namespace rollcall
