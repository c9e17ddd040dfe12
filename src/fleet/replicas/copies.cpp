#include "fleet/replicas/copies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "async/turns.hpp"
#include "fleet/wire/served_target.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t max_name_bytes = 4096;
constexpr std::size_t most_topics = 4;  // times those that may be asked for here

using Kind = StoreKey::Kind;

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
  if (found != topics_.end() && !found->second->has_listeners() && found->second.use_count() <= 2) drop(found);
}

Result<std::shared_ptr<CopyTopic>> Copies::topic(const Target& target) {
  Target canonical = canonical_target(target);
  const std::string text = canonical.to_text();
  const std::string id = store_id(text);
  const auto known = topics_.find(id);
  if (known != topics_.end()) return known->second;
  if (text.size() > max_name_bytes)
    return Failure(Errc::limit_exceeded, fmt::format("a target of {} bytes; at most {} are taken", text.size(), max_name_bytes));
  const Result<std::shared_ptr<ClusterResolver>> resolver = maker_(runtime, text);
  if (!resolver) return resolver.error();
  // What the store keeps for a while, and no one listens to here, keeps no other target out.
  const auto is_asked_for = [](const auto& one) { return one.second->has_listeners() || one.second.use_count() > 1; };
  const auto are_too_many_asked_for = [&] {
    return static_cast<std::size_t>(std::count_if(topics_.begin(), topics_.end(), is_asked_for)) >= options.max_targets;
  };
  const bool may_be_full = topics_.size() >= options.max_targets;  // else nobody needs to be counted
  const bool is_full = may_be_full && (topics_.size() >= most_topics * options.max_targets || are_too_many_asked_for());
  if (is_full && !make_room()) {
    return Failure(Errc::limit_exceeded, fmt::format("{} targets are known already, as many as this service takes", topics_.size()))
        .with_hint("ask again when others have ended, or have the service's operator raise its limit");
  }
  auto made = std::make_shared<CopyTopic>(weak_from_this(), id, std::move(canonical), memory);
  return keep(std::move(made));
}

std::shared_ptr<CopyTopic> Copies::keep(std::shared_ptr<CopyTopic> topic) {
  topic->left_at = now();
  topic->mark(mark_);
  by_source_[store_id(ownership_key(topic->parsed()))].insert(topic.get());
  return topics_.emplace(topic->id(), std::move(topic)).first->second;
}

void Copies::drop(Topics::iterator topic) {
  const auto of_source = by_source_.find(store_id(ownership_key(topic->second->parsed())));
  of_source->second.erase(topic->second.get());
  if (of_source->second.empty()) by_source_.erase(of_source);
  topics_.erase(topic);
}

// One that nobody listens to, that no replica wants, and that the store has nothing of.
bool Copies::make_room() {
  const auto idle = std::find_if(topics_.begin(), topics_.end(), [this](const auto& one) {
    const CopyTopic& topic = *one.second;
    return !topic.has_listeners() && one.second.use_count() == 1 && topic.head_revision() == 0 && !wants.contains(one.first);
  });
  if (idle == topics_.end()) return false;
  drop(idle);
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
  for (const auto& [id, record] : replicas) {
    Peer& peer = all.emplace_back();
    peer.id = id;
    peer.schema = record.schema;
    peer.is_leaving = record.is_leaving;
    peer.unable = record.unable;
  }
  return all;
}

std::shared_ptr<CopyTopic> Copies::topic_of_head(const std::string& id, const store::Entry& head) {
  const auto known = topics_.find(id);
  if (known != topics_.end()) return known->second;
  if (is_gone_record(head.value) || topics_.size() >= most_topics * options.max_targets) return nullptr;
  const Result<HeadRecord> record = parse_head(head.value, limits_);
  if (!record || store_id(record->target) != id) return nullptr;
  const Result<Target> target = Target::parse(record->target);
  if (!target || !is_fit_for_service(*target)) return nullptr;
  auto made = std::make_shared<CopyTopic>(weak_from_this(), id, *target, memory);
  if (made->target() != record->target) return nullptr;
  return keep(std::move(made));
}

asio::awaitable<void> Copies::take_status(std::string id, StatusEntries entries) {
  const std::shared_ptr<CopyTopic> topic = entries.head ? topic_of_head(id, *entries.head) : nullptr;
  if (!topic) {
    is_incoherent_ |= !entries.is_all && find(id);
    co_return;
  }
  if (entries.is_all && entries.head->modify_revision == topic->head_revision()) co_return;
  const std::uint64_t revision = entries.head->modify_revision;
  const Result<void> taken = co_await topic->take(std::move(entries), limits_, now());
  if (taken) co_return;
  is_incoherent_ = true;
  topic->note_strange(revision);
}

asio::awaitable<void> Copies::take(std::uint64_t revision, std::vector<store::Change> changes, const RevisionClock& clock) {
  const std::shared_ptr<Copies> alive = shared_from_this();
  std::map<std::string, StatusEntries> statuses;
  bool has_control = false;
  for (store::Change& change : changes) {
    const std::optional<StoreKey> key = keys.parse(change.entry.key);
    if (!key) continue;
    if (key->is_control() && revision <= control_revision_) continue;
    const Control control = take_control_entry(*key, change.entry, change.is_deleted, clock);
    has_control |= control == Control::news;
    if (control != Control::none) continue;
    if (change.is_deleted) {  // of chunks nothing follows; a head ends as a record that says so, and is deleted later
      const auto topic = topics_.find(key->id);
      if (key->kind == Kind::head && topic != topics_.end()) topic->second->lose(revision);
      continue;
    }
    StatusEntries& entries = statuses[key->id];
    entries.clock = &clock;
    if (key->kind == Kind::head) entries.head = std::move(change.entry);
    if (key->kind == Kind::chunk) entries.chunks[key->chunk] = std::move(change.entry.value);
    if (key->kind == Kind::spec) entries.spec = std::move(change.entry.value);
  }
  for (auto& [id, entries] : statuses) co_await take_status(id, std::move(entries));
  revision_ = std::max(revision_, revision);
  if (has_control && on_control) on_control();
}

asio::awaitable<void> Copies::take_all(store::Listing listing, const RevisionClock& clock) {
  const std::shared_ptr<Copies> alive = shared_from_this();
  is_incoherent_ = false;
  std::vector<store::Entry> rest;
  std::map<std::string, StatusEntries> statuses;
  for (store::Entry& entry : listing.entries) {
    const std::optional<StoreKey> key = keys.parse(entry.key);
    if (!key || key->is_control()) continue;
    if (key->kind == Kind::meta || key->kind == Kind::beat) {
      rest.push_back(entry);
      continue;
    }
    StatusEntries& entries = statuses[key->id];
    entries.is_all = true;
    entries.clock = &clock;
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
  // What they say of how old targets are is of the targets as they are now.
  for (const store::Entry& entry : rest) static_cast<void>(take_control_entry(*keys.parse(entry.key), entry, false, clock));
  revision_ = std::max(revision_, listing.revision);
  take_control(listing, clock);
}

void Copies::restart(std::string of_instance) {
  instance = std::move(of_instance);
  const Topics former = std::exchange(topics_, {});
  by_source_.clear();
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
