#include "rollcall/cluster_status.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <string>
#include <utility>

#include "base/text.hpp"

namespace rollcall {

std::string_view to_string(MemberState level) noexcept {
  constexpr std::array<std::string_view, 5> names = {"ready", "waiting", "unschedulable", "stopped", "lost"};
  return names[static_cast<std::size_t>(level)];
}

std::string_view to_string(NoticeKind kind) noexcept { return kind == NoticeKind::preemption ? "preemption" : "maintenance"; }

std::string_view to_string(ClusterPhase phase) noexcept {
  constexpr std::array<std::string_view, 3> names = {"queued", "provisioning", "running"};
  return names[static_cast<std::size_t>(phase)];
}

std::string_view to_string(CauseLayer layer) noexcept {
  constexpr std::array<std::string_view, 14> names = {"workload", "queue", "creation", "order",     "gate",      "schedule", "node",
                                                      "volume",   "image", "init",     "container", "readiness", "leaving",  "service"};
  return names[static_cast<std::size_t>(layer)];
}

std::string Member::label() const {
  constexpr std::size_t max_place = 512;
  const std::string place = printable(address.empty() ? name : address, max_place);
  const std::string shown_job = printable(job);
  return place.empty() ? fmt::format("{} {}", shown_job, index) : fmt::format("{} {} ({})", shown_job, index, place);
}

ClusterSpec ClusterStatus::spec() const {
  ClusterSpec spec;
  for (const std::string& job : jobs) spec.set_job(job, std::vector<std::string>());
  for (auto first = members.begin(); first != members.end();) {
    const std::string& job = first->job;
    std::map<int, std::string> tasks;
    auto next = first;
    for (; next != members.end() && next->job == job; ++next) {
      if (!next->address.empty()) tasks.insert_or_assign(tasks.end(), next->index, next->address);
    }
    (void)spec.set_job(job, ClusterSpec::Tasks(std::move(tasks)));  // indices are not negative
    first = next;
  }
  return spec;
}

}  // namespace rollcall
