// What a replica hears of the store: a list, then every change. No meaning hangs on the watch alone: it must show that it lives, by this
// replica's own writes, which also tell how old the rest is (revision_clock.hpp); after each new one the keys that end with leases are
// listed again, and everything every ten minutes.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "async/with_background.hpp"
#include "base/backoff.hpp"
#include "base/saturating.hpp"
#include "fleet/replicas/replica.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration pause_between_watches = std::chrono::milliseconds(300);
constexpr Duration pause_between_own_lists = std::chrono::seconds(2);
constexpr std::uint64_t beats_between_decisions = 5;
constexpr std::size_t most_untaken_bytes = 64 << 20;  // of what a watch has told and nobody has taken in yet

Failure cancelled_hearing() { return Failure(Errc::cancelled, "cancelled while hearing the store"); }

}  // namespace

// What a watch has told, until it is taken in.
class Replica::Heard final : public store::Watcher {
 public:
  explicit Heard(Replica& replica) : replica_(replica), own_key_(replica.copies_->keys.replica(replica.copies_->self)) {}
  class Batch {
   public:
    std::uint64_t revision = 0;
    std::vector<store::Change> changes;
    std::size_t bytes = 0;
  };

  void on_revision(std::uint64_t) override { replica_.note_heard(); }
  void on_changes(std::uint64_t revision, std::vector<store::Change> changes) override {
    replica_.store_->note_heard(revision);
    Batch& batch = batches.emplace_back();
    batch.revision = revision;
    const ParseLimits limits;
    for (const store::Change& change : changes) {
      batch.bytes += sizeof(change) + change.entry.key.size() + change.entry.value.size();
      if (change.entry.key != own_key_ || change.is_deleted) continue;
      const Result<ReplicaRecord> own = parse_replica(change.entry.value, limits);
      if (!own) continue;
      replica_.pulse_.seen(own->beat);
      replica_.note_heard();
      replica_.after_senseless_.reset();
      replica_.guard_.wake();
      // Looks that failed are counted now and then, and what was told of a silent store is over.
      if (own->beat % beats_between_decisions == 0 || replica_.copies_->is_marked()) replica_.decide_.wake();
    }
    batch.changes = std::move(changes);
    untaken_ += batch.bytes;
    if (has_too_much()) replica_.guard_.wake();
    news.wake();
  }
  Batch next() {
    Batch batch = std::move(batches.front());
    batches.pop_front();
    untaken_ -= batch.bytes;
    return batch;
  }
  bool has_too_much() const noexcept { return untaken_ > most_untaken_bytes; }

  std::deque<Batch> batches;
  AsyncEvent news;

 private:
  Replica& replica_;
  std::string own_key_;
  std::size_t untaken_ = 0;
};

asio::awaitable<bool> Replica::rest(Duration about) {
  const SteadyTime until = saturating_sum(now(), with_jitter(about, 0.8, 0.4, runtime_->uniform()));
  return sleep_until(*runtime_->timers, until);
}

asio::awaitable<bool> Replica::wait(AsyncEvent& event, SteadyTime until) {
  Timer timer;
  timer.set(*runtime_->timers, until, [](void* waiting) noexcept { static_cast<AsyncEvent*>(waiting)->wake(); }, &event);
  co_return co_await event.wait();
}

asio::awaitable<Result<void>> Replica::hear(Call& call) {
  for (;;) {
    Result<void> done = Result<void>();
    if (needs_list_ || store_->has_gone_back()) {
      done = co_await hear_all();
    } else {
      done = co_await hear_control();
    }
    note_trouble(done);
    if (done) done = co_await hear_changes(call);
    if (is_closed_) co_return cancelled_hearing();
    const bool has_trouble = done.has_error();
    if (has_trouble && done.error().code() == Errc::cancelled) co_return done.error();
    Duration pause = needs_list_ && !is_listed_ ? pause_between_own_lists / 2 : pause_between_watches;
    // What made no sense would make none again: a list leads past it.
    if (has_trouble && !store_->is_full() &&
        (done.error().code() == Errc::malformed_response || done.error().code() == Errc::limit_exceeded)) {
      needs_list_ = true;
      pause = after_senseless_.next();
    }
    const bool is_awake = co_await rest(pause);
    if (!is_awake) co_return cancelled_hearing();
  }
}

// Told once for each kind of trouble: the servers of a store say the same in words of their own.
void Replica::note_trouble(const Result<void>& listed) {
  const std::optional<Errc> before = std::exchange(trouble_, std::nullopt);
  if (listed || listed.error().code() == Errc::cancelled) return;
  const Failure failure = listed.error();
  trouble_ = failure.code();
  if (trouble_ == before) return;
  const std::string warning = "the services' store does not serve: " + failure.what();
  runtime_->emit({.kind = EventKind::security_warning, .subject = warning});
}

// All there is. Who begins while most of the store's servers are away takes what one of them has.
asio::awaitable<Result<void>> Replica::hear_all() {
  Result<store::Listing> listing = co_await store_->list(copies_->keys.prefix());
  if (!listing && !is_listed_ && listing.error().code() != Errc::cancelled) {
    Result<store::Listing> old = co_await store_->list(copies_->keys.prefix(), true);
    if (old) co_await copies_->take_all(std::move(*old), store_->clock());
  }
  if (!listing) co_return listing.error();
  const Result<std::string> instance = co_await instance_of(*listing);
  if (!instance) co_return instance.error();
  if (*instance != copies_->instance) {
    const bool is_another = !copies_->instance.empty();
    if (is_another) {
      ++owner_->numbers.watch_restarts["history"];
      lose("history");
      own_wants_.clear();
    }
    store_->restart();
    copies_->restart(*instance);
  }
  watch_from_ = listing->revision;
  co_await copies_->take_all(std::move(*listing), store_->clock());
  relist_pause_ = copies_->is_incoherent() ? std::min(2 * relist_pause_, pause_between_full_lists) : least_between_relists;
  pulse_.restart();
  is_listed_ = true;
  needs_list_ = false;
  full_list_at_ = saturating_sum(now(), with_jitter(pause_between_full_lists, 0.9, 0.2, runtime_->uniform()));
  note_heard();
  decide_.wake();
  stay_.wake();
  co_return Result<void>();
}

// The name of the history that the store tells: of the first replica's making, and another one when the store has gone back.
asio::awaitable<Result<std::string>> Replica::instance_of(const store::Listing& listing) {
  const std::string key = copies_->keys.meta();
  const auto entry = std::find_if(listing.entries.begin(), listing.entries.end(), [&key](const auto& one) { return one.key == key; });
  const ParseLimits limits;
  const bool has_meta = entry != listing.entries.end();
  if (has_meta) {
    const Result<MetaRecord> meta = parse_meta(entry->value, limits);
    if (meta && meta->min_schema > store_schema) {
      co_return Failure(Errc::failed_precondition,
                        fmt::format("the store is of schema {} at least, and this version speaks {}", meta->min_schema, store_schema))
          .with_hint("run the version of the other replicas");
    }
    const bool must_change = store_->has_gone_back() && meta && meta->instance == copies_->instance;
    if (meta && !must_change) co_return meta->instance;
  }
  MetaRecord made;
  made.instance = random_id(*runtime_);
  store::Transaction transaction;
  transaction.compares.push_back(has_meta ? store::Compare::was_modified_at(key, entry->modify_revision) : store::Compare::is_absent(key));
  transaction.writes.push_back(store::Write::put(key, render_meta(made)));
  const Result<store::Outcome> outcome = co_await store_->commit(std::move(transaction));
  if (!outcome) co_return outcome.error();
  if (outcome->is_written) co_return made.instance;
  const bool has_other = !outcome->compared.empty();  // which was faster
  const Result<MetaRecord> other = has_other ? parse_meta(outcome->compared.front().value, limits) : made;
  if (!has_other || !other) co_return Failure(Errc::unavailable, "what the store says of its history has just changed");
  co_return other->instance;
}

// What ends with leases: the watch before may have lost it.
asio::awaitable<Result<void>> Replica::hear_control() {
  store::Listing all;
  std::vector<std::string> prefixes;
  prefixes.push_back(copies_->keys.replicas());
  prefixes.push_back(copies_->keys.owners());
  prefixes.push_back(copies_->keys.wants());
  // What is written while one after the other is asked comes by the watch: it is known as of the first.
  for (const std::string& prefix : prefixes) {
    Result<store::Listing> listing = co_await store_->list(prefix);
    if (!listing) co_return listing.error();
    all.revision = all.revision == 0 ? listing->revision : std::min(all.revision, listing->revision);
    std::move(listing->entries.begin(), listing->entries.end(), std::back_inserter(all.entries));
  }
  if (store_->has_gone_back()) co_return Failure(Errc::unavailable, "all is to be listed again");
  copies_->take_control(all, store_->clock());
  pulse_.restart();
  note_heard();
  co_return Result<void>();
}

asio::awaitable<Result<void>> Replica::hear_changes(Call& call) {
  Heard heard(*this);
  asio::awaitable<Result<void>> work = watch_store(call, heard);
  asio::awaitable<Result<void>> guarded = with_background(guard_watch(heard), std::move(work));
  co_return co_await with_background(take_heard(heard), std::move(guarded));
}

asio::awaitable<Result<void>> Replica::watch_store(Call& call, Heard& heard) {
  const Result<store::WatchEnd> end = co_await store_->watch(call, copies_->keys.prefix(), watch_from_, heard);
  if (!end) {
    ++owner_->numbers.watch_restarts["broken"];
    co_return end.error();
  }
  ++owner_->numbers.watch_restarts[end->is_compacted ? "compacted" : "ended"];
  needs_list_ |= end->is_compacted;
  co_return Result<void>();
}

// In the order of the revisions.
asio::awaitable<Result<void>> Replica::take_heard(Heard& heard) {
  for (;;) {
    while (heard.batches.empty()) {
      const bool is_awake = co_await heard.news.wait();
      if (!is_awake) co_return cancelled_hearing();
    }
    Heard::Batch batch = heard.next();
    co_await copies_->take(batch.revision, std::move(batch.changes), store_->clock());
    watch_from_ = std::max(watch_from_, batch.revision);
    if (copies_->is_incoherent()) guard_.wake();
  }
}

// Ends a watch that is silent, or tells more than can be taken in, or when all is to be listed again.
asio::awaitable<Result<void>> Replica::guard_watch(const Heard& heard) {
  const SteadyTime relist_from = saturating_sum(now(), relist_pause_);
  for (;;) {
    const SteadyTime present = now();
    const bool must_list = store_->has_gone_back() || present >= full_list_at_ || (copies_->is_incoherent() && present >= relist_from);
    if (must_list) {
      needs_list_ = true;
      co_return Failure(Errc::unavailable, "all is to be listed again");
    }
    if (heard.has_too_much()) {  // another one goes on behind what was taken in
      ++owner_->numbers.watch_restarts["behind"];
      co_return Failure(Errc::unavailable, "the store's watch tells more than can be taken in");
    }
    if (pulse_.is_silent(present)) {
      ++owner_->numbers.watch_restarts["silent"];
      co_return Failure(Errc::unavailable, "the store's watch does not tell of this replica's own writes");
    }
    SteadyTime until = std::min(full_list_at_, saturating_sum(pulse_.silent_at(), Duration(1)));
    if (copies_->is_incoherent()) until = std::min(until, relist_from);
    const bool is_awake = co_await wait(guard_, until);
    if (!is_awake) co_return cancelled_hearing();
  }
}

}  // namespace rollcall::fleet
