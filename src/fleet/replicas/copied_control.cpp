// What a replica hears of the others: who is there, what they want, who asks, and how old that is.
#include <iterator>
#include <set>
#include <utility>

#include "fleet/replicas/copies.hpp"
#include "fleet/wire/served_target.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t most_replicas = 256;
constexpr std::size_t most_sources_a_target = 4;  // with what is left of those that nobody wants any more

// Another one of them may be kept.
template <class Map>
bool has_room(const Map& map, const std::string& key, std::size_t most) {
  return map.size() < most || map.contains(key);
}

bool is_same_but_for_beat(const ReplicaRecord& a, const ReplicaRecord& b) {
  return a.url == b.url && a.version == b.version && a.schema == b.schema && a.is_leaving == b.is_leaving && a.unable == b.unable;
}

}  // namespace

bool is_fit_for_service(const Target& target) {
  Target served = target;
  std::erase_if(served.options, [](const auto& one) { return one.first == "context"; });
  return check_served(served).has_value();
}

Copies::Control Copies::take_control_entry(const StoreKey& key, const store::Entry& entry, bool is_deleted, const RevisionClock& clock) {
  switch (key.kind) {
    case StoreKey::Kind::meta: {
      const Result<MetaRecord> record = parse_meta(entry.value, limits_);
      is_incoherent_ |= !is_deleted && record && !instance.empty() && record->instance != instance;
      return Control::news;
    }
    case StoreKey::Kind::replica: {
      const Result<ReplicaRecord> record = parse_replica(entry.value, limits_);
      if (is_deleted) return replicas.erase(key.id) == 0 ? Control::quiet : Control::news;
      if (!record || !has_room(replicas, key.id, most_replicas)) return Control::quiet;
      const auto [seen, is_new] = replicas.try_emplace(key.id, *record);
      const bool is_mere_beat = !is_new && is_same_but_for_beat(seen->second, *record);
      seen->second = *record;
      return is_mere_beat ? Control::quiet : Control::news;
    }
    case StoreKey::Kind::owner: {
      const Result<OwnerRecord> record = parse_owner(entry.value, limits_);
      if (is_deleted) owners.erase(key.id);
      if (is_deleted || !record || !has_room(owners, key.id, most_sources_a_target * options.max_targets)) return Control::news;
      SeenOwner& seen = owners[key.id];
      seen.record = *record;
      seen.epoch = entry.create_revision;
      seen.lease = entry.lease;
      return Control::news;
    }
    case StoreKey::Kind::want: take_want(key, entry, is_deleted); return Control::news;
    case StoreKey::Kind::beat:
      if (is_deleted) {
        beats.erase(key.id);
      } else {
        take_heartbeat(key.id, entry, clock);
      }
      return Control::quiet;
    default: return Control::none;
  }
}

void Copies::take_want(const StoreKey& key, const store::Entry& entry, bool is_deleted) {
  const auto known = wants.find(key.id);
  if (is_deleted) {
    if (known == wants.end()) return;
    known->second.by_replica.erase(key.replica);
    if (known->second.by_replica.empty()) wants.erase(known);
    return;
  }
  Result<WantRecord> record = parse_want(entry.value, limits_);
  if (!record) return;
  const std::string text = std::exchange(record->target, {});  // which is kept once
  if (known != wants.end()) {
    if (has_room(known->second.by_replica, key.replica, most_replicas)) known->second.by_replica[key.replica] = *record;
    return;
  }
  const Result<Target> target = Target::parse(text);
  if (!target || store_id(text) != key.id || !is_fit_for_service(*target) || wants.size() >= 4 * options.max_targets) return;
  wants.try_emplace(key.id, *target).first->second.by_replica[key.replica] = *record;
}

void Copies::take_heartbeat(const std::string& source, const store::Entry& entry, const RevisionClock& clock) {
  const Result<BeatRecord> record = parse_beat(entry.value, limits_);
  if (!record || !has_room(beats, source, most_sources_a_target * options.max_targets)) return;
  SeenBeat& seen = beats[source];
  seen.targets = record->targets;
  seen.trouble = record->trouble;
  const std::optional<SteadyTime> sent_at = clock.written_at(as_of(record->as_of, entry.modify_revision), now());
  if (!sent_at) return;
  seen.polled_at = *sent_at - record->age;
  const std::map<std::string_view, Age> older(record->older.begin(), record->older.end());
  std::vector<std::shared_ptr<CopyTopic>> fresh;
  const auto of_source = by_source_.find(source);
  if (of_source == by_source_.end()) return;
  for (CopyTopic* const topic : of_source->second) {
    if (!topic->head().is_followed || topic->head().epoch != record->epoch || topic->source_id() != source) continue;
    if (topic->strange_revision() > topic->head_revision()) continue;  // what is there has not been read here
    const auto own = older.find(topic->id());
    if (own != older.end() && !own->second) continue;
    topic->take_poll(own == older.end() ? *seen.polled_at : *sent_at - *own->second);
    fresh.push_back(topic->shared_from_this());
  }
  for (const std::shared_ptr<CopyTopic>& topic : fresh) topic->tell();
}

void Copies::take_control(const store::Listing& listing, const RevisionClock& clock) {
  std::set<std::string> there;
  replicas.clear();
  owners.clear();
  for (const store::Entry& entry : listing.entries) {
    const std::optional<StoreKey> key = keys.parse(entry.key);
    if (!key || !key->is_control()) continue;
    there.insert(entry.key);
    static_cast<void>(take_control_entry(*key, entry, false, clock));
  }
  for (auto one = wants.begin(); one != wants.end();) {
    std::erase_if(one->second.by_replica, [&](const auto& want) { return !there.contains(keys.want(one->first, want.first)); });
    one = one->second.by_replica.empty() ? wants.erase(one) : std::next(one);
  }
  control_revision_ = std::max(control_revision_, listing.revision);
  if (on_control) on_control();
}

}  // namespace rollcall::fleet
