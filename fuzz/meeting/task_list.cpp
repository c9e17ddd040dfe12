// Fuzz target: the names of all tasks in one text. What was read names each task once for each time that it is listed.
#include "meeting/rules/task_list.hpp"

#include "check.hpp"

using namespace rollcall;
using namespace rollcall::meeting;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<std::vector<std::string>> names = read_task_list(text);
  require_sane(names);
  if (!names) return 0;
  require(!names->empty() && names->size() <= max_listed_tasks);
  std::vector<MeetingTask> tasks;
  for (const std::string& name : *names) tasks.emplace_back(name, Endpoint("a", 1));
  const Result<std::string> written = write_task_list(tasks);
  if (!written) return 0;  // another spelling may be longer
  const Result<std::vector<std::string>> again = read_task_list(*written);
  require(again && *again == *names);
  return 0;
}
