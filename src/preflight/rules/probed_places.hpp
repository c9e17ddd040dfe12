// Which other members a member probes, and probes once more. Pure: all members know the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "rollcall/preflight_evidence.hpp"

namespace rollcall::preflight {

/// For what members draw at random, and is the same for all: of a run and a number.
std::uint64_t seed_of_run(std::string_view run, std::size_t number);

/// Up to so many members each probes all others.
inline constexpr std::size_t max_probed_by_all = 1024;

/// How many others each of `members` probes; 0: all.
std::size_t probes_of_each(std::size_t members);

/// The places that the member at `own` probes, in the order of the list from its own place on: all others, or its two neighbours in the
/// ring and 64 more at random. `run`: the same for all members, so that another run has other pairs.
std::vector<std::size_t> places_to_probe(std::size_t members, std::size_t own, std::string_view run);

/// So it looks as well where a member, its host or its name is not there yet.
bool is_of_the_absent(ProbeResult seen);
/// So it looks where something takes its connections that may be the member.
bool is_of_the_present(ProbeResult seen);

/// The places of members that saw so of one that has come since, as its report shows. What they saw says nothing of it.
std::vector<std::size_t> members_to_ask_again(const PreflightEvidence& evidence);

}  // namespace rollcall::preflight
