// check_tokens KEYS ISSUER AUDIENCE: verifies the tokens on standard input, one a line, as the service does. Prints for each `good`, or the
// reason why not. See tests/interop/tokens.
#include <chrono>
#include <fstream>
#include <iostream>
#include <iterator>

#include "fleet/rights/issuer_keys.hpp"
#include "fleet/rights/rules/token_claims.hpp"

using namespace rollcall;
using namespace rollcall::fleet;

namespace {

Result<void> judge_shown(const std::string& text, const IssuerKeys::Known& keys, const std::string& audience) {
  const Result<JsonWebToken> token = parse_json_web_token(text);
  if (!token) return token.error();
  if (token->issuer != keys.issuer) return Failure(Errc::unauthenticated, "the token is of another issuer (iss)");
  const Result<void> fine = check_claims(*token, audience, std::chrono::hours(2), std::chrono::system_clock::now());
  return fine ? keys.check(*token) : fine;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  std::ifstream file(argv[1]);
  const std::string set{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  Result<std::vector<WebKey>> read = parse_key_set(set);
  if (!read) {
    std::cerr << read.error().message() << '\n';
    return 1;
  }
  IssuerDocument reported;
  reported.issuer = argv[2];
  reported.keys = std::move(*read);
  const IssuerKeys::Known keys = IssuerKeys::known(std::move(reported));
  for (std::string line; std::getline(std::cin, line);) {
    const Result<void> verdict = judge_shown(line, keys, argv[3]);
    std::cout << (verdict ? "good" : verdict.error().what()) << '\n';
  }
  return 0;
}
