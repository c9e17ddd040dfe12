// The lease as a key in etcd: what is sent, and what the answers mean.
#include <catch2/catch.hpp>

#include "lease/engine_support.hpp"

namespace rollcall::testing {
namespace {

lease::EtcdLeaseOptions etcd_of(std::vector<std::string> endpoints) {
  lease::EtcdLeaseOptions options;
  options.fleet = "prod";
  options.endpoints = std::move(endpoints);
  return options;
}

class EtcdBench : public ScriptedEngine {
 public:
  explicit EtcdBench(lease::EtcdLeaseOptions options = etcd_of({"https://e0:2379"}))
      : ScriptedEngine(value_of(lease::make_etcd_lease(std::move(options))), {}, {{"/pw", "secret-password\n"}}) {}
};

constexpr const char* lease_header = R"("header":{"cluster_id":"7","revision":"42"})";
constexpr const char* value_of_a = R"({"holder":"a","url":"https://a:7070","epoch":1795781644,"ttl_ms":15000})";
std::string answer_with(std::string_view value, std::string_view revision = "41") {
  return fmt::format(R"({{{},"kvs":[{{"key":"x","mod_revision":"{}","value":"{}"}}],"count":"1"}})", lease_header, revision,
                     base64_encode(value));
}
std::string refusal_of_etcd(int code, std::string_view message) {
  return fmt::format(R"({{"error":"{0}","message":"{0}","code":{1}}})", message, code);
}

}  // namespace

TEST_CASE("a key of etcd is read, and is missing") {
  EtcdBench bench;
  bench.answer(200, answer_with(value_of_a));
  CHECK(value_of(bench.read()) == lease_of("a", 1795781644, "41"));
  CHECK(bench.last().url.target == "/v3/kv/range");
  CHECK(bench.last().body == fmt::format(R"({{"key":"{}"}})", base64_encode("/rollcall/prod/leader")));
  CHECK(bench.engine->name() == "etcd's key '/rollcall/prod/leader'");
  bench.then(200, fmt::format("{{{}}}", lease_header));
  CHECK(value_of(bench.read()) == LeaseRecord());
}

TEST_CASE("a key of etcd is written if its revision is as it was") {
  EtcdBench bench;
  bench.answer(200, fmt::format(R"({{{},"succeeded":true}})", lease_header));
  const MaybeRecord written = value_of(bench.write(lease_of("a", 9, "41"), lease_of("b", 10)));
  REQUIRE(written);
  CHECK(*written == lease_of("b", 10, "42"));
  CHECK(bench.last().url.target == "/v3/kv/txn");
  CHECK_THAT(bench.last().body, Catch::Contains(R"("target":"MOD","mod_revision":"41")"));
  CHECK_THAT(bench.last().body, Catch::Contains(base64_encode(R"({"holder":"b","url":"https://b:7070","epoch":10,"ttl_ms":15000})")));
  bench.then(200, fmt::format("{{{}}}", lease_header));
  CHECK(!value_of(bench.write(LeaseRecord(), lease_of("", 0))));
  CHECK_THAT(bench.last().body, Catch::Contains(R"("mod_revision":"0")"));
}

TEST_CASE("another server of etcd is asked for what was certainly not written") {
  EtcdBench bench(etcd_of({"https://e0:1", "https://e1:2"}));
  bench.answer(Failure(Errc::unreachable, "refused").with_phase(Phase::connect));
  bench.answer(200, fmt::format(R"({{{},"succeeded":true}})", lease_header));
  CHECK(value_of(bench.write(LeaseRecord(), lease_of("a", 1))));
  CHECK(bench.transport->requests.size() == 2);
  bench.transport->answers.clear();
  bench.answer(Failure(Errc::unreachable, "closed").with_phase(Phase::response));
  bench.answer(200, fmt::format(R"({{{},"succeeded":true}})", lease_header));
  CHECK(bench.write(LeaseRecord(), lease_of("a", 1)).has_error());
  CHECK(bench.transport->requests.size() == 3);  // it may have been written
  bench.transport->answers.clear();
  bench.answer(503, refusal_of_etcd(14, "etcdserver: no leader"));
  bench.answer(200, answer_with(value_of_a));
  CHECK(value_of(bench.read()).holder == "a");
  CHECK(bench.transport->requests.size() == 5);
}

TEST_CASE("a user of etcd signs in, and again when the token has ended") {
  lease::EtcdLeaseOptions options = etcd_of({"https://e0:1"});
  options.user = "rollcall";
  options.password_file = "/pw";
  EtcdBench bench(options);
  bench.answer(200, R"({"token":"t1"})");
  bench.answer(200, answer_with(value_of_a));
  CHECK(value_of(bench.read()).holder == "a");
  CHECK(bench.transport->requests[0].url.target == "/v3/auth/authenticate");
  CHECK(bench.last().headers.get("Authorization") == "t1");
  bench.transport->answers.clear();
  bench.answer(401, refusal_of_etcd(16, "etcdserver: invalid auth token"));
  bench.answer(200, R"({"token":"t2"})");
  bench.answer(200, answer_with(value_of_a));
  CHECK(value_of(bench.read()).holder == "a");
  CHECK(bench.last().headers.get("Authorization") == "t2");
  bench.then(403, refusal_of_etcd(7, "etcdserver: permission denied"));
  check_failure(bench.read(), Errc::permission_denied, "etcd's key '/rollcall/prod/leader'", "permission denied");
}

TEST_CASE("a sign-in that etcd refuses, or spoils, shows no password") {
  lease::EtcdLeaseOptions options = etcd_of({"https://e0:1"});
  options.user = "rollcall";
  options.password_file = "/pw";
  EtcdBench bench(options);
  bench.answer(400, refusal_of_etcd(3, "authentication failed, invalid user ID or password secret-password"));
  const Result<LeaseRecord> refused = bench.read();
  check_failure(refused, Errc::unauthenticated, "signing in as 'rollcall'");
  CHECK_THAT(refused.error().message(), !Catch::Contains("secret-password"));
  bench.then(200, R"({"token":"secret-to)");
  CHECK_THAT(bench.read().error().message(), !Catch::Contains("secret-to") && Catch::Contains("sign-in"));
  bench.then(400, refusal_of_etcd(9, "etcdserver: authentication is not enabled"));
  bench.answer(200, answer_with(value_of_a));
  CHECK(value_of(bench.read()).holder == "a");
}

TEST_CASE("answers that no etcd gives, and records that no replica writes, are refused") {
  EtcdBench bench;
  const auto refuses = [&bench](std::string body, const char* words, Errc code = Errc::malformed_response) {
    bench.then(200, std::move(body));
    check_failure(bench.read(), code, "etcd's key", words);
  };
  bench.answer(200);
  refuses("{}", "no etcd");
  refuses(R"({"header":{}})", "of which revision");
  refuses("<html>", "etcd's answer");
  refuses(answer_with(value_of_a, "43"), "newer than the store");
  refuses(answer_with(value_of_a, "0"), "of no revision");
  refuses(answer_with("hello"), "the key's value");
  refuses(answer_with(R"({"leader":"x"})"), "is not of Rollcall", Errc::failed_precondition);
  refuses(answer_with("[]"), "is not of Rollcall", Errc::failed_precondition);
  refuses(answer_with(R"({"holder":"a","epoch":-1,"ttl_ms":15000})"), "is not of Rollcall", Errc::failed_precondition);
  refuses(answer_with(R"({"holder":"a","epoch":9007199254740993,"ttl_ms":15000})"), "which no replica writes");
  refuses(answer_with(R"({"holder":"a","epoch":1,"ttl_ms":0})"), "no time after which it ends");
  refuses(answer_with(R"({"holder":"a","epoch":1,"ttl_ms":9223372036854775807})"), "or one that no replica writes");
  refuses(answer_with(R"({"holder":"a\u0007","epoch":1,"ttl_ms":15000})"), "no replica's id");
  bench.then(200, R"({"succeeded":true})");
  check_failure(bench.write(LeaseRecord(), lease_of("a", 1)), Errc::malformed_response, "no etcd");
}

TEST_CASE("options of a lease in etcd are checked") {
  check_failure(lease::make_etcd_lease(etcd_of({})), Errc::invalid_argument, "one to 64 addresses");
  check_failure(lease::make_etcd_lease(etcd_of({"http://e0:2379"})), Errc::invalid_argument, "without encryption");
  CHECK(lease::make_etcd_lease(etcd_of({"http://127.0.0.1:2379"})));
  lease::EtcdLeaseOptions options = etcd_of({"https://e0:2379"});
  options.user = "rollcall";
  check_failure(lease::make_etcd_lease(options), Errc::invalid_argument, "both a user and the file of the password");
  options = etcd_of({"https://e0:2379"});
  options.files.key = "/k";
  check_failure(lease::make_etcd_lease(options), Errc::invalid_argument, "no certificate");
  for (const char* fleet : {"", "a/b", "a b", "ä"}) {
    options = etcd_of({"https://e0:2379"});
    options.fleet = fleet;
    check_failure(lease::make_etcd_lease(options), Errc::invalid_argument, "is no name of a fleet");
  }
}

}  // namespace rollcall::testing
