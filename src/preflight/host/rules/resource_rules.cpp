// Memory, shared memory, limits of processes, and processors.
#include <fmt/format.h>

#include <algorithm>

#include "preflight/host/rules/judge_host.hpp"

namespace rollcall {
namespace {

constexpr std::uint64_t gib = std::uint64_t{1} << 30;

// Hosts of one kind differ by what their firmware keeps, so that only parts of a sixteenth are compared.
std::string rounded_size(std::uint64_t bytes) {
  std::uint64_t step = 1;
  while (step < bytes / 32) step *= 2;
  return size_text((bytes + step / 2) / step * step);
}

void judge_memory(const HostLook& look, HostNotes& notes) {
  if (!look.memory) return notes.unknown("memory", "/proc/meminfo has no total");
  notes.fact("memory", "memory", rounded_size(std::min(*look.memory, look.memory_limit.value_or(*look.memory))));
}

void judge_shm(const HostLook& look, HostNotes& notes) {
  const std::optional<std::uint64_t> asked = notes.checks().shm_bytes;
  FindingParts parts(FindingAction::free_space,
                     "give /dev/shm more: docker run --shm-size, or in Kubernetes an emptyDir of medium Memory there");
  if (!look.shm) {
    if (asked) return notes.failure("shm", "/dev/shm is not there, or cannot be asked for its size", std::move(parts));
    return notes.unknown("shm", "/dev/shm cannot be asked for its size");
  }
  notes.fact("shm", "shm", rounded_size(*look.shm));
  parts.measured = size_text(*look.shm);
  if (asked && *look.shm < *asked) {
    parts.expected = size_text(*asked);
    return notes.failure("shm", fmt::format("/dev/shm has {}, and {} are asked for", parts.measured, parts.expected), parts);
  }
  if (!asked && *look.shm < gib && usable_accelerators(look.devices) > 1)
    notes.warning("shm",
                  fmt::format("/dev/shm has {}, which is little for several accelerators: data loaders and NCCL use it", parts.measured),
                  parts);
}

std::string limit_text(const std::optional<std::uint64_t>& limit) { return limit ? std::to_string(*limit) : "unlimited"; }

void judge_limit(const std::optional<ProcessLimit>& limit, const std::optional<LimitCheck>& asked, std::string_view name,
                 std::string_view noun, HostNotes& notes) {
  if (!limit) {
    if (asked) notes.failure("limits", fmt::format("the limit of {} is not known: /proc/self/limits does not say", noun));
    return;
  }
  notes.fact("limits", name, limit_text(limit->soft));
  if (!asked) return;
  const bool is_enough = !limit->soft || (asked->least && *limit->soft >= *asked->least);
  if (is_enough) return;
  const bool can_raise = !limit->hard || (asked->least && *limit->hard >= *asked->least);
  FindingParts parts(
      FindingAction::none,
      can_raise
          ? fmt::format("the hard limit is {}: raise the soft one with ulimit before the program starts", limit_text(limit->hard))
          : fmt::format("the hard limit is {}: the service manager, container or batch system must raise it", limit_text(limit->hard)));
  parts.measured = limit_text(limit->soft);
  parts.expected = limit_text(asked->least);
  notes.failure("limits", fmt::format("at most {} {}, and {} are asked for", parts.measured, noun, parts.expected), parts);
}

// Registered memory of RDMA counts as locked.
void judge_locked_memory(const HostLook& look, HostNotes& notes) {
  judge_limit(look.locked_memory, notes.checks().locked_memory, "memlock", "bytes of locked memory", notes);
  const bool is_small = look.locked_memory && look.locked_memory->soft && *look.locked_memory->soft < gib;
  if (notes.checks().locked_memory || !is_small || look.fabric.empty()) return;
  FindingParts parts(FindingAction::none, "set the limit memlock to unlimited for the job: RDMA registers memory, which counts as locked");
  parts.measured = limit_text(look.locked_memory->soft);
  notes.warning("limits",
                fmt::format("a process may lock {} of memory, and the host has RDMA adapters", size_text(*look.locked_memory->soft)),
                parts);
}

void judge_processors(const HostLook& look, HostNotes& notes) {
  const ProcessorLook& processors = look.processors;
  if (processors.allowed) {
    std::uint64_t usable = *processors.allowed;
    if (processors.quota) usable = std::min(usable, std::max<std::uint64_t>(1, *processors.quota / 100));
    notes.fact("cpu", "cpus", std::to_string(usable));
  } else {
    notes.unknown("cpu", "/proc/self/status does not say which processors are allowed");
  }
  notes.fact("cpu", "governor", processors.governor);
  if (!processors.online || !processors.load || *processors.load <= *processors.online * 100) return;
  FindingParts parts(FindingAction::none, "see what runs there: left-over processes slow a job down");
  parts.measured = fmt::format("{}.{:02}", *processors.load / 100, *processors.load % 100);
  parts.expected = fmt::format("at most {}", *processors.online);
  notes.warning("cpu", fmt::format("the load is {}, with {} processors", parts.measured, *processors.online), parts);
}

}  // namespace

void judge_resources(const HostLook& look, HostNotes& notes) {
  judge_memory(look, notes);
  judge_shm(look, notes);
  judge_limit(look.open_files, notes.checks().open_files, "nofile", "open files", notes);
  judge_locked_memory(look, notes);
  judge_processors(look, notes);
}

}  // namespace rollcall
