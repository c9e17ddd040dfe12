// The cluster as flags of launchers: accelerate launch, torchrun, deepspeed. Source: their argument parsers.
#include <fmt/format.h>

#include <algorithm>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "launch/format_row.hpp"
#include "launch/slots.hpp"

namespace rollcall {
namespace {

enum class MemberKind : std::uint8_t { unknown, gpu, tpu, cpu };

MemberKind kind_of(const Accelerators& accelerators) {
  if (accelerators.count == 0) return MemberKind::cpu;
  return accelerators.kind == "TPU" ? MemberKind::tpu : MemberKind::gpu;  // other accelerators are started as GPUs are
}

// What the members compute with; unknown where one is not known, or they differ.
MemberKind kind_of_members(const std::vector<Rank>& ranks, const LaunchFacts& facts) {
  if (facts.accelerator_type || facts.accelerator_kind == "TPU") return MemberKind::tpu;
  std::optional<MemberKind> common;
  for (const Rank& rank : ranks) {
    if (!rank.member || !rank.member->accelerators) return MemberKind::unknown;
    const MemberKind kind = kind_of(*rank.member->accelerators);
    if (common && *common != kind) return MemberKind::unknown;
    common = kind;
  }
  // A number that is given comes before members without accelerators.
  const bool is_given = facts.accelerators_per_host && common == MemberKind::cpu;
  return is_given ? MemberKind::unknown : common.value_or(MemberKind::unknown);
}

// Without a word accelerate decides by the GPUs of its own host: with one GPU, or none, it starts a process that is alone, however many
// machines there are. It refuses --multi_gpu for one process [facts: accelerate-launch].
Result<std::string_view> accelerate_hardware(MemberKind kind, std::size_t processes) {
  if (kind == MemberKind::tpu) return std::string_view("--tpu ");
  if (kind == MemberKind::cpu && processes < 2) return std::string_view("--cpu ");
  if (kind == MemberKind::cpu) {
    return Failure(Errc::failed_precondition, "accelerate launch starts processes without GPUs that are each alone")
        .with_hint("start them by torchrun, --for torchrun, with ACCELERATE_USE_CPU=true in its environment");
  }
  return processes < 2 ? std::string_view() : std::string_view("--multi_gpu ");
}

// accelerate divides all processes evenly among the machines: every launcher must start the same number.
Result<std::string> accelerate_flags(const LaunchFacts& facts) {
  const Result<LaunchPlace> place = place_in(facts, usual_port_of(LaunchFormat::torchrun, facts));
  if (!place) return place.error();
  const Result<std::optional<int>> own = accelerators_of(place->own, facts);
  if (!own) return own.error();
  for (const Rank& rank : place->ranks) {
    const Result<std::optional<int>> share = accelerators_of(rank, facts);
    if (!share) return share.error();
    if (*share == *own) continue;
    return Failure(Errc::failed_precondition,
                   fmt::format(
                       "accelerate starts as many processes on every machine, but {} {} has {} accelerators for its own and {} {} has {}",
                       printable(place->own.job, 80), place->own.index, own->value_or(1), printable(rank.job, 80), rank.index,
                       share->value_or(1)))
        .with_hint("use torchrun, or say which jobs take part: --job");
  }
  const std::size_t processes = place->ranks.size() * static_cast<std::size_t>(own->value_or(1));
  const Result<std::string_view> hardware = accelerate_hardware(kind_of_members(place->ranks, facts), processes);
  if (!hardware) return hardware.error();
  return fmt::format("{}--num_machines={} --machine_rank={} --num_processes={} --main_process_ip={} --main_process_port={}", *hardware,
                     place->ranks.size(), place->own.rank, processes, shell_word(place->coordinator.host), *place->coordinator.port);
}

// Without the hostfile DeepSpeed starts on this machine only [facts: deepspeed-hostfile].
Result<std::string> deepspeed_flags(const LaunchFacts& facts) {
  const Result<LaunchPlace> place = place_in(facts, usual_port_of(LaunchFormat::torchrun, facts));
  if (!place) return place.error();
  const Rank& own = place->own;
  if (facts.hostfile.empty()) {
    return Failure(Errc::failed_precondition,
                   "DeepSpeed reads from a file which hosts there are, and without one it starts on this machine alone")
        .with_hint("name a file to be written: --hostfile FILE");
  }
  if (printable_line(facts.hostfile) != facts.hostfile)
    return Failure(Errc::invalid_argument,
                   fmt::format("the hostfile {} has characters that do not show", quoted_path(facts.hostfile, 200)));
  if (own.local_rank > 0) {
    const auto first = std::find_if(place->ranks.begin(), place->ranks.end(), [&own](const Rank& one) { return one.host == own.host; });
    return Failure(Errc::failed_precondition,
                   fmt::format("DeepSpeed is started once on each host: on {} for {} {}, not for {} {} as well", own.endpoint.host,
                               printable(first->job, 80), first->index, printable(own.job, 80), own.index));
  }
  return fmt::format("--hostfile={} --no_ssh --node_rank={} --master_addr={} --master_port={}", shell_word(facts.hostfile), own.host,
                     shell_word(place->coordinator.host), *place->coordinator.port);
}

// In the order of FlagsFor.
constexpr Result<std::string> (*flag_writers[])(const LaunchFacts& facts) = {accelerate_flags, torchrun_flags, deepspeed_flags};
static_assert(std::size(flag_writers) == std::size(flags_for_names));

}  // namespace

Result<std::string> render_flags(FlagsFor launcher, const LaunchFacts& facts) {
  Result<std::string> flags = flag_writers[static_cast<std::size_t>(launcher)](facts);
  if (flags) *flags += '\n';
  return flags;
}

Result<LaunchCoordinator> launch_coordinator(FlagsFor, const LaunchFacts& facts) {
  return coordinator_for(facts, usual_port_of(LaunchFormat::torchrun, facts));
}

}  // namespace rollcall
