// The sources that this replica owns: it follows what any replica wants of them, and writes what it sees into the store.
#pragma once

#include <asio/awaitable.hpp>

#include <map>
#include <memory>
#include <set>
#include <string>

#include "async/async_event.hpp"
#include "fleet/replicas/copies.hpp"
#include "fleet/replicas/owned_target.hpp"
#include "fleet/replicas/store_asker.hpp"
#include "rollcall/call.hpp"

namespace rollcall::fleet {

/// A source that this service asks, and what it follows of it.
class OwnedSource {
 public:
  std::string name;
  std::uint64_t epoch = 0;
  SteadyTime claimed_at{};
  std::map<std::string, std::shared_ptr<OwnedTarget>> targets;  // by id
  SteadyTime heartbeat_at = SteadyTime::min();
  std::set<std::string> wished;  // targets that somebody waits for
  std::map<std::string, std::optional<SteadyTime>> told;  // what the last beat was made of
};

class SourceOwner {
 public:
  SourceOwner(std::shared_ptr<Copies> copies, std::shared_ptr<StoreAsker> store, ResolverMaker maker);
  ~SourceOwner() { drop_all("closed"); }

  /// The store has given it this source.
  void take(const std::string& id, const std::string& name, std::uint64_t epoch);
  /// It is not this one's any more: stops asking at once. `reason`: a literal.
  void drop(const std::string& id, std::string_view reason);
  void drop_all(std::string_view reason);
  /// Others are wanted than before.
  void attend();
  const std::map<std::string, OwnedSource>& sources() const noexcept { return sources_; }
  /// Looks in a row without an answer, of the target of a source that is best off.
  int failures(const std::string& id) const;
  /// Of what this replica asks: requests and quotas.
  std::vector<SourceFacts> facts() const { return session_ ? session_->sources() : std::vector<SourceFacts>(); }

  /// Writes, until it is cancelled.
  asio::awaitable<Result<void>> run();
  /// Writes what is still to be written of a source, once: before it is given back.
  asio::awaitable<void> write_all(const std::string& id);

  ReplicaNumbers numbers;

 private:
  using Due = std::pair<std::string, std::string>;  // source, target
  static constexpr std::size_t writes_at_a_time = 8;
  void wake() { event_.wake(); }
  std::shared_ptr<Fleet> asking();
  std::shared_ptr<OwnedTarget> find(const Due& due) const;
  std::vector<Due> due(SteadyTime& next);
  asio::awaitable<Result<bool>> write_news(SteadyTime& next);
  asio::awaitable<Result<void>> write_beats(SteadyTime& next);
  asio::awaitable<Result<void>> write(Due due);
  asio::awaitable<Result<void>> beat(std::string id, SteadyTime& next);
  bool has_beat(const OwnedSource& source, SteadyTime& next) const;
  std::optional<BeatRecord> beat_of(OwnedSource& source, SteadyTime& next);
  void note_failure(const Failure& failure);
  SteadyTime now() const { return runtime_->time->now(); }

  std::shared_ptr<Copies> copies_;
  std::shared_ptr<StoreAsker> store_;
  ResolverMaker maker_;
  std::shared_ptr<Runtime::Impl> runtime_;
  std::shared_ptr<Fleet> session_;  // null: nothing is owned
  std::map<std::string, OwnedSource> sources_;
  AsyncEvent event_;
  SteadyTime rest_until_ = SteadyTime::min();  // the store did not answer
  SteadyTime beats_at_ = SteadyTime::min();    // when all sources were looked at last for beats
};

inline constexpr Duration pause_between_beats = std::chrono::seconds(5);   ///< of a source

}  // namespace rollcall::fleet
