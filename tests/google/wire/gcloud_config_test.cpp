// gcloud's configuration files.
#include "google/wire/gcloud_config.hpp"

#include <catch2/catch.hpp>

#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

TEST_CASE("a configuration of gcloud") {
  const GcloudConfig config = value_of(parse_gcloud_config("f",
                                                           "[core]\naccount = me@example.com\nproject=p\n# c\n; c\n\n[compute]\r\n"
                                                           "zone = us-central2-b\r\nregion: us-central2\n[other]\nproject = q\n"));
  CHECK(config.account == "me@example.com");
  CHECK(config.project == "p");
  CHECK(config.zone == "us-central2-b");
  CHECK(config.region == "us-central2");
  CHECK(value_of(parse_gcloud_config("f", "")).project.empty());
  CHECK(value_of(parse_gcloud_config("f", "[core]\nproject = p\n  and more\n")).project == "p");
  CHECK(value_of(parse_gcloud_config("f", "\xef\xbb\xbf[core]\nPROJECT = p\n")).project == "p");
  check_failure(parse_gcloud_config("f", "[core]\nproject"), Errc::invalid_argument, "f, line 2");
  check_failure(parse_gcloud_config("f", "[core"), Errc::invalid_argument, "f, line 1");
}

TEST_CASE("names of configurations") {
  CHECK(is_gcloud_config_name("default"));
  CHECK(is_gcloud_config_name("a-1"));
  for (const char* name : {"", "../x", "A", "1a", "a/b", "a b"}) CHECK_FALSE(is_gcloud_config_name(name));
}
