// Hosts that count as this machine's own, in every spelling.
#include <catch2/catch.hpp>

#include "base/ip.hpp"

namespace rollcall {
namespace {

TEST_CASE("near hosts: this machine, link-local addresses and metadata servers") {
  for (const char* const host : {"localhost",
                                 "LOCALHOST.",
                                 "sim.localhost",
                                 "127.0.0.1",
                                 "127.9.9.9",
                                 "::1",
                                 "::1%lo",
                                 "::ffff:127.0.0.1",
                                 "0.0.0.0",
                                 "::",
                                 "169.254.169.254",
                                 "169.254.0.1",
                                 "::ffff:169.254.169.254",
                                 "fe80::1",
                                 "fe80::1%eth0",
                                 "febf::1",
                                 "fd00:ec2::254",
                                 "fd00:ec2::23",
                                 "fd20:ce::254",
                                 "metadata.google.internal",
                                 "Metadata.Google.Internal."}) {
    INFO(host);
    CHECK(is_near_host(host));
  }
  for (const char* const host : {"example.com", "localhost.example.com", "notlocalhost", "128.0.0.1", "169.253.1.1", "169.255.0.1",
                                 "fec0::1", "fd00:ec3::254", "fd20:ce::253", "10.0.0.1", "2001:db8::1", "tpu.googleapis.com", ""}) {
    INFO(host);
    CHECK_FALSE(is_near_host(host));
  }
}

}  // namespace
}  // namespace rollcall
