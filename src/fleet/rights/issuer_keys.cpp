#include "fleet/rights/issuer_keys.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "async/spawn.hpp"
#include "call/call_scope.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration fresh_for = std::chrono::hours(1);
constexpr Duration kept_for = std::chrono::hours(24);
constexpr Duration pause = std::chrono::seconds(30);
constexpr Duration fetch_patience = std::chrono::seconds(5);

Failure bad_signature(std::string_view why) { return Failure(Errc::unauthenticated, fmt::format("the token {}", why)); }

}  // namespace

bool IssuerKeys::Known::has(std::string_view id) const noexcept {
  return std::any_of(keys.begin(), keys.end(), [id](const Key& key) { return key.sent.id == id; });
}

Result<void> IssuerKeys::Known::check(const JsonWebToken& token) const {
  if (token.key_id.empty() && keys.size() > 1) return bad_signature("names no key (kid), and its issuer has several");
  Result<void> verdict = bad_signature("is signed with a key (kid) that its issuer does not have");
  for (const Key& key : keys) {
    if (!token.key_id.empty() && key.sent.id != token.key_id) continue;
    if (key.sent.algorithm != token.algorithm) {
      verdict = bad_signature("names another algorithm (alg) than its key is for");
    } else if (!key.key) {
      verdict = bad_signature(fmt::format("is signed with a key that {}", key.sent.fault));
    } else if (has_signed(key.key, token.signed_part, token.signature)) {
      return {};
    } else {
      verdict = bad_signature("has a wrong signature");
    }
  }
  return verdict;
}

IssuerKeys::IssuerKeys(std::shared_ptr<Runtime::Impl> runtime, std::string subject, Absence absence, Fetch fetch)
    : runtime_(std::move(runtime)), subject_(std::move(subject)), absence_(absence), fetch_(std::move(fetch)) {}

bool IssuerKeys::is_due(std::string_view key_id, SteadyTime now) const {
  if (tried_at_ && now < *tried_at_ + pause) return false;
  return !known_ || now >= known_->fetched_at + fresh_for || (!key_id.empty() && !known_->has(key_id));
}

asio::awaitable<Result<std::shared_ptr<const IssuerKeys::Known>>> IssuerKeys::find(std::string key_id) {
  const std::shared_ptr<IssuerKeys> self = shared_from_this();
  const bool is_due = self->is_due(key_id, runtime_->time->now());
  if (is_due && !is_fetching_) start();
  const bool has_it = known_ && (key_id.empty() || known_->has(key_id)) && !is_due;
  const SteadyTime asked_at = runtime_->time->now();
  if (is_fetching_ && !has_it) {
    Waiter waiter;
    waiters_.push_back(waiter);
    const bool is_done = co_await waiter.done.wait();
    if (!is_done) co_return Failure(Errc::cancelled, "cancelled while an issuer's keys were fetched");
  }
  const SteadyTime now = runtime_->time->now();
  // If the issuer was asked since, it does not have the key. If it was asked before, it may have the key by now.
  const bool was_asked_before = known_ && !key_id.empty() && !known_->has(key_id) && known_->fetched_at < asked_at;
  const bool is_settled = absence_ == Absence::is_a_verdict && known_ && now < known_->fetched_at + pause;
  const bool may_have_more = was_asked_before && !is_settled;
  if (known_ && now < known_->fetched_at + kept_for && !may_have_more) co_return known_;
  const std::string why = failure_        ? failure_->what()
                          : may_have_more ? std::string("they were asked for a moment ago")
                                          : std::string("they are too old");
  co_return Failure(Errc::unavailable, fmt::format("{} cannot be had at present: {}", subject_, why));
}

void IssuerKeys::start() {
  is_fetching_ = true;
  tried_at_ = runtime_->time->now();
  CallOptions options;
  options.timeout(fetch_patience);
  auto script = [self = shared_from_this()](Call& call) { return self->refresh(call); };
  auto on_done = [self = shared_from_this()](const Result<void>& result) { self->end(result); };
  spawn_result(runtime_->executor, run_call<void>(runtime_, std::move(options), CallSubject(subject_), std::move(script)), stop_.slot(),
               "an issuer's keys were not fetched", std::move(on_done));
}

void IssuerKeys::end(const Result<void>& result) {
  is_fetching_ = false;
  tried_at_ = runtime_->time->now();
  failure_.reset();
  if (!result) failure_ = result.error();
  for (Waiter& waiter : waiters_) waiter.done.wake();
}

asio::awaitable<Result<void>> IssuerKeys::refresh(Call& call) {
  Result<IssuerDocument> sent = co_await fetch_(call);
  if (!sent) co_return sent.error();
  auto made = std::make_shared<Known>(known(std::move(*sent)));
  made->fetched_at = runtime_->time->now();
  known_ = std::move(made);
  co_return Result<void>();
}

IssuerKeys::Known IssuerKeys::known(IssuerDocument sent) {
  Known known;
  known.issuer = std::move(sent.issuer);
  for (WebKey& key : sent.keys) {
    Known::Key& made = known.keys.emplace_back();
    if (key.fault.empty()) {
      const bool is_rsa = key.algorithm == SignatureAlgorithm::rs256;
      Result<PublicKey> usable = is_rsa ? rsa_public_key(key.modulus, key.exponent) : p256_public_key(key.x, key.y);
      if (usable) made.key = std::move(*usable);
      if (!usable) key.fault = usable.error().what();
    }
    made.sent = std::move(key);
  }
  return known;
}

}  // namespace rollcall::fleet
