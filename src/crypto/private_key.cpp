#include "crypto/private_key.hpp"

#include <fmt/format.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "crypto/pem_form.hpp"

namespace rollcall {
namespace {

constexpr long max_der_bytes = 5 * 1024;  // RSA of 8192 bits takes 4,686

constexpr std::string_view whole_names[] = {"PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY"};

// A block of PEM between its two lines.
class PemBlock {
 public:
  PemBlock() {}
  PemBlock(const PemBlock&) = delete;
  PemBlock& operator=(const PemBlock&) = delete;
  ~PemBlock() { clear(); }

  /// False at the end of the text, and at text that is no PEM.
  bool read(BIO& from) {
    clear();
    char* name = nullptr;
    char* header = nullptr;
    // "Secure" makes OpenSSL wipe its line buffer, too; without a secure heap it uses the ordinary one.
    if (PEM_read_bio_ex(&from, &name, &header, &der_, &size_, PEM_FLAG_SECURE | PEM_FLAG_EAY_COMPATIBLE) != 1) return false;
    name_ = name;
    is_encrypted_ = name_ == "ENCRYPTED PRIVATE KEY" || std::string_view(header).find("ENCRYPTED") != std::string_view::npos;
    OPENSSL_secure_free(name);
    OPENSSL_secure_free(header);
    return true;
  }
  bool is_private_key() const { return std::find(std::begin(whole_names), std::end(whole_names), name_) != std::end(whole_names); }
  bool is_encrypted() const { return is_encrypted_; }
  std::string_view name() const { return name_; }
  const unsigned char* der() const { return der_; }
  long size() const { return size_; }

 private:
  void clear() {
    OPENSSL_secure_clear_free(der_, static_cast<std::size_t>(size_));
    der_ = nullptr;
    size_ = 0;
  }
  std::string name_;
  bool is_encrypted_ = false;
  unsigned char* der_ = nullptr;
  long size_ = 0;
};

bool is_used(int kind) {
  return kind == NID_rsaEncryption || kind == NID_X9_62_id_ecPublicKey || kind == NID_ED25519 || kind == NID_ED448 || kind == NID_rsassaPss;
}

// PKCS#8 contains the algorithm; a block with an older name is tried as PKCS#8 first, since OpenSSL does so as well.
PrivateKeyPtr decode(const PemBlock& block, bool& is_of_used_kind) {
  const unsigned char* at = block.der();
  const std::unique_ptr<PKCS8_PRIV_KEY_INFO, decltype(&PKCS8_PRIV_KEY_INFO_free)> info(d2i_PKCS8_PRIV_KEY_INFO(nullptr, &at, block.size()),
                                                                                       PKCS8_PRIV_KEY_INFO_free);
  if (info) {
    const ASN1_OBJECT* kind = nullptr;
    is_of_used_kind = PKCS8_pkey_get0(&kind, nullptr, nullptr, nullptr, info.get()) == 1 && is_used(OBJ_obj2nid(kind));
    return PrivateKeyPtr(is_of_used_kind ? EVP_PKCS82PKEY(info.get()) : nullptr);
  }
  is_of_used_kind = block.name() != "DSA PRIVATE KEY";
  if (block.name() != "RSA PRIVATE KEY" && block.name() != "EC PRIVATE KEY") return nullptr;
  at = block.der();
  return PrivateKeyPtr(d2i_PrivateKey(block.name() == "RSA PRIVATE KEY" ? EVP_PKEY_RSA : EVP_PKEY_EC, nullptr, &at, block.size()));
}

// The time of signing depends on the largest number of the key, and OpenSSL does not check that the numbers belong together.
bool has_only_small_numbers(const EVP_PKEY* rsa) {
  static constexpr std::array<const char*, 6> names{OSSL_PKEY_PARAM_RSA_E,         OSSL_PKEY_PARAM_RSA_D,
                                                    OSSL_PKEY_PARAM_RSA_FACTOR1,   OSSL_PKEY_PARAM_RSA_FACTOR2,
                                                    OSSL_PKEY_PARAM_RSA_EXPONENT1, OSSL_PKEY_PARAM_RSA_EXPONENT2};
  const auto bits = [rsa](const char* name) {
    BIGNUM* number = nullptr;
    const int count = EVP_PKEY_get_bn_param(rsa, name, &number) == 1 ? BN_num_bits(number) : 0;
    BN_clear_free(number);
    return count;
  };
  const int max = EVP_PKEY_get_bits(rsa);
  return std::all_of(names.begin(), names.end(), [&](const char* name) { return bits(name) <= max; }) &&
         bits(OSSL_PKEY_PARAM_RSA_FACTOR3) == 0;
}

}  // namespace

Result<PrivateKeyPtr> read_private_key(BIO& text) {
  const auto refuse = [](std::string what) {
    ERR_clear_error();
    return Failure(Errc::invalid_argument, std::move(what));
  };
  ERR_clear_error();
  PemBlock block;
  bool is_there = block.read(text);
  while (is_there && !block.is_private_key()) is_there = block.read(text);
  if (!is_there) return refuse("is no PEM private key" + pem_form_of(text));
  if (block.is_encrypted()) return refuse("has a passphrase");
  if (block.size() > max_der_bytes) return refuse(fmt::format("has {} bytes: more than {} are refused", block.size(), max_der_bytes));
  bool is_of_used_kind = true;
  PrivateKeyPtr key = decode(block, is_of_used_kind);
  if (!is_of_used_kind) return refuse("is neither an RSA key nor one of an elliptic curve");
  if (!key) return refuse("is no PEM private key");
  const int kind = EVP_PKEY_get_base_id(key.get());
  if (kind == EVP_PKEY_RSA || kind == EVP_PKEY_RSA_PSS) {
    const int bits = EVP_PKEY_get_bits(key.get());
    if (bits > max_rsa_bits) return refuse(fmt::format("has {} bits: more than {} are refused", bits, max_rsa_bits));
    if (!has_only_small_numbers(key.get())) return refuse("is damaged");
  }
  ERR_clear_error();
  return key;
}

}  // namespace rollcall
