// What a replica that follows takes from the leader's stream into a topic.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fleet/replicas/shared_topic.hpp"
#include "fleet/topic_state.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t max_revisions = 64;

Failure incoherent(const std::string& target, std::string_view what) {
  return Failure(Errc::malformed_response, fmt::format("{}: what the leader says of it {}", target, what));
}

}  // namespace

Result<std::shared_ptr<const ClusterStatus>> SharedTopic::status_of(const TopicDocument& document, StatusDelta difference) const {
  if (!document.has_status) return std::shared_ptr<const ClusterStatus>();
  if (!document.is_whole && !known_.status) return incoherent(text_, "follows a status that it did not tell");
  if (document.parts == 0 && !document.is_whole) return known_.status;
  const auto status = std::make_shared<ClusterStatus>(document.is_whole ? ClusterStatus() : *known_.status);
  apply_delta(*status, std::move(difference));
  status->accelerator_type = document.accelerator_type;
  return std::shared_ptr<const ClusterStatus>(status);
}

// What was there stays charged where there is no room for another one.
Result<void> SharedTopic::charge(const std::shared_ptr<const ClusterStatus>& status) {
  memory_.clear();
  if (!status || memory_.charge(memory_of_all(*status))) return Result<void>();
  Failure failure = too_much_memory(fmt::format("the status of {}", text_), memory_);
  if (known_.status) static_cast<void>(memory_.charge(memory_of_all(*known_.status)));
  return failure;
}

std::vector<FormerMember> former_members(const ClusterStatus& before, const StatusDelta& difference) {
  const MemberTable table(before.members);
  std::vector<FormerMember> all;
  const auto add = [&all, &table](const std::string& job, int index) {
    FormerMember& former = all.emplace_back();
    former.job = job;
    former.index = index;
    if (const Member* const member = table.find(job, index)) former.member = *member;
  };
  for (const Member& member : difference.changed) add(member.job, member.index);
  for (const auto& [job, index] : difference.gone) add(job, index);
  return all;
}

void SharedTopic::note_change(const TopicDocument& document, const std::vector<FormerMember>& former) {
  if (document.is_whole || revisions_.empty()) {
    recent_.restart(document.revision);
    revisions_.clear();
  } else if (document.revision != known_.revision && document.parts > 0) {
    recent_.add(document.revision, former);
    if (!memory_.charge(recent_.bytes())) {
      recent_.restart(document.revision);
      revisions_.clear();
    }
  }
  if (revisions_.empty() || revisions_.back() != document.revision) revisions_.push_back(document.revision);
  if (revisions_.size() > max_revisions) revisions_.pop_front();
}

Result<void> SharedTopic::take(const TopicDocument& document, StatusDelta difference, std::uint64_t epoch, SteadyTime sent_at) {
  const bool is_of_epoch = known_.epoch == epoch;
  if (epoch < known_.epoch) return incoherent(text_, "is of an earlier leader");
  if (is_of_epoch && (document.revision < known_.revision || document.spec_revision < known_.spec_revision))
    return incoherent(text_, "is older than what it said before");
  if (!is_of_epoch && document.has_status && !document.is_whole) return incoherent(text_, "follows what an earlier leader said");
  if (!is_of_epoch && !document.age && (known_.status || known_.failure)) {  // the new leader has not seen it yet
    show_leader_trouble(document.trouble);
    return Result<void>();
  }
  std::vector<FormerMember> former;
  if (known_.status && !document.is_whole) former = former_members(*known_.status, difference);
  Result<std::shared_ptr<const ClusterStatus>> status = status_of(document, std::move(difference));
  if (!status) return status.error();
  if (*status != known_.status) {
    const Result<void> charged = charge(*status);
    if (!charged) return charged;
  }
  if (!is_of_epoch) revisions_.clear();
  note_change(document, former);
  known_.status = std::move(*status);
  known_.failure = document.failure;
  if (!document.has_spec) known_.spec.reset();
  if (document.spec) known_.spec = document.spec;
  known_.is_spec_old = document.is_spec_old;
  known_.spec_generation = document.spec_generation;
  known_.spec_polled_at.reset();
  if (document.spec_age) known_.spec_polled_at = sent_at - *document.spec_age;
  known_.epoch = epoch;
  known_.revision = document.revision;
  known_.spec_revision = document.spec_revision;
  known_.generation = document.generation;
  known_.polled_at.reset();
  if (document.age) known_.polled_at = sent_at - *document.age;
  is_followed_ = document.is_followed;
  leader_trouble_ = document.trouble;
  show_trouble();
  take_history(document);
  notify();
  return Result<void>();
}

void SharedTopic::take_history(const TopicDocument& document) {
  if (!document.has_history) return;
  history_.clear();
  for (const PhaseDocument& phase : document.history) {
    PhaseChange& change = history_.emplace_back();
    change.when = WallTime(std::chrono::milliseconds(phase.at_ms));
    change.phase = phase.phase;
    change.state = phase.state;
    change.ready = phase.ready;
    change.total = phase.total;
  }
}

void SharedTopic::take_poll(SteadyTime at) {
  known_.polled_at = std::max(known_.polled_at.value_or(at), at);
  notify();
}

}  // namespace rollcall::fleet
