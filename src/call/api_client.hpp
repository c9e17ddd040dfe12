// The only path to the network for requests of resolvers. Token, in-flight limit, attempt, classification, and the one retry loop of the
// library.
#pragma once

#include <asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "call/rules/classify_status.hpp"
#include "rollcall/call.hpp"

namespace rollcall {

class ApiRequest {
 public:
  explicit ApiRequest(HttpRequest request) : http(std::move(request)) {}
  explicit ApiRequest(Url url) { http.url = std::move(url); }

  HttpRequest http;
  const Service* service = &other_service;
  bool with_token = false;
  /// The source of the token; null: the Runtime's credentials.
  std::shared_ptr<Credentials> credentials;
  /// Further secrets of the request; hidden in messages about its answer.
  std::vector<Secret<std::string>> secrets;
  /// False: send without a token although credentials exist, because the host was named by an untrusted document.
  bool is_token_allowed = true;
  /// The answer must carry `Metadata-Flavor: Google`.
  bool needs_metadata_flavor = false;
  /// False for a stream or a long poll, which would hold one of the host's permits for minutes, or a probe, which must not wait for one.
  bool counts_against_limit = true;
  /// One attempt without retries; its failure is an expected result and is not recorded as trouble of the call.
  bool is_probe = false;
  /// The maximum number of retries after failures to connect (there may be no server at that address); negative: only the policy decides.
  int max_connect_retries = -1;
  /// Hint for a refusal by the server (4xx), instead of the service's hint for the status; empty: that one is kept.
  std::string refusal_hint;
  /// Hint for a server that cannot be reached, instead of the transport's hint; empty: that one is kept.
  std::string absent_server_hint;
  ExchangeOptions exchange;
  /// Called with each answer that is not 2xx, tokens hidden, before it becomes a failure: for services whose error bodies have details.
  std::function<void(const HttpResponse& answer)> on_refusal;
  /// The subject of the request for messages: "TPU node 'trainer'". The message continues with what went wrong.
  std::string what;
};

/// A request to a cloud's API: with the Runtime's token, if allowed. `what` begins the messages.
inline ApiRequest cloud_request(const Service& service, Url url, std::string what, bool is_token_allowed = true) {
  ApiRequest request(std::move(url));
  request.service = &service;
  request.with_token = true;
  request.is_token_allowed = is_token_allowed;
  request.what = std::move(what);
  return request;
}

/// Hides the request's secrets in a failure that quotes from its answer.
void hide_secrets(const ApiRequest& request, Failure& failure);

/// The final answer with a 2xx status; everything else is a Failure. May suspend; cancellable.
asio::awaitable<Result<HttpResponse>> api_send(Call& call, ApiRequest& request);

/// Takes the body of a 2xx answer piece by piece. A failed attempt may be repeated: restart() discards what was taken.
class BodySink {
 public:
  virtual ~BodySink() = default;
  virtual void restart() = 0;
  /// The server has begun to answer, with 2xx; the body may take long.
  virtual void begin() {}
  virtual Result<void> take(std::string_view piece) = 0;
};

/// As api_send, with the body going to `sink`. At most `max_bytes` of it.
asio::awaitable<Result<HttpResponse>> api_stream(Call& call, ApiRequest& request, BodySink& sink, std::size_t max_bytes);

}  // namespace rollcall
