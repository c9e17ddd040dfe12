#include "resolvers/slurm/wire/slurm_list_feed.hpp"

#include <fmt/format.h>

namespace rollcall {
namespace {

constexpr std::size_t max_rest = 1 << 20;
constexpr std::size_t max_element = 4 << 20;
constexpr std::size_t list_depth = 2;  // within the document's object, and within the list

bool is_json_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

SlurmListFeed::SlurmListFeed(std::string document, std::string key, Take take, const ParseLimits& limits)
    : document_(std::move(document)), key_(std::move(key)), take_(std::move(take)), limits_(limits), memory_(limits.share()) {
  limits_.max_document = max_element;
}

Result<void> SlurmListFeed::take_element() {
  const Result<JsonDocument> document = JsonDocument::parse(document_, element_, limits_);
  const std::size_t texts = element_.size() / 2;  // the rest is keys, and values that are not kept
  element_.clear();
  if (!document) return document.error();
  if (count_ >= limits_.max_nodes)
    return Failure(Errc::limit_exceeded, fmt::format("{} has more than {} {}", document_, limits_.max_nodes, key_));
  std::string fault;
  const SlurmObject object(&document->root(), fmt::format("{}[{}]", key_, count_++), fault);
  const std::size_t kept = take_(object);
  if (kept > 0 && !memory_.charge(kept + texts)) return too_much_memory(document_, memory_);
  if (!fault.empty()) return Failure(Errc::malformed_response, document_ + ": " + fault);
  return {};
}

// Keeps track of texts and of the depth; the document itself is checked by the parsers of its parts.
void SlurmListFeed::note_character(char c) {
  if (is_in_text_) {
    if (is_escaped_) {
      is_escaped_ = false;
    } else if (c == '\\') {
      is_escaped_ = true;
    } else if (c == '"') {
      is_in_text_ = false;
    } else if (depth_ == 1 && text_.size() <= key_.size()) {
      text_ += c;
    }
    return;
  }
  if (c == '"') {
    is_in_text_ = true;
    if (depth_ == 1) text_.clear();
  } else if (c == '{' || c == '[') {
    if (c == '[' && depth_ == 1 && is_value_ && text_ == key_) is_in_list_ = true;
    ++depth_;
  } else if (c == '}' || c == ']') {
    if (depth_ > 0) --depth_;
    if (depth_ < list_depth) is_in_list_ = false;
  } else if (depth_ == 1 && (c == ':' || c == ',')) {
    is_value_ = c == ':';
  }
}

Result<void> SlurmListFeed::feed(std::string_view piece) {
  for (const char c : piece) {
    const bool was_in_list = is_in_list_;
    if (!is_in_element_ && was_in_list && depth_ == list_depth && c == '{') is_in_element_ = true;
    note_character(c);
    if (is_in_element_) {
      if (element_.size() >= max_element)
        return Failure(Errc::limit_exceeded, fmt::format("{}: {}[{}] has more than {} bytes", document_, key_, count_, max_element));
      element_ += c;
      if (depth_ > list_depth || is_in_text_) continue;
      is_in_element_ = false;
      const Result<void> taken = take_element();
      if (!taken) return taken;
      continue;
    }
    // The commas between elements belong to them.
    const bool is_between = was_in_list && is_in_list_ && depth_ == list_depth && count_ > 0 && (c == ',' || is_json_blank(c));
    if (is_between) continue;
    if (rest_.size() >= max_rest)
      return Failure(Errc::limit_exceeded, fmt::format("{}: more than {} bytes beside {}", document_, max_rest, key_));
    rest_ += c;
  }
  return {};
}

Result<void> SlurmListFeed::finish() {
  if (is_in_element_) return Failure(Errc::malformed_response, fmt::format("{} ends within {}[{}]", document_, key_, count_));
  const Result<JsonDocument> document = JsonDocument::parse(document_, rest_, limits_);
  if (!document) return document.error();
  if (document->root().is_object()) errors_ = slurm_errors(document->root());
  std::string ignored;  // it only saves requests
  last_update_ = SlurmObject(&document->root(), "", ignored).number("last_update").value;
  const boost::json::value* const list = find(document->root(), key_);
  if (!list || !list->is_array()) {
    if (!errors_.empty()) return {};
    return Failure(Errc::malformed_response, fmt::format("{} has no list {}", document_, key_))
        .with_hint("is it an answer of Slurm's, or of another server?");
  }
  if (!list->get_array().empty())
    return Failure(Errc::malformed_response,
                   fmt::format("{}: {} has {}, not an object", document_, key_, kind_name(list->get_array().front())));
  return {};
}

}  // namespace rollcall
