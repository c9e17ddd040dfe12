// Signature Version 4, by examples of its documentation.
#include "auth/aws_signature.hpp"

#include <catch2/catch.hpp>

#include "base/timestamp.hpp"

using namespace rollcall;

namespace {

AwsKeys example_keys() {
  AwsKeys keys;
  keys.access_key_id = "AKIDEXAMPLE";
  keys.secret_access_key = Secret<std::string>("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY");
  return keys;
}

}  // namespace

TEST_CASE("a signed request for IAM's list of users") {
  HttpRequest request(*Url::parse("https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08"));
  request.headers.add("Content-Type", "application/x-www-form-urlencoded; charset=utf-8");
  sign_aws_request(request, example_keys(), "us-east-1", "iam", *parse_rfc3339("2015-08-30T12:36:00Z"));
  CHECK(request.headers.get("x-amz-date") == "20150830T123600Z");
  CHECK(request.headers.get("authorization") ==
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, SignedHeaders=content-type;host;x-amz-date, "
        "Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7");
}

TEST_CASE("the plain request of the signature's test suite") {
  HttpRequest request(*Url::parse("https://example.amazonaws.com/"));
  sign_aws_request(request, example_keys(), "us-east-1", "service", *parse_rfc3339("2015-08-30T12:36:00Z"));
  CHECK_THAT(std::string(request.headers.get("authorization").value()),
             Catch::EndsWith("SignedHeaders=host;x-amz-date, Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"));
  sign_aws_request(request, example_keys(), "us-east-1", "service", *parse_rfc3339("2015-08-30T12:36:00Z"));
  CHECK_THAT(std::string(request.headers.get("authorization").value()),
             Catch::EndsWith("Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"));  // signed again, not twice
}
