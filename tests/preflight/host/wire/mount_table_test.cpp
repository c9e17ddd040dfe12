// What is mounted where.
#include "preflight/host/wire/mount_table.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;

TEST_CASE("a table of mounts") {
  const std::vector<MountEntry> table = parse_mount_table(
      "22 1 254:1 / / rw,relatime - ext4 /dev/vda1 rw\n"
      "36 22 0:44 / /data rw,relatime shared:1 master:2 - nfs4 filer:/export rw,vers=4.2\n"
      "37 22 0:45 / /da\\040ta ro,noexec - lustre 10.0.0.1@tcp:/fs\\134x ro\n"
      "38 22 0:46 / /short - ext4\n"
      "nonsense\n");
  REQUIRE(table.size() == 3);
  CHECK(table[1].path == "/data");
  CHECK(table[1].type == "nfs4");
  CHECK(table[1].source == "filer:/export");
  CHECK(table[2].path == "/da ta");
  CHECK(table[2].source == "10.0.0.1@tcp:/fs\\x");
  CHECK(mount_of(table, "/data/set") == &table[1]);
  CHECK(mount_of(table, "/data") == &table[1]);
  CHECK(mount_of(table, "/database") == &table[0]);
  CHECK(mount_of(table, "relative") == nullptr);
  CHECK(mount_of({}, "/data") == nullptr);
}

TEST_CASE("of two mounts at one place the later is seen") {
  const std::vector<MountEntry> table = parse_mount_table("1 0 0:1 / /x rw - autofs a rw\n2 1 0:2 / /x rw - nfs b:/y rw\n");
  REQUIRE(mount_of(table, "/x/y"));
  CHECK(mount_of(table, "/x/y")->type == "nfs");
}
