// How many pods there must be, by the workloads that make them: of a workload that is named, or of those that own the pods of selectors.
// Decides which pods are members, and at which place.
#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "resolvers/kubernetes/rules/found_pod.hpp"
#include "resolvers/kubernetes/rules/pod_places.hpp"
#include "resolvers/kubernetes/workload/rules/selected_roles.hpp"
#include "resolvers/kubernetes/workload_owners.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// A workload by its name.
class NamedWorkload {
 public:
  NamedWorkload() {}
  const WorkloadType* type = nullptr;
  std::string name;
  std::vector<const WorkloadType*> others;  ///< what else the kind may be; empty: nothing
};

/// Pods that are no members, and have to end before there are any: those of an initializer.
class UnfinishedStage {
 public:
  UnfinishedStage() {}
  std::string name;
  std::string namespace_name;
  std::string selector;
};

class ExpectedPods {
 public:
  /// For pods by labels. `scope` must outlive it.
  ExpectedPods(const PodScope& scope, KubernetesOptions::LabelMapping jobs);
  /// For the pods of one workload.
  ExpectedPods(const PodScope& scope, NamedWorkload workload);
  ExpectedPods(const ExpectedPods&) = delete;

  /// The jobs and the selectors of their pods. Of a named workload: valid after refresh(), which may change them.
  const KubernetesOptions::LabelMapping& jobs() const noexcept { return jobs_; }
  bool is_named() const noexcept { return named_.has_value(); }
  /// The details of pods that decide which are members. Valid as jobs().
  PodDetail detail(PodDetail wanted) const noexcept { return by_group_ ? PodDetail::readiness : wanted; }
  /// True if there is a workload that may change.
  bool has_workloads() const noexcept;
  /// Increases when refresh() finds a change.
  std::uint64_t revision() const noexcept { return owners_.revision(); }

  /// Reads the workloads that are known already, and the named one, again. Errors: as WorkloadClient::get(), of the named one; of others
  /// only failures that a later attempt may not meet.
  asio::awaitable<Result<void>> refresh(Call& call);
  /// True if look_up() has to be called for these pods before take().
  bool has_new_owners(const std::vector<PodPointers>& pods) const;
  /// Finds the owners of the pods. Errors: failures that a later attempt may not meet.
  asio::awaitable<Result<void>> look_up(Call& call, const std::vector<PodPointers>& pods);
  /// Leaves out the pods that have been replaced, and those that are no members. `pods`: a list for each selector, in the order of jobs().
  /// After it, places() and finish() are of these pods.
  void take(std::vector<PodPointers>& pods);

  /// The places of a selector's pods; null: they are numbered by themselves.
  const PodPlaces* places(std::size_t selector) const;
  /// Writes the number of members, its source, and what holds up the whole, into a status that has the members, with as many as `places`
  /// says of each selector where the number is not known.
  void finish(ClusterStatus& status, const std::vector<int>& places) const;
  /// What says how many pods the named workload has; null: it is not read yet, or none is named.
  const Workload* counted() const noexcept { return named_ && !chain_.levels.empty() ? chain_.counted() : nullptr; }
  std::vector<UnfinishedStage> unfinished_stages() const;
  /// Empty, or the line that says why the number is not known.
  const std::string& unknown() const noexcept { return unknown_; }
  /// For a caller that needs a complete cluster, before it looks at the pods. Errors: not_ready, if a workload of them has ended.
  Result<void> check_alive() const;
  /// For a caller that needs a complete cluster: `spec` has the members. Errors: not_ready, if pods are missing, or something holds up a
  /// named workload.
  Result<void> check_complete(const ClusterSpec& spec) const;

 private:
  /// What is known of one selector's pods.
  class Selection {
   public:
    Selection() {}
    std::optional<int> size;  ///< absent: not known
    std::string source;  ///< `Job trainer: 4`
    std::string unknown;  ///< why it is not known
    int at_least = 0;  ///< where it is not known: so many, by the pods' labels
    std::vector<std::string> workloads;  ///< the uids of those that count
    std::optional<PodPlaces> places;
    std::map<std::string, int> plain_groups;  ///< of Kueue, by their names
    /// By pods' uids: the workload and the job of their role. Only of pods whose workload makes one after the other.
    std::map<std::string, std::pair<std::string, std::string>> stages;
  };

  /// The workloads of one selector's pods.
  class OwnedPods {
   public:
    OwnedPods() {}
    std::map<std::string, WorkloadChain> workloads;  // by uid
    std::map<std::string_view, const Workload*, UidOrder> workload_of;  // by the uid of the pods' owner; null: not known
    std::map<const Workload*, int> pods;  // how many each has
    PodPointers plain;  // of Kueue's groups of plain pods
    int bare = 0;  // other pods without an owner
    std::string unknown;  // why the workload of some is not known
  };

  asio::awaitable<Result<void>> read_named(Call& call);
  OwnedPods group_by_workload(PodPointers& pods) const;
  bool select(std::string_view selector, const WorkloadChain& chain, const OwnedPods& owned, Selection& selection,
              std::vector<PodPlaceRun>& runs, PodPointers& pods);
  asio::awaitable<Result<void>> read_again(Call& call);
  void choose_level();
  static void note_stages(const Workload& workload, const OwnedPods& owned, const PodPointers& pods, Selection& selection);
  void take_named(std::size_t selector, PodPointers& pods);
  void take_group(const WorkloadRole& role, Selection& selection, PodPointers& pods);
  void take_owned(const std::string& selector, Selection& selection, PodPointers& pods);
  static void settle_leaving(const Selection& selection, PodPointers& pods);
  static void take_plain(PodPointers plain, Selection& selection, PodPointers& pods);
  void share_plain_groups(const std::vector<PodPointers>& pods);
  std::map<std::string, ClusterStatus> by_roles(const ClusterStatus& status) const;
  void add_state(ClusterStatus& status, const WorkloadChain& chain, const ClusterStatus& own, bool is_only) const;
  bool is_owner_of_named(std::string_view uid) const;
  void forget_others(const std::set<std::string>& needed);

  const PodScope& scope_;
  std::optional<NamedWorkload> named_;
  KubernetesOptions::LabelMapping jobs_;
  WorkloadClient client_;
  WorkloadOwners owners_;
  const Workload* group_ = nullptr;  // the named one, if it is a PodGroup
  bool by_group_ = false;  // then its members are the pods that name it; else those of what has made it
  WorkloadChain chain_;  // of the named one
  std::vector<const WorkloadRole*> roles_;  // of the named one, for each selector
  std::vector<Selection> selections_;
  std::string unknown_;
};

/// Says once by the log that the number of pods is not known, and why. `said`: what has been said, kept between calls.
void note_unknown_number(Call& call, const ExpectedPods& expected, std::string& said);
/// Nor does `status` say it to a caller that knows the number.
void leave_out_unknown_number(Call& call, const ExpectedPods& expected, ClusterStatus& status);

}  // namespace rollcall
