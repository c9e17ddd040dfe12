// The keys of an issuer of tokens: fetched when needed, refreshed after an hour, and kept for a day if they cannot be fetched.
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

/// The keys that an issuer publishes.
class IssuerDocument {
 public:
  IssuerDocument() {}
  std::string issuer;
  std::vector<WebKey> keys;
};

class IssuerKeys : public std::enable_shared_from_this<IssuerKeys> {
 public:
  using Fetch = std::function<asio::awaitable<Result<IssuerDocument>>(Call& call)>;
  /// The meaning of a key that is missing in a list that was fetched a moment ago.
  enum class Absence {
    is_no_verdict,  ///< the issuer may have added the key since: find() fails until the keys may be fetched again
    is_a_verdict,   ///< the issuer publishes each key before it signs with it: the token is forged
  };
  /// `subject`: "the keys of Google's tokens". `fetch` must own everything that it refers to.
  IssuerKeys(std::shared_ptr<Runtime::Impl> runtime, std::string subject, Absence absence, Fetch fetch);

  class Known {
   public:
    class Key {
     public:
      WebKey sent;
      PublicKey key;  ///< null: WebKey::fault has the reason
    };
    std::string issuer;
    std::vector<Key> keys;
    SteadyTime fetched_at{};

    /// Verifies the token's signature; a token without a key id by the only key. Errors: unauthenticated.
    Result<void> check(const JsonWebToken& token) const;
    bool has(std::string_view id) const noexcept;
  };

  /// Converts the keys of a document to OpenSSL's; keys that OpenSSL refuses get a fault.
  static Known known(IssuerDocument sent);

  /// The keys, fetched again if they are old or lack this key, for the latter at most every 30 s. Suspends only for that, for 5 s at most;
  /// cancellable. Errors: unavailable.
  asio::awaitable<Result<std::shared_ptr<const Known>>> find(std::string key_id);
  /// True if a cached key has signed the token. Does not suspend.
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
  std::optional<Failure> failure_;  // of the last attempt
  // The fetch is not owned by a waiting client: clients that come and go could otherwise restart it again and again.
  bool is_fetching_ = false;
  asio::cancellation_signal stop_;
  boost::intrusive::list<Waiter, boost::intrusive::constant_time_size<false>> waiters_;
};

}  // namespace rollcall::fleet
