// Files as the command reads them: pipes once, and secrets that others can read.
#include "command/process/command_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "support/certificates.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using rollcall::tools::CommandFiles;

namespace {

std::vector<std::string> warnings_of(const std::string& path, bool is_secret) {
  std::vector<std::string> warnings;
  const CommandFiles files(
      std::chrono::seconds(1), [is_secret](const std::string&) { return is_secret; },
      [&](const std::string& text) { warnings.push_back(text); });
  for (int i = 0; i < 3; ++i) CHECK(*files.read(path, 100) == "t0ken\n");
  return warnings;
}

}  // namespace

TEST_CASE("a secret that everybody can read is taken with a warning, once") {
  const TemporaryFile file("t0ken\n");
  CHECK(warnings_of(file.path(), true).empty());  // 0600
  REQUIRE(::chmod(file.path().c_str(), 0640) == 0);
  if (::getuid() == ::getgid()) CHECK(warnings_of(file.path(), true).empty());  // a group of one person
  REQUIRE(::chmod(file.path().c_str(), 0644) == 0);
  if (!file_system()->is_open_to_others(file.path()).value()) return;  // the folder is closed to others
  const std::vector<std::string> warnings = warnings_of(file.path(), true);
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings.front(), Catch::Contains(file.path()) && !Catch::Contains("t0ken"));
  CHECK(warnings_of(file.path(), false).empty());
}

TEST_CASE("below a folder that is closed to others nothing can be read by them") {
  const TemporaryFile beside("");  // where there is room
  const std::string folder = beside.path() + ".closed";
  REQUIRE(::mkdir(folder.c_str(), 0700) == 0);
  const std::string path = folder + "/token";
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  CHECK(::write(fd, "t0ken\n", 6) == 6);
  ::close(fd);
  REQUIRE(::chmod(path.c_str(), 0644) == 0);
  CHECK(warnings_of(path, true).empty());
  ::unlink(path.c_str());
  ::rmdir(folder.c_str());
}

TEST_CASE("a pipe is read when it is asked for, and remembered") {
  int ends[2] = {-1, -1};
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  REQUIRE(::write(ends[1], "t0ken\n", 6) == 6);
  ::close(ends[1]);
  CHECK(warnings_of("/dev/fd/" + std::to_string(ends[0]), true).empty());
  ::close(ends[0]);
}

TEST_CASE("a pipe without an end, and one with too much in it, are failures") {
  int ends[2] = {-1, -1};
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const std::string path = "/dev/fd/" + std::to_string(ends[0]);
  const CommandFiles files(std::chrono::nanoseconds(0), [](const std::string&) { return false; }, [](const std::string&) {});
  CHECK_THAT(files.read(path, 100).error().what(), Catch::Contains("did not end"));
  REQUIRE(::write(ends[1], "too long", 8) == 8);
  CHECK(files.read(path, 4).error().code() == Errc::limit_exceeded);
  ::close(ends[0]);
  ::close(ends[1]);
  CHECK(files.read(std::string("/etc/passwd\0.txt", 16), 1 << 20).error().code() == Errc::invalid_argument);
}
