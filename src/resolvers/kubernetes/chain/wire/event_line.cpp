#include "resolvers/kubernetes/chain/wire/event_line.hpp"

#include <fmt/format.h>

#include "json/json_dom.hpp"
#include "resolvers/kubernetes/chain/wire/object_parts.hpp"

namespace rollcall {

Result<std::optional<KubeEvent>> parse_event_line(std::string_view json, const ParseLimits& limits) {
  const Result<JsonDocument> document = JsonDocument::parse("the watch of events", json, limits);
  if (!document) return document.error();
  const std::string type = text_at(document->root(), "type", 32);
  const boost::json::value* const object = find(document->root(), "object");
  if (type.empty() || !object) return Failure(Errc::malformed_response, "the watch of events: a line has no type or no object");
  if (type == "ERROR") {
    return Failure(Errc::unavailable, fmt::format("the watch of events ended: {}", text_at(*object, "message", max_cause_text)));
  }
  std::optional<KubeEvent> event;
  const boost::json::value* const about = find(*object, "involvedObject");
  if ((type != "ADDED" && type != "MODIFIED") || !about) return event;
  event.emplace();
  event->kind = text_at(*about, "kind", 64);
  event->namespace_name = text_at(*about, "namespace");
  event->name = text_at(*about, "name");
  event->uid = text_at(*about, "uid", 128);
  event->reason = text_at(*object, "reason", 128);
  event->message = text_at(*object, "message", max_cause_text);
  event->type = text_at(*object, "type", 64);
  return event;
}

}  // namespace rollcall
