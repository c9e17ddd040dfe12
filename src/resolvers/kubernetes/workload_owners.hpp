// The owners of pods, up to the workload that a user has made. Each is read once, until it is read again on purpose.
#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/load.hpp"
#include "resolvers/kubernetes/workload/rules/workload_chain.hpp"
#include "resolvers/kubernetes/workload_client.hpp"

namespace rollcall {

class FoundPod;

/// The pods at hand, by uid: a group's leader owns the StatefulSet of its workers.
using PodsByUid = std::map<std::string_view, const FoundPod*>;

/// An order of uids that compares few bytes: their ends are random.
class UidOrder {
 public:
  bool operator()(std::string_view a, std::string_view b) const noexcept {
    if (a.size() != b.size()) return a.size() < b.size();
    if (a.size() < sizeof(std::uint64_t)) return a < b;
    const auto end_of = [](std::string_view uid) { return load<std::uint64_t>(uid.data() + uid.size() - sizeof(std::uint64_t)); };
    return end_of(a) != end_of(b) ? end_of(a) < end_of(b) : a < b;
  }
};

/// An owner to be read.
class OwnerToRead {
 public:
  OwnerToRead() {}
  WorkloadReference reference;
  std::string namespace_name;
};

/// Of a pod that has an owner.
OwnerToRead owner_of(const FoundPod& pod);

class WorkloadOwners {
 public:
  enum class State {
    known,
    other_kind,  ///< of a kind that is not known: the walk ends there
    refused,     ///< it may not be read: the walk ends there
    gone,        ///< it does not exist any more, or another has its name
  };
  class Owner {
   public:
    Owner() {}
    State state = State::known;
    std::shared_ptr<const Workload> object;  ///< null unless it is a workload that is known
    std::string namespace_name;
    WorkloadReference self;
    std::optional<WorkloadReference> parent;
    std::string words;  ///< of one that is not known: `StatefulSet 'x' is of a kind that is not known`
  };

  /// `client` must outlive it.
  explicit WorkloadOwners(WorkloadClient& client) : client_(client) {}
  WorkloadOwners(const WorkloadOwners&) = delete;

  /// Reads those of `owners` that are not known, and what owns them in turn. `pods` need not be read. Errors: a failure that a later
  /// attempt may not meet; what was read stays.
  asio::awaitable<Result<void>> look_up(Call& call, std::vector<OwnerToRead> owners, const PodsByUid& pods = {});
  /// Reads what is known of these uids again. Errors: as above.
  asio::awaitable<Result<void>> read_again(Call& call, std::vector<std::string> uids);
  /// Keeps an object that was read by its name, and reads what owns it.
  asio::awaitable<Result<void>> adopt(Call& call, Workload workload);

  /// Null: not read.
  const Owner* find(std::string_view uid) const;
  /// From the outermost owner down to the one with this uid.
  WorkloadChain chain_of(std::string_view uid) const;
  /// Increases with each object that has changed since it was read before.
  std::uint64_t revision() const noexcept { return revision_; }
  std::size_t size() const noexcept { return owners_.size(); }
  /// Forgets all except these.
  void keep_only(const std::set<std::string>& uids);

 private:
  asio::awaitable<Result<Owner>> read(Call& call, const OwnerToRead& wanted, const PodsByUid& pods);
  void keep(Owner owner);

  WorkloadClient& client_;
  std::map<std::string, Owner, std::less<>> owners_;  // by uid
  mutable std::map<std::string, Owner, std::less<>>::const_iterator last_ = owners_.end();  // the one found last: neighbours have the same
  std::uint64_t revision_ = 0;
};

}  // namespace rollcall
