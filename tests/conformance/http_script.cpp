#include "conformance/http_script.hpp"

namespace rollcall::conformance {

HttpScript::HttpScript(const std::vector<HttpEntry>& entries, std::function<double()> seconds)
    : entries_(entries), seconds_(std::move(seconds)), used_(entries.size()) {}

std::optional<HttpScript::Pick> HttpScript::peek(const SeenRequest& request) const {
  constexpr double rounding = 1e-9;
  const double now = seconds_() + rounding;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const HttpEntry& entry = entries_[i];
    if (entry.times && used_[i] >= *entry.times) continue;
    if (!request.matches(entry.request)) continue;
    Pick pick;
    pick.entry = i;
    pick.delay = entry.delay;
    double latest = 0;
    for (const auto& [from, answer] : entry.answers) {
      if (from > now || (pick.answer && from < latest)) continue;
      latest = from;
      pick.answer = &answer;
    }
    if (pick.answer) return pick;
  }
  return std::nullopt;
}

std::optional<HttpScript::Pick> HttpScript::take(SeenRequest request) {
  const std::optional<Pick> pick = peek(request);
  if (pick) {
    ++used_[pick->entry];
  } else {
    unmatched_.push_back(request.to_text());
  }
  requests_.push_back(std::move(request));
  return pick;
}

}  // namespace rollcall::conformance
