// Being there: the lease, and the key that says so. A replica takes its lease for lost before the store does, and then asks nothing more.
#include "fleet/replicas/replica.hpp"

#include <fmt/format.h>
#include <asio/post.hpp>

#include <algorithm>
#include <utility>

#include "async/group.hpp"
#include "base/saturating.hpp"
#include "readiness/follow.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration pause_between_renewals = std::chrono::seconds(3);
constexpr Duration pause_after_refusal = std::chrono::milliseconds(500);

}  // namespace

Replica::Replica(const Runtime& runtime, const FleetOptions& options, const ResolverMaker& maker, std::shared_ptr<store::Store> store,
                 std::string_view fleet)
    : runtime_(shared_impl_of(runtime)), store_(std::make_shared<StoreAsker>(runtime_, std::move(store))),
      copies_(std::make_shared<Copies>(runtime, options, maker, StoreKeys(fleet), random_id(*runtime_) + random_id(*runtime_))),
      owner_(std::make_unique<SourceOwner>(copies_, store_, maker)), begun_at_(now()) {
  copies_->on_control = [this] { decide_.wake(); };
  copies_->on_wished = [this](CopyTopic& topic) { on_wished(topic); };
  store_->on_gone_back = [this] { guard_.wake(); };
  store_->on_full = [this] { decide_.wake(); };
}

Replica::~Replica() {
  copies_->on_control = nullptr;
  copies_->on_wished = nullptr;
  store_->on_gone_back = nullptr;
  store_->on_full = nullptr;
}

void Replica::start() {
  auto script = [self = shared_from_this()](Call& call) { return self->run(call); };
  auto on_end = [self = shared_from_this()](const Result<void>&) { self->lose("closed"); };
  spawn_result(runtime_->executor,
               run_call<void>(runtime_, CallOptions().timeout(for_ever), CallSubject("a replica of the fleet"), std::move(script)),
               signal_.slot(), "a replica of the fleet", std::move(on_end));
}

asio::awaitable<Result<void>> Replica::run(Call& call) {
  std::vector<asio::awaitable<Result<void>>> parts;
  parts.push_back(hear(call));
  parts.push_back(stay());
  parts.push_back(decide());
  parts.push_back(owner_->run());
  co_return co_await join(std::move(parts));
}

void Replica::close() {
  if (std::exchange(is_closed_, true)) return;
  lose("closed");
  if (!runtime_->loop.is_going()) return;
  asio::post(runtime_->executor, [self = shared_from_this()] { self->signal_.emit(asio::cancellation_type::terminal); });
}

Result<std::shared_ptr<CopyTopic>> Replica::topic(const Target& target) {
  if (is_closed_) return Failure(Errc::cancelled, "the service stops");
  if (copies_->instance.empty()) {
    return Failure(Errc::unavailable, "this replica of the service has not heard yet what its store says")
        .with_hint("ask again, or another replica");
  }
  return copies_->topic(target);
}

std::string Replica::fault() const {
  if (is_closed_ || is_leaving_) return "it stops";
  if (!is_listed_) {
    const std::string why = trouble_ ? fmt::format(": {} (the log says more)", to_string(*trouble_)) : "";
    return "the store was not listed yet" + why;
  }
  if (now() - heard_at_.value_or(begun_at_) > store_is_lost) return "nothing was heard of the store for 15 s";
  return {};
}

// Errors: cancelled.
asio::awaitable<Result<void>> Replica::stay() {
  for (;;) {
    SteadyTime next = SteadyTime::max();
    if (is_listed_) {
      const bool has_lease = co_await keep_lease(next);
      if (has_lease) co_await write_self(next);
    }
    const bool is_awake = co_await wait(stay_, next);
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while keeping a lease");
  }
}

// True if there is one. `next`: when to ask again.
asio::awaitable<bool> Replica::keep_lease(SteadyTime& next) {
  const SteadyTime asked_at = now();
  if (asked_at < renew_at_) {
    next = std::min(next, renew_at_);
    co_return lease_ != 0;
  }
  const bool is_new = lease_ == 0;
  Result<store::Lease> lease = Failure(Errc::unavailable, "not asked yet");
  if (is_new) {
    lease = co_await store_->grant(lease_ttl);
  } else {
    lease = co_await store_->keep_alive(lease_);
  }
  if (!lease) {
    renew_at_ = now() + pause_after_refusal;
    if (lease.error().code() == Errc::not_found) lose("lease");
    next = std::min(next, renew_at_);
    co_return false;
  }
  if (is_closed_ || (!is_new && lease_ != lease->id)) co_return false;  // given up meanwhile
  if (is_new) has_self_news_ = true;
  lease_ = lease->id;
  life_.renew(asked_at, std::min(lease->ttl, lease_ttl));  // whatever the store says, no longer than it was asked for
  renew_at_ = asked_at + pause_between_renewals;
  next = std::min(next, renew_at_);
  const auto on_over = [](void* replica) noexcept { static_cast<Replica*>(replica)->lose("silent"); };
  life_over_.set(*runtime_->timers, life_.until(), on_over, this);
  if (is_new) decide_.wake();
  co_return true;
}

asio::awaitable<void> Replica::write_self(SteadyTime& next) {
  const SteadyTime due = saturating_sum(wrote_self_at_, pause_between_own_writes);
  if (!has_self_news_ && now() < due) {
    next = std::min(next, due);
    co_return;
  }
  has_self_news_ = false;
  const bool says_leaving = is_leaving_;
  ReplicaRecord record;
  record.url = url_;
  record.beat = ++heartbeat_;
  record.is_leaving = is_leaving_;
  record.unable = failed_.unable(now());
  wrote_self_at_ = now();
  pulse_.sent(heartbeat_, now());
  guard_.wake();
  store::Transaction transaction;
  transaction.writes.push_back(store::Write::put(copies_->keys.replica(copies_->self), render_replica(record), lease_));
  const Result<store::Outcome> written = co_await store_->commit(std::move(transaction));
  if (written) {
    has_said_leaving_ |= says_leaving;
    if (says_leaving) decide_.wake();
    next = std::min(next, wrote_self_at_ + pause_between_own_writes);
    co_return;
  }
  has_self_news_ = true;
  const bool has_lease = written.error().code() != Errc::not_found;
  if (!has_lease) lose("lease");
  next = has_lease ? now() + pause_after_refusal : renew_at_;
}

// What was owned by it is another one's soon, whatever the store says. Another lease may be as good as this one was: it is not asked for
// again and again.
void Replica::lose(std::string_view why) {
  lease_ = 0;
  renew_at_ = saturating_sum(now(), pause_after_refusal);
  life_.lose();
  life_over_.cancel();
  owner_->drop_all(why);
  decide_.wake();
  stay_.wake();
}

void Replica::serves_at(std::string url) {
  url_ = std::move(url);
  has_self_news_ = true;
  stay_.wake();
}

asio::awaitable<void> Replica::leave() {
  constexpr Duration patience = std::chrono::seconds(3);
  constexpr Duration pace = std::chrono::milliseconds(20);
  const std::shared_ptr<Replica> alive = shared_from_this();
  is_leaving_ = has_self_news_ = true;
  stay_.wake();
  const SteadyTime end = now() + patience;
  bool goes_on = true;
  while (goes_on && !is_closed_ && now() < end && !(has_said_leaving_ && owner_->sources().empty()))
    goes_on = co_await sleep_until(*runtime_->timers, std::min(end, now() + pace));
}

}  // namespace rollcall::fleet
