#include "fleet/replicas/shared_topic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "fleet/replicas/shared_fleet.hpp"
#include "fleet/topic_state.hpp"
#include "readiness/status_diff.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t max_history = 64;

Failure incoherent(const std::string& target, std::string_view what) {
  return Failure(Errc::malformed_response, fmt::format("{}: what the leader says of it {}", target, what));
}

StatusStep step_between(const std::shared_ptr<const ClusterStatus>& before, const ClusterStatus& now) {
  const ClusterStatus none;
  StatusDiff diff(before ? *before : none, now, SteadyTime());
  while (diff.step(std::numeric_limits<std::size_t>::max())) {
  }
  return StatusStep(diff.take_changes());
}

}  // namespace

SharedTopic::SharedTopic(std::weak_ptr<SharedFleet> fleet, Target target, std::uint64_t number,
                         const std::shared_ptr<MemoryAccount>& memory, SteadyTime now)
    : left_at(now), fleet_(std::move(fleet)), parsed_(std::move(target)), text_(parsed_.to_text()), number_(number), memory_(memory),
      recent_memory_(memory) {}

std::optional<StatusDelta> SharedTopic::since(std::uint64_t revision) const {
  if (!known_.status) return std::nullopt;
  if (inner_ && known_.epoch == epoch_) return inner_->since(revision);
  // A member that changed and changed back between two revisions that are known here is in no difference from a revision between them.
  return recent_.has(revision) ? recent_.since(revision, *known_.status) : std::nullopt;
}

bool SharedTopic::is_followed() const noexcept { return inner_ ? inner_->is_followed() : is_followed_ || has_listeners(); }

void SharedTopic::listen(TopicListener& listener) {
  listeners_.add(listener);
  const bool is_first = left_at.has_value() || (listener.wants_spec() && !wanted_spec_);
  left_at.reset();
  was_listened_to = true;
  wanted_spec_ = listeners_.want_spec();
  const std::shared_ptr<SharedFleet> fleet = fleet_.lock();
  if (fleet && is_first) fleet->on_wanted(*this);
}

void SharedTopic::name(const std::string& client) {
  if (inner_) inner_->name(client);
}

void SharedTopic::refresh_soon() {
  if (inner_) return inner_->refresh_soon();
  ++asked_;
  if (const std::shared_ptr<SharedFleet> fleet = fleet_.lock()) fleet->on_wanted(*this);
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
  if (const std::shared_ptr<SharedFleet> fleet = fleet_.lock()) fleet->on_change();
}

void SharedTopic::lead(std::shared_ptr<Topic> inner) {
  inner_ = std::move(inner);
  if (std::exchange(epoch_, inner_->known().epoch) != inner_->known().epoch) {
    before_ = known_;
    generation_offset_.reset();
    history_before_ = history_;
  }
  inner_->listen(*this);
  take_inner();
}

void SharedTopic::stop_leading() {
  if (is_linked()) unlink();
  inner_.reset();
  is_followed_ = false;
}

void SharedTopic::set_wanted(const std::string& replica, WantedTarget wanted) {
  const bool wanted_spec = wants_spec();
  wanted.target.clear();  // which is kept once
  const std::int64_t asked_before = std::exchange(elsewhere_[replica], wanted).asked;
  if (!inner_) return;
  if (wants_spec() && !wanted_spec) {
    unlink();
    inner_->listen(*this);
  }
  if (wanted.asked != asked_before) inner_->refresh_soon();
}

void SharedTopic::on_topic() noexcept {
  const std::shared_ptr<SharedFleet> fleet = fleet_.lock();
  if (fleet && fleet->leads()) take_inner();
}

// Until the first poll of this leader has an answer, what the earlier one knew is shown.
void SharedTopic::take_inner() {
  Known next = inner_->known();
  const bool is_of_epoch = known_.epoch == epoch_;
  if (!is_of_epoch && !next.polled_at && (known_.status || known_.failure)) return report(leader_trouble_, next.trouble);
  if (!is_of_epoch) recent_.forget();
  // The generation goes on from that of the earlier leader: it changes only if the ready members have changed.
  if (next.status && !generation_offset_) {
    generation_offset_ = before_.generation + (step_between(before_.status, *next.status).has_another_membership ? 1 : 0) - next.generation;
    before_.status.reset();
  }
  next.generation = generation_offset_ ? next.generation + *generation_offset_ : before_.generation;
  next.spec_generation += generation_offset_.value_or(0);
  next.own_troubles = known_.own_troubles + (own_trouble_.empty() ? 0 : 1);
  own_trouble_.clear();
  leader_trouble_ = next.trouble;
  memory_.clear();  // the status is charged by the fleet that polls
  recent_memory_.clear();
  known_ = std::move(next);
  history_ = history_before_;
  for (const PhaseChange& change : inner_->history()) {
    if (history_.empty() || !is_same_phase(history_.back(), change)) history_.push_back(change);
  }
  while (history_.size() > max_history) history_.pop_front();
  notify();
}

// What was there stays where there is no memory for another status.
Result<void> SharedTopic::take_status(TopicDocument& document) {
  const std::uint64_t revision = document.known.revision;
  std::vector<FormerMember> former;
  if (!document.has_status) {
    memory_.clear();
    known_.status.reset();
  } else if (document.difference) {
    const auto status = std::make_shared<ClusterStatus>(document.is_whole ? ClusterStatus() : *known_.status);
    apply_delta(*status, std::move(*document.difference));
    status->accelerator_type = document.accelerator_type;
    const std::size_t before = memory_.used();
    memory_.clear();
    if (!memory_.charge(memory_of_all(*status))) {
      static_cast<void>(memory_.charge(before));
      const Failure failure = too_much_memory(fmt::format("the status of {}", text_), memory_);
      report(leader_trouble_, failure.what());
      return failure;
    }
    if (!document.is_whole) former = step_between(known_.status, *status).former;
    known_.status = status;
  }
  if (document.is_whole || document.known.epoch != known_.epoch) {
    recent_.restart(revision);
  } else if (revision != known_.revision) {
    recent_.add(revision, std::move(former));
  }
  recent_memory_.clear();
  if (!recent_memory_.charge(recent_.bytes())) recent_.restart(revision);
  return Result<void>();
}

Result<void> SharedTopic::take(TopicDocument document) {
  Known& next = document.known;
  const bool is_of_epoch = next.epoch == known_.epoch;
  if (next.epoch < known_.epoch) return incoherent(text_, "is of an earlier leader");
  if (is_of_epoch && (next.revision < known_.revision || next.spec_revision < known_.spec_revision))
    return incoherent(text_, "is older than what it said before");
  const bool has_base = document.is_whole ? document.difference.has_value() : is_of_epoch && known_.status;
  if (document.has_status && !has_base) return incoherent(text_, "follows a status that it did not tell");
  if (!is_of_epoch && !next.polled_at && (known_.status || known_.failure)) {  // the new leader has not seen it yet
    report(leader_trouble_, next.trouble);
    return Result<void>();
  }
  if (Result<void> taken = take_status(document); !taken) return taken;
  next.status = known_.status;
  if (!next.spec && document.has_spec) next.spec = known_.spec;
  next.own_troubles = known_.own_troubles;
  known_ = std::move(next);
  leader_trouble_ = known_.trouble;
  show_trouble();
  is_followed_ = document.is_followed;
  if (document.has_history) history_.assign(document.history.begin(), document.history.end());
  notify();
  return Result<void>();
}

void SharedTopic::take_poll(SteadyTime at) {
  known_.polled_at = std::max(known_.polled_at.value_or(at), at);
  notify();
}

void SharedTopic::report(std::string& slot, const std::string& trouble) {
  if (slot == trouble) return;
  slot = trouble;
  ++known_.own_troubles;
  show_trouble();
  notify();
}

}  // namespace rollcall::fleet
