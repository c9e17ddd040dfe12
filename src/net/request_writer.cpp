#include "net/request_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "async/token_rules.hpp"
#include "core/text.hpp"

namespace rollcall {

namespace {

bool is_token_char(char c) noexcept { return is_alnum(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos; }
bool is_name(std::string_view text) noexcept { return !text.empty() && std::all_of(text.begin(), text.end(), is_token_char); }
bool is_value(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) { return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f); });
}
// No blanks, no controls, ASCII only: what can neither end the request line nor split it.
bool is_graphic(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

// Fields that frame the message or belong to the connection: a second one would contradict the transport's own.
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

Result<void> check_request(const HttpRequest& request) {
  const Url& url = request.url;
  if (!is_graphic(url.host) || url.host.find_first_of("/?#@[]\\") != std::string::npos) return invalid(request, "names no valid host");
  if (!is_graphic(url.target) || url.target[0] != '/')
    return invalid(request, "has a target with blanks, control characters or no leading '/'");
  bool has_authorization = !request.bearer.empty();
  const char* fault = nullptr;
  request.headers.each([&](std::string_view name, std::string_view value) {
    if (!is_name(name))
      fault = "has a header field with an invalid name";
    else if (!is_value(value))
      fault = "has a header field whose value holds control characters";
    else if (is_reserved(name))
      fault = "sets a header field that the transport itself sets (Host, Content-Length, Connection …)";
    else if (equals_ignoring_case(name, "authorization")) {
      if (!request.bearer.empty()) fault = "has a token and an Authorization field";
      has_authorization = true;
    }
  });
  if (fault) return invalid(request, fault);
  if (!request.bearer.empty() && !is_graphic(request.bearer.reveal()))
    return invalid(request, "has a token with blanks or control characters");
  if (has_authorization && !url.is_https && !is_loopback(url.host)) {
    return Failure(Errc::refused_by_policy, fmt::format("a token would go to {} without encryption", url.host))
        .with_hint("use https, or a loopback address");
  }
  return {};
}

namespace {

void append_authority(std::string& out, const Url& url) {
  const bool is_v6 = url.host.find(':') != std::string::npos;
  if (is_v6) out += '[';
  out += std::string_view(url.host).substr(0, is_v6 ? url.host.find('%') : std::string::npos);  // a zone means nothing to the peer
  if (is_v6) out += ']';
  if (url.port != (url.is_https ? 443 : 80)) fmt::format_to(std::back_inserter(out), ":{}", url.port);
}

}  // namespace

void append_request(std::string& out, const HttpRequest& request, std::string_view user_agent) {
  out += to_string(request.method);
  out += ' ';
  out += request.url.target;
  out += " HTTP/1.1\r\nHost: ";
  append_authority(out, request.url);
  if (!user_agent.empty() && is_value(user_agent)) {
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
    fmt::format_to(std::back_inserter(out), "Content-Length: {}\r\n", request.body.size());
  }
  out += "\r\n";
  out += request.body;
}

}  // namespace rollcall
