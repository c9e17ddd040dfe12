// Sources of bearer tokens.
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

/// A token, and the time until which it may be sent.
class AccessToken {
 public:
  AccessToken() {}
  explicit AccessToken(Secret<std::string> token_value) : value(std::move(token_value)) {}
  Secret<std::string> value;
  std::optional<WallTime> expires_at;  ///< none: valid until the service rejects it
  /// Connection settings that the token requires, such as the client certificate that was issued with it; null: as the request says. If
  /// set, the token itself may be empty; then none is sent.
  std::shared_ptr<const ServerAccess> access;
  /// True if both were issued by the same refresh.
  bool is_same(const AccessToken& other) const { return value == other.value && access == other.access; }
};

/// Facts about credentials that are known without a request: for defaults, and for doctor(). Never a secret; printable.
class CredentialFacts {
 public:
  using Pointer = std::shared_ptr<const CredentialFacts>;

  CredentialFacts() {}
  explicit CredentialFacts(std::string kind_name) : kind(std::move(kind_name)) {}
  std::string kind;           ///< "authorized_user", "access token", "metadata server"
  std::string account;        ///< the account; empty: not known
  std::string path;           ///< path of the file that holds them; empty: none
  std::string named_by;       ///< how they were found: "named by GOOGLE_APPLICATION_CREDENTIALS"; may be empty
  std::string project;        ///< in the file; may be empty
  std::string quota_project;  ///< that is named in every request; may be empty
  std::string quota_project_from;
  std::string universe_domain;        ///< "googleapis.com"; empty: not known
  bool is_from_metadata = false;      ///< the metadata server issues the tokens, and knows their universe
  std::vector<std::string> missing;   ///< the sources that were checked before: "GOOGLE_APPLICATION_CREDENTIALS is not set"
};

/// One kind of credential. Implementations cache and refresh on their own and let concurrent callers share one refresh. An object serves
/// Runtimes of one executor only: its state is not locked.
class Credentials {
 public:
  virtual ~Credentials() = default;
  /// A token that is valid now. May suspend; cancellable (a shared refresh goes on for the others). Errors: unauthenticated, or the failure
  /// of the refresh.
  virtual asio::awaitable<Result<AccessToken>> token(Call& call) = 0;
  /// What token() would return if it is known without suspending, else none. Saves most requests a coroutine.
  virtual std::optional<Result<AccessToken>> cached_token(Call&) { return std::nullopt; }
  /// Adds `token`, which token() returned, to a request; called before each attempt. Unless overridden, as a bearer token (RFC 6750); a
  /// kind that signs requests sets its headers here. Must not suspend. Errors: why the request must not be sent.
  virtual Result<void> authorize(HttpRequest& request, const AccessToken& token, const TimeSource& time) const;
  /// The service rejected `rejected` (401): drop it if it is still the cached one.
  virtual void invalidate(const AccessToken& rejected) = 0;
  /// Description for messages: "the token file /run/token". Never a secret.
  virtual std::string describe() const = 0;
  /// Facts about these credentials; never null. Unless overridden, `kind` is describe(). May read files, sends no requests. Called by every
  /// call that names no endpoint: return the same object until the facts change. Errors: those of the files.
  virtual Result<CredentialFacts::Pointer> facts(const Environment& environment, const Files& files);
};

/// Always the same token.
std::shared_ptr<Credentials> static_token(Secret<std::string> token);
/// The first line of a file, read again at every use, so that a rotated file takes effect.
std::shared_ptr<Credentials> token_file(std::string path);
/// The metadata server's token of the VM's default service account; cached until 225 s before its expiry (at most half its lifetime),
/// refreshed by one request for all waiters; the old token is used while it is valid and a refresh fails.
std::shared_ptr<Credentials> metadata_token();
/// A credential file as gcloud and the cloud console write it: service_account, authorized_user, external_account,
/// external_account_authorized_user or impersonated_service_account. It is read at the first use, and again after its credentials were
/// rejected. Source: google.aip.dev/auth/4110. Errors of its use: not_found, invalid_argument, unimplemented (another type),
/// refused_by_policy (it has an address that secrets are not sent to), unauthenticated.
std::shared_ptr<Credentials> credential_file(std::string path);
/// Application Default Credentials, in their order: the file that GOOGLE_APPLICATION_CREDENTIALS names (if set, it must be valid), the file
/// of gcloud auth application-default login, that of the account that is logged in to gcloud, the metadata server.
std::shared_ptr<Credentials> application_default();
/// ROLLCALL_ACCESS_TOKEN when set and not empty, else application_default().
std::shared_ptr<Credentials> default_credentials();

}  // namespace rollcall
