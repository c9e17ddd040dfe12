// Hosts that are reached without a proxy: by the list, and by their kind.
#include "net/dial/rules/no_proxy.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;

namespace {

class Exception {
 public:
  std::string list;
  std::string host;
  bool is_in;
  std::uint16_t port = 443;
};

}  // namespace

TEST_CASE("a host is matched with a list of exceptions") {
  const Exception e = GENERATE(values<Exception>({
      {"", "example.com", false},
      {" , ,, ", "example.com", false},
      {"*", "example.com", true},
      {"*", "10.0.0.1", true},
      {"a.test, *", "fd00::1", true},
      // Names: themselves and names below them.
      {"example.com", "example.com", true},
      {"example.com", "EXAMPLE.com", true},
      {"Example.COM", "example.com", true},
      {"example.com", "example.com.", true},
      {"example.com.", "example.com", true},
      {"example.com", "api.example.com", true},
      {"example.com", "a.b.example.com", true},
      {"example.com", "badexample.com", false},
      {"example.com", "example.com.evil.test", false},
      {"example.com", "com", false},
      {".example.com", "api.example.com", true},
      {".example.com", "example.com", true},
      {".example.com", "badexample.com", false},
      {"*.example.com", "api.example.com", true},
      {"*.example.com", "badexample.com", false},
      {"a.test,example.com", "example.com", true},
      {"a.test example.com\tb.test", "example.com", true},
      {"com", "example.com", true},
      {".", "example.com", false},
      {"*example.com", "badexample.com", false},
      // Ports.
      {"example.com:443", "example.com", true},
      {"example.com:443", "api.example.com", true},
      {"example.com:8443", "example.com", false},
      {"example.com:8443", "example.com", true, 8443},
      {"example.com:x", "example.com", false},
      {"example.com:0", "example.com", false},
      {"example.com:", "example.com", false},
      {"10.0.0.1:443", "10.0.0.1", true},
      {"10.0.0.1:80", "10.0.0.1", false},
      {"[fd00::1]:443", "fd00::1", true},
      {"[fd00::1]:80", "fd00::1", false},
      {"[fd00::1]", "fd00::1", true},
      {"[fd00::1", "fd00::1", false},
      {"[fd00::1]x", "fd00::1", false},
      // Addresses and networks.
      {"10.0.0.1", "10.0.0.1", true},
      {"10.0.0.1", "10.0.0.10", false},
      {"10.0.0.1", "::ffff:10.0.0.1", true},
      {"fd00::1", "fd00:0:0::1", true},
      {"fd00::1", "fd00::1%eth0", true},
      {"10.0.0.0/8", "10.255.1.2", true},
      {"10.0.0.0/8", "11.0.0.1", false},
      {"10.1.2.3/8", "10.255.1.2", true},
      {"10.0.0.0/8", "::ffff:10.1.1.1", true},
      {"192.168.4.0/22", "192.168.7.255", true},
      {"192.168.4.0/22", "192.168.8.0", false},
      {"10.0.0.7/32", "10.0.0.7", true},
      {"10.0.0.7/32", "10.0.0.6", false},
      {"0.0.0.0/0", "8.8.8.8", true},
      {"0.0.0.0/0", "2001:db8::1", false},
      {"::/0", "2001:db8::1", true},
      {"fd00::/8", "fdff::1", true},
      {"fd00::/8", "fe00::1", false},
      {"2001:db8::/33", "2001:db8:7fff::", true},
      {"2001:db8::/33", "2001:db8:8000::", false},
      {"10.0.0.0/8", "10.example.com", false},
      {"10.0.0.0/33", "10.0.0.0", false},
      {"10.0.0.0/", "10.0.0.0", false},
      {"10.0.0.0/-1", "10.0.0.0", false},
      {"fd00::/129", "fd00::", false},
      {"10/8", "10.0.0.1", false},
      {"0.1", "10.0.0.1", false},  // a suffix of the text is not a suffix of the address
      {"/", "example.com", false},
  }));
  INFO(e.list << " and " << e.host << " port " << e.port);
  CHECK(NoProxy(e.list).has(e.host, e.port) == e.is_in);
}
