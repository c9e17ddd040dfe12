// How members that share a secret prove it to each other: by HMAC-SHA-256 over a challenge of the one that is spoken to, a number of the
// one that speaks, and what is said. The answer is proven in the same way. Nothing is encrypted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rollcall/secret.hpp"

namespace rollcall::meeting {

/// The header field of a request with a RequestProof, and of an answer with ProofKey::of_answer().
inline constexpr std::string_view proof_field = "Rollcall-Proof";

/// The hexadecimal digits of a challenge. An answer with one has 61 bytes.
inline constexpr std::size_t challenge_digits = 22;

/// What a request says beside its path and its body.
class RequestProof {
 public:
  RequestProof() {}
  std::string challenge;    ///< of the process that is spoken to
  std::string incarnation;  ///< of the process that speaks: 16 hexadecimal digits
  std::int64_t number = 0;  ///< from 1 on, of the requests of one to the other: used once
  std::size_t to = 0;       ///< the place of the member that is spoken to
  std::string digest;       ///< SHA-256 of the body, in hexadecimal digits
  std::string code;         ///< ProofKey::of_request()
};
std::string write_proof(const RequestProof& proof);
/// Nothing: the text has another form.
std::optional<RequestProof> read_proof(std::string_view text);

/// Made of the secret that the members share.
class ProofKey {
 public:
  /// None.
  ProofKey() {}
  explicit ProofKey(const Secret<std::string>& secret);
  bool empty() const noexcept { return key_.empty(); }
  /// 64 hexadecimal digits, over everything else in `proof`, and over the path.
  std::string of_request(std::string_view path, const RequestProof& proof) const;
  /// The same over an answer to the request with `request_code`.
  std::string of_answer(std::string_view request_code, int status, std::string_view body) const;

 private:
  Secret<std::string> key_;
};

}  // namespace rollcall::meeting
