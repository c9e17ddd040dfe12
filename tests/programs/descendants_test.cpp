// The descendants of this process. Each case with children runs in a process of its own: orphans belong to the whole process.
#include "programs/descendants.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "programs/child_ends.hpp"
#include "support/result.hpp"

using namespace rollcall;

namespace {

constexpr const char* rest_of_line = " 1 7 7 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 4242 9 9";

std::set<ProcessId> found_with(const std::set<ProcessId>& strangers) {
  const std::vector<ProcessId> found = find_descendants(strangers);
  return std::set<ProcessId>(found.begin(), found.end());
}

// Forks a process that forks another in a session of its own, prints its process id, and ends if `ends`.
pid_t start_family(bool ends, pid_t& grandchild) {
  int ready[2];
  int reported[2];
  if (::pipe(ready) != 0 || ::pipe(reported) != 0) ::_exit(101);
  const pid_t child = ::fork();
  if (child == 0) {
    const pid_t inner = ::fork();
    if (inner == 0) {
      ::setsid();
      (void)!::write(ready[1], "", 1);
      for (;;) ::pause();
    }
    char byte;
    (void)!::read(ready[0], &byte, 1);
    (void)!::write(reported[1], &inner, sizeof inner);
    if (ends) ::_exit(0);
    for (;;) ::pause();
  }
  int status = 0;
  if (ends) ::waitpid(child, &status, 0);
  if (::read(reported[0], &grandchild, sizeof grandchild) != sizeof grandchild) ::_exit(102);
  for (const int end : {ready[0], ready[1], reported[0], reported[1]}) ::close(end);
  return child;
}

// The number of the first check that fails; 0: none.
int check_families() {
  if (!adopt_orphans()) return 1;
  if (!find_descendants({}).empty()) return 2;
  pid_t strange_child = 0;
  const pid_t stranger = start_family(false, strange_child);
  const std::set<ProcessId> strangers = found_with({});
  if (strangers.size() != 2) return 3;
  pid_t orphan = 0;
  start_family(true, orphan);
  const std::set<ProcessId> left = found_with(strangers);
  if (left.size() != 1 || left.begin()->pid != orphan) return 4;
  std::set<ProcessId> former;  // of another process, which had the same number
  for (const ProcessId& one : strangers) former.emplace(one.pid, one.began + 1);
  if (found_with(former).size() != 3) return 5;
  expect_child_end(stranger);
  if (found_with({}).size() != 1) return 6;
  forget_child(stranger);
  for (const ProcessId& one : found_with({})) ::kill(one.pid, SIGKILL);
  while (::waitpid(-1, nullptr, 0) > 0) {
  }
  return find_descendants({}).empty() ? 0 : 7;
}

}  // namespace

TEST_CASE("a line of /proc with any program name") {
  for (const std::string name : {"sh", "a b", ")", "(x) Z 1", "tricky) R 99 (", "\n"}) {
    CAPTURE(name);
    const Result<ProcessLine> line = parse_process_line("77 (" + name + ") S" + rest_of_line);
    REQUIRE(line);
    CHECK((line->id == ProcessId(77, 4242) && line->parent == 1 && line->lives));
  }
  CHECK_FALSE(parse_process_line(std::string("77 (sh) Z") + rest_of_line)->lives);
  CHECK(parse_process_line("77 (sh) Z 1 7 7 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 3 0 4242 9 9")->lives);  // only its first thread has ended
  for (const char* const bad :
       {"", "77", "77 (sh)", "77 (sh) ", "77 (sh) S 1", "x (sh) S 1 7 7 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 4242 9",
        "77 (sh) S x 7 7 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 4242 9", ") ("})
    CHECK(parse_process_line(bad).has_error());
}

TEST_CASE("orphans are found in any session, strangers and the library's children are not") {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(check_families());
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
