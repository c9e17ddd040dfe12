// Records of names, from a name server of the test over UDP and TCP.
#include "net/dns/dns_transport.hpp"

#include <fmt/format.h>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <cstdlib>
#include <deque>

#include "net/dns/name_server.hpp"
#include "rollcall/testing/virtual_loop.hpp"
#include "rollcall/time_source.hpp"
#include "support/certificates.hpp"
#include "support/no_descriptors.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

// Queries the servers once; the text of the result.
std::string dns_ask_all(const std::vector<NameServer::Answer>& answers, DnsType type, std::size_t max, const std::string& name,
                        bool has_tcp = true) {
  asio::io_context io{1};
  std::deque<NameServer> servers;
  std::vector<std::string> where;
  for (const NameServer::Answer& answer : answers) where.push_back(servers.emplace_back(io, answer, has_tcp).where());
  const auto transport = make_dns_transport(io.get_executor(), std::make_shared<TimerQueue>(system_time(), io.get_executor()), where);
  std::string text;
  bool is_done = false;
  asio::co_spawn(io, transport->query(name, type, max), [&](std::exception_ptr error, const Result<std::vector<DnsEntry>>& entries) {
    if (error) std::rethrow_exception(error);
    is_done = true;
    if (!entries) text = fmt::format("{}: {}", to_string(entries.error().code()), entries.error().message());
    for (std::size_t i = 0; entries && i < entries->size(); ++i) {
      const DnsEntry& entry = (*entries)[i];
      text += fmt::format("{}{}:{}/{} {}s", i == 0 ? "" : ", ", entry.host, entry.port, entry.priority, entry.ttl.count());
    }
  });
  while (!is_done && io.run_one_for(std::chrono::seconds(30)) > 0) {
  }
  return text;
}

std::string dns_ask(DnsType type, NameServer::Answer answer, std::size_t max = 100, const std::string& name = "trainer.test.") {
  return dns_ask_all({std::move(answer)}, type, max, name);
}

const std::string ten_one("\x0a\x00\x00\x01", 4);

}  // namespace

TEST_CASE("records of a name come with their time to live") {
  CHECK(dns_ask(DnsType::a, [](const std::string& q, bool) {
          return dns_reply(q,
                           {dns_record(1, 60, std::string("\x0a\x00\x00\x02", 4)), dns_record(1, 30, ten_one), dns_record(1, 5, ten_one)});
        }) == "10.0.0.2:0/0 60s, 10.0.0.1:0/0 30s");
  CHECK(dns_ask(DnsType::aaaa, [](const std::string& q, bool) {
          return dns_reply(q, {dns_record(28, 7, "\xfd" + std::string(14, '\0') + "\x01")});
        }) == "fd00::1:0/0 7s");
  CHECK(dns_ask(DnsType::srv, [](const std::string& q, bool) {
          return dns_reply(q, {dns_record(33, 9, dns_service(10, 8470, "w-1")), dns_record(33, 9, dns_service(5, 2222, "w-0"))});
        }) == "w-1.test:8470/10 9s, w-0.test:2222/5 9s");
  CHECK(dns_ask(DnsType::a, [](const std::string& q, bool) {
          return dns_reply(q, {dns_record(5, 3, std::string("\xc0\x0c", 2)), dns_record(1, 60, ten_one)});
        }) == "10.0.0.1:0/0 3s");
}

TEST_CASE("a name server's error codes are distinguished") {
  const auto code = [](unsigned rcode) { return [rcode](const std::string& q, bool) { return dns_reply(q, {}, rcode); }; };
  CHECK(dns_ask(DnsType::a, code(0)).empty());  // no such record: none
  CHECK_THAT(dns_ask(DnsType::a, code(3)), Catch::StartsWith("unknown_host: could not look up 'trainer.test.': there is no such name"));
  const auto text_of = [&](unsigned rcode) { return dns_ask(DnsType::a, code(rcode)); };
  CHECK_THAT(text_of(2), Catch::StartsWith("unreachable: could not look up 'trainer.test.': the name server failed (SERVFAIL)"));
  CHECK_THAT(text_of(2), Catch::Contains("asked 127.0.0.1:") && Catch::Contains(", as given: look whether"));
  CHECK_THAT(text_of(4),
             Catch::StartsWith("unreachable: could not look up 'trainer.test.': the name server cannot answer such questions (NOTIMP)"));
  CHECK_THAT(text_of(5), Catch::StartsWith("unreachable: could not look up 'trainer.test.': the name server refuses to answer (REFUSED)"));
  CHECK_THAT(text_of(9), Catch::StartsWith("unreachable: 'trainer.test.': the name server answers with error 9 (NOTAUTH)"));
  CHECK_THAT(dns_ask(DnsType::a, code(0), 100, std::string(64, 'a') + ".test."), Catch::StartsWith("unknown_host: "));
}

TEST_CASE("another name server is queried when the first refuses or fails") {
  const unsigned rcode = GENERATE(2U, 4U, 5U);
  const auto refusal = [rcode](const std::string& q, bool) { return dns_reply(q, {}, rcode); };
  const auto answer = [](const std::string& q, bool) { return dns_reply(q, {dns_record(1, 60, ten_one)}); };
  CHECK(dns_ask_all({refusal, answer}, DnsType::a, 100, "trainer.test.") == "10.0.0.1:0/0 60s");
}

TEST_CASE("a question waits for a free descriptor as long as its caller waits") {
  if (NoDescriptors::is_sanitized) return;
  VirtualLoop loop;
  NameServer server(loop.io, [](const std::string& q, bool) { return dns_reply(q, {dns_record(1, 60, ten_one)}); });
  const auto timers = std::make_shared<TimerQueue>(loop.time, loop.io.get_executor());
  const auto transport = make_dns_transport(loop.io.get_executor(), timers, {server.where()});
  const auto go_on = [&loop] {
    loop.poll();
    if (const auto next = loop.time->next_alarm()) loop.time->advance_to(*next);
  };
  auto shortage = std::make_unique<NoDescriptors>();
  auto given_up = loop.start(transport->query("trainer.test.", DnsType::a, 10));
  const auto asked = loop.start(transport->query("trainer.test.", DnsType::a, 10));
  for (int i = 0; i < 100; ++i) go_on();
  CHECK_FALSE(asked.done());
  CHECK(server.udp_questions == 0);
  given_up.cancel();
  loop.poll();
  shortage.reset();
  REQUIRE(given_up.done());
  CHECK(given_up.value().error().code() == Errc::cancelled);
  CHECK_THAT(given_up.value().error().hint(), Catch::Contains("ulimit -n"));
  while (!asked.done()) go_on();
  CHECK(asked.value().value().size() == 1);
}

TEST_CASE("the user's own host aliases are not used") {
  const TemporaryFile aliases("trainer elsewhere.test\n");
  setenv("HOSTALIASES", aliases.path().c_str(), 1);  // could as well be a pipe without a writer
  std::string asked;
  (void)dns_ask(
      DnsType::a,
      [&](const std::string& q, bool) {
        asked += q;
        return dns_reply(q, {dns_record(1, 60, ten_one)});
      },
      100, "trainer");
  unsetenv("HOSTALIASES");
  CHECK_THAT(asked, Catch::Contains(dns_label("trainer")) && !Catch::Contains("elsewhere"));
}

TEST_CASE("a truncated answer without an answer by TCP") {
  const std::string reported =
      dns_ask_all({[](const std::string& q, bool) { return dns_reply(q, {}, 0, truncated); }}, DnsType::srv, 100, "trainer.test.", false);
  CHECK_THAT(reported,
             Catch::StartsWith("unreachable: could not look up 'trainer.test.': the name server cut its answer short (truncated") &&
                 Catch::Contains("does not answer by TCP") && Catch::Contains("let TCP to its port through"));
}

TEST_CASE("a truncated answer is requested again over TCP") {
  int over_tcp = 0;
  CHECK(dns_ask(DnsType::a, [&](const std::string& q, bool is_tcp) {
          over_tcp += is_tcp ? 1 : 0;
          return is_tcp ? dns_reply(q, {dns_record(1, 60, ten_one)}) : dns_reply(q, {}, 0, truncated);
        }) == "10.0.0.1:0/0 60s");
  CHECK(over_tcp == 1);
}

TEST_CASE("more records than allowed are refused, and nonsense is") {
  const auto many = [](const std::string& q, bool) {
    std::vector<std::string> records;
    for (unsigned i = 0; i < 20; ++i) records.push_back(dns_record(1, 60, dns_number(0x0a000000 + i, 4)));
    return dns_reply(q, records);
  };
  CHECK_THAT(dns_ask(DnsType::a, many, 19), Catch::StartsWith("limit_exceeded: 'trainer.test.': the name has more than 19 records"));
  CHECK_THAT(dns_ask(DnsType::a, [](const std::string& q, bool) { return dns_reply(q, {dns_record(1, 60, "abc")}); }),
             Catch::StartsWith("malformed_response: 'trainer.test.': the name server's answer cannot be read"));
}

TEST_CASE("names in an answer have DNS's maximum length") {
  const auto answer = [](std::size_t labels, std::size_t last) {
    std::string host;
    for (std::size_t i = 0; i < labels; ++i) host += dns_label(std::string(63, 'a'));
    host += dns_label(std::string(last, 'b')) + '\0';
    return dns_reply(service_question, {dns_record(33, 9, dns_number(0, 4) + dns_number(8470, 2) + host)});
  };
  CHECK(parse_dns_answer(answer(3, 61), DnsType::srv, 10).value().front().host.size() == 253);
  CHECK(parse_dns_answer(answer(3, 62), DnsType::srv, 10).error().code() == Errc::malformed_response);
  // One long name, and records that point to it.
  CHECK(parse_dns_answer(answer(240, 1), DnsType::srv, 10).error().code() == Errc::malformed_response);
}

TEST_CASE("a service with an invalid host name is refused") {
  for (const std::string label : {"a,b:1", "a b", "[fd00::1]", "[fd::", "fd00::1", "x\n\x1b[31", "a\"],\"b", "a.b", "w\xc3\xb6"}) {
    CAPTURE(label);
    const auto refused = parse_dns_answer(dns_reply(service_question, {dns_record(33, 9, dns_service(0, 99, label))}), DnsType::srv, 10);
    REQUIRE(refused.has_error());
    CHECK(refused.error().code() == Errc::malformed_response);
    CHECK_THAT(refused.error().what(), Catch::StartsWith("an SRV record names a host ") && Catch::Contains("test', which is no host name"));
  }
  const std::string none = dns_reply(service_question, {dns_record(33, 9, std::string(7, '\0'))});
  CHECK(parse_dns_answer(none, DnsType::srv, 10).value().front().host.empty());
}

TEST_CASE("names of services compare regardless of case, and the preferred priority is used") {
  const std::string reply =
      dns_reply(service_question, {dns_record(33, 9, dns_service(20, 99, "W_1")), dns_record(33, 9, dns_service(10, 99, "w_1")),
                                   dns_record(33, 9, dns_service(30, 99, "w_1")), dns_record(33, 9, dns_service(20, 98, "w_1"))});
  const std::vector<DnsEntry> entries = parse_dns_answer(reply, DnsType::srv, 2).value();
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].host == "w_1.test");
  CHECK(entries[0].priority == 10);
  CHECK(entries[1].port == 98);
}

TEST_CASE("any bytes are safe as a name server's answer") {
  const std::string good = dns_reply(service_question, {dns_record(33, 9, dns_service(10, 8470, "w-1")), dns_record(1, 60, ten_one)});
  REQUIRE(parse_dns_answer(good, DnsType::srv, 10).value().size() == 1);
  for (std::size_t size = 0; size < good.size(); ++size) CHECK(parse_dns_answer(good.substr(0, size), DnsType::srv, 10).has_error());
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const char byte : {'\0', '\x01', '\x3f', '\xc0', '\xff'}) {
      std::string changed = good;
      changed[at] = byte;
      (void)parse_dns_answer(changed, DnsType::srv, 10);
      (void)parse_dns_answer(changed, DnsType::a, 10);
    }
  }
  const std::string loop = service_question + "\xc0" + static_cast<char>(service_question.size());  // a name that points to itself
  std::string claims = loop;
  claims[7] = 1;
  CHECK(parse_dns_answer(claims, DnsType::a, 10).has_error());
}
