// Answers of a store that would be believed: a lease for ever, a write without a revision, changes that are still to come, a revision
// without an end.
#include <catch2/catch.hpp>

#include "store/scripted_etcd.hpp"

namespace rollcall::testing {
namespace {

constexpr const char* no_revision = R"("header":{"cluster_id":"7","member_id":"1"})";

Result<store::Lease> granted(std::string_view ttl) {
  ScriptedEtcd etcd;
  etcd.answer(200, fmt::format(R"({{{},"ID":"77","TTL":"{}"}})", etcd_header, ttl));
  return etcd.grant();
}

Result<store::Lease> kept_alive(std::string_view ttl) {
  ScriptedEtcd etcd;
  etcd.answer(200, fmt::format(R"({{"result":{{{},"ID":"77","TTL":"{}"}}}})", etcd_header, ttl));
  return etcd.keep_alive();
}

Result<store::WatchEnd> watched(const std::string& lines, Seen& seen, std::uint64_t revision = 5) {
  ScriptedEtcd etcd;
  etcd.answer(200, lines);
  return etcd.watch(seen, revision);
}

}  // namespace

TEST_CASE("a lease has the time that can be, whatever the store says") {
  for (const char* ttl : {"9223372036854775807", "9000000000", "100000"}) {
    CHECK(value_of(granted(ttl)).ttl == std::chrono::hours(24));
    CHECK(value_of(kept_alive(ttl)).ttl == std::chrono::hours(24));
  }
  CHECK(value_of(granted("10")).ttl == std::chrono::seconds(10));
  for (const char* ttl : {"-1", "-9223372036854775808"}) {
    check_failure(granted(ttl), Errc::malformed_response, "a lease");
    check_failure(kept_alive(ttl), Errc::malformed_response, "a lease");
  }
  check_failure(granted("0"), Errc::malformed_response, "has ended already");
  check_failure(kept_alive("0"), Errc::not_found, "not there any more");
}

TEST_CASE("what has no revision is no write, and no list") {
  ScriptedEtcd etcd;
  etcd.answer(200, fmt::format(R"({{{},"succeeded":true}})", no_revision));
  check_failure(etcd.put(), Errc::malformed_response, "a write of '/t/a'", "which revision");
  etcd.transport->answers.clear();
  etcd.answer(200, fmt::format("{{{}}}", no_revision));
  check_failure(etcd.list(), Errc::malformed_response, "the list of '/t/'", "which revision");
}

TEST_CASE("nothing is newer than the store that tells it") {
  ScriptedEtcd etcd;
  etcd.answer(200, fmt::format(R"({{{},"kvs":[{}]}})", etcd_header, etcd_key("/t/a", 6)));
  check_failure(etcd.list(), Errc::malformed_response, "newer than the store");
  Seen seen;
  const std::string far = fmt::format(R"({{"kv":{{"key":"{}","mod_revision":"18446744073709551615"}}}})", base64_encode("/t/a"));
  const Result<store::WatchEnd> end = watched(fmt::format(R"({{"result":{{{},"events":[{}]}}}})"
                                                          "\n",
                                                          etcd_header_at(7), far),
                                              seen);
  check_failure(end, Errc::malformed_response, "newer than the store");
  CHECK(seen.revisions.empty());
}

TEST_CASE("a revision whose parts do not end is given up") {
  const std::string value(200'000, 'v');
  std::string lines;
  for (int i = 0; i < 60; ++i) {
    lines += fmt::format(R"({{"result":{{{},"fragment":true,"events":[{{"kv":{}}}]}}}})"
                         "\n",
                         etcd_header_at(7), etcd_key(fmt::format("/t/{}", i), 7, value));
  }
  Seen seen;
  check_failure(watched(lines, seen), Errc::limit_exceeded, "one revision of more than");
  CHECK(seen.revisions.empty());
}

}  // namespace rollcall::testing
