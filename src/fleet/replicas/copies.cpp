#include "fleet/replicas/copies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "async/turns.hpp"
#include "fleet/wire/served_target.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t most_name_bytes = 4096;
constexpr std::size_t most_replicas = 256;

using Kind = StoreKey::Kind;

bool is_control(Kind kind) { return kind == Kind::replica || kind == Kind::owner || kind == Kind::want; }

// What another replica may name: nothing that a client could not, but for the context that its settings have.
bool is_fit(const Target& target) {
  Target served = target;
  std::erase_if(served.options, [](const auto& one) { return one.first == "context"; });
  return check_served(served).has_value();
}

}  // namespace

bool SeenWant::wants_spec() const {
  return std::any_of(by_replica.begin(), by_replica.end(), [](const auto& one) { return one.second.wants_spec; });
}

Copies::Copies(Runtime for_all, const FleetOptions& how, ResolverMaker maker, StoreKeys of_fleet, std::string id)
    : runtime(std::move(for_all)), options(how), keys(std::move(of_fleet)), self(std::move(id)),
      memory(std::make_shared<MemoryAccount>(impl_of(runtime).limits.max_memory_bytes)), maker_(std::move(maker)) {}

CopyTopic* Copies::find(const std::string& id) const {
  const auto found = topics_.find(id);
  return found == topics_.end() ? nullptr : found->second.get();
}

void Copies::forget(const std::string& id) {
  const auto found = topics_.find(id);
  if (found != topics_.end() && !found->second->has_listeners() && found->second.use_count() <= 2) topics_.erase(found);
}

Result<std::shared_ptr<CopyTopic>> Copies::topic(const Target& target) {
  Target canonical = canonical_target(target);
  const std::string text = canonical.to_text();
  const std::string id = store_id(text);
  const auto known = topics_.find(id);
  if (known != topics_.end()) return known->second;
  if (text.size() > most_name_bytes)
    return Failure(Errc::limit_exceeded, fmt::format("a target of {} bytes; at most {} are taken", text.size(), most_name_bytes));
  const Result<std::shared_ptr<ClusterResolver>> resolver = maker_(runtime, text);
  if (!resolver) return resolver.error();
  if (topics_.size() >= options.max_targets && !make_room()) {
    return Failure(Errc::limit_exceeded, fmt::format("{} targets are known already, as many as this service takes", topics_.size()))
        .with_hint("ask again when others have ended, or have the service's operator raise its limit");
  }
  auto made = std::make_shared<CopyTopic>(weak_from_this(), id, std::move(canonical), memory);
  made->left_at = now();
  made->mark(mark_);
  topics_.emplace(id, made);
  return made;
}

// One that nobody listens to, that no replica wants, and that the store has nothing of.
bool Copies::make_room() {
  const auto idle = std::find_if(topics_.begin(), topics_.end(), [this](const auto& one) {
    const CopyTopic& topic = *one.second;
    return !topic.has_listeners() && one.second.use_count() == 1 && topic.head_revision() == 0 && !wants.contains(one.first);
  });
  if (idle == topics_.end()) return false;
  topics_.erase(idle);
  return true;
}

void Copies::on_listener(CopyTopic&) {
  if (on_control) on_control();
}
void Copies::on_wish(CopyTopic& topic) {
  if (on_wished) on_wished(topic);
}

std::vector<Peer> Copies::peers() const {
  std::vector<Peer> all;
  for (const auto& [id, seen] : replicas) {
    Peer& peer = all.emplace_back();
    peer.id = id;
    peer.schema = seen.record.schema;
    peer.is_leaving = seen.record.is_leaving;
    peer.unable = seen.record.unable;
  }
  return all;
}

bool Copies::take_control_entry(const StoreKey& key, const store::Entry& entry, bool is_deleted, std::optional<SteadyTime> written_at) {
  switch (key.kind) {
    case Kind::meta: {
      const Result<MetaRecord> record = parse_meta(entry.value, limits_);
      is_incoherent_ |= !is_deleted && record && !instance.empty() && record->instance != instance;
      return true;
    }
    case Kind::replica: {
      const Result<ReplicaRecord> record = parse_replica(entry.value, limits_);
      if (is_deleted) {
        replicas.erase(key.id);
      } else if (record && (replicas.size() < most_replicas || replicas.contains(key.id))) {
        SeenReplica& seen = replicas[key.id];
        if (seen.record.beat != record->beat || seen.heard_at == SteadyTime{}) seen.heard_at = now();
        seen.record = *record;
      }
      return true;
    }
    case Kind::owner: {
      const Result<OwnerRecord> record = parse_owner(entry.value, limits_);
      if (is_deleted) owners.erase(key.id);
      if (is_deleted || !record) return true;
      SeenOwner& seen = owners[key.id];
      seen.record = *record;
      seen.epoch = entry.create_revision;
      seen.lease = entry.lease;
      return true;
    }
    case Kind::want: take_want(key, entry, is_deleted); return true;
    case Kind::beat:
      if (is_deleted) {
        beats.erase(key.id);
      } else {
        take_beat(key.id, entry, written_at);
      }
      return true;
    default: return false;
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
  const Result<WantRecord> record = parse_want(entry.value, limits_);
  if (!record) return;
  if (known != wants.end()) {
    known->second.by_replica[key.replica] = *record;
    return;
  }
  const Result<Target> target = Target::parse(record->target);
  if (!target || store_id(record->target) != key.id || !is_fit(*target) || wants.size() >= 4 * options.max_targets) return;
  wants.try_emplace(key.id, *target).first->second.by_replica[key.replica] = *record;
}

void Copies::take_beat(const std::string& source, const store::Entry& entry, std::optional<SteadyTime> written_at) {
  const Result<BeatRecord> record = parse_beat(entry.value, limits_);
  if (!record) return;
  SeenBeat& seen = beats[source];
  seen.record = *record;
  if (!written_at) return;
  seen.looked_at = *written_at - record->age;
  const std::map<std::string_view, Age> older(record->older.begin(), record->older.end());
  std::vector<std::shared_ptr<CopyTopic>> fresh;
  for (const auto& [id, topic] : topics_) {
    if (!topic->head().is_followed || topic->head().epoch != record->epoch || topic->source_id() != source) continue;
    const auto own = older.find(id);
    if (own != older.end() && !own->second) continue;
    topic->take_look(own == older.end() ? *seen.looked_at : *written_at - *own->second);
    fresh.push_back(topic);
  }
  for (const std::shared_ptr<CopyTopic>& topic : fresh) topic->tell();
}

std::shared_ptr<CopyTopic> Copies::topic_of_head(const std::string& id, const store::Entry& head) {
  const auto known = topics_.find(id);
  if (known != topics_.end()) return known->second;
  if (is_gone_record(head.value) || topics_.size() >= 4 * options.max_targets) return nullptr;
  const Result<HeadRecord> record = parse_head(head.value, limits_);
  if (!record || store_id(record->target) != id) return nullptr;
  const Result<Target> target = Target::parse(record->target);
  if (!target || !is_fit(*target)) return nullptr;
  auto made = std::make_shared<CopyTopic>(weak_from_this(), id, *target, memory);
  if (made->target() != record->target) return nullptr;
  made->left_at = now();
  made->mark(mark_);
  return topics_.emplace(id, std::move(made)).first->second;
}

asio::awaitable<void> Copies::take_status(std::string id, StatusEntries entries) {
  const std::shared_ptr<CopyTopic> topic = entries.head ? topic_of_head(id, *entries.head) : nullptr;
  if (!topic) {
    is_incoherent_ |= !entries.is_all && find(id);
    co_return;
  }
  if (entries.is_all && entries.head->modify_revision == topic->head_revision()) co_return;
  const Result<void> taken = co_await topic->take(std::move(entries), limits_, now());
  if (!taken) is_incoherent_ = true;
}

asio::awaitable<void> Copies::take(std::uint64_t revision, std::vector<store::Change> changes, std::optional<SteadyTime> written_at) {
  const std::shared_ptr<Copies> alive = shared_from_this();
  std::map<std::string, StatusEntries> statuses;
  bool has_control = false;
  for (store::Change& change : changes) {
    const std::optional<StoreKey> key = keys.parse(change.entry.key);
    if (!key) continue;
    if (is_control(key->kind) && revision <= control_revision_) continue;
    if (take_control_entry(*key, change.entry, change.is_deleted, written_at)) {
      has_control |= key->kind != Kind::beat;
      continue;
    }
    if (change.is_deleted) {  // of chunks nothing follows; a head ends as a record that says so, and is deleted later
      const auto topic = topics_.find(key->id);
      if (key->kind == Kind::head && topic != topics_.end()) topic->second->lose(revision);
      continue;
    }
    StatusEntries& entries = statuses[key->id];
    entries.written_at = written_at;
    if (key->kind == Kind::head) entries.head = std::move(change.entry);
    if (key->kind == Kind::chunk) entries.chunks[key->chunk] = std::move(change.entry.value);
    if (key->kind == Kind::spec) entries.spec = std::move(change.entry.value);
  }
  for (auto& [id, entries] : statuses) co_await take_status(id, std::move(entries));
  revision_ = std::max(revision_, revision);
  if (has_control && on_control) on_control();
}

void Copies::take_control(const store::Listing& listing) {
  std::set<std::string> there;
  replicas.clear();
  owners.clear();
  for (const store::Entry& entry : listing.entries) {
    const std::optional<StoreKey> key = keys.parse(entry.key);
    if (!key || !is_control(key->kind)) continue;
    there.insert(entry.key);
    take_control_entry(*key, entry, false, std::nullopt);
  }
  for (auto one = wants.begin(); one != wants.end();) {
    std::erase_if(one->second.by_replica, [&](const auto& want) { return !there.contains(keys.want(one->first, want.first)); });
    one = one->second.by_replica.empty() ? wants.erase(one) : std::next(one);
  }
  control_revision_ = std::max(control_revision_, listing.revision);
  if (on_control) on_control();
}

asio::awaitable<void> Copies::take_all(store::Listing listing) {
  const std::shared_ptr<Copies> alive = shared_from_this();
  is_incoherent_ = false;
  std::map<std::string, StatusEntries> statuses;
  for (store::Entry& entry : listing.entries) {
    const std::optional<StoreKey> key = keys.parse(entry.key);
    if (!key || is_control(key->kind) || take_control_entry(*key, entry, false, std::nullopt)) continue;
    StatusEntries& entries = statuses[key->id];
    entries.is_all = true;
    if (key->kind == Kind::chunk) entries.chunks[key->chunk] = std::move(entry.value);
    if (key->kind == Kind::spec) entries.spec = std::move(entry.value);
    if (key->kind == Kind::head) entries.head = entry;
  }
  std::set<std::string> there;
  for (auto& [id, entries] : statuses) {
    if (entries.head) there.insert(id);
    co_await take_status(id, std::move(entries));
    co_await next_turn();
  }
  for (const auto& [id, topic] : std::map(topics_)) {
    if (!there.contains(id) && topic->head_revision() != 0) topic->lose(listing.revision);
  }
  revision_ = std::max(revision_, listing.revision);
  take_control(listing);
}

void Copies::begin_anew(std::string of_instance) {
  instance = std::move(of_instance);
  const std::map<std::string, std::shared_ptr<CopyTopic>> former = std::exchange(topics_, {});
  revision_ = control_revision_ = 0;
  replicas.clear();
  owners.clear();
  beats.clear();
  wants.clear();
  for (const auto& [id, topic] : former) topic->tell();  // who listens sees that the position is of another history
}

void Copies::mark(const std::string& trouble) {
  if (mark_ == trouble) return;
  mark_ = trouble;
  for (const auto& [id, topic] : std::map(topics_)) topic->mark(trouble);
}

}  // namespace rollcall::fleet
