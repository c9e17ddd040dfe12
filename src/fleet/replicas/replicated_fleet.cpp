#include "fleet/replicas/replicated_fleet.hpp"

#include <algorithm>
#include <utility>

#include "fleet/replicas/replica.hpp"
#include "fleet/rules/project_quota.hpp"
#include "fleet/rules/source_key.hpp"
#include "fleet/wire/served_target.hpp"

namespace rollcall::fleet {
namespace {

class ReplicatedFleet final : public Fleet {
 public:
  explicit ReplicatedFleet(std::shared_ptr<Replica> replica) : replica_(std::move(replica)) {}
  ~ReplicatedFleet() override { replica_->close(); }

  Result<std::shared_ptr<Topic>> topic(const Target& target) override {
    Result<std::shared_ptr<CopyTopic>> topic = replica_->topic(target);
    if (!topic) return topic.error();
    return std::shared_ptr<Topic>(std::move(*topic));
  }
  std::vector<std::shared_ptr<Topic>> topics() const override {
    std::vector<std::shared_ptr<Topic>> all;
    all.reserve(copies().topics().size());
    for (const auto& [id, topic] : copies().topics()) {
      if (!topic->is_gone()) all.push_back(topic);
    }
    return all;
  }
  bool has_topic(const Target& target) const override {
    const CopyTopic* const topic = copies().find(store_id(canonical_target(target).to_text()));
    return topic && !topic->is_gone();
  }
  std::vector<SourceFacts> sources() const override;
  std::optional<ReplicaNumbers> replica_numbers() const override {
    ReplicaNumbers numbers = replica_->owner().numbers;
    numbers.replicas = copies().replicas.size();
    numbers.sources = replica_->owner().sources().size();
    return numbers;
  }
  Position position() const override { return copies().position(); }
  FallbackSchedule fallback_schedule() const override;
  std::size_t memory_bytes() const noexcept override { return copies().memory->used(); }
  const Runtime& runtime() const noexcept override { return copies().runtime; }
  std::string fault() const override { return replica_->fault(); }
  void serves_at(const std::string& url) override { replica_->serves_at(url); }
  asio::awaitable<void> leave() override { return replica_->leave(); }
  void close() override { replica_->close(); }

 private:
  const Copies& copies() const noexcept { return std::as_const(*replica_).copies(); }
  std::shared_ptr<Replica> replica_;
};

// What others ask is known by their beats; how much they use of the quota is not.
std::vector<SourceFacts> ReplicatedFleet::sources() const {
  std::vector<SourceFacts> all = replica_->owner().facts();
  for (const auto& [id, seen] : copies().owners) {
    if (seen.record.replica == copies().self) continue;
    SourceFacts& facts = all.emplace_back();
    facts.key = seen.record.source;
    const auto replica = copies().replicas.find(seen.record.replica);
    const bool has_url = replica != copies().replicas.end() && !replica->second.url.empty();
    facts.asked_by = has_url ? replica->second.url : seen.record.replica;
    const auto beat = copies().beats.find(id);
    if (beat == copies().beats.end()) continue;
    facts.targets = beat->second.targets;
    facts.polled_at = beat->second.polled_at;
    facts.trouble = beat->second.trouble;
  }
  std::sort(all.begin(), all.end(), [](const SourceFacts& a, const SourceFacts& b) { return a.key < b.key; });
  return all;
}

// Followers are taken for as many at each replica.
FallbackSchedule ReplicatedFleet::fallback_schedule() const {
  const std::size_t replicas = std::max<std::size_t>(copies().replicas.size(), 1);
  std::map<std::string, DirectClients> by_quota;
  for (const auto& [id, topic] : copies().topics()) {
    if (!topic->is_wanted_here) continue;
    const std::string source = ownership_key(topic->parsed());
    DirectClients& clients = by_quota[quota_key(source)];
    clients.followers += topic->listeners() * replicas;
    clients.polls_per_minute = polls_per_minute_at(source, copies().options);
  }
  return fallback_schedule_for(by_quota, copies().options.polls_per_minute);
}

}  // namespace

std::shared_ptr<Fleet> make_replicated_fleet(Runtime runtime, std::shared_ptr<store::Store> store, std::string name, FleetOptions options,
                                             ResolverMaker maker) {
  const auto made = std::make_shared<Replica>(runtime, options, maker, std::move(store), name);
  made->start();
  return std::make_shared<ReplicatedFleet>(made);
}

std::shared_ptr<Fleet> make_replicated_fleet(Runtime runtime, std::shared_ptr<store::Store> store, std::string name, FleetOptions options) {
  const auto by_target = [](Runtime for_all, const std::string& target) { return make_resolver(std::move(for_all), target); };
  return make_replicated_fleet(std::move(runtime), std::move(store), std::move(name), std::move(options), by_target);
}

}  // namespace rollcall::fleet
