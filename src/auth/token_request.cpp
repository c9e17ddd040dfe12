#include "auth/token_request.hpp"

#include "auth/rules/token_service.hpp"
#include "base/base64.hpp"
#include "base/saturating.hpp"
#include "base/url.hpp"
#include "base/wiped_buffer.hpp"
#include "call/runtime_impl.hpp"

namespace rollcall {
namespace {

// The bytes that a form does not escape (WHATWG URL, "application/x-www-form-urlencoded percent-encode set").
std::string form_encode(std::string_view text) { return percent_encode(text, "*-._"); }

template <class Parse>
asio::awaitable<Result<TokenAnswer>> ask(Call& call, TokenRequest& question, Parse parse) {
  ApiRequest& request = question.request();
  const WallTime requested_at = impl_of(call).time->wall_now();
  Result<HttpResponse> response = co_await api_send(call, request);
  if (!response) co_return response.error();
  Result<TokenReply> reply = parse(response->body);
  if (!reply) {
    Failure failure = reply.error();
    // In the body first: a message may quote it truncated within a secret.
    Failure text(Errc::malformed_response, std::move(response->body));
    hide_secrets(request, text);
    if (const Result<TokenReply> hidden = parse(text.what()); !hidden) failure = hidden.error();
    hide_secrets(request, failure);
    failure.with_what(request.what + ": " + failure.what()).with_target(request.http.url.without_query());
    co_return failure;
  }
  wipe(response->body.data(), response->body.size());
  co_return TokenAnswer(std::move(*reply), requested_at);
}

}  // namespace

TokenRequest::TokenRequest(Url url, std::string what) : request_(std::move(url)) {
  request_.service = &token_service;
  request_.what = std::move(what);
  request_.http.method = HttpMethod::post;
  request_.http.is_repeatable = true;  // each answer has a token of its own
}

TokenRequest::~TokenRequest() { wipe(request_.http.body.data(), request_.http.body.size()); }

void TokenRequest::add(std::string_view name, std::string_view value) {
  std::string& body = request_.http.body;
  if (body.empty()) request_.http.headers.add("Content-Type", "application/x-www-form-urlencoded");
  const Secret<std::string> encoded(form_encode(value));
  for (const std::string_view part : {std::string_view(body.empty() ? "" : "&"), name, std::string_view("="), encoded.reveal()})
    append_and_wipe(body, part);
}

void TokenRequest::add_secret(std::string_view name, const Secret<std::string>& value) {
  add(name, value.reveal());
  request_.secrets.push_back(value);
}

void TokenRequest::set_json(std::string body) {
  request_.http.headers.add("Content-Type", "application/json");
  request_.http.body = std::move(body);
}

void TokenRequest::set_client(std::string_view id, const Secret<std::string>& secret) {
  Secret<std::string> encoded = basic_credentials(id, secret.reveal());
  request_.http.headers.add("Authorization", joined_secret({"Basic ", encoded.reveal()}).reveal());
  request_.secrets.push_back(secret);
  request_.secrets.push_back(std::move(encoded));
}

void TokenRequest::use(std::shared_ptr<Credentials> credentials) {
  request_.service = &other_service;  // a 401 is about the token that was sent, and there may be another
  request_.with_token = true;
  request_.credentials = std::move(credentials);
}

AccessToken token_of(TokenAnswer answer) {
  AccessToken token(std::move(answer.access_token));
  token.expires_at = saturating_sum(answer.requested_at, answer.lifetime.value_or(Duration::zero()));
  return token;
}

asio::awaitable<Result<TokenAnswer>> ask_token_service(Call& call, TokenRequest& request) {
  return ask(call, request, [](std::string_view body) { return parse_token_reply(body); });
}

asio::awaitable<Result<AccessToken>> ask_for_token(Call& call, TokenRequest& request) {
  Result<TokenAnswer> answer = co_await ask_token_service(call, request);
  if (!answer) co_return answer.error();
  co_return token_of(std::move(*answer));
}

asio::awaitable<Result<AccessToken>> ask_for_generated_token(Call& call, TokenRequest& request) {
  const WallTime now = impl_of(call).time->wall_now();
  const auto parse = [now](std::string_view body) { return parse_generated_token(body, now); };
  Result<TokenAnswer> answer = co_await ask(call, request, parse);
  if (!answer) co_return answer.error();
  co_return token_of(std::move(*answer));
}

}  // namespace rollcall
