// Decision: only an answer to what was asked after a higher revision had been heard shows that the store has gone back; answers may
// overtake each other.
#include "fleet/replicas/store_asker.hpp"

#include <algorithm>

namespace rollcall::fleet {

void StoreAsker::note(std::uint64_t asked_after, std::uint64_t revision) {
  const bool is_back = revision != 0 && revision < asked_after && asked_after <= revision_;
  revision_ = std::max(revision_, revision);
  if (!is_back || has_gone_back_) return;
  has_gone_back_ = true;
  if (on_gone_back) on_gone_back();
}

// Other failures say nothing of it.
void StoreAsker::note_space(const Result<store::Outcome>& outcome) {
  const bool is_refused = outcome.has_error() && outcome.error().code() == Errc::limit_exceeded;
  if ((!outcome && !is_refused) || is_refused == is_full_) return;
  is_full_ = is_refused;
  if (is_full_) {
    const std::string warning = "the services' store takes nothing any more: " + outcome.error().message();
    runtime_->emit({.kind = EventKind::security_warning, .subject = warning});
  }
  if (on_full) on_full();
}

asio::awaitable<Result<store::Listing>> StoreAsker::list(std::string prefix, bool may_be_old) {
  const std::uint64_t after = revision_;
  const SteadyTime asked_at = now();
  auto ask = [store = store_, prefix, may_be_old](Call& call) { return store->list(call, prefix, may_be_old); };
  Result<store::Listing> listing = co_await run_call<store::Listing>(runtime_, CallOptions().timeout(patience_with_lists),
                                                                     CallSubject("the store's list"), std::move(ask));
  if (listing && !may_be_old) {
    note(after, listing->revision);
    clock_.answered(asked_at, listing->revision);
  }
  co_return listing;
}

asio::awaitable<Result<store::Outcome>> StoreAsker::commit(store::Transaction transaction) {
  const std::uint64_t after = revision_;
  const SteadyTime sent_at = now();
  // Who deletes what is not there writes nothing.
  const bool puts =
      std::any_of(transaction.writes.begin(), transaction.writes.end(), [](const auto& one) { return one.value.has_value(); });
  auto ask = [store = store_, transaction = std::move(transaction)](Call& call) { return store->commit(call, transaction); };
  Result<store::Outcome> outcome =
      co_await run_call<store::Outcome>(runtime_, CallOptions().timeout(patience), CallSubject("the store's commit"), std::move(ask));
  if (outcome) note(after, outcome->revision);
  if (outcome && outcome->is_written && puts) {
    clock_.wrote(sent_at, outcome->revision);
  } else if (outcome) {
    clock_.answered(sent_at, outcome->revision);
  }
  if (puts) note_space(outcome);  // a store that is full still deletes
  co_return outcome;
}

asio::awaitable<Result<store::Lease>> StoreAsker::grant(Duration ttl) {
  auto ask = [store = store_, ttl](Call& call) { return store->grant(call, ttl); };
  return run_call<store::Lease>(runtime_, CallOptions().timeout(patience), CallSubject("the store's lease"), std::move(ask));
}

asio::awaitable<Result<store::Lease>> StoreAsker::keep_alive(std::int64_t lease) {
  auto ask = [store = store_, lease](Call& call) { return store->keep_alive(call, lease); };
  return run_call<store::Lease>(runtime_, CallOptions().timeout(patience), CallSubject("the store's lease"), std::move(ask));
}

asio::awaitable<Result<void>> StoreAsker::revoke(std::int64_t lease) {
  auto ask = [store = store_, lease](Call& call) { return store->revoke(call, lease); };
  return run_call<void>(runtime_, CallOptions().timeout(patience), CallSubject("the store's lease"), std::move(ask));
}

}  // namespace rollcall::fleet
