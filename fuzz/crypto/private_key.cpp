// Private keys in PEM: an accepted key can sign, by RS256 if it is RSA; no failure shows anything of the text.
#include "crypto/private_key.hpp"

#include <openssl/pem.h>

#include <set>
#include <string>

#include "check.hpp"
#include "crypto/signature.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::unique_ptr<BIO, decltype(&BIO_free)> from(BIO_new_mem_buf(text.data(), static_cast<int>(size)), BIO_free);
  const Result<PrivateKeyPtr> key = read_private_key(*from);
  require_sane(key);
  if (!key) {
    // The same words for all inputs, except a number: nothing of the input is in them.
    static std::set<std::string> reported;
    std::string words = key.error().what();
    std::erase_if(words, [](char c) { return c >= '0' && c <= '9'; });
    reported.insert(std::move(words));
    require(reported.size() < 16);
  } else {
    require(EVP_PKEY_get_base_id(key->get()) != EVP_PKEY_RSA || EVP_PKEY_get_bits(key->get()) <= max_rsa_bits);
  }
  const Result<std::string> signature = sign_rs256("the private_key of me", Secret<std::string>(text), "header.claims");
  require_sane(signature);
  require(!signature || (key && !signature->empty() && signature->size() * 8 <= max_rsa_bits));
  return 0;
}
