#include "programs/child_ends.hpp"

#include <map>
#include <mutex>

namespace rollcall {
namespace {

class ExpectedEnds {
 public:
  std::mutex mutex;
  std::map<pid_t, std::optional<int>> children;
};

ExpectedEnds& expected_ends() {
  static ExpectedEnds ends;
  return ends;
}

}  // namespace

void expect_child_end(pid_t child) {
  ExpectedEnds& ends = expected_ends();
  const std::lock_guard lock(ends.mutex);
  ends.children[child].reset();
}

void note_child_end(pid_t child, int wait_status) {
  ExpectedEnds& ends = expected_ends();
  const std::lock_guard lock(ends.mutex);
  const auto found = ends.children.find(child);
  if (found != ends.children.end()) found->second = wait_status;
}

std::optional<int> noted_child_end(pid_t child) {
  ExpectedEnds& ends = expected_ends();
  const std::lock_guard lock(ends.mutex);
  const auto found = ends.children.find(child);
  return found == ends.children.end() ? std::nullopt : found->second;
}

bool is_child_expected(pid_t child) {
  ExpectedEnds& ends = expected_ends();
  const std::lock_guard lock(ends.mutex);
  return ends.children.contains(child);
}

void forget_child(pid_t child) {
  ExpectedEnds& ends = expected_ends();
  const std::lock_guard lock(ends.mutex);
  ends.children.erase(child);
}

}  // namespace rollcall
