// Files as the command reads them: pipes once, and as data arrives.
#include "command/process/command_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <asio/io_context.hpp>
#include <catch2/catch.hpp>

using namespace rollcall;
using rollcall::command::CommandFiles;

namespace {

// A pipe with nothing in it yet.
class Pipe {
 public:
  Pipe() {
    int ends[2] = {-1, -1};
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    reader_ = ends[0];
    writer_ = ends[1];
  }
  ~Pipe() {
    ::close(reader_);
    close();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  std::string path() const { return "/dev/fd/" + std::to_string(reader_); }
  void write(std::string_view text) const { REQUIRE(::write(writer_, text.data(), text.size()) == static_cast<ssize_t>(text.size())); }
  void close() {
    if (writer_ >= 0) ::close(writer_);
    writer_ = -1;
  }

 private:
  int reader_ = -1;
  int writer_ = -1;
};

}  // namespace

TEST_CASE("a pipe is read when it is asked for, and remembered") {
  asio::io_context io;
  const CommandFiles files(io.get_executor());
  Pipe pipe;
  pipe.write("t0ken\n");
  pipe.close();
  for (int i = 0; i < 3; ++i) CHECK(*files.read(pipe.path(), 100) == "t0ken\n");
  CHECK_FALSE(files.await_content(nullptr));
}

TEST_CASE("a pipe without an end is no failure of the loop: it is waited for, and the wait can be dropped") {
  asio::io_context io;
  const CommandFiles files(io.get_executor());
  Pipe pipe;
  pipe.write("t0");
  CHECK(files.read(pipe.path(), 100).error().code() == Errc::not_ready);
  int reported = 0;
  std::shared_ptr<AwaitedFile> awaited = files.await_content([&reported] { ++reported; });
  REQUIRE(awaited);
  CHECK(awaited->path() == pipe.path());
  CHECK_FALSE(files.await_content(nullptr));  // it was requested
  io.poll();
  CHECK(reported == 0);
  awaited.reset();
  io.run();  // no work is left
  CHECK(files.read(pipe.path(), 100).error().code() == Errc::not_ready);
  awaited = files.await_content([&reported] { ++reported; });
  CHECK(files.read(pipe.path(), 100).error().code() == Errc::not_ready);
  const std::shared_ptr<AwaitedFile> beside = files.await_content([&reported] { ++reported; });
  pipe.write("ken\n");
  pipe.close();
  io.restart();
  io.run();
  CHECK(reported == 2);
  CHECK(*files.read(pipe.path(), 100) == "t0ken\n");
}

TEST_CASE("a pipe with too much in it is a failure, and a path with a zero byte") {
  asio::io_context io;
  const CommandFiles files(io.get_executor());
  const Pipe pipe;
  pipe.write("too long");
  CHECK(files.read(pipe.path(), 4).error().code() == Errc::limit_exceeded);
  CHECK_FALSE(files.await_content(nullptr));
  CHECK(files.read(std::string("/etc/passwd\0.txt", 16), 1 << 20).error().code() == Errc::invalid_argument);
}
