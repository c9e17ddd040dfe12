// Real programs: how they end, their environment, and that nothing of them is left.
#include "net/system/system_programs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "programs/child_ends.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace std::chrono_literals;
using rollcall::testing::check_failure;
using rollcall::testing::value_of;

namespace {

ProgramRequest script(const std::string& text) { return ProgramRequest({"sh", "-c", text}); }

// Runs until the program has ended, including the time to terminate it.
Result<ProgramOutput> run_program(const std::shared_ptr<ProgramRunner>& runner, ProgramRequest request) {
  asio::io_context io(1);
  std::optional<Result<ProgramOutput>> ended;
  asio::co_spawn(io, runner->run(std::move(request)), [&ended](std::exception_ptr error, Result<ProgramOutput> result) {
    if (error) std::rethrow_exception(error);
    ended.emplace(std::move(result));
  });
  io.run();
  return *ended;
}
Result<ProgramOutput> run_program(ProgramRequest request) { return run_program(system_programs(), std::move(request)); }

std::string output_of(ProgramRequest request) {
  const ProgramOutput output = value_of(run_program(std::move(request)));
  CHECK(output.exit_code == 0);
  return std::string(output.output.reveal());
}

bool has_children() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

// A FIFO that a program and its child processes write to: its reader sees the end when the last of them is gone.
class Witness {
 public:
  Witness() {
    folder_ = std::filesystem::temp_directory_path() / "rollcall-witness-XXXXXX";
    REQUIRE(::mkdtemp(folder_.data()));
    REQUIRE(::mkfifo(path().c_str(), 0600) == 0);
    reader_ = ::open(path().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ::fcntl(reader_, F_SETFL, 0);
  }
  ~Witness() {
    ::close(reader_);
    ::unlink(path().c_str());
    ::rmdir(folder_.c_str());
  }
  std::string path() const { return folder_ + "/fifo"; }
  // Blocks until a writer opens it.
  std::string read_line() const {
    const int writer = ::open(path().c_str(), O_WRONLY | O_CLOEXEC);  // otherwise there is an end before the first writer
    std::string line;
    for (char c = 0; ::read(reader_, &c, 1) == 1 && c != '\n';) line += c;
    ::close(writer);
    return line;
  }
  // Blocks until all writers have closed it.
  std::string read_to_end() const {
    std::string text;
    char piece[256];
    for (ssize_t n = ::read(reader_, piece, sizeof piece); n > 0; n = ::read(reader_, piece, sizeof piece))
      text.append(piece, static_cast<std::size_t>(n));
    return text;
  }

 private:
  std::string folder_;
  int reader_ = -1;
};

}  // namespace

TEST_CASE("a program's output, errors and exit code") {
  for (const bool watches_end : {true, false}) {
    CAPTURE(watches_end);
    const ProgramOutput output = value_of(run_program(make_system_programs(watches_end), script("echo out; echo err >&2; exit 3")));
    CHECK(output.output.reveal() == "out\n");
    CHECK(output.errors == "err\n");
    CHECK(output.exit_code == 3);
    CHECK(output.signal == 0);
  }
  CHECK(value_of(run_program(script("kill -9 $$"))).signal == 9);
  CHECK_FALSE(has_children());
}

TEST_CASE("a program that cannot be run") {
  check_failure(run_program(ProgramRequest({"rollcall-has-no-such-program"})), Errc::not_found, "there is no such program");
  check_failure(run_program(ProgramRequest({"/no/such/program"})), Errc::not_found, "'/no/such/program'");
  check_failure(run_program(ProgramRequest({"/etc/passwd"})), Errc::permission_denied, "Permission denied");
  check_failure(run_program(ProgramRequest({"/etc"})), Errc::permission_denied, "Is a directory");
  check_failure(run_program(ProgramRequest()), Errc::invalid_argument, "no program is named");
  check_failure(run_program(ProgramRequest({"echo", std::string("a\0b", 3)})), Errc::invalid_argument, "zero byte");
  ProgramRequest request({"true"});
  request.variables.emplace_back("A=B", "c");
  check_failure(run_program(request), Errc::invalid_argument, "'A=B'");
  check_failure(run_program(forbidden_programs("the test forbids it"), ProgramRequest({"true"})), Errc::refused_by_policy,
                "'true' was not run: the test forbids it");
}

TEST_CASE("a name without a slash is not looked up in folders that depend on the working directory") {
  const char* const path = ::getenv("PATH");
  const std::optional<std::string> before = path ? std::optional<std::string>(path) : std::nullopt;
  ::setenv("PATH", ":.:bin", 1);
  const Result<ProgramOutput> found = run_program(ProgramRequest({"sh", "-c", "true"}));
  before ? ::setenv("PATH", before->c_str(), 1) : ::unsetenv("PATH");
  check_failure(found, Errc::not_found, "there is no such program");
}

TEST_CASE("a program's environment: its variables, no token, an empty input, descriptors 0 to 2") {
  ::setenv("ROLLCALL_ACCESS_TOKEN", "secret", 1);
  ::setenv("ROLLCALL_TEST_GONE", "here", 1);
  ::setenv("ROLLCALL_TEST_SAME", "before", 1);
  const int leaked = ::open("/dev/null", O_RDONLY);  // NOLINT: without close-on-exec, as another part of the process may have
  ProgramRequest request = script(
      "echo ${ROLLCALL_ACCESS_TOKEN-none} ${ROLLCALL_TEST_GONE-none} $ROLLCALL_TEST_SAME $ROLLCALL_TEST_NEW; env | grep -c "
      "^ROLLCALL_TEST_SAME=; "
      "cat; ls /proc/self/fd | wc -l");
  request.variables = {{"ROLLCALL_TEST_SAME", "between"}, {"ROLLCALL_TEST_NEW", "new"}, {"ROLLCALL_TEST_SAME", "after"}};
  request.removed_variables = {"ROLLCALL_TEST_GONE"};
  CHECK(output_of(request) == "none none after new\n1\n4\n");  // ls itself opens the fourth
  ::close(leaked);
  for (const char* const name : {"ROLLCALL_ACCESS_TOKEN", "ROLLCALL_TEST_GONE", "ROLLCALL_TEST_SAME"}) ::unsetenv(name);
}

TEST_CASE("a program does not inherit blocked and ignored signals") {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &blocked, &before);
  const auto ignored = ::signal(SIGPIPE, SIG_IGN);
  const std::string masks = output_of(script("sed -n 's/^SigBlk:\t//p; s/^SigIgn:\t//p' /proc/self/status"));
  ::signal(SIGPIPE, ignored);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  REQUIRE(masks.size() == 2 * 17);
  CHECK(std::stoull(masks.substr(0, 16), nullptr, 16) == 0);
  CHECK((std::stoull(masks.substr(17, 16), nullptr, 16) & 0x7fffffff) == 0);  // glibc ignores two above, which are its own
}

TEST_CASE("a program leads a process group, unless it is interactive") {
  CHECK(output_of(script("test $(ps -o pgid= $$) = $$ && echo leads || echo follows")) == "leads\n");
  ProgramRequest request = script("test $(ps -o pgid= $$) = $$ && echo leads || echo follows");
  request.is_interactive = true;
  CHECK(output_of(request) == "follows\n");
}

TEST_CASE("output is limited, and the beginning and the end of the errors are kept, in whole lines") {
  ProgramRequest request = script("head -c 100000 /dev/zero");
  request.max_output_bytes = 100000;
  CHECK(output_of(request).size() == 100000);
  request.max_output_bytes = 99999;
  check_failure(run_program(request), Errc::limit_exceeded, "prints more than 99999 bytes");
  check_failure(run_program(script("cat /dev/zero")), Errc::limit_exceeded, "1048576");
  const ProgramOutput output =
      value_of(run_program(script("echo first words >&2; yes complaint | head -c 1000000 >&2; echo; echo last words >&2")));
  CHECK(output.errors.size() > 8000);
  CHECK(output.errors.size() <= 8192);
  CHECK_THAT(output.errors, Catch::StartsWith("first words\ncomplaint\n") && Catch::EndsWith("last words\n"));
  for (std::size_t at = 0; (at = output.errors.find("complaint", at)) != std::string::npos; at += 9) CHECK(output.errors[at + 9] == '\n');
  CHECK_FALSE(has_children());
}

TEST_CASE("child processes of a program do not delay its result, and go on") {
  const Witness witness;
  const auto text = fmt::format("exec 3>{0}; (read -r line < {0}.go; echo went on >&3) & echo out", witness.path());
  REQUIRE(::mkfifo((witness.path() + ".go").c_str(), 0600) == 0);
  CHECK(output_of(script(text)) == "out\n");
  const int go = ::open((witness.path() + ".go").c_str(), O_WRONLY | O_CLOEXEC);
  REQUIRE(::write(go, "\n", 1) == 1);
  ::close(go);
  CHECK(witness.read_to_end() == "went on\n");
  ::unlink((witness.path() + ".go").c_str());
}

TEST_CASE("what a program has said is in the message when it is late") {
  ProgramRequest request = script("echo open https://login.example and enter the code F7K3 >&2; exec tail -f /dev/null");
  request.timeout = 1s;
  std::string heard;
  request.on_errors = [&heard](const std::string& errors) { heard = errors; };
  const Result<ProgramOutput> ended = run_program(std::move(request));
  CHECK(heard == "open https://login.example and enter the code F7K3\n");
  check_failure(ended, Errc::response_timeout, "it said: open https://login.example and enter the code F7K3");
}

TEST_CASE("a program that is late is terminated") {
  ProgramRequest request({"tail", "-f", "/dev/null"});
  request.timeout = 50ms;
  for (const bool watches_end : {true, false})
    check_failure(run_program(make_system_programs(watches_end), request), Errc::response_timeout, "'tail' did not end within 50 ms");
  CHECK_FALSE(has_children());
}

TEST_CASE("a time-out without an end is none") {
  ProgramRequest request = script("echo out");
  request.timeout = Duration::max();
  CHECK(output_of(request) == "out\n");
}

TEST_CASE("a cancelled program is terminated with its whole group") {
  const Witness witness;
  const bool heeds = GENERATE(true, false);
  const std::string trap = heeds ? "trap 'echo told >&3; exit' TERM; " : "trap '' TERM; ";
  ProgramRequest request = script(fmt::format("exec 3>{}; {} (tail -f /dev/null) & echo ready >&3; wait", witness.path(), trap));
  asio::io_context io(1);
  asio::cancellation_signal signal;
  std::optional<Result<ProgramOutput>> ended;
  const std::shared_ptr<ProgramRunner> runner = system_programs();
  asio::co_spawn(io, runner->run(request),
                 asio::bind_cancellation_slot(
                     signal.slot(), [&ended](std::exception_ptr, Result<ProgramOutput> result) { ended.emplace(std::move(result)); }));
  io.poll();
  CHECK(witness.read_line() == "ready");
  signal.emit(asio::cancellation_type::terminal);
  io.restart();
  io.run();
  REQUIRE(ended);
  check_failure(*ended, Errc::cancelled, "");
  CHECK_FALSE(has_children());
  CHECK(witness.read_to_end() == (heeds ? "told\n" : ""));
}

TEST_CASE("a loop that ends before its program terminates it") {
  const Witness witness;
  {
    asio::io_context io(1);
    ProgramRequest request = script(fmt::format("exec 3>{}; trap '' TERM; echo ready >&3; tail -f /dev/null", witness.path()));
    const std::shared_ptr<ProgramRunner> runner = system_programs();
    asio::co_spawn(io, runner->run(request), [](std::exception_ptr, const Result<ProgramOutput>&) {});
    io.poll();
    CHECK(witness.read_line() == "ready");
  }
  CHECK_FALSE(has_children());
  CHECK(witness.read_to_end().empty());
}

TEST_CASE("another part of the process reaps all children") {
  const auto reaping = ::signal(SIGCHLD, SIG_IGN);
  const Result<ProgramOutput> unknown = run_program(script("exit 3"));
  ::signal(SIGCHLD, reaping);
  check_failure(unknown, Errc::failed_precondition, "another part of this process reaps all children");
}

TEST_CASE("the end of a child is reported by the part that reaps it") {
  const pid_t child = 1 << 29;
  note_child_end(child, 7);
  CHECK_FALSE(noted_child_end(child));
  expect_child_end(child);
  CHECK_FALSE(noted_child_end(child));
  note_child_end(child, 7);
  CHECK(noted_child_end(child) == 7);
  forget_child(child);
  CHECK_FALSE(noted_child_end(child));
}
