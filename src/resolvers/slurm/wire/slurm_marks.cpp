#include "resolvers/slurm/wire/slurm_marks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <string>

#include "base/text.hpp"

namespace rollcall {

void SlurmMarks::add(std::string_view job, std::string_view words) {
  ++rows_;
  const auto id = parse_decimal<std::int64_t>(job.substr(0, job.find_first_not_of("0123456789")), 1);
  if (!id) return;
  const std::hash<std::string_view> hash;
  // A sum, since the order of the list means nothing. Odd numbers only, so that no mark is 0 by itself.
  std::uint64_t& mark = marks_[*id];
  mark += (hash(job) * 31 + hash(words)) | 1U;
  if (mark == 0) mark = 1;
}

std::uint64_t SlurmMarks::of(std::int64_t job) const {
  const auto found = marks_.find(job);
  return found == marks_.end() ? 0 : found->second;
}

std::uint64_t SlurmMarks::of(const std::vector<std::int64_t>& jobs) const {
  std::uint64_t all = 0;
  for (const std::int64_t job : jobs) all = all * 1099511628211U + of(job);
  return all;
}

void read_slurm_mark(const SlurmObject& object, SlurmMarks& marks) {
  const std::vector<std::string> ids = object.words("job_id", '\n');
  if (ids.size() != 1) return object.complain("job_id", "is missing");
  marks.add(ids.front(), fmt::format("{}", fmt::join(object.words("state"), "+")));
}

SlurmMarks read_mark_lines(std::string_view text) {
  SlurmMarks marks;
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t end = line.find('|');
    if (end != std::string_view::npos) marks.add(trim(line.substr(0, end)), line.substr(end + 1));
  }
  return marks;
}

}  // namespace rollcall
