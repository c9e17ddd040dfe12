#include "fleet/entry/topic_lookup.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "fleet/wire/served_target.hpp"

namespace rollcall::fleet {
namespace {

// False for a text that would be displayed as something else in a log or on a page.
bool is_plain_text(std::string_view text) { return printable(text, text.size() + 1) == text && text.find('\n') == std::string_view::npos; }

std::optional<Failure> fault_of_text(const Target& target) {
  bool is_plain = is_plain_text(target.body);
  for (const auto& [key, items] : target.options) {
    for (const std::string& item : items) is_plain = is_plain && is_plain_text(item);
  }
  if (is_plain) return std::nullopt;
  return Failure(Errc::invalid_argument, "the target holds control characters, or bytes that are not UTF-8");
}

}  // namespace

std::optional<Refusal> TopicLookup::refusal_of(const Target& target, const Client& client) const {
  if (std::optional<Failure> fault = fault_of_text(target)) return Refusal(400, std::move(*fault));
  // Only the settings may name a kubeconfig's context. A client may name such a target if it is followed already; a client without the
  // right to read it does not learn whether it is followed.
  const Result<void> served = check_served(target);
  const bool is_of_context = !served && target.get("context");
  if (is_of_context && !admission_.may_read(client, target)) return admission_.hidden(client, target.to_text());
  if (!served && !(is_of_context && fleet_->has_topic(target))) return Refusal(400, served.error());
  if (!admission_.may_read(client, target)) return admission_.hidden(client, target.to_text());
  return std::nullopt;
}

Result<std::shared_ptr<Topic>> TopicLookup::find(const Target& target, const Client& client) {
  const std::string text = canonical_target(target).to_text();
  const auto known = topics_.find(text);
  if (known != topics_.end()) {
    std::shared_ptr<Topic> topic = known->second.lock();
    if (topic) topic->name(client.namer);
    if (topic) return topic;
  }
  const Result<void> taken = admission_.take_target(client);
  if (!taken) return taken.error();
  Result<std::shared_ptr<Topic>> topic = fleet_->topic(target);
  const bool is_full = !topic && topic.error().code() == Errc::limit_exceeded;
  // Groups without listeners hold topics that the fleet could forget.
  if (is_full && groups_.drop_unused()) topic = fleet_->topic(target);
  if (!topic) return topic;
  forget_expired();
  topics_[text] = *topic;
  (*topic)->name(client.namer);
  return topic;
}

void TopicLookup::forget_expired() {
  if (topics_.size() < 2 * swept_size_) return;
  std::erase_if(topics_, [](const auto& one) { return one.second.expired(); });
  swept_size_ = std::max<std::size_t>(64, topics_.size());
}

Result<std::shared_ptr<Topic>> TopicLookup::find_allowed(const Target& target, const Client& client) {
  if (const std::optional<Refusal> refusal = refusal_of(target, client)) return refusal->failure;
  return find(target, client);
}

Refusal TopicLookup::refusal_of_failure(const Target& target, const Failure& why) {
  const bool is_bound = why.code() == Errc::limit_exceeded || why.code() == Errc::rate_limited;
  Refusal refusal(is_bound ? 429 : why.code() == Errc::invalid_argument ? 400 : 503, why);
  refusal.target = target.to_text();
  return refusal;
}

}  // namespace rollcall::fleet
