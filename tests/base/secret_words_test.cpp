// Parts of foreign text that look like a secret, and how they are hidden.
#include "base/secret_words.hpp"

#include <catch2/catch.hpp>
#include <utility>

using namespace rollcall;

TEST_CASE("a word that is random, or begins like a token, looks like a secret; names do not") {
  for (const char* const secret :
       {"eyJhbGciOiJSUzI1NiJ9", "ya29.a0ARrdaM_x", "1//0gAbCdEfGhIj", "ghp_0123456789ab", "hvs.CAESIJ", "sha256~Zy-1",
        "LS0tLS1CRUdJTg==", "wJalrXUtnFEMI7K7MDENGbPxRfiCY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "x-Zk9x2Qa7Lm4Xy_",
        "0123456789abcdef0123456789abcdef01234567"}) {
    CAPTURE(secret);
    CHECK(looks_secret(secret));
  }
  for (const char* const name : {"trainer", "us-central2-b", "gke_my-project-123456_us-central1-a_training-cluster-0001",
                                 "TPU_WORKER_HOSTNAMES", "ip-10-0-0-1.ec2.internal", "GoogleAuthLibrary-2.23.4", "kubeconfig.yaml",
                                 "rollcall-test-2jNaZh", "tmp.aB3dEfGh12", "10.0.0.1:8470"}) {
    CAPTURE(name);
    CHECK_FALSE(looks_secret(name));
  }
  CHECK_FALSE(looks_secret_for_name("i-0abcd1234ef567890"));  // of a machine
  CHECK(looks_secret_for_name("AKIAIOSFODNN7EXAMPLE"));
  CHECK(looks_secret_for_name("ya29.a0arrdam"));
}

TEST_CASE("secrets in a text are hidden, and a second time changes nothing") {
  for (const auto& [said, shown] : {
           std::pair{"AWS secret access key AbCdEfGhIj is refused", "AWS secret access key *** is refused"},
           std::pair{"token SUBJ-4711 was rejected", "token *** was rejected"},
           std::pair{"the password is hunter2", "the password is ***"},
           std::pair{"see https://svc:s3cr3tpassw0rd@idp.example/login", "see https://***@idp.example/login"},
           std::pair{"see https://svc:pa/ss@idp.example/login", "see https://***@idp.example/login"},
           std::pair{"at https://only-a-user@idp.example", "at https://***@idp.example"},
           std::pair{"postgres svc:s3cr3t@db", "postgres ***@db"},
           std::pair{"https://idp.example/?access_token=hush&x=1", "https://idp.example/?access_token=***&x=1"},
           std::pair{"key:\n-----BEGIN PRIVATE KEY-----\nMIIB\nAw==\n-----END PRIVATE KEY-----\nok", "key:\n***\nok"},
           std::pair{"-----BEGIN RSA PRIVATE KEY-----\nMIIB", "***"},
           std::pair{"password:\nhush", "password:\n***"},
           std::pair{"Authorization: hush", "Authorization: ***"},
           std::pair{"it sent authorization: hush", "it sent authorization: ***"},
           // The word with the slash is hidden, and then the user before the address is seen.
           std::pair{"n0nnnnnnnnnnnnnnnnnnnn@us/nf=`fd20::1)@0::1", "***@0::1"},
       }) {
    CAPTURE(said);
    CHECK(without_secrets(said) == shown);
    CHECK(without_secrets(shown) == shown);
  }
}

TEST_CASE("words about secrets in a message stay") {
  for (const char* const plain :
       {"the token has expired", "no key file was found", "the security token is expired", "key ID of the project",
        "use the key ~/.ssh/id_rsa", "git@github.com:owner/name", "http://10.0.0.1:8080/path@v2", "secret \"train\" not found",
        "Password required.", "docker pull registry.example/x:v1", "the API key 7 of 9"}) {
    CAPTURE(plain);
    CHECK(without_secrets(plain) == plain);
  }
}

TEST_CASE("a quotation is truncated after its secrets are hidden") {
  CHECK(quoted_words("token=hush and more", 9) == "'token=***… (18 bytes)'");
  CHECK(without_secrets("") == "");
}
