// Fuzz target: the proof in a request's header. What was read is written as the same text, unless its numbers have another spelling.
#include "meeting/member_proof.hpp"

#include "check.hpp"

using namespace rollcall;
using namespace rollcall::meeting;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::optional<RequestProof> proof = read_proof(text);
  if (!proof) return 0;
  require(proof->number > 0 && proof->challenge.size() == challenge_digits);
  const std::optional<RequestProof> again = read_proof(write_proof(*proof));
  require(again && again->code == proof->code && again->number == proof->number && again->to == proof->to);
  return 0;
}
