// Public keys from numbers, and the signatures of RFC 7515, appendices A.2 and A.3.
#include "crypto/public_key.hpp"

#include <catch2/catch.hpp>

#include "base/base64.hpp"

using namespace rollcall;

namespace {

std::string rfc_bytes(std::string_view text) { return base64url_decode(text).value(); }

constexpr std::string_view claims_of_rfc = "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";

}  // namespace

TEST_CASE("RS256: RFC 7515, A.2") {
  const PublicKey key =
      rsa_public_key(rfc_bytes("ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-"
                               "yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-"
                               "KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_"
                               "h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"),
                     rfc_bytes("AQAB"))
          .value();
  const std::string message = "eyJhbGciOiJSUzI1NiJ9." + std::string(claims_of_rfc);
  std::string signature = rfc_bytes(
      "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_"
      "O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdi"
      "uB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-"
      "eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9"
      "QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw");
  CHECK(has_signed(key, message, signature));
  CHECK_FALSE(has_signed(key, message + "x", signature));
  CHECK_FALSE(has_signed(key, message, std::string_view(signature).substr(1)));
  signature.back() = static_cast<char>(signature.back() ^ 1);
  CHECK_FALSE(has_signed(key, message, signature));
  CHECK_FALSE(has_signed(key, message, ""));
}

TEST_CASE("ES256: RFC 7515, A.3") {
  const std::string x = rfc_bytes("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU");
  const std::string y = rfc_bytes("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0");
  const PublicKey key = p256_public_key(x, y).value();
  const std::string message = "eyJhbGciOiJFUzI1NiJ9." + std::string(claims_of_rfc);
  std::string signature = rfc_bytes("DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q");
  CHECK(has_signed(key, message, signature));
  CHECK_FALSE(has_signed(key, message + "x", signature));
  CHECK_FALSE(has_signed(key, message, signature + "x"));
  CHECK_FALSE(has_signed(key, message, std::string(64, '\0')));
  CHECK_FALSE(has_signed(key, message, std::string(64, '\xff')));
  CHECK_FALSE(p256_public_key(x, x).has_value());  // not a point of the curve
  CHECK_FALSE(p256_public_key(x, "").has_value());
}
