// Requests to token services: they contain secrets, and messages about their answers show none.
#pragma once

#include <asio/awaitable.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "auth/wire/token.hpp"
#include "call/api_client.hpp"
#include "rollcall/credentials.hpp"

namespace rollcall {

/// A POST to a token service. Its body is wiped when it is destroyed.
class TokenRequest {
 public:
  /// `what` begins the messages: "token of the service account x@y".
  TokenRequest(Url url, std::string what);
  ~TokenRequest();
  TokenRequest(const TokenRequest&) = delete;
  TokenRequest& operator=(const TokenRequest&) = delete;

  /// A field of a form (application/x-www-form-urlencoded).
  void add(std::string_view name, std::string_view value);
  /// The same for a value that no message may show.
  void add_secret(std::string_view name, const Secret<std::string>& value);
  /// Instead of a form.
  void set_json(std::string body);
  /// HTTP Basic: the client's name and password (RFC 6749, section 2.3.1).
  void set_client(std::string_view id, const Secret<std::string>& secret);
  /// The token to send, from these credentials.
  void use(std::shared_ptr<Credentials> credentials);

  ApiRequest& request() noexcept { return request_; }

 private:
  ApiRequest request_;
};

/// A reply, and when it was requested: lifetimes count from then.
class TokenAnswer : public TokenReply {
 public:
  TokenAnswer() {}
  TokenAnswer(TokenReply reply, WallTime asked_at) : TokenReply(std::move(reply)), requested_at(asked_at) {}
  WallTime requested_at{};
};

/// May suspend; cancellable. Errors: the request's; unauthenticated when the credentials are rejected; malformed_response.
asio::awaitable<Result<TokenAnswer>> ask_token_service(Call& call, TokenRequest& request);
/// Without a lifetime the token serves only the requests that wait for it.
AccessToken token_of(TokenAnswer answer);

/// token_of() the answer of ask_token_service().
asio::awaitable<Result<AccessToken>> ask_for_token(Call& call, TokenRequest& request);
/// The same for IAM credentials' generateAccessToken.
asio::awaitable<Result<AccessToken>> ask_for_generated_token(Call& call, TokenRequest& request);

/// A token of a service account that another identity impersonates.
/// Requests it from IAM credentials (generateAccessToken). `source`: the impersonating identity. May suspend; cancellable. Errors: the
/// request's, permission_denied if the source may not impersonate the account.
asio::awaitable<Result<AccessToken>> impersonate(Call& call, Url url, std::shared_ptr<Credentials> source,
                                                 std::vector<std::string> delegates, Duration lifetime);

}  // namespace rollcall
