// The output of an exec plugin: an accepted value can be sent, and no message contains a part of the output.
#include "resolvers/kubernetes/access/wire/exec_credential.hpp"

#include "base/field_text.hpp"
#include "check.hpp"
#include "programs/helpful_lines.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<ExecCredential> credential = parse_exec_credential("the plugin", "client.authentication.k8s.io/v1", text);
  require_sane(credential);
  require_printable(helpful_lines(text));
  if (!credential) return 0;
  require(!credential->token.empty() || !credential->certificate.empty());
  require(credential->certificate.empty() == credential->key.empty());
  require(credential->token.empty() || is_graphic(credential->token.reveal()));
  return 0;
}
