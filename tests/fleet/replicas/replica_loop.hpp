// Several replicas of a fleet over one store in memory, and the cloud that they ask, in virtual time.
#pragma once

#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fleet/fleet_support.hpp"
#include "fleet/replicas/hostile_store.hpp"
#include "fleet/replicas/replicated_fleet.hpp"
#include "fleet/replicas/rules/ownership.hpp"
#include "fleet/replicas/store_keys.hpp"
#include "fleet/replicas/wire/records.hpp"
#include "support/etcd/memory_store.hpp"

namespace rollcall::testing {

/// `fleet` of FleetLoop asks by itself, as a service without a store does: nobody listens to it here.
class ReplicaLoop : public FleetLoop {
 public:
  class One {
   public:
    std::shared_ptr<sim::MemoryStore> store;
    std::shared_ptr<fleet::Fleet> fleet;
  };

  explicit ReplicaLoop(std::string_view cloud_text, std::size_t replicas = 1) : FleetLoop(cloud_text) {
    for (std::size_t i = 0; i < replicas; ++i) add();
    pass(1);
  }
  ~ReplicaLoop() {
    for (One& one : ones) one.fleet->close();
    poll();
  }

  One& add() {
    One& one = ones.emplace_back();
    one.store = sim::make_memory_store(model);
    one.fleet = fleet::make_replicated_fleet(runtime, one.store, "default");
    one.fleet->serves_at(fmt::format("http://replica-{}", ones.size() - 1));
    return one;
  }
  /// One more, whose store does what the test says.
  HostileStore& add_hostile() {
    const auto hostile = std::make_shared<HostileStore>(model);
    One& one = ones.emplace_back();
    one.store = hostile->behind;
    one.fleet = fleet::make_replicated_fleet(runtime, hostile, "default");
    one.fleet->serves_at(fmt::format("http://replica-{}", ones.size() - 1));
    return *hostile;
  }
  /// As somebody else would write it.
  void put(const std::string& of, std::string value) {
    sim::EtcdTransaction transaction;
    sim::EtcdOperation& write = transaction.success.emplace_back();
    write.kind = sim::EtcdOperation::Kind::put;
    write.span = sim::EtcdSpan(of);
    write.value = std::move(value);
    CHECK(model->commit(transaction).has_value());
    poll();
  }
  /// As if its process had been killed: what it holds ends with its leases.
  void kill(std::size_t replica) { ones[replica].fleet->close(); }

  std::shared_ptr<fleet::Topic> tpu_at(std::size_t replica, std::string_view name) {
    const std::string text = fmt::format("tpu:{},project=example-proj,zone=us-central2-b", name);
    return value_of(ones[replica].fleet->topic(value_of(Target::parse(text))));
  }

  std::optional<sim::EtcdKey> key(const std::string& of) const {
    const sim::EtcdModel::State state = model->backup();
    const auto found = state.keys.find(of);
    return found == state.keys.end() ? std::nullopt : std::optional(found->second);
  }
  /// Which of the replicas the store says to ask the zone; -1: none.
  int owner() const {
    const std::optional<sim::EtcdKey> owner = key(keys.owner(source));
    if (!owner) return -1;
    const std::string id = value_of(fleet::parse_owner(owner->value, ParseLimits())).replica;
    const std::optional<sim::EtcdKey> replica = key(keys.replica(id));
    if (!replica) return -2;
    const std::string url = value_of(fleet::parse_replica(replica->value, ParseLimits())).url;
    return url.back() - '0';
  }
  std::uint64_t epoch() const {
    const std::optional<sim::EtcdKey> owner = key(keys.owner(source));
    return owner ? owner->create_revision : 0;
  }

  std::shared_ptr<sim::EtcdModel> model = std::make_shared<sim::EtcdModel>();
  const fleet::StoreKeys keys = fleet::StoreKeys("default");
  const std::string source = fleet::store_id("tpu/example-proj/us-central2-b");
  std::vector<One> ones;
};

}  // namespace rollcall::testing
