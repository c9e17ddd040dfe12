// A member asks another one at its port, and proves the secret that they share, if any.
#pragma once

#include <asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "meeting/member_proof.hpp"
#include "rollcall/call.hpp"
#include "rollcall/endpoint.hpp"
#include "rollcall/http_message.hpp"
#include "rollcall/time.hpp"

namespace rollcall {
class ApiRequest;
}  // namespace rollcall

namespace rollcall::meeting {

class MemberRequest {
 public:
  MemberRequest() {}
  std::size_t to = 0;  ///< the place of the member
  Endpoint at;
  std::string path;
  std::string body;
  std::string what;  ///< for messages: "the barrier at worker:0"
  Duration connect_patience = std::chrono::milliseconds(1500);
  Duration resolve_patience = std::chrono::seconds(3);
  Duration patience = std::chrono::seconds(3);  ///< for the answer
  std::size_t max_answer_bytes = 64 * 1024;
  int max_segment = 0;  ///< bytes; 0: as the path gives it
};

class MemberCaller {
 public:
  /// `key`: empty: the members share no secret. `incarnation`: of this process, 16 hexadecimal digits.
  MemberCaller(ProofKey key, std::string incarnation) : key_(std::move(key)), incarnation_(std::move(incarnation)) {}

  /// Sends a PUT. The answer has a status of 2xx, 409 or 410, and is proven if there is a secret. `request` outlives the await. May
  /// suspend; cancellable. Errors: unauthenticated: it is a member with another secret, or one of both has none; failed_precondition: it is
  /// one of another run; http_error: another refusal; those of the transport.
  asio::awaitable<Result<HttpResponse>> ask(Call& call, const MemberRequest& request);
  /// The PUT by itself, with its proof if there is a secret, for an answer that is read as a stream: nothing proves that. `request`
  /// outlives the await. May suspend; cancellable. Errors: those of ask().
  asio::awaitable<Result<ApiRequest>> prepare(Call& call, const MemberRequest& request);

 private:
  RequestProof proof_of(const MemberRequest& request, std::string challenge);
  asio::awaitable<Result<std::string>> challenge_of(Call& call, const MemberRequest& request);
  asio::awaitable<Result<HttpResponse>> say(Call& call, const MemberRequest& request, std::string challenge);
  asio::awaitable<Result<HttpResponse>> send(Call& call, const MemberRequest& request, HttpMethod method, const RequestProof& proof);

  const ProofKey key_;
  const std::string incarnation_;
  std::map<std::size_t, std::string> challenges_;  // by place; empty: not known
  std::map<std::size_t, std::int64_t> numbers_;  // of the last request
};

}  // namespace rollcall::meeting
