#include "support/etcd/memory_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "async/async_event.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "store/asking.hpp"
#include "store/wire/key_range.hpp"

namespace rollcall::sim {
namespace {

constexpr Duration patience = std::chrono::seconds(3);        // three servers, a second each
constexpr Duration list_patience = std::chrono::seconds(30);  // ten seconds each

store::Entry entry_of(const EtcdKey& key) {
  store::Entry entry;
  entry.key = key.key;
  entry.value = key.value;
  entry.create_revision = key.create_revision;
  entry.modify_revision = key.mod_revision;
  entry.lease = key.lease;
  return entry;
}

// For keys with a prefix.
EtcdSpan span_of(std::string_view prefix) { return EtcdSpan(store::begin_of_prefix(prefix), store::end_of_prefix(prefix)); }

EtcdTransaction transaction_of(const store::Transaction& asked) {
  EtcdTransaction transaction;
  for (const store::Compare& compare : asked.compares) {
    EtcdCompare& to = transaction.compares.emplace_back();
    to.key = compare.key;
    to.number = compare.revision;
    to.target = compare.what == store::Compare::What::create_revision ? EtcdCompare::Target::create : EtcdCompare::Target::mod;
    EtcdOperation& poll = transaction.failure.emplace_back();
    poll.span = EtcdSpan(compare.key);
  }
  for (const store::Write& write : asked.writes) {
    EtcdOperation& to = transaction.success.emplace_back();
    to.kind = write.value ? EtcdOperation::Kind::put : EtcdOperation::Kind::remove;
    to.span = EtcdSpan(write.key);
    to.value = write.value.value_or(std::string());
    to.lease = write.lease;
  }
  return transaction;
}

Failure failure_of(std::string_view asked, EtcdFault fault) {
  switch (fault) {
    case EtcdFault::no_lease: return Failure(Errc::not_found, fmt::format("{}: the lease is not there any more", asked));
    case EtcdFault::no_space: return Failure(Errc::limit_exceeded, fmt::format("{}: the store is out of space", asked));
    case EtcdFault::no_leader: return Failure(Errc::unavailable, fmt::format("{}: the store has no leader", asked));
    default: return Failure(Errc::invalid_argument, fmt::format("{}: refused by the store", asked));
  }
}

class ModelStore final : public MemoryStore, public std::enable_shared_from_this<ModelStore> {
 public:
  explicit ModelStore(std::shared_ptr<EtcdModel> model) : model_(std::move(model)) {}

  asio::awaitable<Result<store::Listing>> list(Call& call, std::string prefix, bool may_be_old) override;
  asio::awaitable<Result<store::Outcome>> commit(Call& call, store::Transaction transaction) override;
  asio::awaitable<Result<store::WatchEnd>> watch(Call& call, std::string prefix, std::uint64_t revision, store::Watcher& watcher) override;
  asio::awaitable<Result<store::Lease>> grant(Call& call, Duration ttl) override;
  asio::awaitable<Result<store::Lease>> keep_alive(Call& call, std::int64_t lease) override;
  asio::awaitable<Result<void>> revoke(Call& call, std::int64_t lease) override;

  void reach(Reach how) override {
    reach_ = how;
    if (how == Reach::refused) end_watches({});
    if (how == Reach::hanging) silence_watches();
  }
  void delay_answers(Duration by) override { delay_ = by; }
  void lose_answers(int count) override { lost_ = count; }
  void silence_watches() override {
    for (OpenWatch* one : watches_) one->is_silent = true;
  }
  void end_watches(std::string reason) override {
    for (OpenWatch* one : watches_) {
      one->end = reason;
      one->news.wake();
    }
  }
  std::size_t watches() const override { return watches_.size(); }
  std::uint64_t calls() const override { return calls_; }

 private:
  class OpenWatch {
   public:
    bool is_silent = false;
    std::optional<std::string> end;
    AsyncEvent news;
  };

  asio::awaitable<Result<void>> arrive(Call& call, std::string asked, Duration max);
  asio::awaitable<Result<void>> answer(Call& call, std::string asked);
  asio::awaitable<Result<store::Lease>> answer_lease(Call& call, std::string asked, EtcdResult<EtcdLease> reported);
  asio::awaitable<Result<store::WatchEnd>> serve_watch(Call& call, EtcdSpan span, std::uint64_t revision, store::Watcher& watcher,
                                                       OpenWatch& open_watch);

  std::shared_ptr<EtcdModel> model_;
  Reach reach_ = Reach::open;
  Duration delay_{0};
  int lost_ = 0;
  std::uint64_t calls_ = 0;
  std::set<OpenWatch*> watches_;
};

// No answer for this time, or until the deadline.
asio::awaitable<Result<void>> hang(Call& call, std::string asked, Duration max) {
  Runtime::Impl& impl = impl_of(call);
  const SteadyTime until = std::min(saturating_sum(impl.time->now(), max), call.deadline());
  const bool is_awake = co_await sleep_until(*impl.timers, until);
  if (!is_awake) co_return Failure(Errc::cancelled, asked + ": stopped");
  co_return Failure(Errc::response_timeout, asked + ": the store does not answer");
}

// The way to the server: the write happens before the answer is awaited.
asio::awaitable<Result<void>> ModelStore::arrive(Call& call, std::string asked, Duration max) {
  ++calls_;
  co_await next_turn();
  if (reach_ == Reach::refused) co_return Failure(Errc::unreachable, asked + ": no server of the store can be reached");
  if (reach_ == Reach::hanging) co_return co_await hang(call, std::move(asked), max);
  model_->pass(impl_of(call).time->now());
  co_return Result<void>();
}

// The way back.
asio::awaitable<Result<void>> ModelStore::answer(Call& call, std::string asked) {
  if (lost_ > 0) {
    --lost_;
    co_return co_await hang(call, std::move(asked), patience);
  }
  if (delay_ > patience) co_return co_await hang(call, std::move(asked), patience);
  if (delay_ > Duration(0)) {
    Runtime::Impl& impl = impl_of(call);
    const bool is_awake = co_await sleep_until(*impl.timers, saturating_sum(impl.time->now(), delay_));
    if (!is_awake) co_return Failure(Errc::cancelled, asked + ": stopped");
  }
  co_return Result<void>();
}

asio::awaitable<Result<store::Listing>> ModelStore::list(Call& call, std::string prefix, bool may_be_old) {
  const auto self = shared_from_this();
  const std::string asked = "the list of " + quoted(prefix);
  const Result<void> arrived = co_await arrive(call, asked, list_patience);
  if (!arrived) co_return arrived.error();
  EtcdOperation operation;
  operation.span = span_of(prefix);
  const EtcdResult<EtcdRange> reported = model_->range(operation, may_be_old);
  if (!reported) co_return failure_of(asked, reported.error());
  store::Listing listing;
  listing.revision = model_->revision();
  for (const EtcdKey& key : reported->keys) listing.entries.push_back(entry_of(key));
  if (delay_ > Duration(0)) {
    const Result<void> answered = co_await answer(call, asked);
    if (!answered) co_return answered.error();
  }
  co_return listing;
}

asio::awaitable<Result<store::Outcome>> ModelStore::commit(Call& call, store::Transaction transaction) {
  const auto self = shared_from_this();
  const std::string asked = shown(transaction);
  const Result<void> checked = check_transaction(*this, transaction);
  if (!checked) co_return checked.error();
  const Result<void> arrived = co_await arrive(call, asked, patience);
  if (!arrived) co_return arrived.error();
  const EtcdResult<EtcdTransactionOutcome> done = model_->commit(transaction_of(transaction));
  if (!done) co_return failure_of(asked, done.error());
  store::Outcome outcome;
  outcome.is_written = done->has_succeeded;
  outcome.revision = model_->revision();
  if (!done->has_succeeded) {
    for (const EtcdOutcome& one : done->outcomes) {
      for (const EtcdKey& key : one.range.keys) outcome.compared.push_back(entry_of(key));
    }
  }
  const Result<void> answered = co_await answer(call, asked);
  if (!answered) co_return answered.error();
  co_return outcome;
}

asio::awaitable<Result<store::WatchEnd>> ModelStore::watch(Call& call, std::string prefix, std::uint64_t revision,
                                                           store::Watcher& watcher) {
  const auto self = shared_from_this();
  const std::string asked = "a watch of " + quoted(prefix);
  const Result<void> arrived = co_await arrive(call, asked, patience);
  if (!arrived) co_return arrived.error();
  OpenWatch open_watch;
  watches_.insert(&open_watch);
  const std::shared_ptr<void> forget(nullptr, [this, &open_watch](void*) { watches_.erase(&open_watch); });
  co_return co_await serve_watch(call, span_of(prefix), revision, watcher, open_watch);
}

asio::awaitable<Result<store::WatchEnd>> ModelStore::serve_watch(Call& call, EtcdSpan span, std::uint64_t revision, store::Watcher& watcher,
                                                                 OpenWatch& open_watch) {
  Runtime::Impl& impl = impl_of(call);
  const std::uint64_t life = model_->lives();
  store::WatchEnd end;
  if (revision + 1 < model_->compacted()) {
    end.is_compacted = true;
    end.compact_revision = model_->compacted();
    co_return end;
  }
  const std::shared_ptr<void> subscription = model_->subscribe([&open_watch] { open_watch.news.wake(); });
  watcher.on_revision(model_->revision());
  std::uint64_t reported = revision;
  for (;;) {
    if (open_watch.end && !open_watch.end->empty()) {
      end.reason = *open_watch.end;
      co_return end;
    }
    if (open_watch.end || (life != model_->lives() && !open_watch.is_silent))
      co_return Failure(Errc::unreachable, "a watch: the connection to the store broke");
    if (!open_watch.is_silent) {
      model_->pass(impl.time->now());
      if (!model_->has_leader()) {
        end.reason = "etcdserver: no leader";
        co_return end;
      }
      std::vector<EtcdKey> written = model_->since(reported + 1, span);
      if (!written.empty() && delay_ > Duration(0)) {
        const bool is_awake = co_await sleep_until(*impl.timers, saturating_sum(impl.time->now(), delay_));
        if (!is_awake) co_return Failure(Errc::cancelled, "a watch: stopped");
        if (open_watch.is_silent || open_watch.end) continue;
      }
      for (std::size_t at = 0; at < written.size();) {
        const std::uint64_t of = written[at].mod_revision;
        std::vector<store::Change> changes;
        for (; at < written.size() && written[at].mod_revision == of; ++at) {
          store::Change& change = changes.emplace_back();
          change.entry = entry_of(written[at]);
          change.is_deleted = written[at].version == 0;
        }
        reported = of;
        watcher.on_changes(of, std::move(changes));
      }
      if (!written.empty()) continue;
    }
    if (impl.time->now() >= call.deadline()) co_return Failure(Errc::deadline_exceeded, "a watch: its time is over");
    Timer alarm;
    const SteadyTime until = open_watch.is_silent ? call.deadline() : std::min(model_->next_end(), call.deadline());
    alarm.set(*impl.timers, until, [](void* news) noexcept { static_cast<AsyncEvent*>(news)->wake(); }, &open_watch.news);
    const bool is_awake = co_await open_watch.news.wait();
    if (!is_awake) co_return Failure(Errc::cancelled, "a watch: stopped");
  }
}

asio::awaitable<Result<store::Lease>> ModelStore::answer_lease(Call& call, std::string asked, EtcdResult<EtcdLease> reported) {
  if (!reported) co_return failure_of(asked, reported.error());
  store::Lease lease;
  lease.id = reported->id;
  lease.ttl = std::chrono::seconds(reported->ttl);
  const Result<void> answered = co_await answer(call, std::move(asked));
  if (!answered) co_return answered.error();
  co_return lease;
}

asio::awaitable<Result<store::Lease>> ModelStore::grant(Call& call, Duration ttl) {
  const auto self = shared_from_this();
  const std::string asked = "a lease";
  const Result<void> arrived = co_await arrive(call, asked, patience);
  if (!arrived) co_return arrived.error();
  const std::int64_t seconds = std::chrono::ceil<std::chrono::seconds>(ttl).count();
  co_return co_await answer_lease(call, asked, model_->grant(seconds, 0, impl_of(call).time->now()));
}

asio::awaitable<Result<store::Lease>> ModelStore::keep_alive(Call& call, std::int64_t lease) {
  const auto self = shared_from_this();
  const std::string asked = "a lease that is kept alive";
  const Result<void> arrived = co_await arrive(call, asked, patience);
  if (!arrived) co_return arrived.error();
  co_return co_await answer_lease(call, asked, model_->keep_alive(lease, impl_of(call).time->now()));
}

asio::awaitable<Result<void>> ModelStore::revoke(Call& call, std::int64_t lease) {
  const auto self = shared_from_this();
  const std::string asked = "a lease that is given back";
  const Result<void> arrived = co_await arrive(call, asked, patience);
  if (!arrived) co_return arrived.error();
  const EtcdResult<void> done = model_->revoke(lease);
  if (!done && done.error() != EtcdFault::no_lease) co_return failure_of(asked, done.error());
  co_return co_await answer(call, asked);
}

}  // namespace

std::shared_ptr<MemoryStore> make_memory_store(std::shared_ptr<EtcdModel> model) { return std::make_shared<ModelStore>(std::move(model)); }

}  // namespace rollcall::sim
