// Other users that can read a file, by its mode, its folders' and its location.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>

#include "rollcall/local_files.hpp"
#include "support/certificates.hpp"

namespace rollcall::testing {
namespace {

// A folder with that mode, removed with its content at the end.
class OpenFolder {
 public:
  explicit OpenFolder(mode_t mode) : beside_(""), path_(beside_.path() + ".folder") {
    REQUIRE(::mkdir(path_.c_str(), 0700) == 0);
    REQUIRE(::chmod(path_.c_str(), mode) == 0);
  }
  ~OpenFolder() { CHECK(std::system(("rm -r " + path_).c_str()) == 0); }
  OpenFolder(const OpenFolder&) = delete;
  OpenFolder& operator=(const OpenFolder&) = delete;
  /// A file in it, with that mode.
  std::string file(const std::string& name, mode_t mode) const {
    const std::string path = path_ + "/" + name;
    REQUIRE(std::system(("echo t0ken > " + path).c_str()) == 0);
    REQUIRE(::chmod(path.c_str(), mode) == 0);
    return path;
  }
  const std::string& path() const { return path_; }

 private:
  TemporaryFile beside_;  // where there is room
  std::string path_;
};

std::optional<bool> is_open(const std::string& path) { return file_system()->is_open_to_others(path); }

TEST_CASE("a file is open to others by its mode and that of its folders") {
  const OpenFolder folder(0755);
  if (!is_open(folder.file("probe", 0644)).value()) return;  // the folder above is closed to others
  CHECK(is_open(folder.file("a", 0600)) == false);
  CHECK(is_open(folder.file("b", 0604)) == true);
  CHECK(is_open(folder.file("c", 0622)) == false);  // written, perhaps, but not read
  const bool is_own_group = ::getuid() == ::getgid();
  CHECK(is_open(folder.file("d", 0640)) == !is_own_group);
  const std::string of_group = folder.file("e", 0640);
  if (::chown(of_group.c_str(), static_cast<uid_t>(-1), ::getuid() + 1) == 0) CHECK(is_open(of_group) == true);
  const OpenFolder closed(0700);
  CHECK(is_open(closed.file("a", 0644)) == false);
  const std::string closed_to_group = closed.file("b", 0640);
  if (::chown(closed_to_group.c_str(), static_cast<uid_t>(-1), ::getuid() + 1) == 0) CHECK(is_open(closed_to_group) == false);
  const std::string link = folder.path() + "/link";
  REQUIRE(::symlink((closed.path() + "/a").c_str(), link.c_str()) == 0);
  CHECK(is_open(link) == false);  // the link's target is checked
}

TEST_CASE("files of other users, and mounted ones in a container, are not judged") {
  const OpenFolder folder(0755);
  CHECK_FALSE(is_open(folder.path()).has_value());
  CHECK_FALSE(is_open(folder.path() + "/none").has_value());
  CHECK_FALSE(is_open("/dev/null").has_value());
  CHECK_FALSE(is_open(std::string("/etc/passwd\0x", 13)).has_value());
  CHECK_FALSE(is_open("/run/secrets/token").has_value());
  if (::getuid() != 0) CHECK_FALSE(is_open("/etc/passwd").has_value());
  const std::string given_away = folder.file("given", 0644);
  if (::chown(given_away.c_str(), ::getuid() + 1, static_cast<gid_t>(-1)) == 0) CHECK_FALSE(is_open(given_away).has_value());
  // As Kubernetes mounts a secret: key.json -> ..data/key.json, ..data -> ..2024_01_01
  const std::string volume = folder.path() + "/..2024_01_01_00_00_00.123";
  REQUIRE(::mkdir(volume.c_str(), 0755) == 0);
  folder.file("..2024_01_01_00_00_00.123/key.json", 0644);
  REQUIRE(::symlink("..2024_01_01_00_00_00.123", (folder.path() + "/..data").c_str()) == 0);
  REQUIRE(::symlink("..data/key.json", (folder.path() + "/key.json").c_str()) == 0);
  CHECK_FALSE(is_open(folder.path() + "/key.json").has_value());
}

std::string writers_of(const std::string& path) {
  const auto files = std::dynamic_pointer_cast<const LocalFiles>(file_system());
  REQUIRE(files);
  return files->other_writers(path);
}

TEST_CASE("other users that can change a file are derived from its mode, its owner, and its folders") {
  const OpenFolder folder(0755);
  if (!writers_of(folder.file("probe", 0600)).empty()) return;  // the folder above is another user's
  for (const mode_t mode : {0600U, 0644U, 0755U, 0444U}) CHECK(writers_of(folder.file("a" + std::to_string(mode), mode)).empty());
  for (const mode_t mode : {0602U, 0622U, 0606U, 0666U})
    CHECK(writers_of(folder.file("b" + std::to_string(mode), mode)) == "all users can write it");
  const bool is_own_group = ::getuid() == ::getgid();
  CHECK(writers_of(folder.file("c", 0620)).empty() == is_own_group);
  const std::string of_group = folder.file("d", 0620);
  if (::chown(of_group.c_str(), static_cast<uid_t>(-1), ::getuid() + 1) == 0)
    CHECK(writers_of(of_group) == "users of its group can write it");
  const std::string given_away = folder.file("e", 0600);
  if (::chown(given_away.c_str(), ::getuid() + 1, static_cast<gid_t>(-1)) == 0)
    CHECK(writers_of(given_away) == "it belongs to user " + std::to_string(::getuid() + 1));
  const OpenFolder for_all(0777);
  const std::string within = for_all.file("a", 0600);
  CHECK(writers_of(within) == "all users can write the folder '" + for_all.path() + "'");
  const std::string link = folder.path() + "/link";
  REQUIRE(::symlink(within.c_str(), link.c_str()) == 0);
  CHECK(writers_of(link) == "all users can write the folder '" + for_all.path() + "'");
  const std::string back = for_all.path() + "/link";
  REQUIRE(::symlink((folder.path() + "/probe").c_str(), back.c_str()) == 0);
  CHECK(writers_of(back) == "all users can write the folder '" + for_all.path() + "'");  // another user may replace the link
  REQUIRE(::chmod(for_all.path().c_str(), 01777) == 0);
  CHECK(writers_of(within).empty());
}

TEST_CASE("other kinds of files have no other writers") {
  CHECK(writers_of("/dev/null").empty());
  CHECK(writers_of("/none/at/all").empty());
  CHECK(writers_of(std::string("/etc/passwd\0x", 13)).empty());
}

}  // namespace
}  // namespace rollcall::testing
