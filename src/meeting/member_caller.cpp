#include "meeting/member_caller.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "call/api_client.hpp"
#include "crypto/signature.hpp"
#include "meeting/member_guard.hpp"

namespace rollcall::meeting {
namespace {

ApiRequest request_to_member(const MemberRequest& request, HttpMethod method, const RequestProof& proof) {
  ApiRequest api{Url()};
  api.http.method = method;
  api.http.url.host = request.at.host;
  api.http.url.port = request.at.port.value_or(0);
  api.http.url.target = request.path;
  if (method == HttpMethod::put) {
    api.http.body = request.body;
    api.http.headers.add("Content-Type", "application/json");
  }
  if (!proof.code.empty()) api.http.headers.add(proof_field, write_proof(proof));
  api.counts_against_limit = false;
  api.is_probe = true;
  api.exchange.allow_proxy = false;
  api.exchange.connect_timeout = request.connect_patience;
  api.exchange.resolve_timeout = request.resolve_patience;
  api.exchange.response_timeout = request.patience;
  api.exchange.max_body_bytes = request.max_answer_bytes;
  api.exchange.max_segment = request.max_segment;
  api.what = request.what;
  return api;
}

Failure other_secret(const MemberRequest& request, std::string_view why) {
  return Failure(Errc::unauthenticated, fmt::format("{}: {}", request.what, why))
      .with_hint("give all of them the same --secret-file, or none of them");
}

}  // namespace

asio::awaitable<Result<HttpResponse>> MemberCaller::ask(Call& call, const MemberRequest& request) {
  if (key_.empty()) {
    const RequestProof none;
    co_return co_await send(call, request, HttpMethod::put, none);
  }
  const std::string before = challenges_[request.to];
  std::string challenge = before;
  if (before.empty()) {
    const Result<std::string> first = co_await challenge_of(call, request);
    if (!first) co_return first.error();
    challenge = *first;
  }
  Result<HttpResponse> answer = co_await say(call, request, challenge);
  const bool is_refused = !answer && answer.error().code() == Errc::unauthenticated;
  if (!is_refused) co_return answer;
  challenges_[request.to].clear();
  if (before.empty()) co_return answer;
  // The process that gave the challenge may be gone, and another one there.
  const Result<std::string> next = co_await challenge_of(call, request);
  if (!next) co_return next.error();
  if (*next == before) co_return answer;
  challenge = *next;
  co_return co_await say(call, request, challenge);
}

asio::awaitable<Result<std::string>> MemberCaller::challenge_of(Call& call, const MemberRequest& request) {
  const RequestProof none;
  const Result<HttpResponse> answer = co_await send(call, request, HttpMethod::get, none);
  if (!answer) co_return answer.error();
  const std::string& text = answer->body;
  if (text.size() != challenge_digits || text.find_first_not_of("0123456789abcdef") != std::string::npos)
    co_return Failure(Errc::malformed_response, fmt::format("{}: what answers is no member", request.what));
  challenges_[request.to] = text;
  co_return text;
}

asio::awaitable<Result<ApiRequest>> MemberCaller::prepare(Call& call, const MemberRequest& request) {
  RequestProof proof;
  if (!key_.empty()) {
    std::string challenge = challenges_[request.to];
    if (challenge.empty()) {
      const Result<std::string> first = co_await challenge_of(call, request);
      if (!first) co_return first.error();
      challenge = *first;
    }
    proof = proof_of(request, std::move(challenge));
  }
  co_return request_to_member(request, HttpMethod::put, proof);
}

asio::awaitable<Result<HttpResponse>> MemberCaller::say(Call& call, const MemberRequest& request, std::string challenge) {
  const RequestProof proof = proof_of(request, std::move(challenge));
  co_return co_await send(call, request, HttpMethod::put, proof);
}

RequestProof MemberCaller::proof_of(const MemberRequest& request, std::string challenge) {
  RequestProof proof;
  proof.challenge = std::move(challenge);
  proof.incarnation = incarnation_;
  proof.number = ++numbers_[request.to];
  proof.to = request.to;
  proof.digest = to_hex(sha256(request.body));
  proof.code = key_.of_request(request.path, proof);
  return proof;
}

asio::awaitable<Result<HttpResponse>> MemberCaller::send(Call& call, const MemberRequest& request, HttpMethod method,
                                                         const RequestProof& proof) {
  ApiRequest api = request_to_member(request, method, proof);
  std::optional<HttpResponse> refused;
  api.on_refusal = [&refused](const HttpResponse& answer) { refused = answer; };
  Result<HttpResponse> response = co_await api_send(call, api);
  if (!response && !refused) co_return response;
  const HttpResponse& answer = response ? *response : *refused;
  const bool is_of_member = refused && refused->body == refusal_text;
  if (is_of_member && answer.status == 403) {
    co_return other_secret(request, method == HttpMethod::get ? "it has no secret, and this one has one"
                                    : proof.code.empty()      ? "it asks for a secret, and this one has none"
                                                              : "its secret is another one");
  }
  if (is_of_member && answer.status == 404)
    co_return Failure(Errc::failed_precondition,
                      fmt::format("{}: what is there is of another list of tasks, of another run, or past this meeting", request.what))
        .with_hint("start all of them with the same target and --job-id");
  const bool is_fine = response || answer.status == 409 || answer.status == 410;
  if (is_fine && !proof.code.empty()) {
    const std::string code = key_.of_answer(proof.code, answer.status, answer.body);
    if (!is_same_code(answer.headers.get(proof_field).value_or(""), code))
      co_return Failure(Errc::malformed_response, fmt::format("{}: its answer does not prove the secret", request.what));
  }
  if (response) co_return response;
  if (is_fine) co_return std::move(*refused);
  Failure failure = response.error();
  failure.with_code(Errc::http_error);
  co_return failure;
}

}  // namespace rollcall::meeting
