#include "fleet/wire/event_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/text.hpp"

namespace rollcall::fleet {
namespace {

// Of a type or an id, which each event has; known ones are shorter.
constexpr std::size_t max_word = 128;

// At most max_word bytes of a UTF-8 text, without a part of a character at the end.
std::string_view shortened_word(std::string_view text) {
  if (text.size() <= max_word) return text;
  std::size_t end = max_word;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

void append_field_line(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).push_back('\n');
}

}  // namespace

std::string render_server_event(std::string_view type, std::string_view data, std::string_view id) {
  std::string out;
  out.reserve(type.size() + data.size() + id.size() + 32);
  if (!id.empty()) append_field_line(out, "id", id);
  if (!type.empty()) append_field_line(out, "event", type);
  for (const std::string_view line : split(data, '\n')) append_field_line(out, "data", line);
  out += '\n';
  return out;
}

std::string render_retry(std::chrono::milliseconds pause) { return fmt::format("retry: {}\n\n", pause.count()); }

Result<void> EventStreamReader::feed(std::string_view bytes) {
  const auto too_long = [this] {
    return Failure(Errc::limit_exceeded, fmt::format("the event stream: an event or a line is longer than {} bytes", max_));
  };
  while (!bytes.empty()) {
    if (ends_with_cr_ && bytes.front() == '\n') {
      ends_with_cr_ = false;
      bytes.remove_prefix(1);
      continue;
    }
    ends_with_cr_ = false;
    const std::size_t end = bytes.find_first_of("\r\n");
    const std::string_view part = bytes.substr(0, end);
    if (part.size() > max_ - line_.size()) return too_long();
    if (end == std::string_view::npos) {
      line_ += part;
      return {};
    }
    ends_with_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    std::string_view line = part;
    if (!line_.empty()) line = line_.append(part);
    if (is_first_) line = without_byte_order_mark(line);
    is_first_ = false;
    if (!is_valid_utf8(line)) return Failure(Errc::malformed_response, "the event stream: a line is not UTF-8");
    if (line.size() > max_ - std::min(max_, data_.size())) return too_long();
    take_line(line);
    line_.clear();
  }
  return {};
}

std::optional<ServerEvent> EventStreamReader::next() {
  if (events_.empty()) return std::nullopt;
  ServerEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

void EventStreamReader::take_line(std::string_view line) {
  if (line.empty()) {
    if (has_data_) events_.emplace_back(type_.empty() ? std::string("message") : std::move(type_), std::move(data_), id_);
    has_data_ = false;
    type_.clear();
    data_.clear();
    return;
  }
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "data") {
    if (has_data_) data_ += '\n';
    data_ += value;
    has_data_ = true;
  } else if (name == "event") {
    type_ = shortened_word(value);
  } else if (name == "id") {
    if (value.find('\0') == std::string_view::npos) id_ = shortened_word(value);
  } else if (name == "retry") {
    constexpr std::int64_t a_day = 24 * 60 * 60 * 1000;
    if (const auto pause = parse_decimal<std::int64_t>(value, 0, a_day)) retry_ = std::chrono::milliseconds(*pause);
  }
}

}  // namespace rollcall::fleet
