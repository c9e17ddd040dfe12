// Accepted and refused private keys; no key file can block the loop for long.
#include "crypto/private_key.hpp"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>

#include <catch2/catch.hpp>
#include <vector>

#include "support/certificates.hpp"
#include "support/credential_files.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

using BioPtr = std::unique_ptr<BIO, OpenSslDeleter<BIO_free_all>>;
using NumberPtr = std::unique_ptr<BIGNUM, OpenSslDeleter<BN_clear_free>>;

// PKCS#8; the empty passphrase and twenty million rounds of PBKDF2 protect an RSA key.
const std::string encrypted_key = R"(-----BEGIN ENCRYPTED PRIVATE KEY-----
MIIFLzBZBgkqhkiG9w0BBQ0wTDArBgkqhkiG9w0BBQwwHgQIZ9R/hBqdMBsCBAEx
LQAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEJS9C1SYjexq/ST8zVh0CwIE
ggTQ7GLJsIyrtIKB0i/XzmotYyfjrWCPeV1yhcD/03KeGyMKVfvmqeZJOjrW+flb
nVW3PCICc6A3labdKtIZdUm4OxaRQL5FfWlPVLDz3bnS7Dh/hXVd0+m0xexWBdK2
3A3ExM0mon5inWMEfxd490I/Y30DoWosFuXCkUc8FYW83cc/vU3/gC3SxN5vHqdU
rV9YqlcFNCGmcQSGMnbKfVih/wCS+lMB822WsOAvFVFLXgT7VJYNiFUEW0xB2fy7
Ds5jcAV16bRwXEGD6qAAIJE4ONDxwTFISKlH3csb700W2VFcf1PN5+Zm1Su+LMHQ
EwQ06E+v3QIkTATTER2ZTNfZx3Y5uLdwm3s+wpAS5teCvmna4Zcrdfta9f3mfYjN
PxTOhabYUkZ6RL3h9KNr00OkgTdaUf1u3wZoHT+t3mlC7yQ1IhOf22VppjsqnrZW
3VOaD1HVgde2/h+7fROZYT4vg/Y9XwIEJ/3wwkYrQBNCrxIJqIYonpBffY6klFRx
HH4/Ye3RygpsNRhF+utBovuav4Qwdou+qJD0bGAaUWRMM6F4km3Im7tcF6Oohcyi
Kpmup/DQgHidVNHkyynPTEQHfEMnDafSUB4s9rSl+d463gmZ7d2EtOt/M207x6z9
O3AMRidUAes3helnA8ajoOivFsTU0M9kh9RiC117XeU+KqCPi29boDp3NLC8AGaC
w20qmulqP2DUb9Go/V1/v+Cbe9NRZjKqGlARyWUNDMMRu0hEZMao6ioISyrjQmiy
6RTWMxgTPDWB4Y7LQGgEsDFOlC8ASHHISdq1k4tD2Am3n8tzzG/hhQeM0Zhta2Uh
5eXdjq6jd41NEJA1o3Vp5zSdSvHOuxNeLdzz+bBuLdVJrl49VSelg7cge2wzLNAi
eTq39vp4dWtT+AXjIXZbBk/MV5yiSF0cwNTnGd6GJkyorJDFxbS9WxrVE8GT9EaO
hcq8PTWen74KtG1Vv+UxM0U53urLMVWUPdIxyruoGuNdBcqJFzPvcaH5Il76VcfR
/Ddt7c1FIQ1dQsQMeivHb/Dm3px9h3Fb0//FtGCQTYcvZOxNBbX8WstGwYOkqLQl
Q0o6yZoAr3P2A/DkFRKKKII77uaKZOVH4UqIP9Nl19tRGgPvYbtLMzz+jKX+minZ
60UJeMRzfsX0MVsxq9ykxloIzXMl3zfA7qCvy/J0PkJ8gYwAWi45gF/MDBKVjtop
pvWEXPV5vI+KuX1U+9p1jAL8EHO3bIziWt3gACCK2x6/6dEgUtG4bRoubPazyYza
V5BlZYnbk0Df2K9zPIIamkHWHKt2veOlluceue0NajeVWEREV0JL/nGH4Ec0XQdZ
0G462EAcLYq6H/R1IlslPgbZBv2pePGNXsK4r0J4yA4Ny1byxlBdIWPmqDlMx243
czWm6wTUiO6loy19/doeJc44CYdeQJUI190yW/iQa0vbRC92GkAZot1Jed5yKei/
9BabM2BB2OiWDuMu9fPREmafpQZ3M08tH1lHH4kXPPtX3r1lKMJ76cu3LOzLhkuZ
aSc7/ek1H9JQWZVJs/PgfnksOLOYAWr0XpljdfFBHzlroAzjwZJK0z5N5G8ST+QT
YkfI2hQcQoojZjP0a1uIJHp3Q4ny9GWjNOt8Vc/oqJebLjE=
-----END ENCRYPTED PRIVATE KEY-----
)";

const std::string dsa_key = R"(-----BEGIN PRIVATE KEY-----
MIIBWwIBADCCATQGByqGSM44BAEwggEnAoGBALznBAr8wlyC6qiH7DlDPE+kTV3f
XOdw1Bq0u5l3ZkVo9LILisa6EA6PEMl4ThMszpYTjRkgCeZM3j3G51o+mTDJsTS8
H6jcOtTJ3TdDYNWp1wA/UzpN5Oq2OLCWLp8kcCIhp+VndyDdE8RfwPEXIZAy8BEO
1/JE5GPxv20mSZddAh0AoNDGlRfg3veB321G7BAgqYVV5oLt9IxrSacJKwKBgQCH
wAKmUhk4rO9S3CoBJ57H+bflLjgzHNbQ/5om3COgGib9zz35TxhxJQf5CCN0jMdC
Onq3KWsWkfrAdwrQ3r2B0aOqrpbGFOReSN57ezfXVYGH+/XFypsK87gd7J5HMbw/
EoRhRid4cnkcXdiw7ynIpoa2DSqNngIli4rb8cirkAQeAhwKSoutH3R7AZ5qAzIW
ZTWpevV2LJhT5s8Ad+Ho
-----END PRIVATE KEY-----
)";

Result<PrivateKeyPtr> read_text(const std::string& text) {
  const BioPtr from(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  return read_private_key(*from);
}

std::string refusal_of(const std::string& text) {
  const Result<PrivateKeyPtr> key = read_text(text);
  REQUIRE(!key);
  CHECK(key.error().code() == Errc::invalid_argument);
  return key.error().what();
}

std::string pem_of(EVP_PKEY* key) {
  const BioPtr to(BIO_new(BIO_s_mem()));
  REQUIRE(PEM_write_bio_PrivateKey(to.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
  char* data = nullptr;
  const long size = BIO_get_mem_data(to.get(), &data);
  return std::string(data, static_cast<std::size_t>(size));
}

// A key of the given size; its numbers do not belong together.
std::string rsa_pem(int modulus_bits, int factor_bits) {
  const std::unique_ptr<OSSL_PARAM_BLD, OpenSslDeleter<OSSL_PARAM_BLD_free>> parts(OSSL_PARAM_BLD_new());
  std::vector<NumberPtr> numbers;
  const auto add = [&](const char* name, int bits) {
    numbers.emplace_back(BN_new());
    REQUIRE(BN_rand(numbers.back().get(), bits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ODD) == 1);
    OSSL_PARAM_BLD_push_BN(parts.get(), name, numbers.back().get());
  };
  add(OSSL_PKEY_PARAM_RSA_N, modulus_bits);
  add(OSSL_PKEY_PARAM_RSA_E, 17);
  add(OSSL_PKEY_PARAM_RSA_D, modulus_bits - 8);
  for (const char* const name : {OSSL_PKEY_PARAM_RSA_FACTOR1, OSSL_PKEY_PARAM_RSA_FACTOR2, OSSL_PKEY_PARAM_RSA_EXPONENT1,
                                 OSSL_PKEY_PARAM_RSA_EXPONENT2, OSSL_PKEY_PARAM_RSA_COEFFICIENT1}) {
    add(name, factor_bits);
  }
  const std::unique_ptr<OSSL_PARAM, OpenSslDeleter<OSSL_PARAM_free>> params(OSSL_PARAM_BLD_to_param(parts.get()));
  const std::unique_ptr<EVP_PKEY_CTX, OpenSslDeleter<EVP_PKEY_CTX_free>> context(EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr));
  EVP_PKEY* made = nullptr;
  REQUIRE(EVP_PKEY_fromdata_init(context.get()) == 1);
  if (EVP_PKEY_fromdata(context.get(), &made, EVP_PKEY_KEYPAIR, params.get()) != 1)
    return {};  // newer versions of OpenSSL create no invalid key
  const KeyPtr key(made);
  return pem_of(key.get());
}

}  // namespace

TEST_CASE("keys of supported kinds are read after any other text") {
  const auto* const name = GENERATE("ED25519", "ED448", "EC", "RSA", "RSA-PSS");
  const std::string_view kind = name;
  KeyPtr key;
  if (kind == "EC") key.reset(EVP_EC_gen("P-256"));
  if (kind == "RSA") key.reset(EVP_RSA_gen(2048));
  if (!key) {
    const std::unique_ptr<EVP_PKEY_CTX, OpenSslDeleter<EVP_PKEY_CTX_free>> context(EVP_PKEY_CTX_new_from_name(nullptr, name, nullptr));
    EVP_PKEY* made = nullptr;
    REQUIRE(EVP_PKEY_keygen_init(context.get()) == 1);
    REQUIRE(EVP_PKEY_generate(context.get(), &made) == 1);
    key.reset(made);
  }
  const CertifiedKey certificate(CertificateRequest({"DNS:host.test"}));
  const Result<PrivateKeyPtr> read = read_text("A key:\n" + certificate.pem() + pem_of(key.get()));
  REQUIRE(read);
  CHECK(EVP_PKEY_eq(read->get(), key.get()) == 1);
  if (kind != "EC" && kind != "RSA") return;
  const BioPtr older(BIO_new(BIO_s_mem()));  // RSA PRIVATE KEY, EC PRIVATE KEY
  REQUIRE(PEM_write_bio_PrivateKey_traditional(older.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1);
  const Result<PrivateKeyPtr> again = read_private_key(*older);
  REQUIRE(again);
  CHECK(EVP_PKEY_eq(again->get(), key.get()) == 1);
}

TEST_CASE("a key with a passphrase, even an empty one, is refused before any work") {
  CHECK(refusal_of(encrypted_key) == "has a passphrase");
  const KeyPtr key(EVP_EC_gen("P-256"));
  const BioPtr older(BIO_new(BIO_s_mem()));
  char passphrase[] = "hush";
  REQUIRE(PEM_write_bio_PrivateKey_traditional(older.get(), key.get(), EVP_aes_128_cbc(), reinterpret_cast<unsigned char*>(passphrase), 4,
                                               nullptr, nullptr) == 1);
  const Result<PrivateKeyPtr> read = read_private_key(*older);
  REQUIRE(!read);
  CHECK(read.error().what() == "has a passphrase");
}

TEST_CASE("keys whose use would take long are refused") {
  CHECK(refusal_of(rsa_pem(max_rsa_bits + 8, 2048)) == "has 8200 bits: more than 8192 are refused");
  const std::string large_factors = rsa_pem(2048, 2056);
  if (!large_factors.empty()) CHECK(refusal_of(large_factors) == "is damaged");
  CHECK(read_text(rsa_pem(max_rsa_bits, max_rsa_bits / 2)).has_value());
  CHECK_THAT(refusal_of(rsa_pem(16384, 8192)), Catch::Contains("bytes: more than 5120 are refused"));
}

TEST_CASE("keys of other kinds are refused under any name") {
  CHECK(refusal_of(dsa_key) == "is neither an RSA key nor one of an elliptic curve");
  std::string renamed = dsa_key;
  for (std::size_t at = renamed.find("PRIVATE"); at != std::string::npos; at = renamed.find("PRIVATE", at + 8)) renamed.insert(at, "RSA ");
  CHECK(refusal_of(renamed) == "is neither an RSA key nor one of an elliptic curve");
}

TEST_CASE("texts without a key") {
  const auto text = GENERATE(as<std::string>(), "", "hush", "-----BEGIN PRIVATE KEY-----\nhush\n-----END PRIVATE KEY-----\n",
                             "-----BEGIN PRIVATE KEY-----\naHVzaA==\n-----END PRIVATE KEY-----\n",
                             "-----BEGIN RSA PRIVATE KEY-----\naHVzaA==\n-----END RSA PRIVATE KEY-----\n", rsa_test_key.substr(0, 400));
  CHECK(refusal_of(text) == "is no PEM private key");
}
