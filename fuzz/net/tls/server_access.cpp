// Trust anchors and a client certificate as a kubeconfig brings them: PEM that is an authority, or a certificate with its chain and key.
// A context is made of it or a failure, which shows nothing of the text, and nobody is asked for a passphrase.
#include <openssl/ui.h>

#include <set>
#include <string>

#include "check.hpp"
#include "net/tls/tls_context.hpp"

namespace {

using namespace rollcall;

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

void require_told(const Result<std::unique_ptr<TlsContext>>& made) {
  require_sane(made);
  if (made) return;
  // The same few words for all inputs, but for numbers: nothing of the input is in them.
  static std::set<std::string> told;
  std::string words = made.error().what();
  std::erase_if(words, [](char c) { return c >= '0' && c <= '9'; });
  told.insert(std::move(words));
  require(told.size() < 32);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  require_no_question();
  const std::string text(reinterpret_cast<const char*>(data), size);
  const TlsFiles none;
  ServerAccess trusting;
  trusting.authorities = text.empty() ? "-" : text;
  trusting.authorities_from = "certificate-authority-data";
  require_told(TlsContext::create(none, &trusting));
  ServerAccess identified;
  identified.certificate = trusting.authorities;
  identified.key = Secret<std::string>(text);
  identified.identity_from = "client-certificate-data";
  const Result<std::unique_ptr<TlsContext>> made = TlsContext::create(none, &identified);
  require_told(made);
  if (!made) return 0;
  TlsFault fault;
  require((*made)->make("host.test", 443, fault) != nullptr);
  return 0;
}
