// What the store says, as one replica has heard it: who is there, who wants what, who asks, and what is known of each target.
#pragma once

#include <asio/awaitable.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "call/runtime_impl.hpp"
#include "fleet/fleet_core.hpp"
#include "fleet/replicas/copy_topic.hpp"
#include "fleet/replicas/rules/ownership.hpp"
#include "fleet/replicas/store_keys.hpp"
#include "fleet/replicas/wire/records.hpp"

namespace rollcall::fleet {

class SeenOwner {
 public:
  OwnerRecord record;
  std::uint64_t epoch = 0;
  std::int64_t lease = 0;
};

class SeenBeat {
 public:
  std::size_t targets = 0;
  std::string trouble;
  std::optional<SteadyTime> polled_at;  ///< of its source; none: that is not known
};

/// A target that some replica wants to hear of.
class SeenWant {
 public:
  explicit SeenWant(Target of) : target(std::move(of)), source(ownership_key(target)), source_id(store_id(source)) {}
  Target target;
  std::string source;
  std::string source_id;
  std::map<std::string, WantRecord> by_replica;
  bool wants_spec() const;
};

/// What another replica may name: nothing that a client could not, but for the context that its settings have.
bool is_fit_for_service(const Target& target);

class Copies final : public CopyHost, public std::enable_shared_from_this<Copies> {
 public:
  Copies(Runtime runtime, const FleetOptions& options, ResolverMaker maker, StoreKeys keys, std::string self);

  /// As Fleet::topic().
  Result<std::shared_ptr<CopyTopic>> topic(const Target& target);
  using Topics = std::map<std::string, std::shared_ptr<CopyTopic>>;
  const Topics& topics() const noexcept { return topics_; }  ///< by id
  CopyTopic* find(const std::string& id) const;
  /// Unless somebody holds it.
  void forget(const std::string& id);

  /// All there is, as of the listing's revision; how old it is, by `clock`, which must outlive it. Suspends.
  asio::awaitable<void> take_all(store::Listing listing, const RevisionClock& clock);
  /// The same of replicas, owners and wants alone: a watch may have lost their end.
  void take_control(const store::Listing& listing, const RevisionClock& clock);
  /// All changes of one revision.
  asio::awaitable<void> take(std::uint64_t revision, std::vector<store::Change> changes, const RevisionClock& clock);

  /// The store begins another history: topics are made anew, and those that were are not told of anything any more.
  void restart(std::string of_instance);
  /// Trouble of all topics, that this replica alone tells; empty: none.
  void mark(const std::string& trouble);
  bool is_marked() const noexcept { return !mark_.empty(); }
  /// Something did not fit since the last take_all().
  bool is_incoherent() const noexcept { return is_incoherent_; }

  Position position() const { return Position(instance, revision_); }
  std::vector<Peer> peers() const;

  const Runtime runtime;
  const FleetOptions options;
  const StoreKeys keys;
  const std::string self;
  const std::shared_ptr<MemoryAccount> memory;

  std::string instance;  ///< of the history that is told
  std::map<std::string, ReplicaRecord> replicas;
  std::map<std::string, SeenOwner> owners;  ///< by id of the source
  std::map<std::string, SeenBeat> beats;    ///< the same
  std::map<std::string, SeenWant> wants;    ///< by id of the target

  /// Called when replicas, owners or wants have changed, or what listeners here want.
  std::function<void()> on_control;
  std::function<void(CopyTopic&)> on_wished;

 private:
  void on_listener(CopyTopic& topic) override;
  void on_wish(CopyTopic& topic) override;
  bool is_wanted(const CopyTopic& topic) const override { return wants.contains(topic.id()); }
  enum class Control { none, quiet, news };  // not of these records; nothing to decide about; something
  Control take_control_entry(const StoreKey& key, const store::Entry& entry, bool is_deleted, const RevisionClock& clock);
  void take_want(const StoreKey& key, const store::Entry& entry, bool is_deleted);
  void take_heartbeat(const std::string& source, const store::Entry& entry, const RevisionClock& clock);
  asio::awaitable<void> take_status(std::string id, StatusEntries entries);
  std::shared_ptr<CopyTopic> topic_of_head(const std::string& id, const store::Entry& head);
  std::shared_ptr<CopyTopic> keep(std::shared_ptr<CopyTopic> topic);
  void drop(Topics::iterator topic);
  bool make_room();
  SteadyTime now() const { return impl_of(runtime).time->now(); }

  ResolverMaker maker_;
  ParseLimits limits_;
  Topics topics_;
  std::map<std::string, std::set<CopyTopic*>> by_source_;  // of topics_, by id of the source: a beat is of one source's alone
  std::uint64_t revision_ = 0;
  std::uint64_t control_revision_ = 0;  // as of which control records are known: older events of a watch are no news
  bool is_incoherent_ = false;
  std::string mark_;
};

}  // namespace rollcall::fleet
