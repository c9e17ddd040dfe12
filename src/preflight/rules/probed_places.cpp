#include "preflight/rules/probed_places.hpp"

#include <algorithm>
#include <random>
#include <set>

#include "preflight/rules/pair_table.hpp"

namespace rollcall::preflight {
namespace {

constexpr std::size_t drawn_at_random = 64;
constexpr std::size_t neighbours = 2;

}  // namespace

// FNV-1a, so that it is the same on every machine.
std::uint64_t seed_of_run(std::string_view run, std::size_t number) {
  std::uint64_t seed = 0xcbf29ce484222325;
  for (const char c : run) seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return seed ^ (static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15);
}

std::size_t probes_of_each(std::size_t members) { return members <= max_probed_by_all ? 0 : neighbours + drawn_at_random; }

std::vector<std::size_t> places_to_probe(std::size_t members, std::size_t own, std::string_view run) {
  std::vector<std::size_t> places;
  const std::size_t each = probes_of_each(members);
  if (each == 0) {
    for (std::size_t i = 1; i < members; ++i) places.push_back((own + i) % members);
    return places;
  }
  std::set<std::size_t> steps = {1, members - 1};  // from its own place on, round the ring
  std::mt19937_64 dice(seed_of_run(run, own));
  while (steps.size() < each) steps.insert(1 + dice() % (members - 1));
  for (const std::size_t step : steps) places.push_back((own + step) % members);
  return places;
}

bool is_of_the_absent(ProbeResult seen) {
  return seen == ProbeResult::refused || seen == ProbeResult::timed_out || seen == ProbeResult::no_route ||
         seen == ProbeResult::unknown_name;
}

bool is_of_the_present(ProbeResult seen) {
  return seen == ProbeResult::ok || seen == ProbeResult::large_out || seen == ProbeResult::large_in || seen == ProbeResult::silent;
}

std::vector<std::size_t> members_to_ask_again(const PreflightEvidence& evidence) {
  const PairTable table(evidence);
  std::vector<std::size_t> reporters;
  for (std::size_t i = 0; i < evidence.members.size(); ++i) {
    if (evidence.members[i].state == EvidenceState::reported) reporters.push_back(i);
  }
  std::vector<std::size_t> asked;
  for (const std::size_t from : reporters) {
    const bool is_asked =
        std::any_of(reporters.begin(), reporters.end(), [&](std::size_t to) { return is_of_the_absent(table.at(from, to)); });
    if (is_asked) asked.push_back(from);
  }
  return asked;
}

}  // namespace rollcall::preflight
