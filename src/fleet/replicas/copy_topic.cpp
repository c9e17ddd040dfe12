// Decision: the revision of a change is that of the write that told it, and a write that changes nothing of it names the one before, so
// that replicas that have seen different writes tell the same numbers. Differences are told only from revisions that this replica has
// seen one after the other: after a gap, who comes with an older one is told the whole.
#include "fleet/replicas/copy_topic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "async/turns.hpp"
#include "fleet/replicas/store_keys.hpp"
#include "fleet/topic_state.hpp"

namespace rollcall::fleet {
namespace {

bool is_same_but_for_members(const ClusterStatus& a, const ClusterStatus& b) {
  return a.phase == b.phase && a.state == b.state && a.jobs == b.jobs && a.expected == b.expected && a.job_sizes == b.job_sizes &&
         a.expected_source == b.expected_source && a.causes == b.causes && a.accelerator_type == b.accelerator_type &&
         a.notices == b.notices;
}

// What a list has is of unknown age until its source's next beat, which is soon. Nothing may be taken for younger than it is, so it counts
// as older than anything that is served as fresh.
constexpr Duration unknown_age = std::chrono::hours(24);

Failure incoherent(const std::string& target, std::string_view what) {
  return Failure(Errc::malformed_response, fmt::format("{}: what the store has of it {}", target, what));
}

}  // namespace

CopyTopic::CopyTopic(std::weak_ptr<CopyHost> host, std::string id, Target target, std::shared_ptr<MemoryAccount> memory)
    : host_(std::move(host)), id_(std::move(id)), parsed_(std::move(target)), text_(parsed_.to_text()), memory_(std::move(memory)) {}

std::optional<StatusDelta> CopyTopic::since(std::uint64_t revision) const {
  if (!known_.status || revision > known_.revision) return std::nullopt;
  return recent_.since(revision, *known_.status);
}

// One of many who listen already is no news to the others.
void CopyTopic::listen(TopicListener& listener) {
  listeners_.add(listener);
  const bool is_news = !is_wanted_here || (listener.wants_spec() && !is_spec_wanted_here);
  is_wanted_here = true;
  left_at.reset();
  const std::shared_ptr<CopyHost> host = host_.lock();
  if (host && is_news) host->on_listener(*this);
}

bool CopyTopic::is_followed() const noexcept {
  const std::shared_ptr<CopyHost> host = host_.lock();
  return host && (is_wanted_here || host->is_wanted(*this));
}

void CopyTopic::refresh_soon() {
  if (const std::shared_ptr<CopyHost> host = host_.lock()) host->on_wish(*this);
}

void CopyTopic::tell() {
  const std::shared_ptr<CopyTopic> alive = shared_from_this();
  listeners_.notify();
}

std::size_t CopyTopic::chunks() const noexcept { return chunks_of(head_.members); }

Result<std::shared_ptr<ClusterStatus>> CopyTopic::status_of(const HeadRecord& head, const StatusEntries& entries,
                                                            const ParseLimits& limits) const {
  if (!head.status) return std::shared_ptr<ClusterStatus>();
  const auto status = std::make_shared<ClusterStatus>(*head.status);
  const bool is_whole = entries.is_all || head.based_on == 0;
  if (!is_whole && known_.status) status->members = known_.status->members;
  const std::size_t chunks = chunks_of(head.members);
  status->members.resize(head.members);
  for (std::size_t number = 0; number < chunks; ++number) {
    const std::size_t from = number * members_a_chunk;
    const std::size_t count = std::min(members_a_chunk, head.members - from);
    const auto packed = entries.chunks.find(number);
    if (packed == entries.chunks.end()) {
      const bool is_kept = !is_whole && known_.status && from + count <= known_.status->members.size();
      if (!is_kept) return incoherent(text_, fmt::format("lacks members from the {}th on", from));
      continue;
    }
    const Result<std::string> json = unpack_record(packed->second, most_chunk_bytes);
    if (!json) return json.error();
    Result<std::vector<Member>> members = parse_chunk(*json, limits);
    if (!members) return members.error();
    if (members->size() != count) return incoherent(text_, fmt::format("has {} members where it says {}", members->size(), count));
    std::move(members->begin(), members->end(), status->members.begin() + static_cast<std::ptrdiff_t>(from));
  }
  return status;
}

Result<CopyTopic::SpecPointer> CopyTopic::spec_of(const HeadRecord& head, const StatusEntries& entries, std::uint64_t revision,
                                                  const ParseLimits& limits) const {
  if (!head.has_spec) return SpecPointer();
  const bool is_known = known_.spec && known_.spec_revision == revision;
  if (!entries.spec) return is_known ? Result<SpecPointer>(known_.spec) : incoherent(text_, "lacks its spec");
  const Result<std::string> json = unpack_record(*entries.spec, most_spec_bytes);
  if (!json) return json.error();
  Result<SpecPointer> spec = parse_spec_record(*json, limits);
  return spec && is_known ? Result<SpecPointer>(known_.spec) : std::move(spec);
}

// What was there stays charged where there is no room for another one.
Result<void> CopyTopic::charge(const std::shared_ptr<ClusterStatus>& status) {
  memory_.clear();
  if (!status || memory_.charge(memory_of_all(*status))) return Result<void>();
  Failure failure = too_much_memory(fmt::format("the status of {}", text_), memory_);
  if (known_.status) static_cast<void>(memory_.charge(memory_of_all(*known_.status)));
  return failure;
}

asio::awaitable<Result<void>> CopyTopic::take(StatusEntries entries, const ParseLimits& limits, SteadyTime now) {
  const std::shared_ptr<CopyTopic> alive = shared_from_this();
  if (!entries.head) co_return incoherent(text_, "has parts without a head");
  const std::uint64_t written = entries.head->modify_revision;
  if (is_gone_record(entries.head->value)) {
    lose(written);
    head_revision_ = written;
    co_return Result<void>();
  }
  Result<HeadRecord> head = parse_head(entries.head->value, limits);
  if (!head) co_return head.error();
  if (head->target != text_) co_return incoherent(text_, "is of another target");
  if (written < head_revision_) co_return incoherent(text_, "is older than what it had before");
  if (!entries.is_all && head->based_on != 0 && head->based_on != head_revision_) co_return incoherent(text_, "follows what was not told");
  std::uint64_t revision = head->revision == 0 ? written : std::min(head->revision, written);
  const std::uint64_t spec_revision = head->spec_revision == 0 ? written : std::min(head->spec_revision, written);
  Result<std::shared_ptr<ClusterStatus>> status = status_of(*head, entries, limits);
  if (!status) co_return status.error();
  const std::shared_ptr<const ClusterStatus> before = known_.status;
  StatusStep step((std::vector<ClusterChange>()));
  bool is_same = before == nullptr && *status == nullptr;
  if (*status && before) {
    step = co_await status_step(*before, **status, now);
    is_same = step.former.empty() && is_same_but_for_members(*before, **status);
  }
  // Whatever the head says, no follower is told of something else at a position that it has, or of an older one.
  if (revision <= known_.revision) revision = is_same ? known_.revision : written;
  const std::uint64_t told_spec_revision = head->has_spec ? spec_revision : known_.spec ? written : known_.spec_revision;
  Result<SpecPointer> spec = spec_of(*head, entries, told_spec_revision, limits);
  if (!spec) co_return spec.error();
  if (!is_same) {
    const Result<void> charged = charge(*status);
    if (!charged) co_return charged.error();
    const bool is_another_kind = !before || !*status || before->accelerator_type != (*status)->accelerator_type;
    known_.status = *status;
    if (is_another_kind || entries.is_all) {
      recent_.restart(revision);
    } else {
      recent_.add(revision, std::move(step.former));
      if (!memory_.charge(recent_.bytes())) recent_.restart(revision);
    }
  } else if (entries.is_all && revision != known_.revision) {
    recent_.restart(revision);  // who knows what was in between
  }
  known_.spec = std::move(*spec);
  known_.spec_revision = told_spec_revision;
  known_.failure = head->failure ? std::make_shared<const Failure>(*head->failure) : nullptr;
  known_.revision = revision;
  known_.generation = head->generation;
  const std::optional<SteadyTime> sent_at = entries.clock ? entries.clock->written_at(as_of(head->as_of, written), now) : std::nullopt;
  if (head->age && sent_at) take_poll(*sent_at - *head->age);
  known_.is_spec_old = head->is_spec_old;
  known_.spec_generation = head->spec_generation;
  known_.spec_polled_at.reset();
  if (head->spec_age && sent_at) known_.spec_polled_at = *sent_at - *head->spec_age;
  if (!known_.polled_at && (known_.status || known_.failure || known_.spec)) take_poll(now - unknown_age);
  head_ = std::move(*head);
  head_.status.reset();
  source_id_ = store_id(head_.source);
  head_revision_ = written;
  set_trouble();
  take_history();
  tell();
  co_return Result<void>();
}

void CopyTopic::take_history() {
  history_.clear();
  for (const PhaseRecord& record : head_.history) {
    PhaseChange& change = history_.emplace_back();
    change.when = WallTime(std::chrono::milliseconds(record.at_ms));
    change.phase = record.phase;
    change.state = record.state;
    change.ready = record.ready;
    change.total = record.total;
  }
}

void CopyTopic::lose(std::uint64_t revision) {
  if (known_.revision == 0 && known_.spec_revision == 0) return;
  const std::uint64_t marks = known_.own_troubles;
  known_ = Known();
  known_.own_troubles = marks;
  known_.revision = known_.spec_revision = revision;
  head_ = HeadRecord();
  head_revision_ = 0;
  recent_.restart(revision);
  history_.clear();
  memory_.clear();
  set_trouble();
  tell();
}

void CopyTopic::take_poll(SteadyTime at) { known_.polled_at = std::max(known_.polled_at.value_or(at), at); }

void CopyTopic::set_trouble() { known_.trouble = own_trouble_.empty() ? head_.trouble : own_trouble_; }

void CopyTopic::mark(const std::string& own_trouble) {
  if (own_trouble_ == own_trouble) return;
  own_trouble_ = own_trouble;
  ++known_.own_troubles;
  set_trouble();
  tell();
}

}  // namespace rollcall::fleet
