// One of several services over a store: it hears what the store says, keeps its lease, says what its listeners want, and takes the sources
// that are its to ask.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>

#include <memory>
#include <string>

#include "async/async_event.hpp"
#include "base/backoff.hpp"
#include "fleet/replicas/copies.hpp"
#include "fleet/replicas/source_owner.hpp"
#include "fleet/replicas/store_asker.hpp"

namespace rollcall::fleet {

inline constexpr Duration lease_ttl = std::chrono::seconds(10);
inline constexpr Duration pause_between_own_writes = std::chrono::seconds(1);  ///< see RevisionClock
inline constexpr Duration store_is_silent = std::chrono::seconds(10);  ///< after that followers are told
inline constexpr Duration store_is_lost = std::chrono::seconds(15);    ///< after that it is not ready
inline constexpr Duration pause_between_full_lists = std::chrono::minutes(10);
inline constexpr Duration least_between_relists = std::chrono::seconds(15);  ///< of what did not fit; twice as long each time it does not
inline constexpr Duration least_between_lists = std::chrono::seconds(2);  ///< after what made no sense; twice as long each time
inline constexpr Duration longest_between_lists = std::chrono::minutes(1);

class Replica : public std::enable_shared_from_this<Replica> {
 public:
  /// `fleet`: of the replicas that share a history.
  Replica(const Runtime& runtime, const FleetOptions& options, const ResolverMaker& maker, std::shared_ptr<store::Store> store,
          std::string_view fleet);
  ~Replica();
  Replica(const Replica&) = delete;
  Replica& operator=(const Replica&) = delete;

  /// Begins all of it; it ends by close().
  void start();
  /// Keys end with their lease, as if the process had been killed.
  void close();
  /// Told to the others.
  void serves_at(std::string url);
  /// Tells the others that it goes, and gives back what it owns. Suspends until that is written, 3 s at most. It goes on to hear, and to
  /// serve.
  asio::awaitable<void> leave();

  /// As Fleet::topic(), once the store was listed.
  Result<std::shared_ptr<CopyTopic>> topic(const Target& target);
  const Copies& copies() const noexcept { return *copies_; }
  const SourceOwner& owner() const noexcept { return *owner_; }
  /// Why it is not ready to serve; empty: it is.
  std::string fault() const;

 private:
  class Heard;
  // hearing.cpp: what the store says.
  asio::awaitable<Result<void>> hear(Call& call);
  asio::awaitable<Result<void>> hear_all();
  asio::awaitable<Result<void>> hear_control();
  asio::awaitable<Result<void>> hear_changes(Call& call);
  asio::awaitable<Result<void>> take_heard(Heard& heard);
  asio::awaitable<Result<void>> guard_watch(const Heard& heard);
  asio::awaitable<Result<void>> watch_store(Call& call, Heard& heard);
  asio::awaitable<Result<std::string>> instance_of(const store::Listing& listing);
  void note_heard() { heard_at_ = now(); }
  void note_trouble(const Result<void>& listed);

  // replica.cpp: being there.
  asio::awaitable<Result<void>> run(Call& call);
  asio::awaitable<Result<void>> stay();
  asio::awaitable<bool> keep_lease(SteadyTime& next);
  asio::awaitable<void> write_self(SteadyTime& next);
  void lose(std::string_view why);

  // deciding.cpp: what to want, and what to own.
  asio::awaitable<Result<void>> decide();
  asio::awaitable<bool> write_wants(SteadyTime& next);
  asio::awaitable<bool> settle_sources(SteadyTime& next);
  std::string owner_of(const std::string& source) const;
  asio::awaitable<bool> claim(std::string id, std::string name);
  asio::awaitable<bool> take_again(std::string id, bool is_wanted);
  asio::awaitable<bool> yield(std::string id, std::string_view reason, bool with_beat);
  asio::awaitable<bool> give_back(std::string id, std::uint64_t epoch, bool with_beat);
  asio::awaitable<bool> clear_away(SteadyTime& next);
  void on_wished(CopyTopic& topic);
  void mark(SteadyTime& next);
  void tidy(CopyTopic& topic, SteadyTime& next);

  bool is_here() const noexcept { return lease_ != 0 && life_.is_alive(now()); }
  SteadyTime now() const { return runtime_->time->now(); }
  asio::awaitable<bool> rest(Duration about);
  asio::awaitable<bool> wait(AsyncEvent& event, SteadyTime until);

  std::shared_ptr<Runtime::Impl> runtime_;
  std::string url_;
  std::shared_ptr<StoreAsker> store_;
  std::shared_ptr<Copies> copies_;
  std::unique_ptr<SourceOwner> owner_;
  asio::cancellation_signal signal_;
  SteadyTime begun_at_;
  bool is_closed_ = false;
  bool is_leaving_ = false;
  bool has_said_leaving_ = false;

  // What is heard.
  WatchPulse pulse_;
  bool is_listed_ = false;  // since the last history began
  bool needs_list_ = true;
  std::uint64_t watch_from_ = 0;
  SteadyTime full_list_at_ = SteadyTime::max();
  std::optional<SteadyTime> heard_at_;
  std::optional<Errc> trouble_;  // of the last list
  Duration relist_pause_ = least_between_relists;  // what a list cannot mend is not listed again and again
  ExponentialBackoff after_senseless_{least_between_lists, longest_between_lists};
  AsyncEvent guard_;

  // Being there.
  std::int64_t lease_ = 0;  // 0: none
  LeaseLife life_;
  Timer life_over_;
  SteadyTime renew_at_ = SteadyTime::min();
  std::uint64_t heartbeat_ = 0;
  SteadyTime wrote_self_at_ = SteadyTime::min();
  bool has_self_news_ = false;
  AsyncEvent stay_;

  // Deciding.
  AsyncEvent decide_;
  class OwnWant {
   public:
    WantRecord written;
    std::int64_t lease = 0;  // with which it was written; 0: it was not
    std::uint64_t wish = 0;
    SteadyTime wished_at = SteadyTime::min();
  };
  std::map<std::string, OwnWant> own_wants_;  // by id of the target
  std::map<std::string, SourceOwnership> ownership_;
  std::map<std::string, std::uint64_t> had_;  // epochs of sources that this replica took: it takes none of them twice
  FailedLooks failed_;
};

}  // namespace rollcall::fleet
