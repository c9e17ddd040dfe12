#include "fleet/rules/memory_shares.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace rollcall::fleet {
namespace {

// What clients, and their resources, take together.
class Totals {
 public:
  void add(const MemoryClaim& claim) {
    for_namers(claim, [this, &claim](std::string_view namer) {
      of_namer_[namer] += claim.bytes;
      of_resource_[std::pair(namer, claim.resource)] += claim.bytes;
    });
  }
  void remove(const MemoryClaim& claim) {
    for_namers(claim, [this, &claim](std::string_view namer) {
      of_namer_[namer] -= claim.bytes;
      of_resource_[std::pair(namer, claim.resource)] -= claim.bytes;
    });
  }
  std::size_t of(std::string_view namer) const { return in(of_namer_, namer); }
  std::size_t of(std::string_view namer, std::string_view resource) const { return in(of_resource_, std::pair(namer, resource)); }
  /// The client that takes the least of those that have named the topic.
  std::string_view payer_of(const MemoryClaim& claim) const {
    std::optional<std::string_view> min;
    for_namers(claim, [this, &min](std::string_view namer) {
      if (!min || of(namer) < of(*min)) min = namer;
    });
    return *min;
  }

 private:
  template <class Visit>
  static void for_namers(const MemoryClaim& claim, Visit visit) {
    if (!claim.namers || claim.namers->empty()) return visit(std::string_view());
    for (const std::string& namer : *claim.namers) visit(std::string_view(namer));
  }
  template <class Map, class Key>
  static std::size_t in(const Map& map, const Key& key) {
    const auto found = map.find(key);
    return found == map.end() ? 0 : found->second;
  }

  std::map<std::string_view, std::size_t> of_namer_;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> of_resource_;
};

}  // namespace

std::optional<std::vector<std::size_t>> which_ends_first(const std::vector<MemoryClaim>& held, const MemoryClaim& wanted,
                                                         std::size_t missing) {
  std::vector<std::size_t> left;
  std::vector<std::size_t> heard;
  Totals totals;
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (held[i].bytes == 0) continue;
    (held[i].is_listened_to ? heard : left).push_back(i);
    if (held[i].is_listened_to) totals.add(held[i]);
  }
  std::sort(left.begin(), left.end(), [&held](std::size_t a, std::size_t b) { return held[a].left_at < held[b].left_at; });
  std::vector<std::size_t> gone;
  std::size_t found = 0;
  if (!wanted.is_listened_to) return missing == 0 ? std::optional(gone) : std::nullopt;
  for (auto one = left.begin(); one != left.end() && found < missing; ++one) {
    gone.push_back(*one);
    found += held[*one].bytes;
  }
  while (found < missing) {
    const std::string_view own = totals.payer_of(wanted);
    const std::size_t own_total = totals.of(own) + wanted.bytes;
    const std::size_t own_of_resource = totals.of(own, wanted.resource) + wanted.bytes;
    using Rank = std::tuple<bool, std::size_t, std::size_t, std::size_t>;
    std::optional<Rank> best;
    auto chosen = heard.end();
    for (auto one = heard.begin(); one != heard.end(); ++one) {
      const MemoryClaim& claim = held[*one];
      const std::string_view payer = totals.payer_of(claim);
      const std::size_t total = totals.of(payer);
      const std::size_t of_resource = totals.of(payer, claim.resource);
      const bool is_of_greedier = total > own_total;
      if (!is_of_greedier && (payer != own || of_resource <= own_of_resource)) continue;
      const Rank rank(is_of_greedier, total, of_resource, claim.number);
      if (best && rank <= *best) continue;
      best = rank;
      chosen = one;
    }
    if (chosen == heard.end()) return std::nullopt;
    gone.push_back(*chosen);
    found += held[*chosen].bytes;
    totals.remove(held[*chosen]);
    heard.erase(chosen);
  }
  return gone;
}

}  // namespace rollcall::fleet
