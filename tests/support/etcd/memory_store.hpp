// A store whose engine is a model of etcd in this process: for tests in virtual time. Several of them on one model are the stores of
// several replicas, each with faults of its own.
#pragma once

#include <memory>

#include "store/store.hpp"
#include "support/etcd/etcd_model.hpp"

namespace rollcall::sim {

/// Time is that of the calls' Runtime. Refused calls, late ones and ended watches behave as with EtcdStore.
class MemoryStore : public store::Store {
 public:
  enum class Reach {
    open,
    refused,  ///< no server takes a connection: Errc::unreachable at once, and watches break
    hanging,  ///< no answer comes: Errc::response_timeout after 3 s (lists: 30 s); watches stay, and stay silent
  };
  /// How this store reaches the engine from now on. Calls that hang stay so after a change; new calls are answered.
  virtual void reach(Reach how) = 0;
  /// Delays each answer; the writes have happened before.
  virtual void delay_answers(Duration by) = 0;
  /// The next writes and leases, `count` of them, happen, but their answers are lost: Errc::response_timeout after 3 s.
  virtual void lose_answers(int count) = 0;
  /// Present watches report nothing any more, and do not end.
  virtual void silence_watches() = 0;
  /// Present watches end with this reason; empty: they break.
  virtual void end_watches(std::string reason) = 0;
  /// The number of watches that have not ended.
  virtual std::size_t watches() const = 0;
  /// The number of calls of all kinds so far.
  virtual std::uint64_t calls() const = 0;
};

std::shared_ptr<MemoryStore> make_memory_store(std::shared_ptr<EtcdModel> model);

}  // namespace rollcall::sim
