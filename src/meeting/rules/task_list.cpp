#include "meeting/rules/task_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace rollcall::meeting {
namespace {

constexpr std::size_t max_task_index = 999'999'999;

bool is_plain_job(std::string_view job) {
  const auto is_plain = [](char c) { return c > ' ' && c < '\x7f' && c != ',' && c != ':' && c != '"' && c != '\\'; };
  return !job.empty() && std::all_of(job.begin(), job.end(), is_plain);
}

Failure malformed_list(std::string_view text) {
  return Failure(Errc::malformed_response, fmt::format("{} is no list of tasks: worker:0-63", quoted(text, 80)));
}

// `0-3`, or `5`.
bool append_range(std::vector<std::string>& names, std::string_view job, std::string_view range) {
  const std::size_t dash = range.find('-');
  const auto first = parse_decimal<std::size_t>(range.substr(0, dash), 0, max_task_index);
  const auto last = dash == std::string_view::npos ? first : parse_decimal<std::size_t>(range.substr(dash + 1), 0, max_task_index);
  if (!first || !last || *last < *first || *last - *first >= max_listed_tasks - names.size()) return false;
  for (std::size_t index = *first; index <= *last; ++index) names.push_back(fmt::format("{}:{}", job, index));
  return true;
}

}  // namespace

Result<std::string> write_task_list(const std::vector<MeetingTask>& tasks) {
  std::string text;
  std::string_view job;
  std::size_t first = 0;
  std::size_t last = 0;
  const auto end_range = [&text, &first, &last] {
    if (last > first) text += fmt::format("-{}", last);
  };
  for (const MeetingTask& task : tasks) {
    const std::string_view name = task.name;
    const std::size_t colon = name.rfind(':');
    const std::string_view its_job = name.substr(0, colon);
    const auto index = parse_decimal<std::size_t>(name.substr(std::min(colon, name.size() - 1) + 1), 0, max_task_index);
    if (!index || !is_plain_job(its_job))
      return Failure(Errc::invalid_argument, fmt::format("a service cannot keep the roll of a task with the name {}", quoted(name, 80)));
    if (!text.empty() && its_job == job && *index == last + 1) {
      last = *index;
      continue;
    }
    if (!text.empty()) end_range();
    text += !text.empty() && its_job == job ? fmt::format(",{}", *index) : fmt::format("{}{}:{}", text.empty() ? "" : " ", its_job, *index);
    job = its_job;
    first = last = *index;
  }
  end_range();
  if (text.size() <= max_task_list_bytes && tasks.size() <= max_listed_tasks) return text;
  return Failure(Errc::limit_exceeded, fmt::format("a service keeps the roll of {} tasks at most, whose list fits into {} bytes",
                                                   max_listed_tasks, max_task_list_bytes));
}

Result<std::vector<std::string>> read_task_list(std::string_view text) {
  if (text.size() > max_task_list_bytes)
    return Failure(Errc::limit_exceeded, fmt::format("a list of tasks has more than {} bytes", max_task_list_bytes));
  std::vector<std::string> names;
  for (const std::string_view group : split(text, ' ')) {
    const std::size_t colon = group.rfind(':');
    if (colon == std::string_view::npos || !is_plain_job(group.substr(0, colon))) return malformed_list(text);
    for (const std::string_view range : split(group.substr(colon + 1), ',')) {
      if (!append_range(names, group.substr(0, colon), range)) return malformed_list(text);
    }
  }
  return names;
}

}  // namespace rollcall::meeting
