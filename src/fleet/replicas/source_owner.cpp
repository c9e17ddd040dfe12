// Decision: a beat tells how old what the store has is, not how old the last look: a look whose result is not written yet makes nothing
// younger. And it counts only for what its own epoch has written, so that nobody takes a former owner's status for one that was just seen.
#include "fleet/replicas/source_owner.hpp"

#include <algorithm>
#include <utility>

#include "async/group.hpp"
#include "base/backoff.hpp"
#include "base/saturating.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t writes_at_a_time = 8;
constexpr std::size_t most_exceptions = 64;  // of a beat
constexpr Duration same_look = std::chrono::milliseconds(500);
constexpr Duration pause_after_failure = std::chrono::milliseconds(500);

}  // namespace

SourceOwner::SourceOwner(std::shared_ptr<Copies> copies, std::shared_ptr<StoreAsker> store, ResolverMaker maker)
    : copies_(std::move(copies)), store_(std::move(store)), maker_(std::move(maker)), runtime_(shared_impl_of(copies_->runtime)) {}

std::shared_ptr<Fleet> SourceOwner::asking() {
  if (asking_) return asking_;
  FleetOptions options = copies_->options;
  options.max_targets *= 4;          // what others want counts there
  options.lingering = Duration(0);  // whoever wants it says so until it does not
  asking_ = make_fleet(copies_->runtime, options, maker_);
  return asking_;
}

void SourceOwner::take(const std::string& id, const std::string& name, std::uint64_t epoch) {
  OwnedSource& source = sources_[id];
  source.name = name;
  source.epoch = epoch;
  ++numbers.ownership_changes["claimed"];
  attend();
}

void SourceOwner::drop(const std::string& id, std::string_view reason) {
  if (sources_.erase(id) == 0) return;
  ++numbers.ownership_changes[reason];
  if (!sources_.empty()) return;
  if (asking_) asking_->close();
  asking_ = nullptr;
}

void SourceOwner::drop_all(std::string_view reason) {
  while (!sources_.empty()) drop(std::string(sources_.begin()->first), reason);
}

void SourceOwner::attend() {
  for (auto& [id, source] : sources_) {
    for (auto one = source.targets.begin(); one != source.targets.end();) {
      const bool is_wanted = copies_->wants.contains(one->first);
      one = is_wanted || one->second->is_writing ? std::next(one) : source.targets.erase(one);
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
      target = std::make_shared<OwnedTarget>(*topic, id, source.name, source.epoch, [this] { wake(); });
    }
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

asio::awaitable<Result<void>> SourceOwner::run() {
  Timer timer;
  for (;;) {
    SteadyTime next = SteadyTime::max();
    if (rest_until_ <= now()) {
      const std::vector<Due> news = due(next);
      const auto write_one = [this, &news](std::size_t i) { return write(news[i]); };
      std::function<asio::awaitable<Result<void>>(std::size_t)> ask = write_one;
      if (!news.empty()) {
        const Result<void> written = co_await join_bounded(news.size(), writes_at_a_time, ask);
        if (!written && written.error().code() == Errc::cancelled) co_return written.error();
        continue;
      }
      std::vector<std::string> ids;
      for (const auto& [id, source] : sources_) ids.push_back(id);
      for (const std::string& id : ids) {
        const Result<void> told = co_await beat(id, next);
        if (!told && told.error().code() == Errc::cancelled) co_return told.error();
      }
    }
    next = std::min(next, rest_until_ > now() ? rest_until_ : SteadyTime::max());
    timer.set(*runtime_->timers, next, [](void* event) noexcept { static_cast<AsyncEvent*>(event)->wake(); }, &event_);
    const bool is_awake = co_await event_.wait();
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while nothing was to be written");
  }
}

void SourceOwner::note_failure(const Failure& failure) {
  ++numbers.commits[failure.code() == Errc::limit_exceeded ? "full" : "failed"];
  if (failure.code() == Errc::limit_exceeded) store_trouble = failure.what();
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
  if (!target->may_plan(copy)) co_return Result<void>();
  target->is_writing = true;
  const std::uint64_t epoch = sources_.at(due.first).epoch;
  Result<PlannedWrite> planned = co_await target->plan(copies_->keys, copy, now(), store_->max_writes(), store_->max_transaction_bytes());
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
    note_failure(outcome.error());
    co_return Result<void>();
  }
  if (!target || sources_.at(due.first).epoch != epoch) co_return Result<void>();
  if (outcome->is_written) {
    ++numbers.commits["written"];
    store_trouble.clear();
    target->written(std::move(*planned), outcome->revision);
    co_return Result<void>();
  }
  ++numbers.commits["refused"];
  bool is_owner = false;
  std::uint64_t head = 0;
  for (const store::Entry& entry : outcome->compared) {
    is_owner |= entry.key == copies_->keys.owner(due.first) && entry.create_revision == epoch;
    if (entry.key == copies_->keys.head(due.second)) head = entry.modify_revision;
  }
  if (is_owner) {
    target->refused(head);
  } else {
    drop(due.first, "fenced");
  }
  co_return Result<void>();
}

// None: there is nothing to tell now; `next` is then when there may be.
std::optional<BeatRecord> SourceOwner::beat_of(OwnedSource& source, SteadyTime& next) {
  std::map<std::string, std::optional<SteadyTime>> looks;
  for (const auto& [id, target] : source.targets) looks[id] = target->looked_at();
  if (looks == source.told || std::none_of(looks.begin(), looks.end(), [](const auto& one) { return one.second.has_value(); }))
    return std::nullopt;
  const SteadyTime from = saturating_sum(source.beat_at, !source.wished.empty() ? shortest_commit_pause : pause_between_beats);
  if (from > now()) {
    next = std::min(next, from);
    return std::nullopt;
  }
  std::vector<SteadyTime> ages;
  for (const auto& [id, at] : looks) {
    if (at) ages.push_back(*at);
  }
  // So many are told one by one as may; the age of all others is that of the oldest of them, or somewhat more.
  std::sort(ages.begin(), ages.end());
  const std::size_t first = std::min(ages.size() - 1, most_exceptions);
  const SteadyTime base = ages.size() <= most_exceptions ? ages.back() : ages[first];
  BeatRecord beat;
  const auto age_of = [this](SteadyTime at) { return std::chrono::ceil<std::chrono::milliseconds>(std::max(now() - at, Duration(0))); };
  beat.epoch = source.epoch;
  beat.age = age_of(base);
  beat.targets = looks.size();
  for (const auto& [id, target] : source.targets) {
    if (!target->known().trouble.empty()) beat.trouble = target->known().trouble;
    const std::optional<SteadyTime> at = looks[id];
    if (!at) {
      beat.older.emplace_back(id, std::nullopt);
    } else if (base - *at > same_look) {
      beat.older.emplace_back(id, age_of(*at));
    }
  }
  std::erase_if(source.wished, [&](const std::string& id) { return !looks.contains(id) || looks[id] != source.told[id]; });
  source.told = std::move(looks);
  return beat;
}

asio::awaitable<Result<void>> SourceOwner::beat(std::string id, SteadyTime& next) {
  const auto owned = sources_.find(id);
  if (owned == sources_.end()) co_return Result<void>();
  const std::optional<BeatRecord> record = beat_of(owned->second, next);
  if (!record) co_return Result<void>();
  owned->second.beat_at = now();
  store::Transaction transaction;
  transaction.compares.push_back(store::Compare::was_created_at(copies_->keys.owner(id), record->epoch));
  transaction.writes.push_back(store::Write::put(copies_->keys.beat(id), render_beat(*record)));
  const Result<store::Outcome> outcome = co_await store_->commit(std::move(transaction));
  if (!outcome) {
    if (outcome.error().code() == Errc::cancelled) co_return outcome.error();
    note_failure(outcome.error());
    const auto failed = sources_.find(id);
    if (failed != sources_.end()) failed->second.told.clear();
    co_return Result<void>();
  }
  ++numbers.commits[outcome->is_written ? "written" : "refused"];
  const auto still = sources_.find(id);
  if (!outcome->is_written && still != sources_.end() && still->second.epoch == record->epoch) drop(id, "fenced");
  co_return Result<void>();
}

}  // namespace rollcall::fleet
