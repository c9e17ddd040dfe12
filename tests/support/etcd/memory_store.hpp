// A store whose engine is a model of etcd in this process: for tests in virtual time. Several on one model are the stores of several
// replicas, each with faults of its own.
#pragma once

#include <memory>

#include "store/store.hpp"
#include "support/etcd/etcd_model.hpp"

namespace rollcall::sim {

/// Uses the time of the calls' Runtime. Refused calls, late ones and ended watches have the failures of EtcdStore.
class MemoryStore : public store::Store {
 public:
  enum class Reach {
    open,
    refused,  ///< no server takes a connection: Errc::unreachable at once, and watches break
    hanging,  ///< no answer: Errc::response_timeout after 3 s (lists: 30 s); watches stay, and get no more events
  };
  /// How this store reaches the engine from now on. A call that hangs continues to hang; new calls are answered.
  virtual void reach(Reach how) = 0;
  /// Each answer is delayed by this time; the writes have happened before.
  virtual void delay_answers(Duration by) = 0;
  /// The next writes and leases (this number) happen, but the answer is lost: Errc::response_timeout after 3 s.
  virtual void lose_answers(int count) = 0;
  /// The current watches get no more events, and do not end.
  virtual void silence_watches() = 0;
  /// The current watches end, each with this reason; empty: they break.
  virtual void end_watches(std::string reason) = 0;
  /// The number of watches that have not ended.
  virtual std::size_t watches() const = 0;
  /// The number of calls of all kinds so far.
  virtual std::uint64_t calls() const = 0;
};

std::shared_ptr<MemoryStore> make_memory_store(std::shared_ptr<EtcdModel> model);

}  // namespace rollcall::sim
