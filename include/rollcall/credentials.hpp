// Where bearer tokens come from.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/error.hpp"
#include "rollcall/secret.hpp"
#include "rollcall/time_source.hpp"

namespace rollcall {

class Call;
class Environment;
class Files;
class HttpRequest;
class ServerAccess;

/// A token, and until when it may be sent.
class AccessToken {
 public:
  AccessToken() {}
  explicit AccessToken(Secret<std::string> token_value) : value(std::move(token_value)) {}
  Secret<std::string> value;
  std::optional<WallTime> expires_at;  ///< none: good until it is refused
  /// How the server must be reached with it, such as with the client certificate that came along; null: as the request says. With it the
  /// token itself may be empty, and none is sent.
  std::shared_ptr<const ServerAccess> access;
  /// True if `other` was given out at the same time.
  bool is_same(const AccessToken& other) const { return value == other.value && access == other.access; }
};

/// What credentials tell of themselves without asking anybody: for defaults, and for doctor(). Never a secret; printable.
class CredentialFacts {
 public:
  using Pointer = std::shared_ptr<const CredentialFacts>;

  CredentialFacts() {}
  explicit CredentialFacts(std::string kind_name) : kind(std::move(kind_name)) {}
  std::string kind;           ///< "authorized_user", "access token", "metadata server"
  std::string account;        ///< whose they are; empty: that is not known
  std::string path;           ///< of the file that they lie in; empty: none
  std::string named_by;       ///< what led there: "named by GOOGLE_APPLICATION_CREDENTIALS"; may be empty
  std::string project;        ///< that the file names; may be empty
  std::string quota_project;  ///< that is named in every request; may be empty
  std::string quota_project_from;
  std::string universe_domain;        ///< "googleapis.com"; empty: they do not tell
  bool is_from_metadata = false;      ///< the metadata server gives the tokens, and knows their universe
  std::vector<std::string> missing;   ///< what was looked for before: "GOOGLE_APPLICATION_CREDENTIALS is not set"
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
  /// Puts `token`, which token() gave, into a request that is about to be sent, before each attempt anew. Unless overridden, as a bearer
  /// token (RFC 6750); a kind that signs requests sets its headers here. Must not suspend. Errors: why the request must not be sent.
  virtual Result<void> authorize(HttpRequest& request, const AccessToken& token, const TimeSource& time) const;
  /// The service refused `rejected` (401): forget it if it is still the cached one.
  virtual void invalidate(const AccessToken& rejected) = 0;
  /// What this is, for messages: "the token file /run/token". Never a secret.
  virtual std::string describe() const = 0;
  /// What is known of them; never null. Unless overridden, `kind` is describe(). Reads files at most. Asked for by every call that names no
  /// endpoint: give out the same object for as long as the facts do. Errors: those of the files.
  virtual Result<CredentialFacts::Pointer> facts(const Environment& environment, const Files& files);
};

/// Always the same token.
std::shared_ptr<Credentials> static_token(Secret<std::string> token);
/// The first line of a file, read again at every use, so that a rotated file is picked up.
std::shared_ptr<Credentials> token_file(std::string path);
/// The metadata server's token of the VM's default service account; cached until 225 s before its expiry (at most half
/// its lifetime), refreshed by one request for all waiters; an old token serves while it is valid and a refresh fails.
std::shared_ptr<Credentials> metadata_token();
/// A credential file as gcloud and the cloud console write it: service_account, authorized_user, external_account,
/// external_account_authorized_user or impersonated_service_account. It is read at the first use, and again after its credentials were
/// refused. Source: google.aip.dev/auth/4110. Errors of its use: not_found, invalid_argument, unimplemented (another type),
/// refused_by_policy (an address in it that secrets are not sent to), unauthenticated.
std::shared_ptr<Credentials> credential_file(std::string path);
/// Application Default Credentials, in their order: the file that GOOGLE_APPLICATION_CREDENTIALS names (it must be good then), the file of
/// gcloud auth application-default login, that of the account gcloud is logged in as, the metadata server.
std::shared_ptr<Credentials> application_default();
/// ROLLCALL_ACCESS_TOKEN when set and not empty, else application_default().
std::shared_ptr<Credentials> default_credentials();

}  // namespace rollcall
