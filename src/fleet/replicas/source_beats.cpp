// How old what is followed of each source is, as its owner tells all replicas.
//
// Decision: a beat tells how old what the store has is, not how old the last look: a look whose result is not written yet makes nothing
// younger. And it counts only for what its own epoch has written, so that nobody takes a former owner's status for one that was just seen.
#include <algorithm>
#include <utility>

#include "async/group.hpp"
#include "base/saturating.hpp"
#include "fleet/replicas/source_owner.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t most_exceptions = 64;  // of a beat
constexpr Duration same_look = std::chrono::milliseconds(500);
constexpr Duration pause_between_rounds = std::chrono::milliseconds(50);  // of looks at all sources for what is to be told of them

}  // namespace

// Some at a time, so that what is new need not wait until all of many sources have been told of. Errors: cancelled.
asio::awaitable<Result<void>> SourceOwner::write_beats(SteadyTime& next) {
  const SteadyTime from = saturating_sum(beats_at_, pause_between_rounds);
  if (from > now()) {
    next = std::min(next, from);
    co_return Result<void>();
  }
  beats_at_ = now();
  std::vector<std::string> ids;
  for (const auto& [id, source] : sources_) {
    if (has_beat(source, next)) ids.push_back(id);
  }
  for (std::size_t first = 0; first < ids.size(); first += writes_at_a_time) {
    const auto beat_one = [this, &ids, &next, first](std::size_t i) { return beat(ids[first + i], next); };
    const std::function<asio::awaitable<Result<void>>(std::size_t)> ask = beat_one;
    const Result<void> told = co_await join_bounded(std::min(writes_at_a_time, ids.size() - first), writes_at_a_time, ask);
    if (!told && told.error().code() == Errc::cancelled) co_return told.error();
    const Result<bool> goes_on = co_await write_news(next);
    if (!goes_on) co_return goes_on.error();
    if (!*goes_on) break;
  }
  co_return Result<void>();
}

// False: there is nothing to tell now; `next` is then when there may be.
bool SourceOwner::has_beat(const OwnedSource& source, SteadyTime& next) const {
  const auto is_as_told = [](const auto& target, const auto& told) {
    return target.first == told.first && target.second->polled_at() == told.second;
  };
  const auto is_seen = [](const auto& target) { return target.second->polled_at().has_value(); };
  const auto& targets = source.targets;
  if (std::equal(targets.begin(), targets.end(), source.told.begin(), source.told.end(), is_as_told)) return false;
  if (std::none_of(targets.begin(), targets.end(), is_seen)) return false;
  const SteadyTime from = saturating_sum(source.heartbeat_at, !source.wished.empty() ? shortest_commit_pause : pause_between_beats);
  if (from > now()) next = std::min(next, from);
  return from <= now();
}

// None: there is nothing to tell now.
std::optional<BeatRecord> SourceOwner::beat_of(OwnedSource& source, SteadyTime& next) {
  if (!has_beat(source, next)) return std::nullopt;
  std::map<std::string, std::optional<SteadyTime>> looks;
  for (const auto& [id, target] : source.targets) looks[id] = target->polled_at();
  std::vector<SteadyTime> ages;
  for (const auto& [id, at] : looks) {
    if (at) ages.push_back(*at);
  }
  // So many are told one by one as may; the age of all others is that of the oldest of them, or somewhat more.
  std::sort(ages.begin(), ages.end());
  const std::size_t first = std::min(ages.size() - 1, most_exceptions);
  const SteadyTime base = ages.size() <= most_exceptions ? ages.back() : ages[first];
  BeatRecord beat;
  beat.epoch = source.epoch;
  beat.age = *age_at(base, now());
  beat.as_of = store_->revision();
  beat.targets = looks.size();
  for (const auto& [id, target] : source.targets) {
    if (!target->known().trouble.empty()) beat.trouble = target->known().trouble;
    const std::optional<SteadyTime> at = looks[id];
    if (!at) {
      beat.older.emplace_back(id, std::nullopt);
    } else if (base - *at > same_look) {
      beat.older.emplace_back(id, age_at(at, now()));
    }
  }
  std::erase_if(source.wished, [&](const std::string& id) { return !looks.contains(id) || looks[id] != source.told[id]; });
  source.told = std::move(looks);
  return beat;
}

asio::awaitable<Result<void>> SourceOwner::beat(std::string id, SteadyTime& next) {
  const auto owned = sources_.find(id);
  if (owned == sources_.end()) co_return Result<void>();
  const std::optional<BeatRecord> record = beat_of(owned->second, next);
  if (!record) co_return Result<void>();
  owned->second.heartbeat_at = now();
  store::Transaction transaction;
  transaction.compares.push_back(store::Compare::was_created_at(copies_->keys.owner(id), record->epoch));
  transaction.writes.push_back(store::Write::put(copies_->keys.beat(id), render_beat(*record)));
  const Result<store::Outcome> outcome = co_await store_->commit(std::move(transaction));
  if (!outcome) {
    if (outcome.error().code() == Errc::cancelled) co_return outcome.error();
    note_failure(outcome.error());
    const auto failed = sources_.find(id);
    if (failed != sources_.end()) failed->second.told.clear();
    co_return Result<void>();
  }
  ++numbers.commits[outcome->is_written ? "written" : "refused"];
  const auto still = sources_.find(id);
  if (!outcome->is_written && still != sources_.end() && still->second.epoch == record->epoch) drop(id, "fenced");
  co_return Result<void>();
}

}  // namespace rollcall::fleet
