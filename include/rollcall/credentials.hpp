// Where bearer tokens come from.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"
#include "rollcall/secret.hpp"
#include "rollcall/time_source.hpp"

namespace rollcall {

class Call;
class ServerAccess;

class AccessToken {
 public:
  AccessToken() {}
  explicit AccessToken(Secret<std::string> token_value) : value(std::move(token_value)) {}
  Secret<std::string> value;
  std::optional<WallTime> expires_at;  ///< none: valid until refused
  /// How the server must be reached with it, such as with the client certificate that came along; null: as the request says. With it the
  /// token itself may be empty, and none is sent.
  std::shared_ptr<const ServerAccess> access;
  /// True if `other` was given out at the same time.
  bool is_same(const AccessToken& other) const { return value == other.value && access == other.access; }
};

/// One kind of credential. Implementations cache and refresh on their own and let concurrent callers share one refresh. An object
/// serves Runtimes of one executor only: what it keeps is not locked.
class Credentials {
 public:
  virtual ~Credentials() = default;
  /// A token that is valid now. May suspend; cancellable (a shared refresh goes on for the others).
  /// Errors: unauthenticated, or whatever stopped the refresh.
  virtual asio::awaitable<Result<AccessToken>> token(Call& call) = 0;
  /// What token() would return if it can be told without suspending, else none. Saves most requests a coroutine.
  virtual std::optional<Result<AccessToken>> cached_token(Call&) { return std::nullopt; }
  /// The service refused `rejected` (401): forget it if it is still the cached one.
  virtual void invalidate(const AccessToken& rejected) = 0;
  /// What this is, for messages: "the token file /run/token". Never a secret.
  virtual std::string describe() const = 0;
};

/// Always the same token.
std::shared_ptr<Credentials> static_token(Secret<std::string> token);
/// The first line of a file, read again at every use, so that a rotated file is picked up.
std::shared_ptr<Credentials> token_file(std::string path);
/// The metadata server's token of the VM's default service account; cached until 225 s before its expiry (at most half
/// its lifetime), refreshed by one request for all waiters; an old token serves while it is valid and a refresh fails.
std::shared_ptr<Credentials> metadata_token();
/// ROLLCALL_ACCESS_TOKEN when set and not empty, else the metadata server.
std::shared_ptr<Credentials> default_credentials();

}  // namespace rollcall
