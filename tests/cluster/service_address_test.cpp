#include "cluster/service_address.hpp"

#include <catch2/catch.hpp>

#include "rollcall/endpoint.hpp"

using namespace rollcall;

TEST_CASE("only an IP literal of a service is an address") {
  for (const std::string_view good : {"10.0.0.1", "0.0.0.0", "255.255.255.255", "fd00::1", "::", "::ffff:10.0.0.1"}) {
    CAPTURE(good);
    CHECK(service_ip(good) == good);
  }
  CHECK(service_ip("[fd00::1]") == "fd00::1");
  for (const std::string_view bad : {"",
                                     " ",
                                     "10.0.0.1 ",
                                     " 10.0.0.1",
                                     "10.0.0.1,6.6.6.6",
                                     "evil.example",
                                     "localhost",
                                     "-oProxyCommand=touch x",
                                     "10.0.0.1:22",
                                     "10.0.0",
                                     "256.0.0.1",
                                     "010.0.0.1",
                                     "0x0a.0.0.1",
                                     "167772161",
                                     "10.0.0.1\n",
                                     "10.0.0.1\r\nworker 9 6.6.6.6:1",
                                     "\x1b[31m10.0.0.1",
                                     "10.0.0.1\xc2\x9b",
                                     "\xe2\x80\xae"
                                     "10.0.0.1",
                                     "10.0.0.1\x7f",
                                     "fe80::1%eth0",
                                     "[10.0.0.1]",
                                     "[fd00::1",
                                     "fd00::1]",
                                     "[]",
                                     "[[fd00::1]]",
                                     "\xef\xbc\x91\xef\xbc\x90.0.0.1",
                                     "10.0.0.1/8",
                                     "fd00::g"}) {
    CAPTURE(bad);
    CHECK(service_ip(bad).empty());
  }
  CHECK(service_ip(std::string_view("10.0.0.1\0", 9)).empty());
}

TEST_CASE("where a service names hosts, a host name is an address, and no option is") {
  for (const std::string_view good :
       {"10.0.0.1", "fd00::1", "worker-0", "w_0.pods.train.svc.cluster.local", "0-1.example", "a.b.", "_sip.example"}) {
    CAPTURE(good);
    CHECK(service_host(good) == good);
  }
  const std::string max = std::string(63, 'a') + "." + std::string(63, 'b') + "." + std::string(63, 'c') + "." + std::string(61, 'd');
  CHECK(service_host(max) == max);
  CHECK(service_host(max + "e").empty());
  CHECK(service_host(std::string(64, 'a')).empty());
  for (const std::string_view bad : {"",
                                     ".",
                                     "-oProxyCommand=x",
                                     "-a",
                                     "a.-b",
                                     "a..b",
                                     ".a",
                                     "a,b",
                                     "a b",
                                     "a:1",
                                     "a\n",
                                     "a;b",
                                     "$(x)",
                                     "a/b",
                                     "\xc2\x9b",
                                     "m\xc3\xbcller.example",
                                     "a\xe2\x80\xae",
                                     "a%b",
                                     "[a]",
                                     "a@b"}) {
    CAPTURE(bad);
    CHECK(service_host(bad).empty());
  }
}

TEST_CASE("an invalid address is printed without its control characters") {
  CHECK(not_an_address("evil,10.0.0.1") == "'evil,10.0.0.1', not an address");
  CHECK(not_an_address("\x1b]0;x\x07\r\n") == "'\\x1b]0;x\\x07\\x0d\\x0a', not an address");
  CHECK(not_an_address(std::string(500, 'x')).size() < 150);
}

TEST_CASE("a host that begins with a hyphen is refused as an option, from every source") {
  for (const std::string_view bad : {"-oProxyCommand=x", "-x:22", "-"}) {
    CAPTURE(bad);
    CHECK(Endpoint::parse(bad).has_error());
  }
  CHECK(Endpoint::parse("a-b-:22").has_value());
}
