#include "whoami/own_index.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "rollcall/endpoint.hpp"
#include "rollcall/slurm_process.hpp"

namespace rollcall {
namespace {

// Keeps a failure below 4 kB for any texts; escapes make texts up to four times as long.
constexpr std::size_t max_text = 2000;
constexpr std::size_t max_candidates_shown = 8;
constexpr std::size_t max_own_shown = 6;
constexpr std::size_t max_values_shown = 60;

// None if the text is not a host, or not specific to one machine (loopback).
std::optional<HostIdentity> identify(const std::string& text) {
  const Result<Endpoint> endpoint = Endpoint::parse(text);
  if (!endpoint || is_near_host(endpoint->host)) return std::nullopt;
  HostIdentity host(endpoint->host);
  if (host.ip) return host;
  if (host.name.empty() || first_label(host.name) == "localhost") return std::nullopt;
  return host;
}

class PlacedHost {
 public:
  PlacedHost(HostIdentity identity, std::size_t at) : key(std::move(identity)), place(at) {}
  HostIdentity key;
  std::size_t place;
};

std::vector<PlacedHost> hosts_of(const Candidates& candidates) {
  std::vector<PlacedHost> hosts;
  for (std::size_t i = 0; i < candidates.list.size(); ++i) {
    for (const std::string& text : candidates.list[i].hosts) {
      std::optional<HostIdentity> key = identify(text);
      if (key) hosts.emplace_back(*std::move(key), i);
    }
  }
  return hosts;
}

void add_place(std::vector<std::size_t>& places, std::size_t place) {
  if (places.empty() || places.back() != place) places.push_back(place);  // hosts are in the order of their candidates
}

// A short name counts only if it can match a single host.
std::vector<std::size_t> places_of(const std::vector<PlacedHost>& hosts, const std::string& own) {
  std::vector<std::size_t> equal;
  std::vector<std::size_t> related;
  const std::optional<HostIdentity> key = identify(own);
  if (!key) return equal;
  const HostIdentity* related_to = nullptr;
  bool is_ambiguous = false;
  for (const PlacedHost& host : hosts) {
    if (host.key == *key) add_place(equal, host.place);
    if (!is_short_for(host.key, *key) && !is_short_for(*key, host.key)) continue;
    is_ambiguous = is_ambiguous || (related_to && *related_to != host.key);
    related_to = &host.key;
    add_place(related, host.place);
  }
  if (!equal.empty()) return equal;
  return is_ambiguous ? std::vector<std::size_t>() : related;
}

bool contains(const std::vector<std::size_t>& places, std::size_t place) { return std::binary_search(places.begin(), places.end(), place); }

std::string in_words(const Claim& own) {
  const bool is_address = read_ip(own.text).has_value();
  return fmt::format("{} is {}'s {}", printable(own.text, max_values_shown), own.source, is_address ? "address" : "name");
}

}  // namespace

OwnIndex::OwnIndex(Candidates candidates, std::vector<Claim> own) : candidates_(std::move(candidates)) {
  const std::vector<PlacedHost> hosts = hosts_of(candidates_);
  for (Claim& claim : own) {
    if (claim.text.empty()) continue;
    OwnHost& host = own_.emplace_back();
    host.places = places_of(hosts, claim.text);
    host.claim = std::move(claim);
  }
}

std::string OwnIndex::names_of(const std::vector<std::size_t>& places) const {
  std::string text;
  for (std::size_t i = 0; i < std::min(places.size(), max_candidates_shown); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == places.size() ? " and " : ", ", name_of(places[i]));
  }
  return places.size() > max_candidates_shown ? fmt::format("{} and {} more", text, places.size() - max_candidates_shown) : text;
}

Failure OwnIndex::fail(Errc code, const std::string& what) const {
  std::string text = fmt::format("{}; the candidates of {} are", what, candidates_.from);
  const std::vector<Candidate>& list = candidates_.list;
  std::size_t shown = 0;
  for (; shown < std::min(list.size(), max_candidates_shown) && text.size() < max_text; ++shown) {
    std::string hosts;
    for (const std::string& host : list[shown].hosts) hosts += (hosts.empty() ? "" : ", ") + printable(host, max_values_shown);
    text += fmt::format("{} {} ({})", shown == 0 ? "" : ",", list[shown].label, hosts);
  }
  if (list.size() > shown) text += fmt::format(" and {} more", list.size() - shown);
  if (own_.empty()) return Failure(code, text + "; no name or address of this host is known");
  const std::string* source = nullptr;
  const std::size_t last = std::min(own_.size(), max_own_shown);
  for (shown = 0; shown < last && text.size() < max_text + 1000; ++shown) {
    const Claim& claim = own_[shown].claim;
    const std::vector<std::size_t>& places = own_[shown].places;
    text += source && *source == claim.source ? std::string(",") : fmt::format("; {} is", claim.source);
    text += " " + printable(claim.text, max_values_shown);
    const bool is_next_alike = shown + 1 < last && own_[shown + 1].claim.source == claim.source && own_[shown + 1].places.empty();
    if (!places.empty() || !is_next_alike) text += places.empty() ? ", none of them" : ", candidate ";
    for (std::size_t k = 0; k < std::min<std::size_t>(places.size(), 2); ++k) text += (k == 0 ? "" : " or ") + list[places[k]].label;
    source = &claim.source;
  }
  if (own_.size() > shown) text += fmt::format(" and {} more", own_.size() - shown);
  return Failure(code, std::move(text));
}

Result<SettledIndex> OwnIndex::settle(const std::vector<PlacedClaim>& claims) const {
  const PlacedClaim& first = claims.front();
  SettledIndex settled;
  settled.place = first.place;
  for (const PlacedClaim& claim : claims) {
    if (claim.place != first.place) {
      return fail(Errc::conflict, fmt::format("{} says {}, but {} says {}", first.source, candidates_.list[first.place].label, claim.source,
                                              candidates_.list[claim.place].label));
    }
    settled.evidence += (settled.evidence.empty() ? "" : ", ") + claim.evidence;
  }
  for (std::size_t begin = 0, end = 0; begin < own_.size(); begin = end) {
    const OwnHost* same = nullptr;
    const OwnHost* other = nullptr;
    for (end = begin; end < own_.size() && own_[end].claim.source == own_[begin].claim.source; ++end) {
      if (own_[end].places.empty()) continue;
      const bool is_same = contains(own_[end].places, first.place);
      if (is_same && !same) same = &own_[end];
      if (!is_same && !other) other = &own_[end];
    }
    if (same) {
      settled.evidence += ", " + in_words(same->claim);
    } else if (other) {
      return fail(Errc::conflict, fmt::format("{} says {}, but {} is {}, which is {}", first.source, candidates_.list[first.place].label,
                                              other->claim.source, quoted(other->claim.text, max_values_shown), names_of(other->places)));
    }
  }
  return settled;
}

Result<std::optional<SettledIndex>> OwnIndex::find_by_host() const {
  const OwnHost* found = nullptr;
  for (const OwnHost& host : own_) {
    if (host.places.empty()) continue;
    const OwnHost& first = found ? *found : host;
    if (host.places.size() > 1) {
      return fail(Errc::not_found,
                  fmt::format("{}, and {} have it: no variable says which of them this is", in_words(host.claim), names_of(host.places)));
    }
    if (host.places.front() != first.places.front()) {
      return fail(Errc::not_found,
                  fmt::format("{}, which is {}, but {}, which is {}: no variable says which of them this is", in_words(first.claim),
                              name_of(first.places.front()), in_words(host.claim), name_of(host.places.front())));
    }
    found = &first;
  }
  if (!found) return std::optional<SettledIndex>();
  SettledIndex settled;
  settled.place = found->places.front();
  settled.evidence = in_words(found->claim);
  return std::optional<SettledIndex>(std::move(settled));
}

bool is_set(const Environment& environment, std::string_view name) { return !environment.get(name).value_or("").empty(); }

std::string why_outside_step(const Environment& environment) {
  const Result<SlurmProcess> process = find_slurm_process(environment);
  if (!process) return process.error().what();
  if (process->role == SlurmRole::allocation) return fmt::format("this is {}: an allocation, not a task; start it by srun", process->words);
  const bool is_step = process->role == SlurmRole::task || is_set(environment, "SLURM_STEP_NODELIST");
  return is_step || !is_set(environment, "SLURM_JOB_ID") ? std::string() : "this is no step: start it by srun";
}

Result<std::optional<int>> number_variable(const Environment& environment, std::string_view name, int low, int high) {
  const std::string text = environment.get(name).value_or("");
  if (trim(text).empty()) return std::optional<int>();
  const std::optional<int> number = parse_decimal<int>(trim(text), low, high);
  if (number) return number;
  return Failure(Errc::invalid_argument, fmt::format("{} is {}, no number from {} to {}", name, quoted(text, 80), low, high));
}

Result<std::optional<DeclaredCount>> count_variable(const Environment& environment, std::initializer_list<std::string_view> names,
                                                    int max) {
  for (const std::string_view name : names) {
    const std::string text = environment.get(name).value_or("");
    const std::string_view whole = trim(text);
    if (whole.empty()) continue;
    const std::size_t colon = name == "PET_NNODES" ? whole.find(':') : std::string_view::npos;
    const auto low = parse_decimal<int>(whole.substr(0, colon), 1, max);
    const auto high = colon == std::string_view::npos ? low : parse_decimal<int>(whole.substr(colon + 1), 1, max);
    if (!low || !high || *low > *high)
      return Failure(Errc::invalid_argument, fmt::format("{} is {}, no number from 1 to {}", name, quoted(text, 80), max));
    DeclaredCount count;
    count.source = name;
    count.low = *low;
    count.high = *high;
    return std::optional<DeclaredCount>(std::move(count));
  }
  return std::optional<DeclaredCount>();
}

}  // namespace rollcall
