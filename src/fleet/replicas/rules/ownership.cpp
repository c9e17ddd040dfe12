// Decision: the score is a hash of our own, not SHA-256: it needs to spread, not to withstand, since replicas choose their ids by chance
// and the ids of sources are digests.
#include "fleet/replicas/rules/ownership.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/saturating.hpp"
#include "cluster/namespace_name.hpp"
#include "fleet/rules/source_key.hpp"
#include "rollcall/scheme_rules.hpp"

namespace rollcall::fleet {

std::string ownership_key(const Target& target) {
  const SchemeRules* const rules = find_scheme_rules(target.scheme);
  if (!rules || rules->place != SchemePlace::namespace_name) return source_key(target);
  return fmt::format("{}/{}/{}", target.scheme, target.get("context").value_or(""), namespace_in(target));
}

// FNV-1a over both, then the finalizer of SplitMix64, so that ids that differ in one bit have unlike scores.
std::uint64_t rendezvous_score(std::string_view source, std::string_view replica) noexcept {
  std::uint64_t hash = 14695981039346656037U;
  const auto add = [&hash](char byte) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 1099511628211U;
  };
  for (const char byte : source) add(byte);
  add('\0');
  for (const char byte : replica) add(byte);
  hash ^= hash >> 30U;
  hash *= 0xbf58476d1ce4e5b9U;
  hash ^= hash >> 27U;
  hash *= 0x94d049bb133111ebU;
  return hash ^ (hash >> 31U);
}

std::vector<std::string> claimants(std::string_view source, const std::vector<Peer>& peers) {
  class Rank {
   public:
    bool is_unable;
    std::uint64_t score;
    std::string_view id;
  };
  int schema = std::numeric_limits<int>::max();
  for (const Peer& peer : peers) {
    if (!peer.is_leaving) schema = std::min(schema, peer.schema);
  }
  std::vector<Rank> ranks;
  for (const Peer& peer : peers) {
    if (peer.is_leaving || peer.schema != schema) continue;
    const bool is_unable = std::find(peer.unable.begin(), peer.unable.end(), source) != peer.unable.end();
    ranks.push_back(Rank{is_unable, rendezvous_score(source, peer.id), peer.id});
  }
  std::sort(ranks.begin(), ranks.end(), [](const Rank& a, const Rank& b) {
    if (a.is_unable != b.is_unable) return b.is_unable;
    return a.score != b.score ? a.score > b.score : a.id < b.id;
  });
  std::vector<std::string> ids;
  for (const Rank& rank : ranks) ids.emplace_back(rank.id);
  return ids;
}

OwnershipMove SourceOwnership::next(std::string_view self, std::string_view owner, const std::vector<std::string>& ranks, bool is_wanted,
                                    SteadyTime now) {
  again_at_ = SteadyTime::max();
  if (!owner.empty()) free_since_.reset();
  if (owner != self) better_since_.reset();
  if (owner == self) {
    if (!is_wanted) return OwnershipMove::yield;
    if (ranks.empty() || ranks.front() == self) {
      better_since_.reset();
      return OwnershipMove::none;
    }
    if (!better_since_) better_since_ = now;
    if (now - *better_since_ >= patience_with_better) return OwnershipMove::yield;
    again_at_ = *better_since_ + patience_with_better;
    return OwnershipMove::none;
  }
  if (!owner.empty()) return OwnershipMove::none;
  if (!is_wanted) {
    free_since_.reset();
    return OwnershipMove::none;
  }
  if (!free_since_) free_since_ = now;
  const auto own = std::find(ranks.begin(), ranks.end(), self);
  if (own == ranks.end()) return OwnershipMove::none;
  // Whoever's turn it is may be alive and yet unable to take it: then the next one does.
  const SteadyTime turn = *free_since_ + patience_with_claimant * (own - ranks.begin());
  if (now >= turn) return OwnershipMove::claim;
  again_at_ = turn;
  return OwnershipMove::none;
}

bool FailedLooks::note(const std::string& source, int failures, bool has_other, SteadyTime now) {
  if (failures < most_failures || !has_other) return false;
  const auto known = given_up_at_.find(source);
  if (known != given_up_at_.end() && now - known->second < lasts) return false;
  std::erase_if(given_up_at_, [now](const auto& one) { return now - one.second >= lasts; });
  given_up_at_[source] = now;
  return true;
}

std::vector<std::string> FailedLooks::unable(SteadyTime now) const {
  std::vector<std::string> ids;
  for (const auto& [source, at] : given_up_at_) {
    if (now - at < lasts) ids.push_back(source);
  }
  return ids;
}

}  // namespace rollcall::fleet
