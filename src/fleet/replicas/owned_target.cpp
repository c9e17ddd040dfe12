#include "fleet/replicas/owned_target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "async/turns.hpp"
#include "base/saturating.hpp"
#include "fleet/replicas/store_keys.hpp"
#include "fleet/topic_state.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t most_kept_history = 64;
constexpr Age::value_type unknown_spec_age = std::chrono::hours(1);
constexpr std::uint64_t from_before = std::uint64_t(1) << 63U;

bool is_same_part(const std::vector<Member>& a, const std::vector<Member>& b, std::size_t from, std::size_t to) {
  return std::min(a.size(), from + members_a_chunk) == to &&
         std::equal(a.begin() + static_cast<std::ptrdiff_t>(from), a.begin() + static_cast<std::ptrdiff_t>(to),
                    b.begin() + static_cast<std::ptrdiff_t>(from));
}

bool is_same_reason(const std::optional<Failure>& a, const std::shared_ptr<const Failure>& b) {
  return a.has_value() == (b != nullptr) && (!a || is_same_failure(*a, *b));
}

// That it is so, and not what is.
Known without_content(Known known) {
  known.status = nullptr;
  known.failure = nullptr;
  known.spec = nullptr;
  return known;
}

void add_write(PlannedWrite& write, std::string key, std::string value) {
  write.bytes += key.size() + value.size();
  write.transaction.writes.push_back(store::Write::put(std::move(key), std::move(value)));
}

}  // namespace

OwnedTarget::OwnedTarget(std::shared_ptr<Topic> topic, std::string id, std::string source, std::uint64_t epoch, SteadyTime claimed_at,
                         std::function<void()> on_news)
    : topic_(std::move(topic)), id_(std::move(id)), source_(std::move(source)), source_id_(store_id(source_)), epoch_(epoch),
      claimed_at_(claimed_at), on_news_(std::move(on_news)) {}

bool OwnedTarget::is_known_from_before() const noexcept {
  const std::optional<SteadyTime>& polled_at = topic_->known().polled_at;
  return polled_at && *polled_at < claimed_at_;
}

std::uint64_t OwnedTarget::revision() const noexcept { return topic_->known().revision | (is_known_from_before() ? from_before : 0); }

std::uint64_t OwnedTarget::spec_revision() const noexcept {
  return topic_->known().spec_revision | (is_known_from_before() ? from_before : 0);
}

// Of what it saw before the claim only that it cannot see anything now.
Known OwnedTarget::known_to_tell() const {
  Known known = topic_->known();
  known.revision = revision();
  known.spec_revision = spec_revision();
  if (!is_known_from_before()) return known;
  known.polled_at.reset();
  return without_content(std::move(known));
}

bool OwnedTarget::has_news() const noexcept {
  const Known& known = topic_->known();
  const bool has_seen = known.polled_at && !is_known_from_before();
  if (!has_seen && known.trouble.empty()) return false;
  if (!is_wanted) return may_be_told_followed_;
  return !has_written_ || !may_be_told_followed_ || revision() != known_revision_ || spec_revision() != known_spec_revision_;
}

void OwnedTarget::on_topic() noexcept {
  const Known& known = topic_->known();
  if (known.trouble.empty()) {
    failures_ = 0;
  } else if (answered_at_ == known.polled_at) {
    ++failures_;
  }
  answered_at_ = known.polled_at;
  if (!has_news() && !tells_less_ && !is_known_from_before()) settled_at_ = known.polled_at;
  on_news_();
}

asio::awaitable<Result<void>> OwnedTarget::add_members(const StoreKeys& keys, const ClusterStatus& status, PlannedWrite& write) {
  const std::vector<Member>& members = status.members;
  for (std::size_t number = 0; number < chunks_of(members.size()); ++number) {
    const std::size_t from = number * members_a_chunk;
    const std::size_t to = std::min(members.size(), from + members_a_chunk);
    if (write.head.based_on != 0 && base_ && is_same_part(base_->members, members, from, to)) continue;
    std::string packed = pack_record(render_chunk(members, from, to));
    add_write(write, keys.chunk(id_, number), std::move(packed));
    if (number % 4 == 3) co_await next_turn();
  }
  // What lies behind the last one is of no use any more.
  for (std::size_t number = chunks_of(members.size()); base_ && number < chunks_of(base_->members.size()); ++number)
    write.transaction.writes.push_back(store::Write::remove(keys.chunk(id_, number)));
  co_return Result<void>();
}

void OwnedTarget::add_history(HeadRecord& head) const {
  if (topic_->history().empty()) return;
  const PhaseChange& last = topic_->history().back();
  PhaseRecord record;
  record.at_ms = std::chrono::duration_cast<std::chrono::milliseconds>(last.when.time_since_epoch()).count();
  record.phase = last.phase;
  record.state = last.state;
  record.ready = last.ready;
  record.total = last.total;
  const auto is_same = [&record](const PhaseRecord& other) {
    return other.phase == record.phase && other.state == record.state && other.ready == record.ready && other.total == record.total;
  };
  if (!head.history.empty() && is_same(head.history.back())) return;
  head.history.push_back(std::move(record));
  if (head.history.size() > most_kept_history) head.history.erase(head.history.begin());
}

SteadyTime OwnedTarget::strange_from() const noexcept { return saturating_sum(refused_at_, patience_with_copy); }

// What the store has, where this replica's own writes do not tell. Over what nobody can read goes what was written last; where that is not
// known the count of generations goes on, as far as it was told.
void OwnedTarget::take_base(const CopyTopic* copy) {
  if (has_written_ || is_base_known_) return;
  if (copy && head_revision_ <= copy->head_revision()) {
    base_ = copy->known().status;
    base_spec_ = copy->known().spec;
    head_ = copy->head();
    if (copy->known().failure) head_.failure = *copy->known().failure;
    head_.revision = copy->known().revision;
    head_.spec_revision = copy->known().spec_revision;
    head_revision_ = copy->head_revision();
    is_base_known_ = head_revision_ != 0;
  } else if (head_revision_ != 0) {
    const std::uint64_t generation = std::max(head_.generation, copy ? copy->known().generation : 0);
    if (!base_) head_ = HeadRecord();
    head_.generation = generation;
  }
}

asio::awaitable<Result<PlannedWrite>> OwnedTarget::plan(const StoreKeys& keys, const CopyTopic* copy, SteadyTime now, std::uint64_t as_of,
                                                        std::size_t most_writes, std::size_t max_bytes) {
  take_base(copy);
  Known known_now = known_to_tell();
  Known less = without_content(known_now);
  const bool is_too_large = too_large_ && too_large_revision_ == known_now.revision;
  Result<PlannedWrite> write = is_too_large ? *too_large_ : Failure(Errc::unavailable, "not planned yet");
  if (!is_too_large) write = co_await plan_known(std::move(known_now), keys, now, as_of, most_writes, max_bytes);
  if (write || write.error().code() != Errc::limit_exceeded) co_return write;
  less.trouble = write.error().what();
  less.polled_at = settled_at_;
  Result<PlannedWrite> told = co_await plan_known(std::move(less), keys, now, as_of, most_writes, max_bytes);
  if (told) told->tells_less = true;
  co_return told;
}

asio::awaitable<Result<PlannedWrite>> OwnedTarget::plan_known(Known of_topic, const StoreKeys& keys, SteadyTime now, std::uint64_t as_of,
                                                              std::size_t most_writes, std::size_t max_bytes) {
  PlannedWrite write;
  write.known = std::move(of_topic);
  const Known& known = write.known;
  HeadRecord& head = write.head;
  head = head_;
  head.target = topic_->target();
  head.source = source_;
  head.epoch = epoch_;
  head.is_followed = is_wanted;
  may_be_told_followed_ |= is_wanted;
  head.based_on = is_base_known_ ? head_revision_ : 0;
  // An answer that failed, or none, does not take away what was known before, by whoever saw it.
  const std::shared_ptr<const ClusterStatus> status = known.status ? known.status : base_;
  const ClusterStatus nothing;
  const StatusStep step = co_await status_step(base_ ? *base_ : nothing, status ? *status : nothing, now);
  bool is_same_status = step.former.empty() && (base_ != nullptr) == (status != nullptr);
  if (is_same_status && status) {
    ClusterStatus bare_before = *base_;
    ClusterStatus bare_now = *status;
    bare_before.members.clear();
    bare_now.members.clear();
    is_same_status = bare_before == bare_now;
  }
  const bool has_answer = known.status || known.failure;
  const bool is_same = is_same_status && head_.trouble == known.trouble && (!has_answer || is_same_reason(head_.failure, known.failure));
  head.revision = is_same && head_revision_ != 0 ? head_.revision : 0;
  if (step.has_another_membership) ++head.generation;
  head.trouble = known.trouble;
  if (has_answer) head.failure.reset();
  if (known.failure) head.failure = *known.failure;
  head.age = age_at(known.polled_at, now);
  head.as_of = as_of;
  head.members = status ? status->members.size() : 0;
  head.status.reset();
  if (status) {
    head.status.emplace(*status);
    head.status->members.clear();
  }
  std::shared_ptr<const Result<ClusterSpec>>& spec = write.spec;
  spec = known.spec || !needs_spec ? known.spec : base_spec_;  // the next look asks for it
  const bool is_same_cluster = (spec == nullptr) == (base_spec_ == nullptr) && (spec == base_spec_ || is_same_spec(*spec, *base_spec_));
  head.has_spec = spec != nullptr;
  if (spec && known.spec) {
    head.is_spec_old = known.is_spec_old;
    head.spec_age = age_at(known.spec_polled_at, now);
    head.spec_generation = known.spec_generation;
  } else {  // of who owned it before: as old as that told, which is not known any more
    if (!head_.is_spec_old) head.spec_generation = head_.generation;
    head.is_spec_old = spec != nullptr && (head_.is_spec_old || !is_same_status);
    head.spec_age = head.is_spec_old ? Age(unknown_spec_age) : Age();
  }
  if (!is_same_cluster) head.spec_revision = 0;
  add_history(head);

  write.transaction.compares.push_back(store::Compare::was_created_at(keys.owner(source_id_), epoch_));
  write.transaction.compares.push_back(store::Compare::was_modified_at(keys.head(id_), head_revision_));
  std::string text = render_head(head);
  add_write(write, keys.head(id_), std::move(text));
  const auto too_large = [&] {
    return Failure(Errc::limit_exceeded,
                   fmt::format("{}: {} members are more than the service's store takes at once", topic_->target(), head.members));
  };
  if (status && head.based_on == 0 && chunks_of(head.members) >= most_writes) co_return too_large();  // they need not be packed for that
  if (status) {
    const Result<void> added = co_await add_members(keys, *status, write);
    if (!added) co_return added.error();
  }
  if (spec && (!is_same_cluster || head.based_on == 0)) {
    std::string packed = pack_record(render_spec_record(*spec));
    add_write(write, keys.spec(id_), std::move(packed));
  }
  head.status.reset();
  if (write.transaction.writes.size() > most_writes || write.bytes > max_bytes) co_return too_large();
  co_return write;
}

void OwnedTarget::written(PlannedWrite write, std::uint64_t revision) {
  has_written_ = is_base_known_ = true;
  if (write.known.status) base_ = write.known.status;
  base_spec_ = write.spec;
  head_ = std::move(write.head);
  head_revision_ = revision;
  may_be_told_followed_ = head_.is_followed;
  if (head_.revision == 0) head_.revision = revision;
  if (head_.spec_revision == 0) head_.spec_revision = revision;
  known_revision_ = write.known.revision;
  known_spec_revision_ = write.known.spec_revision;
  settled_at_ = write.known.polled_at;
  tells_less_ = write.tells_less;
}

void OwnedTarget::too_large(const Failure& why, std::uint64_t known_revision) {
  Failure told(Errc::limit_exceeded, fmt::format("{}: the service's store does not take it: {}", topic_->target(), why.what()));
  if (!why.hint().empty()) told.with_hint(why.hint());
  too_large_ = std::move(told);
  too_large_revision_ = known_revision;
}

void OwnedTarget::refused(const store::Entry* head, SteadyTime now) {
  has_written_ = is_base_known_ = false;
  head_revision_ = head ? head->modify_revision : 0;
  refused_at_ = now;
  if (!head) return;
  const Result<HeadRecord> told = parse_head(head->value, ParseLimits());
  if (told) head_.generation = std::max(head_.generation, told->generation);
}

}  // namespace rollcall::fleet
