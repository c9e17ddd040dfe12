// HTTP answers as bytes, for the server.
#include <fmt/format.h>

#include <boost/beast/http/status.hpp>
#include <iterator>
#include <optional>

#include "base/field_text.hpp"
#include "base/text.hpp"
#include "net/server/server_connection.hpp"

namespace rollcall {

void append_chunk(std::string& out, std::string_view bytes) {
  fmt::format_to(std::back_inserter(out), "{:x}\r\n", bytes.size());
  out.append(bytes).append("\r\n");
}

namespace {

void append_head(std::string& out, const HttpResponse& response) {
  const auto known = boost::beast::http::int_to_status(static_cast<unsigned>(response.status));
  const auto phrase = boost::beast::http::obsolete_reason(known);
  fmt::format_to(std::back_inserter(out), "HTTP/1.1 {} {}\r\n", response.status, std::string_view(phrase.data(), phrase.size()));
  response.headers.each(
      [&out](std::string_view name, std::string_view value) { out.append(name).append(": ").append(value).append("\r\n"); });
}

// What is sent instead of an answer whose head cannot be sent as it is.
std::optional<HttpResponse> instead_of(const HttpResponse& response) {
  std::optional<HttpResponse> instead;
  response.headers.each([&instead](std::string_view name, std::string_view value) {
    const char* const fault = is_field_name(name) ? field_value_fault(value) : "is no header field's name";
    if (!fault || instead) return;
    instead.emplace();
    instead->status = 500;
    instead->body = fmt::format("The answer cannot be sent: {} {}.\n", quoted(name, 80), fault);
  });
  return instead;
}

}  // namespace

void append_chunked_head(std::string& out, const HttpResponse& response, bool keeps_alive) {
  if (const std::optional<HttpResponse> instead = instead_of(response)) return append_chunked_head(out, *instead, keeps_alive);
  append_head(out, response);
  if (!response.headers.get("Transfer-Encoding")) out += "Transfer-Encoding: chunked\r\n";
  if (!keeps_alive && !response.headers.get("Connection")) out += "Connection: close\r\n";
  out += "\r\n";
}

void append_response(std::string& out, const HttpResponse& response, bool is_head, bool keeps_alive) {
  if (const std::optional<HttpResponse> instead = instead_of(response)) return append_response(out, *instead, is_head, keeps_alive);
  const auto to = std::back_inserter(out);
  append_head(out, response);
  const bool may_have_body = response.status >= 200 && response.status != 204 && response.status != 304;
  const bool is_chunked = response.headers.get("Transfer-Encoding").has_value();
  if (may_have_body && !is_chunked && !response.headers.get("Content-Length")) {
    fmt::format_to(to, "Content-Length: {}\r\n", response.body.size());
  }
  if (!keeps_alive && !response.headers.get("Connection")) out += "Connection: close\r\n";
  out += "\r\n";
  if (is_head || !may_have_body) return;
  if (!is_chunked) {
    out += response.body;
    return;
  }
  constexpr std::size_t piece = 64 * 1024;
  const std::string_view body = response.body;
  for (std::size_t at = 0; at < body.size(); at += piece) {
    append_chunk(out, body.substr(at, piece));
  }
  out += "0\r\n\r\n";
}

}  // namespace rollcall
