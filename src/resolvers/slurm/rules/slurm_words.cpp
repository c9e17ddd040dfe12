// Parts of the explanation of a pending job: the words of a reason, the reservation in its way, the jobs that it waits for.
#include <algorithm>

#include "base/text.hpp"
#include "resolvers/slurm/rules/slurm_view.hpp"
#include "rollcall/host_list.hpp"

namespace rollcall {
namespace {

bool shares_partition(const SlurmNodeRecord& node, const SlurmJobRecord& job) {
  return std::any_of(job.partitions.begin(), job.partitions.end(), [&node](const std::string& partition) {
    return std::find(node.partitions.begin(), node.partitions.end(), partition) != node.partitions.end();
  });
}

bool shares_nodes(const SlurmReservation& reservation, const SlurmJobRecord& job, const SlurmView& view) {
  const Result<std::vector<std::string>> reserved = expand_host_list(reservation.nodes);
  if (!reserved) return false;
  const std::set<std::string, std::less<>> names(reserved->begin(), reserved->end());
  const Result<std::vector<std::string>> required = expand_host_list(job.required_nodes);
  if (required && !required->empty())
    return std::any_of(required->begin(), required->end(), [&names](const std::string& name) { return names.contains(name); });
  return std::any_of(view.known_nodes().begin(), view.known_nodes().end(),
                     [&](const SlurmNodeRecord& node) { return names.contains(node.name) && shares_partition(node, job); });
}

}  // namespace

std::string slurm_reason_words(std::string_view name) {
  std::string words;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool is_start = i > 0 && is_upper(name[i]) && (!is_upper(name[i - 1]) || (i + 1 < name.size() && is_lower(name[i + 1])));
    if (is_start) words += ' ';
    const bool is_next_upper = i + 1 < name.size() ? is_upper(name[i + 1]) : i > 0 && is_upper(name[i - 1]);
    const bool is_abbreviation = is_upper(name[i]) && is_next_upper;
    words += is_abbreviation ? name[i] : rollcall::to_lower(name[i]);
  }
  return printable(words, 200);
}

const SlurmReservation* overlapping_reservation(const SlurmJobRecord& job, const SlurmView& view) {
  const SlurmReservation* first = nullptr;
  for (const SlurmReservation& one : view.reservations) {
    if (one.name == job.reservation || (one.end && *one.end < view.now) || !shares_nodes(one, job, view)) continue;
    if (!first || (one.start && first->start && *one.start < *first->start)) first = &one;
  }
  return first;
}

std::set<std::int64_t> slurm_dependencies(std::string_view dependency) {
  constexpr std::size_t max_jobs = 64;
  std::set<std::int64_t> ids;
  std::size_t at = 0;
  while (at < dependency.size() && ids.size() < max_jobs) {
    if (dependency[at] != ':') {
      ++at;
      continue;
    }
    std::size_t end = ++at;
    while (end < dependency.size() && is_digit(dependency[end])) ++end;
    if (const auto id = parse_decimal<std::int64_t>(dependency.substr(at, end - at), 1)) ids.insert(*id);
    at = end;
  }
  return ids;
}

}  // namespace rollcall
