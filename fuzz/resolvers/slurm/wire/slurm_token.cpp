// Tokens of Slurm's: what is read is no longer than the text, and no failure quotes it.
#include "resolvers/slurm/wire/slurm_token.hpp"

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Result<SlurmToken> token = parse_slurm_token("the text", text);
  require_sane(token);
  if (!token) return 0;
  require(!token->value.empty() && token->value.reveal().size() <= size);
  require(text.find(token->value.reveal()) != std::string::npos);
  require(token->user.find_first_of("\r\n") == std::string::npos);
  return 0;
}
