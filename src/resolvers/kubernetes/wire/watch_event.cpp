#include "resolvers/kubernetes/wire/watch_event.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "json/raw_json.hpp"
#include "resolvers/kubernetes/wire/pod_list.hpp"

namespace rollcall {
namespace {

// A type in its quotes.
WatchEventType type_of(std::string_view raw) {
  if (raw == "\"ADDED\"") return WatchEventType::added;
  if (raw == "\"MODIFIED\"") return WatchEventType::modified;
  if (raw == "\"DELETED\"") return WatchEventType::deleted;
  if (raw == "\"BOOKMARK\"") return WatchEventType::bookmark;
  if (raw == "\"ERROR\"") return WatchEventType::error;
  return WatchEventType::other;
}

Failure malformed_event(std::string_view what, std::string_view line) {
  return Failure(Errc::malformed_response, fmt::format("the watch sent {}: {}", what, quoted(line, 80)));
}

// A text without escapes, such as a version.
std::string plain_text_of(std::optional<std::string_view> raw) {
  if (!raw || raw->size() < 2 || raw->front() != '"') return {};
  return std::string(raw->substr(1, raw->size() - 2));
}

std::string version_of(std::string_view object) {
  const auto metadata = raw_json_member(object, "metadata");
  return metadata ? plain_text_of(raw_json_member(*metadata, "resourceVersion")) : std::string();
}

bool is_of_pod(WatchEventType type) {
  return type == WatchEventType::added || type == WatchEventType::modified || type == WatchEventType::deleted;
}

// The object of an event, and how many pods it is: one, if the line is JSON.
Result<int> read_pod(std::string_view object, const ParseLimits& limits, WatchEvent& event) {
  int pods = 0;
  PodListParser parser(
      [&event, &pods](Pod& pod) {
        ++pods;
        event.pod = std::move(pod);
        return Result<void>();
      },
      PodDetail::readiness, limits);
  for (const std::string_view part : {std::string_view(R"({"items":[)"), object, std::string_view("]}")}) {
    if (const Result<void> fed = parser.feed(part); !fed) return fed.error();
  }
  if (const Result<void> ended = parser.finish(); !ended) return ended.error();
  event.resource_version = event.pod.resource_version;
  return pods;
}

// An event of a pod as API servers write it, first the type, then the object, and nothing else: its text is read once, by the parser of the
// pod. False: it is written in another way, or is no event.
bool read_in_usual_form(std::string_view line, const ParseLimits& limits, WatchEvent& event) {
  constexpr std::string_view before_type = R"({"type":)";
  constexpr std::string_view before_object = R"(,"object":)";
  const std::size_t end = line.find(',');
  if (!line.starts_with(before_type) || end == std::string_view::npos) return false;
  std::string_view object = line.substr(end);
  if (!object.starts_with(before_object) || !object.ends_with('}')) return false;
  object.remove_prefix(before_object.size());
  object.remove_suffix(1);
  event.type = type_of(line.substr(before_type.size(), end - before_type.size()));
  if (!is_of_pod(event.type)) return false;
  const Result<int> pods = read_pod(object, limits, event);
  return pods && *pods == 1;
}

}  // namespace

Result<WatchEvent> parse_watch_event(std::string_view line, const ParseLimits& limits) {
  WatchEvent event;
  if (read_in_usual_form(line, limits, event)) return event;
  event = WatchEvent();
  const auto type = raw_json_member(line, "type");
  const auto object = raw_json_member(line, "object");
  if (!type || !object) return malformed_event("a line that is no event", line);
  event.type = type_of(*type);
  switch (event.type) {
    case WatchEventType::other: break;
    case WatchEventType::bookmark:
      event.resource_version = version_of(*object);
      if (event.resource_version.empty()) return malformed_event("a bookmark without a version", line);
      break;
    case WatchEventType::error: {
      const auto code = raw_json_member(*object, "code");
      event.status = parse_google_error(code ? parse_decimal<int>(*code, 0, 999).value_or(0) : 0, "application/json", *object);
      break;
    }
    default: {
      const Result<int> read = read_pod(*object, limits, event);
      if (!read) return read.error();
    }
  }
  return event;
}

}  // namespace rollcall
