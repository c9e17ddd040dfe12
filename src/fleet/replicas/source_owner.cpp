// Decision: what is new of a target is written before what is told of sources as a whole.
#include "fleet/replicas/source_owner.hpp"

#include <algorithm>
#include <utility>

#include "async/group.hpp"
#include "base/backoff.hpp"
#include "base/saturating.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration pause_after_failure = std::chrono::milliseconds(500);

}  // namespace

SourceOwner::SourceOwner(std::shared_ptr<Copies> copies, std::shared_ptr<StoreAsker> store, ResolverMaker maker)
    : copies_(std::move(copies)), store_(std::move(store)), maker_(std::move(maker)), runtime_(shared_impl_of(copies_->runtime)) {}

std::shared_ptr<Fleet> SourceOwner::asking() {
  if (session_) return session_;
  FleetOptions options = copies_->options;
  options.max_targets *= 4;          // what others want counts there
  options.lingering = Duration(0);  // whoever wants it says so until it does not
  session_ = make_fleet(copies_->runtime, options, maker_);
  return session_;
}

void SourceOwner::take(const std::string& id, const std::string& name, std::uint64_t epoch) {
  OwnedSource& source = sources_[id];
  source.name = name;
  source.epoch = epoch;
  source.claimed_at = now();
  ++numbers.ownership_changes["claimed"];
  attend();
}

void SourceOwner::drop(const std::string& id, std::string_view reason) {
  if (sources_.erase(id) == 0) return;
  ++numbers.ownership_changes[reason];
  if (!sources_.empty()) return;
  if (session_) session_->close();
  session_ = nullptr;
}

void SourceOwner::drop_all(std::string_view reason) {
  while (!sources_.empty()) drop(std::string(sources_.begin()->first), reason);
}

void SourceOwner::attend() {
  for (auto& [id, source] : sources_) {
    for (auto one = source.targets.begin(); one != source.targets.end();) {
      OwnedTarget& target = *one->second;
      target.is_wanted = copies_->wants.contains(one->first);
      const bool stays = target.is_wanted || target.is_writing || target.may_be_told_followed();
      one = stays ? std::next(one) : source.targets.erase(one);
    }
  }
  for (const auto& [id, want] : copies_->wants) {
    const auto owned = sources_.find(want.source_id);
    if (owned == sources_.end()) continue;
    OwnedSource& source = owned->second;
    std::shared_ptr<OwnedTarget>& target = source.targets[id];
    const bool is_new = !target;
    if (is_new) {
      const Result<std::shared_ptr<Topic>> topic = asking()->topic(want.target);
      if (!topic) {
        source.targets.erase(id);
        continue;
      }
      target = std::make_shared<OwnedTarget>(*topic, id, source.name, source.epoch, source.claimed_at, [this] { wake(); });
    }
    if (const CopyTopic* const copy = copies_->find(id)) target->write_over(copy->strange_revision());
    const bool needed_spec = std::exchange(target->needs_spec, want.wants_spec());
    if (is_new || (target->needs_spec && !needed_spec)) target->follow_again();
    for (const auto& [replica, record] : want.by_replica) {
      std::uint64_t& last = target->wishes[replica];
      if (record.wish == last) continue;
      last = record.wish;
      if (is_new) continue;
      source.wished.insert(id);
      target->wish();
    }
  }
  wake();
}

int SourceOwner::failures(const std::string& id) const {
  const auto source = sources_.find(id);
  if (source == sources_.end() || source->second.targets.empty()) return 0;
  int least = FailedLooks::most_failures;
  for (const auto& [target, owned] : source->second.targets) least = std::min(least, owned->failures());
  return least;
}

std::shared_ptr<OwnedTarget> SourceOwner::find(const Due& due) const {
  const auto source = sources_.find(due.first);
  if (source == sources_.end()) return nullptr;
  const auto target = source->second.targets.find(due.second);
  return target == source->second.targets.end() ? nullptr : target->second;
}

std::vector<SourceOwner::Due> SourceOwner::due(SteadyTime& next) {
  std::vector<Due> all;
  const SteadyTime present = now();
  for (const auto& [id, source] : sources_) {
    for (const auto& [of, target] : source.targets) {
      if (!target->has_news() || target->is_writing) continue;
      if (target->not_before <= present) {
        all.emplace_back(id, of);
      } else {
        next = std::min(next, target->not_before);
      }
    }
  }
  return all;
}

// False: the store does not answer, and it is left alone for a while. Errors: cancelled.
asio::awaitable<Result<bool>> SourceOwner::write_news(SteadyTime& next) {
  for (;;) {
    if (rest_until_ > now()) co_return false;
    const std::vector<Due> news = due(next);
    if (news.empty()) co_return true;
    const auto write_one = [this, &news](std::size_t i) { return write(news[i]); };
    const std::function<asio::awaitable<Result<void>>(std::size_t)> ask = write_one;
    const Result<void> written = co_await join_bounded(news.size(), writes_at_a_time, ask);
    if (!written && written.error().code() == Errc::cancelled) co_return written.error();
  }
}

asio::awaitable<Result<void>> SourceOwner::run() {
  Timer timer;
  for (;;) {
    SteadyTime next = SteadyTime::max();
    const Result<bool> goes_on = co_await write_news(next);
    if (!goes_on) co_return goes_on.error();
    if (*goes_on) {
      const Result<void> told = co_await write_beats(next);
      if (!told) co_return told.error();
    }
    next = std::min(next, rest_until_ > now() ? rest_until_ : SteadyTime::max());
    timer.set(*runtime_->timers, next, [](void* event) noexcept { static_cast<AsyncEvent*>(event)->wake(); }, &event_);
    const bool is_awake = co_await event_.wait();
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while nothing was to be written");
  }
}

void SourceOwner::note_failure(const Failure& failure) {
  ++numbers.commits[failure.code() == Errc::limit_exceeded ? "full" : "failed"];
  rest_until_ = saturating_sum(now(), with_jitter(pause_after_failure, 0.8, 0.4, runtime_->uniform()));
}

asio::awaitable<void> SourceOwner::write_all(const std::string& id) {
  const std::string source = id;
  std::vector<std::string> targets;
  const auto owned = sources_.find(source);
  if (owned == sources_.end()) co_return;
  for (const auto& [of, target] : owned->second.targets) {
    if (target->has_news() && !target->is_writing) targets.push_back(of);
  }
  for (const std::string& target : targets) {
    Due one(source, target);
    const Result<void> written = co_await write(std::move(one));
    if (!written) co_return;
  }
}

// Errors: cancelled alone; another one is a reason to try again later.
asio::awaitable<Result<void>> SourceOwner::write(Due due) {
  std::shared_ptr<OwnedTarget> target = find(due);
  if (!target || rest_until_ > now()) co_return Result<void>();
  const CopyTopic* const copy = copies_->find(due.second);
  target->not_before = saturating_sum(now(), shortest_commit_pause);
  if (!target->may_plan(copy, now())) co_return Result<void>();
  target->is_writing = true;
  const std::uint64_t epoch = sources_.at(due.first).epoch;
  Result<PlannedWrite> planned =
      co_await target->plan(copies_->keys, copy, now(), store_->revision(), store_->max_writes(), store_->max_transaction_bytes());
  target = find(due);
  if (!target) co_return Result<void>();
  if (!planned) {
    target->is_writing = false;
    ++numbers.commits["too_large"];
    target->not_before = saturating_sum(now(), pause_between_beats);
    co_return Result<void>();
  }
  store::Transaction transaction = planned->transaction;
  const Result<store::Outcome> outcome = co_await store_->commit(std::move(transaction));
  target = find(due);
  if (target) target->is_writing = false;
  if (!outcome) {
    if (outcome.error().code() == Errc::cancelled) co_return outcome.error();
    const bool is_too_large = outcome.error().code() == Errc::invalid_argument;  // for this store: others may fit
    if (is_too_large && target) target->too_large(outcome.error(), planned->known.revision);
    if (!is_too_large) note_failure(outcome.error());
    co_return Result<void>();
  }
  if (!target || sources_.at(due.first).epoch != epoch) co_return Result<void>();
  if (outcome->is_written) {
    ++numbers.commits[planned->tells_less ? "too_large" : "written"];
    target->written(std::move(*planned), outcome->revision);
    co_return Result<void>();
  }
  ++numbers.commits["refused"];
  bool is_owner = false;
  const store::Entry* head = nullptr;
  for (const store::Entry& entry : outcome->compared) {
    is_owner |= entry.key == copies_->keys.owner(due.first) && entry.create_revision == epoch;
    if (entry.key == copies_->keys.head(due.second)) head = &entry;
  }
  if (is_owner) {
    target->refused(head, now());
  } else {
    drop(due.first, "fenced");
  }
  co_return Result<void>();
}

}  // namespace rollcall::fleet
