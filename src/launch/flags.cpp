// The cluster as flags of launchers: accelerate launch, torchrun, deepspeed. Source: their argument parsers.
#include <fmt/format.h>

#include <algorithm>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "launch/format_row.hpp"
#include "launch/ranks.hpp"

namespace rollcall {
namespace {

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
  return fmt::format("--num_machines={} --machine_rank={} --num_processes={} --main_process_ip={} --main_process_port={}",
                     place->ranks.size(), place->own.rank, place->ranks.size() * static_cast<std::size_t>(own->value_or(1)),
                     shell_word(place->coordinator.host), *place->coordinator.port);
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
