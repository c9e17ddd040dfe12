// Matches of patterns with the names of a certificate: names of the same kind only, and a star within one label.
#include <catch2/catch.hpp>

#include "fleet/rights/rules/certificate_pattern.hpp"
#include "fleet/rights/rules/right_table.hpp"

using namespace rollcall::fleet;

TEST_CASE("a pattern of DNS names means no e-mail address and no URI") {
  constexpr std::string_view pattern = "*.sre.example";
  CHECK(matches_certificate_name(pattern, "a.sre.example"));
  for (const std::string_view name :
       {"mallory@evil.sre.example", "spiffe://evil.example/a.sre.example", "https://evil.example/?.sre.example", "urn:a.sre.example",
        "spiffe://a.sre.example", "a.b.sre.example", ".sre.example.evil.example", "sre.example", "a.sre.example.", "a.sre.example.evil"})
    CHECK_FALSE(matches_certificate_name(pattern, name));
  CHECK(matches_certificate_name(pattern, ".sre.example"));  // no certificate's name, and matched by no other pattern
  CHECK(matches_certificate_name("ops-*.*.example", "ops-1.eu.example"));
  CHECK_FALSE(matches_certificate_name("ops-*.*.example", "ops-1.eu.west.example"));
}

TEST_CASE("a pattern of e-mail addresses stays on its side of the @, and within a label of the domain") {
  CHECK(matches_certificate_name("*@sre.example", "jo.doe@sre.example"));
  CHECK_FALSE(matches_certificate_name("*@sre.example", "jo@evil.example"));
  CHECK_FALSE(matches_certificate_name("*@sre.example", "jo@evil@sre.example"));
  CHECK_FALSE(matches_certificate_name("jo@*.example", "jo@a.b.example"));
  CHECK(matches_certificate_name("jo@*.example", "jo@a.example"));
  CHECK_FALSE(matches_certificate_name("*@sre.example", "a.sre.example"));
  CHECK_FALSE(matches_certificate_name("*@sre.example", "https://x@sre.example"));
}

TEST_CASE("a pattern of URIs has its host by labels, and its path by segments") {
  CHECK(matches_certificate_name("spiffe://cluster.example/ns/train/sa/*", "spiffe://cluster.example/ns/train/sa/default"));
  CHECK(matches_certificate_name("spiffe://cluster.example/*", "spiffe://cluster.example/ns/train/sa/default"));
  CHECK(matches_certificate_name("spiffe://cluster.example/ns/*/sa/default", "spiffe://cluster.example/ns/train/sa/default"));
  CHECK_FALSE(matches_certificate_name("spiffe://cluster.example/ns/*/sa/default", "spiffe://cluster.example/ns/a/b/sa/default"));
  CHECK_FALSE(matches_certificate_name("spiffe://cluster.example/*", "spiffe://cluster.example.evil.example/a"));
  CHECK_FALSE(matches_certificate_name("spiffe://*.example/a", "spiffe://evil.test/x.example/a"));
  CHECK_FALSE(matches_certificate_name("spiffe://*.example/a", "spiffe://a@b.example/a"));
  CHECK(matches_certificate_name("spiffe://*.example/a", "spiffe://b.example/a"));
  CHECK_FALSE(matches_certificate_name("https://sre.example*", "https://sre.example.evil.test"));
  CHECK_FALSE(matches_certificate_name("spiffe://a/b", "https://a/b"));
  CHECK(matches_certificate_name("spiffe://*", "spiffe://any.example/where"));
  CHECK(matches_certificate_name("urn:sre:*", "urn:sre:one"));
  CHECK_FALSE(matches_certificate_name("urn:sre:*", "urn:dev:sre:one"));
}

TEST_CASE("a star alone means every certificate, and stars before the colon do not lend the kind") {
  for (const std::string_view name : {"a.example", "a@b.example", "spiffe://a/b"}) CHECK(matches_certificate_name("*", name));
  RightTable table;
  table.distinguishes_clients = true;
  table.certificates_as = "certificate";
  const auto may = [&table](const std::string& pattern, const std::string& who) {
    RightRow row;
    row.who = pattern;
    table.rows = {row};
    return table.mentions(who);
  };
  CHECK(may("*", "certificate:a@b.example"));
  CHECK(may("certificate:*", "certificate:spiffe://a/b"));
  CHECK(may("*:*.sre.example", "certificate:a.sre.example"));
  CHECK_FALSE(may("*:*.sre.example", "certificate:mallory@evil.sre.example"));
  CHECK_FALSE(may("*.sre.example", "certificate:a.sre.example"));
  CHECK_FALSE(may("certificate", "certificate:a.sre.example"));
  CHECK(may("kubernetes:train/*", "kubernetes:train/default"));
  CHECK_FALSE(may("kubernetes:*", "certificate:spiffe://kubernetes:a"));
}
