#include "net/server/answer_writer.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/status.hpp>
#include <optional>

#include "base/append_formatted.hpp"
#include "base/field_text.hpp"
#include "base/text.hpp"

namespace rollcall {

namespace {

// Up to this size copying is cheaper than a further piece for the socket, and a further TLS record.
constexpr std::size_t copied_at_most = 8 * 1024;

void append_chunk(std::string& out, std::string_view bytes) {
  append_formatted(out, "{:x}\r\n", bytes.size());
  out.append(bytes).append("\r\n");
}

void append_fields(std::string& out, const HttpResponse& response) {
  const auto known = boost::beast::http::int_to_status(static_cast<unsigned>(response.status));
  const auto phrase = boost::beast::http::obsolete_reason(known);
  append_formatted(out, "HTTP/1.1 {} {}\r\n", response.status, std::string_view(phrase.data(), phrase.size()));
  response.headers.each(
      [&out](std::string_view name, std::string_view value) { out.append(name).append(": ").append(value).append("\r\n"); });
}

void append_end_of_head(std::string& out, const HttpResponse& response, bool keeps_alive) {
  if (!keeps_alive && !response.headers.get("Connection")) out += "Connection: close\r\n";
  out += "\r\n";
}

// Sent instead of an answer whose head contains invalid bytes.
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

// Head and body, except a body that is sent as a piece of its own.
std::string_view append_answer(std::string& out, const HttpResponse& head, std::string_view body, bool is_head, bool keeps_alive) {
  const bool may_have_body = head.status >= 200 && head.status != 204 && head.status != 304;
  const bool is_chunked = head.headers.get("Transfer-Encoding").has_value();
  append_fields(out, head);
  if (may_have_body && !is_chunked && !head.headers.get("Content-Length")) append_formatted(out, "Content-Length: {}\r\n", body.size());
  append_end_of_head(out, head, keeps_alive);
  if (is_head || !may_have_body) return {};
  if (is_chunked) {
    constexpr std::size_t piece = 64 * 1024;
    for (std::size_t at = 0; at < body.size(); at += piece) append_chunk(out, body.substr(at, piece));
    out += "0\r\n\r\n";
    return {};
  }
  if (body.size() > copied_at_most) return body;
  out += body;
  return {};
}

}  // namespace

ClosedWatch::ClosedWatch(ServerExchange& exchange, AsyncEvent& event) : event_(event) {
  exchange.watches_.push_back(*this);
  if (exchange.is_closed_) {
    event_.wake();
  } else {
    exchange.on_watched();
  }
}

void ServerExchange::note_closed() noexcept {
  is_closed_ = true;
  for (ClosedWatch& watch : watches_) watch.event_.wake();
}

asio::awaitable<void> ServerExchange::wait_closed() {
  AsyncEvent gone;
  const ClosedWatch watch(*this, gone);
  while (!is_closed_) {
    const bool is_woken = co_await gone.wait();
    if (!is_woken) co_return;
  }
}

void AnswerWriter::begin_answer(Terms terms) noexcept {
  terms_ = terms;
  has_replied_ = false;
  note_answer(0, 0);
}

asio::awaitable<bool> AnswerWriter::answer(const HttpResponse& head, std::string_view body) {
  if (has_replied_) co_return false;  // one answer per request
  has_replied_ = true;
  if (boost::beast::iequals(head.headers.get("Connection").value_or(""), "close")) terms_.keeps_alive = false;
  const std::optional<HttpResponse> instead = instead_of(head);
  std::string out;
  const std::string_view apart =
      append_answer(out, instead ? *instead : head, instead ? std::string_view(instead->body) : body, terms_.is_head, terms_.keeps_alive);
  const std::array<std::string_view, 2> pieces{out, apart};
  note_answer(instead ? instead->status : head.status, terms_.is_head ? 0 : instead ? instead->body.size() : body.size());
  const bool is_sent = co_await send(pieces);
  if (!is_sent) terms_.keeps_alive = false;
  co_return is_sent;
}

asio::awaitable<bool> AnswerWriter::reply(const HttpResponse& head, std::shared_ptr<const std::string> body) {
  co_return co_await answer(head, *body);
}

asio::awaitable<bool> AnswerWriter::start_chunks(const HttpResponse& head) {
  if (has_replied_) co_return false;
  if (!terms_.takes_chunks) terms_.keeps_alive = false;
  const std::optional<HttpResponse> instead = instead_of(head);
  const HttpResponse& sent = instead ? *instead : head;
  std::string out;
  append_fields(out, sent);
  if (terms_.takes_chunks && !sent.headers.get("Transfer-Encoding")) out += "Transfer-Encoding: chunked\r\n";
  append_end_of_head(out, sent, terms_.keeps_alive);
  const std::array<std::string_view, 1> pieces{out};
  note_answer(sent.status, 0);
  co_return co_await send(pieces);
}

asio::awaitable<bool> AnswerWriter::write_chunk(std::string_view bytes) {
  if (bytes.empty() || terms_.is_head) co_return !is_closed();
  std::string out;
  std::array<std::string_view, 3> pieces{bytes};
  if (terms_.takes_chunks && bytes.size() <= copied_at_most) {
    append_chunk(out, bytes);
    pieces[0] = out;
  } else if (terms_.takes_chunks) {
    out = fmt::format("{:x}\r\n", bytes.size());
    pieces = {out, bytes, "\r\n"};
  }
  note_chunk(bytes.size());
  co_return co_await send(pieces);
}

asio::awaitable<bool> AnswerWriter::end_chunks() {
  has_replied_ = true;
  const std::array<std::string_view, 1> pieces{terms_.takes_chunks && !terms_.is_head ? "0\r\n\r\n" : ""};
  const bool is_sent = co_await send(pieces);
  if (!is_sent) terms_.keeps_alive = false;
  co_return is_sent;
}

asio::awaitable<bool> AnswerWriter::write_raw(std::string_view bytes) {
  terms_.keeps_alive = false;
  const std::array<std::string_view, 1> pieces{bytes};
  co_return co_await send(pieces);
}

}  // namespace rollcall
