#include "fleet/replicas/shared_topic.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "fleet/topic_state.hpp"
#include "readiness/status_diff.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t max_history = 64;

bool is_same_phase(const PhaseChange& a, const PhaseChange& b) {
  return a.phase == b.phase && a.state == b.state && a.ready == b.ready && a.total == b.total;
}

bool has_another_membership(const std::shared_ptr<const ClusterStatus>& before, const ClusterStatus& now) {
  const ClusterStatus none;
  StatusDiff diff(before ? *before : none, now, SteadyTime());
  while (diff.step(std::numeric_limits<std::size_t>::max())) {
  }
  return StatusStep(diff.take_changes()).has_another_membership;
}

}  // namespace

SharedTopic::SharedTopic(std::weak_ptr<TopicHost> host, Target target, std::uint64_t number, const std::shared_ptr<MemoryAccount>& memory,
                         SteadyTime now)
    : left_at(now), host_(std::move(host)), parsed_(std::move(target)), text_(parsed_.to_text()), number_(number), memory_(memory) {}

std::optional<StatusDelta> SharedTopic::since(std::uint64_t revision) const {
  if (!known_.status) return std::nullopt;
  if (inner_ && known_.epoch == epoch_) return inner_->since(revision);
  // A member that changed and changed back between two revisions that are known here is in no difference from a revision between them.
  if (std::find(revisions_.begin(), revisions_.end(), revision) == revisions_.end()) return std::nullopt;
  return recent_.since(revision, *known_.status);
}

bool SharedTopic::is_followed() const noexcept { return inner_ ? inner_->is_followed() : is_followed_ || has_listeners(); }

void SharedTopic::listen(TopicListener& listener) {
  listeners_.add(listener);
  const bool is_first = left_at.has_value() || (listener.wants_spec() && !wanted_spec_);
  left_at.reset();
  was_listened_to = true;
  wanted_spec_ = listeners_.want_spec();
  const std::shared_ptr<TopicHost> host = host_.lock();
  if (host && is_first) host->on_wanted(*this);
}

void SharedTopic::name(const std::string& client) {
  if (inner_) inner_->name(client);
}

void SharedTopic::refresh_soon() {
  if (inner_) return inner_->refresh_soon();
  ++asked_;
  if (const std::shared_ptr<TopicHost> host = host_.lock()) host->on_wanted(*this);
}

WantedTarget SharedTopic::wanted_here() const {
  WantedTarget wanted;
  wanted.target = text_;
  wanted.wants_spec = listeners_.want_spec();
  wanted.followers = static_cast<std::int64_t>(listeners_.followers());
  wanted.asked = asked_;
  return wanted;
}

bool SharedTopic::wants_spec() const noexcept {
  const auto wants = [](const auto& one) { return one.second.wants_spec; };
  return listeners_.want_spec() || std::any_of(elsewhere_.begin(), elsewhere_.end(), wants);
}

std::size_t SharedTopic::followers() const noexcept {
  std::size_t sum = listeners_.followers();
  for (const auto& [replica, wanted] : elsewhere_) sum += static_cast<std::size_t>(wanted.followers);
  return sum;
}

void SharedTopic::notify() {
  const std::shared_ptr<SharedTopic> alive = shared_from_this();
  listeners_.notify();
  if (const std::shared_ptr<TopicHost> host = host_.lock()) host->on_change(*this);
}

void SharedTopic::lead(std::shared_ptr<Topic> inner, std::uint64_t epoch) {
  const bool is_new = epoch_ != epoch;
  if (is_new) {
    status_before_ = known_.status;
    generation_before_ = known_.generation;
    generation_offset_.reset();
    history_before_ = history_;
  }
  epoch_ = epoch;
  if (ear_.is_linked()) ear_.unlink();
  inner_ = std::move(inner);
  inner_->listen(ear_);
  take_inner();
}

void SharedTopic::stop_leading() {
  if (ear_.is_linked()) ear_.unlink();
  inner_.reset();
  is_followed_ = false;
}

void SharedTopic::set_wanted(const std::string& replica, const WantedTarget* wanted) {
  const bool wanted_spec = wants_spec();
  const auto known = elsewhere_.find(replica);
  const bool is_asked = wanted && wanted->asked != (known == elsewhere_.end() ? 0 : known->second.asked);
  if (!wanted) {
    elsewhere_.erase(replica);
    return;
  }
  elsewhere_[replica] = *wanted;
  elsewhere_[replica].target.clear();  // which is kept once
  if (!inner_) return;
  if (wants_spec() && !wanted_spec) {
    ear_.unlink();
    inner_->listen(ear_);
  }
  if (is_asked) inner_->refresh_soon();
}

void SharedTopic::on_inner() noexcept {
  const std::shared_ptr<TopicHost> host = host_.lock();
  if (host && host->may_show()) take_inner();
}

// Until the first poll of this leader has an answer, what the earlier one knew is shown.
void SharedTopic::take_inner() {
  const Known& inner = inner_->known();
  const bool is_known_from_before = known_.epoch != epoch_ && (known_.status || known_.failure);
  if (is_known_from_before && !inner.polled_at) {
    show_leader_trouble(inner.trouble);
    return;
  }
  const std::uint64_t own_troubles = known_.own_troubles;
  set_generation(inner);
  const std::uint64_t generation = known_.generation;
  memory_.clear();  // the status is charged by the fleet that polls
  known_ = inner;
  known_.epoch = epoch_;
  known_.own_troubles = own_troubles;
  known_.generation = generation;
  known_.spec_generation = static_cast<std::uint64_t>(static_cast<std::int64_t>(inner.spec_generation) + generation_offset_.value_or(0));
  leader_trouble_ = inner.trouble;
  if (!own_trouble_.empty()) ++known_.own_troubles;
  own_trouble_.clear();
  show_trouble();
  history_ = history_before_;
  for (const PhaseChange& change : inner_->history()) {
    if (history_.empty() || !is_same_phase(history_.back(), change)) history_.push_back(change);
  }
  while (history_.size() > max_history) history_.pop_front();
  notify();
}

// The generation goes on from that of the earlier leader: it changes only if the ready members have changed.
void SharedTopic::set_generation(const Known& inner) {
  if (inner.status && !generation_offset_) {
    const std::uint64_t next = generation_before_ + (has_another_membership(status_before_, *inner.status) ? 1 : 0);
    generation_offset_ = static_cast<std::int64_t>(next) - static_cast<std::int64_t>(inner.generation);
    status_before_.reset();
  }
  known_.generation = generation_offset_ ? static_cast<std::uint64_t>(static_cast<std::int64_t>(inner.generation) + *generation_offset_)
                                         : generation_before_;
}

void SharedTopic::show_trouble() { known_.trouble = own_trouble_.empty() ? leader_trouble_ : own_trouble_; }

// Of a leader that has not seen the target yet, beside what an earlier one knew.
void SharedTopic::show_leader_trouble(const std::string& trouble) {
  if (leader_trouble_ == trouble) return;
  leader_trouble_ = trouble;
  ++known_.own_troubles;
  show_trouble();
  notify();
}

void SharedTopic::mark(const std::string& own_trouble) {
  if (own_trouble_ == own_trouble) return;
  own_trouble_ = own_trouble;
  ++known_.own_troubles;
  show_trouble();
  notify();
}

}  // namespace rollcall::fleet
