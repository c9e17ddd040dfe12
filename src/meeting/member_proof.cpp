#include "meeting/member_proof.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/text.hpp"
#include "crypto/signature.hpp"

namespace rollcall::meeting {
namespace {

constexpr std::size_t incarnation_size = 16;
constexpr std::size_t digest_size = 64;

bool has_digits(std::string_view text, std::size_t count) {
  return text.size() == count && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

std::string write_proof(const RequestProof& proof) {
  return fmt::format("{} {} {} {} {} {}", proof.challenge, proof.incarnation, proof.number, proof.to, proof.digest, proof.code);
}

std::optional<RequestProof> read_proof(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ' ');
  if (parts.size() != 6) return std::nullopt;
  const auto number = parse_decimal<std::int64_t>(parts[2], 1);
  const auto to = parse_decimal<std::size_t>(parts[3]);
  const bool is_whole = has_digits(parts[0], challenge_digits) && has_digits(parts[1], incarnation_size) && number && to &&
                        has_digits(parts[4], digest_size) && has_digits(parts[5], digest_size);
  if (!is_whole) return std::nullopt;
  RequestProof proof;
  proof.challenge = parts[0];
  proof.incarnation = parts[1];
  proof.number = *number;
  proof.to = *to;
  proof.digest = parts[4];
  proof.code = parts[5];
  return proof;
}

ProofKey::ProofKey(const Secret<std::string>& secret) : key_(hmac_sha256(secret.reveal(), "rollcall members 1")) {}

std::string ProofKey::of_request(std::string_view path, const RequestProof& proof) const {
  const std::string said =
      fmt::format("request\n{}\n{}\n{}\n{}\n{}\n{}\n", proof.challenge, proof.incarnation, proof.number, proof.to, proof.digest, path);
  return to_hex(hmac_sha256(key_.reveal(), said).reveal());
}

std::string ProofKey::of_answer(std::string_view request_code, int status, std::string_view body) const {
  const std::string said = fmt::format("answer\n{}\n{}\n{}\n", request_code, status, to_hex(sha256(body)));
  return to_hex(hmac_sha256(key_.reveal(), said).reveal());
}

}  // namespace rollcall::meeting
