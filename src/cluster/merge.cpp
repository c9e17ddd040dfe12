// The union of several specs (tf.distribute's UnionResolver).
#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "rollcall/cluster_spec.hpp"

namespace rollcall {
namespace {

struct Part {
  const ClusterSpec::Tasks* tasks;
  std::size_t spec;  // the spec that it came from
};

ClusterSpec::Tasks concatenate(const std::vector<Part>& parts) {
  ClusterSpec::Tasks all;
  std::size_t count = 0;
  for (const Part& part : parts) count += part.tasks->size();
  all.reserve(count);
  int index = 0;
  for (const Part& part : parts) {
    for (const auto& task : *part.tasks) all.emplace(index++, task.second);
  }
  return all;
}

Result<ClusterSpec::Tasks> overlay(const std::string& job, const std::vector<Part>& parts) {
  std::map<int, std::string> all;
  for (const Part& part : parts) {
    std::string clashes;
    int count = 0;
    for (const auto& [index, address] : *part.tasks) {
      if (all.emplace(index, address).second) continue;
      if (++count <= 10) clashes += fmt::format("{}{}", count == 1 ? "" : ", ", index);
    }
    if (count == 0) continue;
    if (count > 10) clashes += fmt::format(" and {} more", count - 10);
    return Failure(Errc::conflict,
                   fmt::format("job {}: cluster {} of the union defines task {} again", quoted(job), part.spec + 1, clashes))
        .with_hint("give each cluster other task indices, or list all of them densely from 0 so that they are concatenated");
  }
  return ClusterSpec::Tasks(std::move(all));
}

}  // namespace

Result<ClusterSpec> merge(const std::vector<ClusterSpec>& specs) {
  std::map<std::string_view, std::size_t> places;  // of jobs, in `order`
  std::vector<const std::string*> order;
  std::vector<std::vector<Part>> parts;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    for (const ClusterSpec::Job& job : specs[i].job_list()) {
      const auto [place, is_new] = places.emplace(job.name, order.size());
      if (is_new) {
        order.push_back(&job.name);
        parts.emplace_back();
      }
      parts[place->second].push_back(Part{&job.tasks, i});
    }
  }
  ClusterSpec merged;
  for (std::size_t i = 0; i < order.size(); ++i) {
    bool is_list = true;
    for (const Part& part : parts[i]) is_list = is_list && ClusterSpec::is_dense(*part.tasks);
    if (is_list) {
      (void)merged.set_job(*order[i], concatenate(parts[i]));
      continue;
    }
    Result<ClusterSpec::Tasks> tasks = overlay(*order[i], parts[i]);
    if (!tasks) return tasks.error();
    (void)merged.set_job(*order[i], *std::move(tasks));
  }
  return merged;
}

}  // namespace rollcall
