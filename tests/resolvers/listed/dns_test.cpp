// The DNS resolver with answers given by the test.
#include "rollcall/dns_resolver.hpp"

#include "async/async_event.hpp"
#include "rollcall/dns.hpp"
#include "rollcall/wait.hpp"
#include "support/result.hpp"
#include "support/spec_text.hpp"
#include "support/test_runtime.hpp"
#include "support/wait_story.hpp"

using namespace rollcall;
using rollcall::testing::spec_text;
using rollcall::testing::TestRuntime;
using rollcall::testing::WaitStory;
using namespace std::chrono_literals;

namespace {

DnsEntry dns_address(std::string host, int ttl = 60) {
  DnsEntry entry;
  entry.host = std::move(host);
  entry.ttl = std::chrono::seconds(ttl);
  return entry;
}

DnsEntry dns_service(std::string host, std::uint16_t port, std::uint16_t priority = 0) {
  DnsEntry entry = dns_address(std::move(host));
  entry.port = port;
  entry.priority = priority;
  return entry;
}

// Answers by name and type. NXDOMAIN for unknown names, and for the first `missing_first` queries.
class ScriptedDns final : public DnsTransport {
 public:
  std::map<std::pair<std::string, DnsType>, std::vector<DnsEntry>> records;
  std::vector<std::string> asked;
  int missing_first = 0;
  int in_flight = 0;
  int max_in_flight = 0;

  asio::awaitable<Result<std::vector<DnsEntry>>> query(std::string name, DnsType type, std::size_t) override {
    max_in_flight = std::max(max_in_flight, ++in_flight);
    co_await next_turn();
    --in_flight;
    asked.push_back(name + (type == DnsType::a ? " A" : type == DnsType::aaaa ? " AAAA" : " SRV"));
    bool is_known = false;
    for (const auto& [key, entries] : records) is_known = is_known || key.first == name;
    if (!is_known || missing_first-- > 0) co_return Failure(Errc::unknown_host, "could not look up '" + name + "': there is no such name");
    const auto found = records.find({name, type});
    if (found == records.end()) co_return std::vector<DnsEntry>();
    co_return found->second;
  }
};

class DnsWorld : public TestRuntime {
 public:
  DnsWorld() {
    RuntimeOptions options;
    options.http = transport;
    options.dns = dns;
    options.time = time;
    options.environment = fixed_environment({});
    options.limits.max_endpoints = 5;
    options.limits.requests_in_flight_per_host = 3;
    with_dns.emplace(io.get_executor(), std::move(options));
  }
  std::shared_ptr<ScriptedDns> dns = std::make_shared<ScriptedDns>();
  std::optional<Runtime> with_dns;

  std::string answer(const std::string& target) { return spec_text(*this, *with_dns, target); }
};

}  // namespace

TEST_CASE("the addresses of a name are sorted by number") {
  DnsWorld world;
  world.dns->records[{"svc", DnsType::a}] = {dns_address("10.0.0.10"), dns_address("10.0.0.9", 30), dns_address("9.0.0.1")};
  world.dns->records[{"svc", DnsType::aaaa}] = {dns_address("fd00::2"), dns_address("fd00::1")};
  world.dns->records[{"six", DnsType::aaaa}] = {dns_address("fd00::1")};
  CHECK(world.answer("dns:svc") == R"({"worker":["9.0.0.1:8470","10.0.0.9:8470","10.0.0.10:8470"]})");
  CHECK(world.dns->asked == std::vector<std::string>{"svc A"});
  CHECK(world.answer("dns:svc:1,family=v6,job=ps") == R"({"ps":["[fd00::1]:1","[fd00::2]:1"]})");
  CHECK(world.answer("dns:svc,family=both,port=2") == R"({"worker":["9.0.0.1:2","10.0.0.9:2","10.0.0.10:2","[fd00::1]:2","[fd00::2]:2"]})");
  CHECK(world.answer("dns:six") == R"({"worker":["[fd00::1]:8470"]})");
  CHECK(world.answer("dns:six:7,10.1.1.1,[fd00::9]:8,localhost,port=3") ==
        R"({"worker":["[fd00::1]:7","10.1.1.1:3","[fd00::9]:8","127.0.0.1:3"]})");
  std::vector<Endpoint> names{Endpoint("svc", std::nullopt)};
  const auto resolver = make_dns_resolver(*world.with_dns, DnsOptions(names));
  CHECK_FALSE(resolver->ttl());
  (void)world.run(resolver->cluster_spec());
  CHECK(resolver->ttl() == 30s);
}

TEST_CASE("services are sorted by priority and name") {
  DnsWorld world;
  world.dns->records[{"_tf._tcp.svc", DnsType::srv}] = {dns_service("w-10.svc", 1), dns_service("w-9.svc", 1), dns_service("w-0.svc", 2, 5),
                                                        dns_service(".", 1)};
  CHECK(world.answer("dns:_tf._tcp.svc,port=9") == R"({"worker":["w-9.svc:1","w-10.svc:1","w-0.svc:2"]})");
  CHECK(world.answer("dns:_tf._tcp.svc,srv=true") == R"({"worker":["w-9.svc:1","w-10.svc:1","w-0.svc:2"]})");
  CHECK_THAT(world.answer("dns:_tf._tcp.svc,srv=false"), Catch::Contains("has no address"));
  world.dns->records[{"_p0", DnsType::srv}] = {dns_service("w-1.svc", 1), dns_service("w-0.svc", 0)};
  CHECK_THAT(world.answer("dns:_p0"), Catch::StartsWith("malformed_response: '_p0': the SRV record of 'w-0.svc' has no port"));
}

TEST_CASE("a name without an answer is an error, unless it is waited for") {
  DnsWorld world;
  world.dns->records[{"svc", DnsType::srv}] = {};
  CHECK_THAT(world.answer("dns:none"), Catch::StartsWith("unknown_host: could not look up 'none'"));
  CHECK_THAT(world.answer("dns:svc"), Catch::StartsWith("unknown_host: 'svc' has no address") && Catch::Contains("wait=true"));
  CHECK_THAT(world.answer("dns:svc,srv=true"), Catch::StartsWith("unknown_host: 'svc' has no SRV record"));
  CHECK(world.seconds() == 0);
  CHECK_THAT(world.answer("dns:svc,wait=true"),
             Catch::StartsWith("deadline_exceeded: no answer within the deadline of 30 s; last: 'svc' has no address"));
  CHECK(world.seconds() == 30);
  world.dns->records[{"late", DnsType::a}] = {dns_address("10.0.0.1")};
  world.dns->missing_first = 4;
  CHECK(world.answer("dns:late,wait=true") == R"({"worker":["10.0.0.1:8470"]})");
  CHECK(world.seconds() == 34);
}

TEST_CASE("a wait reports the missing name, and finds it within a second") {
  DnsWorld world;
  WaitStory story;
  const auto resolver = make_resolver(*world.with_dns, "dns:late,wait=true").value();
  const auto refused = world.run(try_wait_until_ready(resolver, usually_ready, story.options().timeout(4s)));
  REQUIRE(refused.has_error());
  CHECK_THAT(refused.error().what(), Catch::Contains("last trouble: could not look up 'late': there is no such name"));
  world.dns->records[{"late", DnsType::a}] = {dns_address("10.0.0.1")};
  world.dns->missing_first = 9;
  const SteadyTime before = world.time->now();
  const auto ready = world.run(try_wait_until_ready(resolver, usually_ready, story.options()));
  CHECK(ready.value().members.size() == 1);
  CHECK(world.time->now() == before + 9s);
}

TEST_CASE("as many names are queried at once as requests are sent to a host") {
  DnsWorld world;
  for (const char* name : {"a", "b", "c", "d", "e"}) world.dns->records[{name, DnsType::a}] = {dns_address("10.0.0.1")};
  CHECK_THAT(world.answer("dns:a,b,c,d,e"), Catch::StartsWith("{"));
  CHECK(world.dns->max_in_flight == 3);
}

TEST_CASE("addresses and localhost are of the family that is asked for") {
  DnsWorld world;
  CHECK(world.answer("dns:LOCALHOST,a.localhost.,port=1") == R"({"worker":["127.0.0.1:1","127.0.0.1:1"]})");
  CHECK(world.answer("dns:localhost,port=1,family=v4") == R"({"worker":["127.0.0.1:1"]})");
  CHECK(world.answer("dns:localhost,port=1,family=v6") == R"({"worker":["[::1]:1"]})");
  CHECK(world.answer("dns:localhost,port=1,family=both") == R"({"worker":["127.0.0.1:1","[::1]:1"]})");
  CHECK(world.answer("dns:10.0.0.1,[fd00::1],port=1,family=both") == R"({"worker":["10.0.0.1:1","[fd00::1]:1"]})");
  CHECK_THAT(world.answer("dns:10.0.0.1,family=v6,wait=true"), Catch::StartsWith("invalid_argument: '10.0.0.1' is no IPv6 address"));
  CHECK_THAT(world.answer("dns:[fd00::1],family=v4,wait=true"), Catch::StartsWith("invalid_argument: 'fd00::1' is no IPv4 address"));
  CHECK(world.seconds() == 0);
  CHECK(world.dns->asked.empty());
}

TEST_CASE("DNS answers over the limit, and wrong dns: targets") {
  DnsWorld world;
  for (int i = 0; i < 3; ++i) {
    world.dns->records[{"a", DnsType::a}].push_back(dns_address("10.0.0." + std::to_string(i)));
    world.dns->records[{"b", DnsType::a}].push_back(dns_address("10.0.1." + std::to_string(i)));
  }
  CHECK_THAT(world.answer("dns:a,b"), Catch::StartsWith("limit_exceeded: dns: 6 addresses, more than 5"));
  std::string many = "dns:a";
  for (int i = 0; i < 64; ++i) many += ",a";
  CHECK_THAT(world.answer(many), Catch::Contains("65 names, not 1 to 64"));
  for (const auto& [target, why] :
       std::initializer_list<std::pair<const char*, const char*>>{{"dns:", "'' is neither NAME nor NAME:PORT"},
                                                                  {"dns:a,,b", "'' is neither"},
                                                                  {"dns:a:0", "'a:0' is neither"},
                                                                  {"dns:a,port=x", "not a port"},
                                                                  {"dns:a,family=v5", "one, v4, v6 or both"},
                                                                  {"dns:a,srv=yes", "neither true nor false"},
                                                                  {"dns:a,wait=1", "neither true nor false"},
                                                                  {"dns:a,families=v4", "did you mean family="}}) {
    CHECK_THAT(world.answer(target), Catch::Contains(why));
  }
}
