#include "net/codec/request_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/append_formatted.hpp"
#include "base/field_text.hpp"
#include "base/text.hpp"
#include "call/token_rules.hpp"

namespace rollcall {

namespace {

// Fields that frame the message or belong to the connection: duplicates would contradict the transport's own.
bool is_reserved(std::string_view name) noexcept {
  static constexpr std::array<std::string_view, 11> reserved{
      "host",    "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "te",
      "trailer", "expect",         "accept-encoding",   "user-agent"};
  return std::any_of(reserved.begin(), reserved.end(), [&](std::string_view r) { return equals_ignoring_case(name, r); });
}

Failure invalid(const HttpRequest& request, std::string_view what) {
  return Failure(Errc::invalid_argument,
                 fmt::format("a request to {} {}", is_graphic(request.url.host) ? request.url.host : "a host", what));
}

}  // namespace

bool has_secret_in_clear(const HttpRequest& request) {
  if (request.url.is_https) return false;
  bool has_secret = !request.bearer.empty();
  request.headers.each([&](std::string_view name, std::string_view) {
    for (const std::string_view secret : {"authorization", "proxy-authorization"})
      has_secret = has_secret || equals_ignoring_case(name, secret);
  });
  return has_secret;
}

bool is_harmless_field(std::string_view name) noexcept {
  static constexpr std::array<std::string_view, 6> harmless{"accept",        "content-type",    "if-none-match",
                                                            "last-event-id", "metadata-flavor", "traceparent"};
  return std::any_of(harmless.begin(), harmless.end(), [name](std::string_view h) { return equals_ignoring_case(name, h); });
}

bool may_carry_secret(const HttpRequest& request) {
  bool may = !request.body.empty() || !request.bearer.empty();
  request.headers.each([&may](std::string_view name, std::string_view) { may = may || !is_harmless_field(name); });
  return may;
}

Failure secret_in_clear(const Url& url, std::string_view where) {
  std::string by_way_of = equals_ignoring_case(url.host, where) ? std::string() : fmt::format(", by way of {},", printable(where));
  return Failure(Errc::refused_by_policy,
                 fmt::format("a token, or what may be one, would go to {}{} without encryption: nothing was sent", url.host, by_way_of))
      .with_target(url.without_query())
      .with_hint("use https; plain http with a token is for addresses of this machine only (127.0.0.0/8, ::1)");
}

Result<void> check_request(const HttpRequest& request, std::string_view user_agent) {
  const Url& url = request.url;
  const auto ends_host = [](char c) { return c == '/' || c == '?' || c == '#' || c == '@' || c == '[' || c == ']' || c == '\\'; };
  if (!is_graphic(url.host) || std::any_of(url.host.begin(), url.host.end(), ends_host)) return invalid(request, "names no valid host");
  if (!is_graphic(url.target) || url.target[0] != '/')
    return invalid(request, "has a target with blanks, control characters or no leading '/'");
  std::string fault;
  request.headers.each([&](std::string_view name, std::string_view value) {
    if (!fault.empty()) return;
    if (!is_field_name(name)) {
      fault = fmt::format("has a header field with an invalid name, {}", quoted(name, 80));
    } else if (const char* const why = field_value_fault(value)) {
      fault = fmt::format("has a header field that cannot be sent as it is: the value of {} {}", name, why);
    } else if (is_reserved(name)) {
      fault = fmt::format("sets a header field that the transport itself sets: {}", name);
    } else if (equals_ignoring_case(name, "authorization") && !request.bearer.empty()) {
      fault = "has a token and an Authorization field";
    }
  });
  if (!fault.empty()) return invalid(request, fault);
  if (!request.bearer.empty() && !is_graphic(request.bearer.reveal()))
    return invalid(request, "has a token with blanks or control characters");
  if (const char* const why = field_value_fault(user_agent)) return invalid(request, fmt::format("has a user agent that {}", why));
  if (has_secret_in_clear(request) && !is_loopback(url.host)) return secret_in_clear(url, url.host);
  return {};
}

void append_authority(std::string& out, const Url& url) {
  const bool is_v6 = url.host.find(':') != std::string::npos;
  if (is_v6) out += '[';
  out += std::string_view(url.host).substr(0, is_v6 ? url.host.find('%') : std::string::npos);  // a zone has no meaning for the peer
  if (is_v6) out += ']';
  if (url.port != (url.is_https ? 443 : 80)) append_formatted(out, ":{}", url.port);
}

std::size_t request_room(const HttpRequest& request, std::string_view user_agent) {
  constexpr std::size_t fixed_text = 256;  // the method, names, line ends, port and length
  std::size_t room = fixed_text + request.url.target.size() + request.url.host.size() + user_agent.size() + request.bearer.reveal().size() +
                     request.body.size();
  request.headers.each([&room](std::string_view name, std::string_view value) { room += name.size() + value.size() + 4; });
  return room;
}

void append_request(std::string& out, const HttpRequest& request, std::string_view user_agent) {
  out += to_string(request.method);
  out += ' ';
  out += request.url.target;
  out += " HTTP/1.1\r\nHost: ";
  append_authority(out, request.url);
  if (!user_agent.empty()) {
    out += "\r\nUser-Agent: ";
    out += user_agent;
  }
  out += "\r\nAccept-Encoding: gzip\r\n";
  if (!request.bearer.empty()) {
    out += "Authorization: Bearer ";
    out += request.bearer.reveal();
    out += "\r\n";
  }
  request.headers.each([&](std::string_view name, std::string_view value) {
    out += name;
    out += ": ";
    out += value;
    out += "\r\n";
  });
  if (!request.body.empty() || request.method == HttpMethod::post || request.method == HttpMethod::put) {
    append_formatted(out, "Content-Length: {}\r\n", request.body.size());
  }
  out += "\r\n";
  out += request.body;
}

}  // namespace rollcall
