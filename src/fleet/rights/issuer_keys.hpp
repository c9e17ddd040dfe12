// The keys of an issuer of tokens: fetched when they are needed, kept for an hour, and for a day where they cannot be fetched anew.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>
#include <boost/intrusive/list.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/async_event.hpp"
#include "call/runtime_impl.hpp"
#include "crypto/public_key.hpp"
#include "fleet/rights/wire/key_set.hpp"

namespace rollcall::fleet {

/// What an issuer tells of itself.
class IssuerDocument {
 public:
  IssuerDocument() {}
  std::string issuer;
  std::vector<WebKey> keys;
};

class IssuerKeys : public std::enable_shared_from_this<IssuerKeys> {
 public:
  using Fetch = std::function<asio::awaitable<Result<IssuerDocument>>(Call& call)>;
  /// What a list of keys that was fetched a moment ago says of a key that it does not have.
  enum class Absence {
    is_no_verdict,  ///< the issuer may have the key by now: find() fails until the keys may be fetched again
    is_a_verdict,   ///< the issuer lists each key before it signs with it: the token is not the issuer's
  };
  /// `subject`: "the keys of Google's tokens". `fetch` must own what it refers to.
  IssuerKeys(std::shared_ptr<Runtime::Impl> runtime, std::string subject, Absence absence, Fetch fetch);

  class Known {
   public:
    class Key {
     public:
      WebKey sent;
      PublicKey key;  ///< null: WebKey::fault says why
    };
    std::string issuer;
    std::vector<Key> keys;
    SteadyTime fetched_at{};

    /// Whether the token's signature is by one of the keys; a token without a key's name, by the only one. Errors: unauthenticated.
    Result<void> check(const JsonWebToken& token) const;
    bool has(std::string_view id) const noexcept;
  };

  /// Of a document whose keys are OpenSSL's from now on; those that it does not take have a fault.
  static Known known(IssuerDocument sent);

  /// The keys, fetched again if they are old, or do not have this one: that at most every 30 s. Suspends only for that, 5 s at most;
  /// cancellable. Errors: unavailable.
  asio::awaitable<Result<std::shared_ptr<const Known>>> find(std::string key_id);
  /// True if the keys that are at hand say so: it takes no question.
  bool have_signed(const JsonWebToken& token) const {
    const bool are_known = known_ && token.issuer == known_->issuer && !token.key_id.empty() && known_->has(token.key_id);
    return are_known && known_->check(token).has_value();
  }

 private:
  class Waiter : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
   public:
    AsyncEvent done;
  };

  bool is_due(std::string_view key_id, SteadyTime now) const;
  void start();
  void end(const Result<void>& result);
  asio::awaitable<Result<void>> refresh(Call& call);

  std::shared_ptr<Runtime::Impl> runtime_;
  std::string subject_;
  Absence absence_;
  Fetch fetch_;
  std::shared_ptr<const Known> known_;
  std::optional<SteadyTime> tried_at_;
  std::optional<Failure> failure_;  // of the last try
  // What is fetched belongs to nobody who waits for it: whoever comes and goes could else have it begun again and again.
  bool is_fetching_ = false;
  asio::cancellation_signal stop_;
  boost::intrusive::list<Waiter, boost::intrusive::constant_time_size<false>> waiters_;
};

}  // namespace rollcall::fleet
