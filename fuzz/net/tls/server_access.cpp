// Trust anchors and a client certificate from a kubeconfig: PEM of an authority, or of a certificate with its chain and key. The result is
// a context, or a failure that shows nothing of the text, and no passphrase is prompted for.
#include <openssl/ui.h>

#include <set>
#include <string>

#include "check.hpp"
#include "net/tls/tls_context.hpp"

namespace {

using namespace rollcall;

// So that the system's hundreds are not read for every input.
const std::string some_authority = R"(-----BEGIN CERTIFICATE-----
MIIBhzCCAS2gAwIBAgIUVetRpe5Gp8b9q+9+414k5hN5/0swCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOYXV0aG9yaXR5LnRlc3QwHhcNMjYxMTIzMDgyOTM0WhcNMzYx
MTIwMDgyOTM0WjAZMRcwFQYDVQQDDA5hdXRob3JpdHkudGVzdDBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABImr22pbEwUCrPaTBRpvJiP+lGVT1C9M6L5Z3aE21SZ1
EsLVWKAUwyV5DpaEIW1JN8adtLk4P+9L3LVuJ3vYTqOjUzBRMB0GA1UdDgQWBBSq
HfN+OCN0Pcv65hzwi2Pu88wg2zAfBgNVHSMEGDAWgBSqHfN+OCN0Pcv65hzwi2Pu
88wg2zAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIAvxcXnGHqmh
xi3R4rdMm38ySra8jNgiYxDM6GS1+JZvAiEAgrqdlzVFQZpQLuv3OqcQRBgsQBmY
QuLKMOIsZa/to4Q=
-----END CERTIFICATE-----
)";

void require_no_question() {
  static UI_METHOD* const asks = [] {
    UI_METHOD* made = UI_create_method("a terminal");
    UI_method_set_opener(made, [](UI*) {
      require(false);
      return 0;
    });
    UI_set_default_method(made);
    return made;
  }();
  require(asks != nullptr);
}

void require_reported(const Result<std::unique_ptr<TlsContext>>& made) {
  require_sane(made);
  if (made) return;
  // The same words for all inputs, except numbers: nothing of the input is in them.
  static std::set<std::string> reported;
  std::string words = made.error().what();
  std::erase_if(words, [](char c) { return c >= '0' && c <= '9'; });
  reported.insert(std::move(words));
  require(reported.size() < 32);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  require_no_question();
  const std::string text(reinterpret_cast<const char*>(data), size);
  const TlsFiles none;
  ServerAccess trusting;
  trusting.authorities = text.empty() ? "-" : text;
  trusting.authorities_from = "certificate-authority-data";
  require_reported(TlsContext::create(none, &trusting));
  ServerAccess identified;
  identified.certificate = trusting.authorities;
  identified.key = Secret<std::string>(text);
  identified.authorities = some_authority;
  identified.authorities_from = "certificate-authority-data";
  identified.identity_from = "client-certificate-data";
  const Result<std::unique_ptr<TlsContext>> made = TlsContext::create(none, &identified);
  require_reported(made);
  if (!made) return 0;
  TlsFault fault;
  require((*made)->make("host.test", 443, fault) != nullptr);
  return 0;
}
