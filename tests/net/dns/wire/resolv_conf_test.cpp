// The options of /etc/resolv.conf.
#include "net/dns/wire/resolv_conf.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;

TEST_CASE("options for queries to name servers") {
  const ResolverOptions options = parse_resolver_options(
      "# options timeout:9\nnameserver 10.0.0.2\noptions timeout:1\tattempts:2 use-vc edns0 no-aaaa rotate ndots:5 trust-ad # use-vc\r\n"
      "options attempts:4\noptionsx timeout:7\n");
  CHECK(options.timeout == std::chrono::seconds(1));
  CHECK(options.attempts == 4);
  CHECK((options.uses_tcp && options.uses_edns && options.skips_ipv6));
  CHECK(options.unfollowed.empty());
}

TEST_CASE("unsupported options are named once, at most a few") {
  ResolverOptions options = parse_resolver_options("options single-request single-request-reopen single-request\n");
  CHECK(options.unfollowed == std::vector<std::string>{"single-request", "single-request-reopen"});
  options.take("a b c d e f \x1b[31m");
  CHECK(options.unfollowed.size() == 5);
  ResolverOptions hidden;
  hidden.take("\x1b[31m");
  CHECK(hidden.unfollowed == std::vector<std::string>{"\\x1b[31m"});
}

TEST_CASE("numbers are parsed as in glibc") {
  ResolverOptions options;
  options.take("timeout:99 attempts:77");
  CHECK((options.timeout == std::chrono::seconds(30) && options.attempts == 5));
  options.take("timeout:0 attempts:0");
  CHECK((options.timeout == std::chrono::seconds(1) && options.attempts == 1));
  CHECK_FALSE(parse_resolver_options("nameserver 10.0.0.2\n").timeout);
  CHECK_FALSE(parse_resolver_options("options timeout:x attempts:\n").timeout);
}
