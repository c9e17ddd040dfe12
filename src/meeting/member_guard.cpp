#include "meeting/member_guard.hpp"

#include <utility>

#include "crypto/signature.hpp"

namespace rollcall::meeting {
namespace {

// Of processes that have proven the secret: many starts of each member of a large cluster.
constexpr std::size_t max_incarnations = 100'000;

HttpResponse member_answer(int status) {
  HttpResponse response;
  response.status = status;
  response.headers.add("Content-Type", "application/json");
  return response;
}

}  // namespace

bool UsedNumbers::take(std::int64_t number) {
  constexpr std::int64_t window = 64;
  if (number > largest_) {
    const std::int64_t ahead = number - largest_;
    used_ = (ahead < window ? used_ << ahead : 0) | 1;
    largest_ = number;
    return true;
  }
  const std::int64_t behind = largest_ - number;
  if (behind >= window) return false;
  const std::uint64_t bit = std::uint64_t{1} << behind;
  return (std::exchange(used_, used_ | bit) & bit) == 0;
}

std::string_view refusal_reason(MemberGuard::Speaker speaker) noexcept {
  switch (speaker) {
    case MemberGuard::Speaker::other_secret: return "its secret is another one";
    case MemberGuard::Speaker::without_secret: return "it has no secret";
    case MemberGuard::Speaker::with_secret: return "it has a secret, which the task that heard it has not";
    default: return "";
  }
}

MemberGuard::MemberGuard(const Secret<std::string>& secret, std::size_t own)
    : key_(secret.empty() ? ProofKey() : ProofKey(secret)), own_(own) {
  if (has_secret()) draw_challenge();
}

// All numbers are unused again, and all requests to the earlier challenge are refused.
void MemberGuard::draw_challenge() {
  challenge_ = random_hex(challenge_digits / 2);
  used_.clear();
  used_for_others_.clear();
}

std::size_t MemberGuard::body_bytes(const ServerRequest& head, std::size_t max) const {
  if (head.method == "GET") return 0;
  return judge(head) == Speaker::member ? max : 1;
}

// By the head alone.
MemberGuard::Speaker MemberGuard::judge(const ServerRequest& head) const {
  if (!has_secret()) return Speaker::member;
  const auto field = head.headers.get(proof_field);
  if (!field) return Speaker::without_secret;
  const std::optional<RequestProof> proof = read_proof(*field);
  if (!proof) return Speaker::other_secret;
  if (proof->challenge != challenge_) return Speaker::late;
  return is_same_code(key_.of_request(head.target, *proof), proof->code) ? Speaker::member : Speaker::other_secret;
}

bool MemberGuard::take(const ServerRequest& request, std::string_view body) {
  const std::optional<RequestProof> proof = read_proof(request.headers.get(proof_field).value_or(""));
  // The challenge may be another one since the head was read.
  if (!proof || proof->challenge != challenge_ || to_hex(sha256(body)) != proof->digest) return false;
  // Callers count for each member: what was said to another one uses up no number of those to this one.
  UsedByCallers& used = proof->to == own_ ? used_ : used_for_others_;
  if (used.size() >= max_incarnations && !used.contains(proof->incarnation)) {
    draw_challenge();
    return false;
  }
  return used[proof->incarnation].take(proof->number);
}

asio::awaitable<MemberGuard::Speaker> MemberGuard::hear(ServerExchange& exchange, std::string& body) {
  const ServerRequest& request = exchange.request();
  if (request.method == "GET" && has_secret()) {
    HttpResponse answer;
    answer.status = 200;
    answer.body = challenge_;
    co_await exchange.reply(answer);
    co_return Speaker::greeted;
  }
  if (request.method == "GET") {
    co_await refuse(exchange, 403);
    co_return Speaker::with_secret;
  }
  const Speaker speaker = judge(request);
  if (speaker != Speaker::member) {
    co_await refuse(exchange, 403);
    co_return speaker;
  }
  const int fault = co_await exchange.read_body(body);
  if (fault != 0) {
    co_await refuse(exchange, fault);
    co_return Speaker::late;
  }
  if (has_secret() && !take(request, body)) {
    co_await refuse(exchange, 400);
    co_return Speaker::late;
  }
  co_return Speaker::member;
}

bool MemberGuard::is_for_own(const ServerRequest& request) const {
  if (!has_secret()) return true;
  const std::optional<RequestProof> proof = read_proof(request.headers.get(proof_field).value_or(""));
  return proof && proof->to == own_;
}

asio::awaitable<bool> MemberGuard::reply(ServerExchange& exchange, int status, std::shared_ptr<const std::string> body) const {
  HttpResponse response = member_answer(status);
  const std::optional<RequestProof> proof = read_proof(exchange.request().headers.get(proof_field).value_or(""));
  if (has_secret() && proof) response.headers.add(proof_field, key_.of_answer(proof->code, status, *body));
  co_return co_await exchange.reply(response, std::move(body));
}

asio::awaitable<bool> MemberGuard::reply(ServerExchange& exchange, int status, std::string body) const {
  return reply(exchange, status, std::make_shared<const std::string>(std::move(body)));
}

asio::awaitable<void> MemberGuard::refuse(ServerExchange& exchange, int status) {
  HttpResponse response;
  response.status = status;
  response.headers.add("Connection", "close");
  if (status == 503) response.headers.add("Retry-After", "1");
  response.body = refusal_text;
  co_await exchange.reply(response);
}

}  // namespace rollcall::meeting
