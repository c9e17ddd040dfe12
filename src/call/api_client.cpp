#include "call/api_client.hpp"

#include <fmt/format.h>

#include "base/base64.hpp"
#include "base/ip.hpp"
#include "base/text.hpp"
#include "call/attempts.hpp"
#include "call/exchange_trace.hpp"
#include "call/google_access.hpp"
#include "call/large_answer.hpp"
#include "call/refusals.hpp"
#include "call/runtime_impl.hpp"
#include "call/token_mask.hpp"
#include "call/token_rules.hpp"

namespace rollcall {
namespace {

// The token of one attempt: whether the request carries one, the credentials that provide it, the mask that hides it, and its replacement.

bool sends_token(const ApiRequest& request) noexcept { return request.with_token && request.is_token_allowed; }

Credentials& credentials_for(Call& call, const ApiRequest& request) noexcept {
  return request.credentials ? *request.credentials : *impl_of(call).credentials;
}

// User and password of the request's `Basic` header (RFC 7617): a server may repeat them in decoded form.
class BasicLoginSent {
 public:
  explicit BasicLoginSent(const HttpRequest& request) {
    constexpr std::string_view scheme = "Basic ";
    const std::string_view field = request.headers.get("Authorization").value_or("");
    if (!equals_ignoring_case(field.substr(0, scheme.size()), scheme)) return;
    std::optional<std::string> pair = base64_decode(field.substr(scheme.size()));
    if (!pair) return;
    const Secret<std::string> decoded(std::move(*pair));
    const std::size_t colon = decoded.reveal().find(':');
    if (colon == std::string_view::npos) return;
    user = Secret<std::string>(std::string(decoded.reveal().substr(0, colon)));
    password = Secret<std::string>(std::string(decoded.reveal().substr(colon + 1)));
  }
  Secret<std::string> user;
  Secret<std::string> password;
};

bool is_worth_hiding(const Secret<std::string>& secret) noexcept { return secret.reveal().size() >= TokenTable::min_token; }

// The mask for `token`, or for the bearer token that came with the request, and for a password of the request. It hides nothing if there is
// no token, or a token so short that it may be a common word. The table is built once for all requests with the same token.
TokenMask mask_for(Runtime::Impl& impl, const ApiRequest& request, const AccessToken& sent) {
  const Secret<std::string>& token = sent.value.empty() ? request.http.bearer : sent.value;
  const bool hides_token = is_worth_hiding(token);
  // A shorter password may be a common word in a harmless answer.
  BasicLoginSent login(request.http);
  const bool hides_password = login.password.reveal().size() >= TokenTable::min_run;
  if (!hides_token && !hides_password) return TokenMask(nullptr);
  const std::shared_ptr<const TokenTable>& known = impl.token_table;
  if (hides_token && !hides_password && known && known->secrets().size() == 1 && known->secrets().front() == token) return TokenMask(known);
  std::vector<Secret<std::string>> secrets;
  if (hides_token) secrets.push_back(token);
  if (hides_password) secrets.push_back(std::move(login.password));
  if (!known || known->secrets() != secrets) impl.token_table = std::make_shared<const TokenTable>(std::move(secrets));
  return TokenMask(impl.token_table);
}

// The mask for the other secrets of the request.
TokenMask mask_of_secrets(const ApiRequest& request) {
  std::vector<Secret<std::string>> secrets;
  const auto add = [&secrets](const Secret<std::string>& secret) {
    if (is_worth_hiding(secret)) secrets.push_back(secret);
  };
  for (const Secret<std::string>& secret : request.secrets) add(secret);
  const BasicLoginSent login(request.http);
  add(login.user);
  add(login.password);
  return TokenMask(secrets.empty() ? nullptr : std::make_shared<const TokenTable>(std::move(secrets)));
}

// Hides the request's token in its answer, before a parser or a message quotes from it. The answer to a user's own request (Call::fetch) is
// not changed.
void hide_token(const TokenMask& mask, const ApiRequest& request, Result<HttpResponse>& answer) {
  if (!answer) {
    Failure failure = answer.error();
    mask.hide_in(failure);
    answer = std::move(failure);
  } else if (request.service->hides_token || answer->status >= 300) {
    mask.hide_in(answer->body);
    if (answer->status >= 300)
      mask_of_secrets(request).hide_in(answer->body);  // before a message quotes the body and possibly truncates it within a secret
  }
}

// Passes a piece of the answer to `sink` with the token hidden; an empty piece is the end.
Result<void> take_masked(TokenMaskStream& mask, std::string_view piece, BodySink& sink) {
  const auto take = [&sink](std::string_view shown) { return shown.empty() ? Result<void>() : sink.take(shown); };
  if (piece.empty()) return take(mask.rest());
  while (!piece.empty()) {
    const std::string_view front = mask.front(piece);
    const Result<void> taken = take(mask.next(front));
    if (!taken) return taken;
    piece.remove_prefix(front.size());
  }
  return {};
}

Result<void> authorize(Call& call, ApiRequest& request, const AccessToken& token) {
  const Result<void> authorized = credentials_for(call, request).authorize(request.http, token, *impl_of(call).time);
  if (authorized && token.access) request.http.access = token.access;
  return authorized;
}

// Sets `token` if it is known without a request. False: a request is needed.
Result<bool> take_known_token(Call& call, ApiRequest& request, AccessToken& token) {
  std::optional<Result<AccessToken>> known = credentials_for(call, request).cached_token(call);
  if (!known) return false;
  if (!*known) return known->error();
  token = std::move(**known);
  const Result<void> authorized = authorize(call, request, token);
  if (!authorized) return authorized.error();
  return true;
}

asio::awaitable<Result<void>> fetch_token(Call& call, ApiRequest& request, AccessToken& token) {
  Result<AccessToken> fetched = co_await credentials_for(call, request).token(call);
  if (!fetched) co_return fetched.error();
  token = std::move(*fetched);
  co_return authorize(call, request, token);
}

// True if nothing was sent that the server could have rejected.
bool is_nothing(const AccessToken& token) noexcept { return token.value.empty() && !token.access; }

// After a 401: the credentials drop `refused`, so that no request sends it again.
void forget_token(Call& call, const ApiRequest& request, const AccessToken& refused) {
  if (!is_nothing(refused)) credentials_for(call, request).invalidate(refused);
}

// True if the credentials have another token than `refused`; if not, another attempt is useless. Errors: why there is none, in the words of
// the token's source, since credentials that are read again do not remember the rejection.
asio::awaitable<Result<bool>> has_other_token(Call& call, const ApiRequest& request, const AccessToken& refused) {
  if (is_nothing(refused)) co_return false;
  const Result<AccessToken> other = co_await credentials_for(call, request).token(call);
  if (other) co_return !other->is_same(refused);
  Failure failure = other.error();
  if (failure.code() == Errc::cancelled) co_return failure;
  const std::string about = request.what.empty() ? std::string() : request.what + ": ";
  failure.with_what(fmt::format("{}the token was refused (HTTP 401), and there is no other: {}", about, failure.what()));
  co_return failure;
}

Failure stopped(const ApiRequest& request, Phase phase) {
  return Failure(Errc::cancelled, request.what + ": stopped").with_phase(phase).with_target(request.http.url.without_query());
}

// One attempt whose body goes into the sink.
asio::awaitable<Result<HttpResponse>> stream_into(Runtime::Impl& impl, ApiRequest& request, const TokenMask& mask, BodySink* sink) {
  sink->restart();
  TokenMaskStream masked(request.service->hides_token ? mask : TokenMask(nullptr));
  Result<std::unique_ptr<HttpStream>> opened = co_await impl.http->open(request.http, request.exchange);
  if (!opened) co_return opened.error();
  HttpStream& stream = **opened;
  HttpResponse head = stream.head();
  const bool is_wanted = head.status >= 200 && head.status < 300;
  constexpr std::size_t max_error_body = 64 * 1024;
  if (is_wanted) sink->begin();
  for (;;) {
    Result<std::string_view> piece = co_await stream.read();
    if (!piece) co_return piece.error();
    const bool is_end = piece->empty();
    if (is_wanted) {
      const Result<void> taken = take_masked(masked, *piece, *sink);
      if (!taken) co_return taken.error();
    } else {
      head.body.append(piece->substr(0, max_error_body - head.body.size()));
    }
    if (is_end || head.body.size() == max_error_body) co_return head;
  }
}

bool follow_move(ApiRequest& request, const Result<HttpResponse>& answer) {
  std::optional<std::string> moved = moved_within_server(request, answer);
  if (moved) request.http.url.target = std::move(*moved);
  return moved.has_value();
}

// Addresses of a cluster should not be changed in transit. Requests with a token over plain http are refused elsewhere.
void warn_of_plain_http(Call& call, const ApiRequest& request) {
  const Url& url = request.http.url;
  if (!request.service->lists_addresses || url.is_https || is_near_host(url.host)) return;
  const std::string origin = url.origin();
  impl_of(call).warn_once(
      call.id(), "plain " + origin,
      origin + " is asked over plain http and is not this machine: a machine in between can read and change what it answers");
}

Result<void> prepare(Call& call, ApiRequest& request) {
  if (sends_token(request)) {
    Result<void> allowed = check_token_destination(request.http.url);
    if (!allowed) return allowed;
  }
  Runtime::Impl& impl = impl_of(call);
  if (!request.http.access && is_for_google(request, impl)) request.http.access = google_access(impl);
  warn_of_plain_http(call, request);
  request.http.is_recordable = request.service->is_recordable;
  request.exchange.is_watch = !request.counts_against_limit;
  return {};
}

// Its frame has at most 1,032 bytes, of which glibc keeps free lists of a thread: what is in it only for a step is in functions of its own.
asio::awaitable<Result<HttpResponse>> send_with_retries(Call& call, ApiRequest& request, BodySink* sink) {
  Runtime::Impl& impl = impl_of(call);
  Result<void> done = prepare(call, request);
  if (!done) co_return done.error();
  constexpr int max_moves = 3;
  int moves = 0;
  Attempts attempts(call, request);
  for (;;) {
    AccessToken token;
    if (sends_token(request)) {
      const Result<bool> is_known = take_known_token(call, request, token);
      if (!is_known) co_return is_known.error();
      if (!*is_known) {
        done = co_await fetch_token(call, request, token);
        if (!done) co_return done.error();
      }
    }
    HostPermit permit;
    if (request.counts_against_limit) permit = attempts.limiter().try_acquire();
    if (request.counts_against_limit && !permit) {
      attempts.announce_wait();
      permit = co_await attempts.limiter().acquire();
      if (!permit) co_return stopped(request, Phase::overall);
    }
    ExchangeTrace trace(call, request.http, attempts.count());
    request.exchange = attempts.bounds();
    request.exchange.observer = trace.observer();
    const TokenMask mask = mask_for(impl, request, token);
    asio::awaitable<Result<HttpResponse>> sending =
        sink ? stream_into(impl, request, mask, sink) : impl.http->send(request.http, request.exchange);
    Result<HttpResponse> answer = co_await std::move(sending);
    permit.give_back();
    hide_token(mask, request, answer);
    trace.finish(answer);
    if (request.on_refusal && answer && (answer->status < 200 || answer->status >= 300)) request.on_refusal(*answer);
    if (moves < max_moves && follow_move(request, answer)) {
      ++moves;
      continue;
    }
    Outcome outcome = outcome_of(request, mask, answer, *impl.time);
    if (outcome.failure) explain_refusal(call, request, token, *outcome.failure);
    if (outcome.failure) hide_secrets(request, *outcome.failure);
    if (outcome.attempt_class == AttemptClass::success) {
      attempts.limiter().budget().on_success();
      attempts.limiter().speed_up();
      state_of(call).current_phase = Phase::overall;  // the phase of name look-up is over
      co_return answer;
    }
    if (outcome.attempt_class == AttemptClass::refresh_token) {
      forget_token(call, request, token);
      Result<bool> is_worth_another = !attempts.has_refreshed();
      if (*is_worth_another) is_worth_another = co_await has_other_token(call, request, token);
      if (!is_worth_another) co_return is_worth_another.error();
      if (!*is_worth_another) outcome.attempt_class = AttemptClass::permanent;
      if (attempts.has_refreshed()) outcome.failure->with_what(outcome.failure->what() + " (to another token as well)");
    }
    std::optional<Failure> final_failure = attempts.give_up(outcome);
    if (final_failure) co_return std::move(*final_failure);
    const bool woken = co_await attempts.wait();
    if (!woken) co_return stopped(request, Phase::overall);
  }
}

}  // namespace

void hide_secrets(const ApiRequest& request, Failure& failure) { mask_of_secrets(request).hide_in(failure); }

asio::awaitable<Result<HttpResponse>> api_send(Call& call, ApiRequest& request) {
  return api_send_large(call, request, impl_of(call).limits.max_body_bytes);
}

asio::awaitable<Result<HttpResponse>> api_send_large(Call& call, ApiRequest& request, std::size_t max_bytes) {
  request.exchange.max_body_bytes = max_bytes;
  request.exchange.max_header_bytes = impl_of(call).limits.max_header_bytes;
  return send_with_retries(call, request, nullptr);
}

asio::awaitable<Result<HttpResponse>> api_stream(Call& call, ApiRequest& request, BodySink& sink, std::size_t max_bytes) {
  request.exchange.max_body_bytes = max_bytes;
  request.exchange.max_header_bytes = impl_of(call).limits.max_header_bytes;
  return send_with_retries(call, request, &sink);
}

}  // namespace rollcall
