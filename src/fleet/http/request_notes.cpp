#include "fleet/http/request_notes.hpp"

#include <fmt/format.h>

#include "fleet/entry/rules/request_rules.hpp"

namespace rollcall::fleet {

void log_request(ServiceEntry& entry, ServedRequest::Kind kind, const ServerExchange& exchange, const RequestNotes& notes) {
  if (!entry.logs_requests()) return;
  const ServerRequest& request = exchange.request();
  const std::string_view method = request.method == "GET" || request.method == "HEAD" ? std::string_view(request.method) : "?";
  const std::string asked = fmt::format("{} {}{}", method, notes.place, notes.question);
  const std::string trace_id = trace_id_of(joined_field(request.headers, "traceparent"));
  ServedRequest served;
  served.target = notes.target;
  if (notes.client) served.identity = notes.client->identity.text;
  served.peer = request.peer;
  served.trace_id = trace_id;
  served.kind = kind;
  served.request = asked;
  served.status = exchange.answered_status();
  served.bytes = exchange.answered_bytes();
  served.took = entry.now() - notes.began;
  if (kind == ServedRequest::Kind::stream_ended) served.reason = notes.ended;
  entry.log(served);
}

void finish_request(ServiceEntry& entry, const ServerExchange& exchange, const RequestNotes& notes) {
  if (exchange.answered_status() == 0) return;
  entry.numbers().add_request(notes.place, exchange.answered_status());
  if (notes.ended.empty()) {
    entry.numbers().add_bytes(exchange.answered_bytes());
  } else {
    entry.numbers().add_end(notes.ended);
  }
  log_request(entry, notes.ended.empty() ? ServedRequest::Kind::request_served : ServedRequest::Kind::stream_ended, exchange, notes);
}

}  // namespace rollcall::fleet

namespace rollcall {

std::string_view to_string(ServedRequest::Kind kind) noexcept {
  switch (kind) {
    case ServedRequest::Kind::request_served: return "request_served";
    case ServedRequest::Kind::stream_started: return "stream_started";
    case ServedRequest::Kind::stream_ended: return "stream_ended";
    case ServedRequest::Kind::answer_refused: return "answer_refused";
  }
  return "?";
}

}  // namespace rollcall
