// Secrets and names of recorded answers.
#include <catch2/catch.hpp>

#include "sim/record/anonymize.hpp"
#include "sim/record/redact.hpp"

namespace rollcall::sim {

namespace {

std::string redacted(std::string_view text) {
  boost::json::value value = boost::json::parse(std::string(text));
  redact(value);
  return boost::json::serialize(value);
}

std::string anonymous(std::string_view text) {
  boost::json::value value = boost::json::parse(std::string(text));
  Pseudonyms names;
  find_names(names, value);
  names.choose();
  replace_names(names, value);
  return boost::json::serialize(value);
}

}  // namespace

TEST_CASE("secrets are not recorded") {
  CHECK(
      redacted(
          R"({"spec":{"containers":[{"name":"a","command":["x"],"args":["--key"],"env":[{"name":"K","value":"v"},{"name":"F","valueFrom":{"fieldRef":{"fieldPath":"x"}}}]}]}})") ==
      R"({"spec":{"containers":[{"name":"a","env":[{"name":"K","value":"***"},{"name":"F","valueFrom":{"fieldRef":{"fieldPath":"x"}}}]}]}})");
  CHECK(
      redacted(
          R"({"metadata":{"name":"a","managedFields":[1],"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}","db-password":"x","n":"2"}}})") ==
      R"({"metadata":{"name":"a","annotations":{"db-password":"***","n":"2"}}})");
  CHECK(redacted(R"({"metadata":{"fingerprint":"f","items":[{"key":"ssh-keys","value":"ada:ssh-rsa AAAA"}]}})") ==
        R"({"metadata":{"fingerprint":"f","items":[{"key":"ssh-keys","value":"***"}]}})");
  CHECK(redacted(R"({"metadata":{"startup-script":"curl"}})") == R"({"metadata":{"startup-script":"***"}})");
  CHECK(redacted(R"({"accessToken":"x","tolerations":[{"key":"nvidia.com/gpu"}]})") ==
        R"({"accessToken":"***","tolerations":[{"key":"nvidia.com/gpu"}]})");
  CHECK(redacted(R"({"message":"token=abc123 was refused","a":"ya29.abcdefgh"})") == R"({"message":"token=*** was refused","a":"***"})");
  CHECK(redacted(R"({"kind":"Secret","data":{"a":"c2VjcmV0"}})") == R"({"kind":"Secret","data":{"a":"***"}})");
  // One word is left of it.
  CHECK(redacted(R"({"message":"pcs/?rjtoaV&VVVVVvVVVxxfd20::1xxxxxVVV&lozcaVVVVV-----BEGINxx s'"})") == R"({"message":"***"})");
  // What decides a cluster's state stays.
  for (const char* const kept :
       {R"({"metadata":{"name":"trainer-0-x7f2q","uid":"f96a5c8f-65bc-4d78-8414-000000000001","resourceVersion":"1"}})",
        R"({"status":{"message":"0/3 nodes are available: 3 Insufficient nvidia.com/gpu."}})",
        R"({"involvedObject":{"fieldPath":"spec.containers{trainer}"}})"})
    CHECK(redacted(kept) == kept);
}

TEST_CASE("names are replaced alike everywhere") {
  const std::string text = anonymous(R"({"metadata":{"name":"llama-0-x7f2q","namespace":"ads","labels":{"app":"llama","job-index":"0"},
    "ownerReferences":[{"kind":"Job","name":"llama","uid":"f96a5c8f-65bc-4d78-8414-000000000001"}]},
    "spec":{"nodeName":"ip-10-0-1-2.ec2.internal"},"status":{"podIP":"10.0.1.2","message":"pod llama-0-x7f2q of ads: 0/3 nodes are available.",
    "reason":"llama"}})");
  CHECK(
      text ==
      R"({"metadata":{"name":"xf-0-xg","namespace":"xb","labels":{"app":"xf","job-index":"0"},)"
      R"("ownerReferences":[{"kind":"Job","name":"xf","uid":"f96a5c8f-65bc-4d78-8414-000000000001"}]},)"
      R"("spec":{"nodeName":"xd-10-0-0-1.xc2.internal"},"status":{"podIP":"10.0.0.1","message":"pod xf-0-xg of xb: 0/3 nodes are available.",)"
      R"("reason":"llama"}})");
}

TEST_CASE("parts of images stand in messages by themselves") {
  CHECK(anonymous(R"({"image":"registry.example/llama:v9","message":"pulling \"registry.example/llama:v9\" failed"})") ==
        R"({"image":"xc.example/xb:v9","message":"pulling \"xc.example/xb:v9\" failed"})");
}

TEST_CASE("the order of names and addresses stays") {
  Pseudonyms names;
  std::vector<std::string> given;
  for (int i = 0; i < 60; ++i)
    given.push_back("n" + std::string(1, static_cast<char>('a' + i / 10)) + std::string(1, static_cast<char>('a' + i % 10)));
  for (const std::string& one : given) names.add_name(one);
  names.add_addresses("10.9.0.3 and 192.168.1.9, not 127.0.0.1 or 1.2.3");
  names.choose();
  std::vector<std::string> shown;
  for (const std::string& one : given) shown.push_back(names.of_name(one));
  CHECK(std::is_sorted(shown.begin(), shown.end()));
  CHECK(std::adjacent_find(shown.begin(), shown.end()) == shown.end());
  CHECK(names.of_text("10.9.0.3:8470, 192.168.1.9 127.0.0.1 1.2.3 10.9.0.4.") == "10.0.0.1:8470, 10.0.0.2 127.0.0.1 1.2.3 10.9.0.4.");
  CHECK(names.of_name("naa12-3") == shown.front() + "12-3");
}

TEST_CASE("paths and selectors are those of the answers") {
  Pseudonyms names;
  const std::string path =
      "/api/v1/namespaces/ads/pods?labelSelector=acme.example%2Fteam%20in%20%28ml%2Cads%29%2C%21old%2Capp%3Dllama&limit=500";
  find_names_in_path(names, path);
  names.choose();
  CHECK(with_names_replaced(names, path) ==
        "/api/v1/namespaces/xc/pods?labelSelector=xb.example%2Fteam%20in%20%28xf%2Cxc%29%2C%21old%2Capp%3Dxd&limit=500");
  Pseudonyms google;
  const std::string node = "/v2/projects/acme-ml/locations/us-central2-b/nodes/llama";
  find_names_in_path(google, node);
  google.choose();
  CHECK(with_names_replaced(google, node) == "/v2/projects/xb-xd/locations/us-central2-b/nodes/xc");
}

}  // namespace rollcall::sim
