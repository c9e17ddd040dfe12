// The result of one poll of a cluster: its members, the state of each, and announced events; and the interface through which a resolver
// that follows its cluster reports it. No I/O.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rollcall/cluster_spec.hpp"
#include "rollcall/error.hpp"
#include "rollcall/shared_value.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// How far a member, or a whole cluster, is from being ready; a greater state is worse.
enum class MemberState : std::uint8_t {
  ready,
  waiting,        ///< becomes ready without action by the user
  unschedulable,  ///< waiting, and no node has room for it now (Kubernetes: PodScheduled=False, Unschedulable)
  stopped,        ///< becomes ready once the user starts it
  lost,           ///< never becomes ready: failed, preempted, being deleted, gone
};
/// `ready`, `waiting`, …; stable, used in JSON output.
std::string_view to_string(MemberState level) noexcept;

/// A state and the service's words for it: `CREATING`, `Pending (ContainerCreating)`. The text is empty when there is no detail. Printable.
class Condition {
 public:
  Condition() {}
  Condition(MemberState how, std::string words) : level(how), text(std::move(words)) {}
  MemberState level = MemberState::ready;
  std::string text;
  friend bool operator==(const Condition&, const Condition&) = default;
};

/// The accelerators of one member, as far as they are known.
class Accelerators {
 public:
  Accelerators() {}
  Accelerators(std::string of_kind, int how_many, std::string known_by)
      : kind(std::move(of_kind)), count(how_many), source(std::move(known_by)) {}
  std::string kind;  ///< as TensorFlow's device types: `GPU`, `TPU`; where it has none, the field's word: `HPU`, `NEURON`
  std::string model;  ///< `H100`, `v5p`; empty: not known
  int count = 0;  ///< may be 0: the member is known to have none
  bool is_shared = false;  ///< counts those of the machine, which all tasks on it share; false: the member's own
  std::string source;  ///< where the number is from: `resource limits`, `SLURM_GPUS_ON_NODE`, `accelerator type`
  friend bool operator==(const Accelerators&, const Accelerators&) = default;
};

/// The place of a member in a job of several parts: a slice of a multislice job, a Job of a JobSet, a group of a LeaderWorkerSet.
class MemberPart {
 public:
  MemberPart() {}
  MemberPart(std::string of_kind, int at, int of) : kind(std::move(of_kind)), index(at), count(of) {}
  std::string kind;  ///< `slice`, `job`, `group`, `component`, `instance group`
  int index = 0;  ///< of the part, from 0
  int count = 0;  ///< how many parts the job has; 0: not known
  int member = 0;  ///< index within the part
  int members = 0;  ///< members of the part; 0: not known
  std::string name;  ///< the part's own name; may be empty
  friend bool operator==(const MemberPart&, const MemberPart&) = default;
};

/// What holds a member up. The enumerators are in the order in which a cluster comes up: a lower one holds up what comes after it.
enum class CauseLayer : std::uint8_t {
  workload,  ///< the object that asks for the members: absent, suspended, ended, run elsewhere
  queue,  ///< a queue has not admitted it: quota, admission checks
  creation,  ///< the member could not be created: quota of the namespace, policy, webhook
  order,  ///< an earlier stage has to be ready first
  gate,  ///< a scheduling gate
  schedule,  ///< no place for it, or for its gang
  node,  ///< its machine is not well
  volume,  ///< volumes and the network of its sandbox
  image,  ///< the program's image
  init,  ///< what runs before the program
  container,  ///< the program itself
  readiness,  ///< it runs, and does not say that it is ready
  leaving,  ///< it is being taken away
  service,  ///< what the service says that fits no other layer
};
/// `workload`, `queue`, …; stable, used in JSON output.
std::string_view to_string(CauseLayer layer) noexcept;

/// One reason why a member is not ready. All texts are printable and bounded.
class Cause {
 public:
  Cause() {}
  Cause(CauseLayer at, std::string word, std::string words, std::string by)
      : layer(at), code(std::move(word)), text(std::move(words)), object(std::move(by)) {}
  CauseLayer layer = CauseLayer::service;
  std::string code;  ///< the service's own word: `WaitingForQuota`, `ErrImagePull`, `OOMKilled`
  std::string text;  ///< its message; may be empty
  std::string object;  ///< the object that says so: `ClusterQueue gpu`, `Node gpu-b12`, `container trainer`
  std::optional<WallTime> since;  ///< when it began; absent: not known
  bool is_final = false;  ///< nothing that the service does by itself mends it
  friend bool operator==(const Cause&, const Cause&) = default;
};

/// One task of the cluster, or the place of a task that is still missing.
class Member {
 public:
  Member() {}
  Member(std::string of_job, int at_index) : job(std::move(of_job)), index(at_index) {}
  std::string job;
  int index = 0;
  std::string name;  ///< a pod's or node's own name; may be empty
  std::string uid;  ///< differs when a member was recreated under the same name; may be empty
  std::string address;  ///< `host:port`; empty: it has none yet
  std::string host;  ///< the name of its machine, which several members may share; empty: not known
  Condition state;  ///< life cycle as the service reports it
  Condition health;  ///< health as the service reports it; Kubernetes: the pod's condition Ready
  SharedValue<Accelerators> accelerators;  ///< absent: not known
  SharedValue<MemberPart> part;  ///< absent: the job has one part, or it is not known
  std::vector<Cause> causes;  ///< why it is not ready, the outermost first; of a ready one: what its machine lacks

  /// `worker 17 (10.0.0.17:8470)`, or with the name when there is no address.
  std::string label() const;
  friend bool operator==(const Member&, const Member&) = default;
};

/// Finds members by job and index. It refers to them; of two with the same job and index the first is found.
class MemberTable {
 public:
  explicit MemberTable(const std::vector<Member>& members) {
    for (const Member& member : members) places_.emplace(std::pair(std::string_view(member.job), member.index), &member);
  }
  /// Null: there is none.
  const Member* find(std::string_view job, int index) const {
    const auto found = places_.find({job, index});
    return found == places_.end() ? nullptr : found->second;
  }

 private:
  std::map<std::pair<std::string_view, int>, const Member*> places_;
};

/// An event about a machine, announced before it happens or reported after it did.
enum class NoticeKind : std::uint8_t {
  preemption,  ///< the machine is being taken away
  maintenance,  ///< the host is going to be maintained
};
std::string_view to_string(NoticeKind kind) noexcept;

/// A preemption or a maintenance that is announced.
class Notice {
 public:
  Notice() {}
  Notice(NoticeKind what, std::string about, std::string words) : kind(what), subject(std::move(about)), text(std::move(words)) {}
  NoticeKind kind = NoticeKind::maintenance;
  std::string subject;  ///< the affected object: `this machine`, `TPU 'trainer'`
  std::string text;  ///< in the service's words
  friend bool operator==(const Notice&, const Notice&) = default;
};

/// The phase of a cluster's life, as far as the service reports it.
enum class ClusterPhase : std::uint8_t {
  queued,  ///< waits for capacity: may take hours
  provisioning,  ///< machines are being created
  running,  ///< the service has finished provisioning
};
std::string_view to_string(ClusterPhase phase) noexcept;

/// How many members a job will have.
class JobSize {
 public:
  JobSize() {}
  JobSize(std::string of_job, int how_many) : job(std::move(of_job)), members(how_many) {}
  std::string job;
  int members = 0;
  friend bool operator==(const JobSize&, const JobSize&) = default;
};

/// The status of a cluster from one poll: its overall state, and every member.
class ClusterStatus {
 public:
  ClusterStatus() {}
  ClusterPhase phase = ClusterPhase::running;
  /// The state of the cluster as a whole, where the service has a word for it.
  Condition state;
  std::vector<std::string> jobs;  ///< in order, those without members too; empty: the members'
  std::vector<Member> members;  ///< job by job in order of jobs, indices ascending
  int expected = 0;  ///< how many members there will be, by the topology; 0: not known
  std::vector<JobSize> job_sizes;  ///< how many of them each job has, in the order of jobs; empty: only the sum is known
  /// By whose word: `JobSet trainer: 4 × 16`; or why the number is not known, and how to give it. Empty: by the members' own numbers.
  std::string expected_source;
  /// What holds up the cluster as a whole, or the members that do not exist yet; the outermost layer first.
  std::vector<Cause> causes;
  std::string accelerator_type;  ///< `v4-32`: of a TPU, or of each slice; empty: the service does not say
  std::vector<Notice> notices;
  /// Increases with each change of the set of ready members (job, index, address, uid), and is equal for all clients of a fleet; absent
  /// where the cloud itself was queried, and for several targets. Source: docs/fleet.md.
  std::optional<std::uint64_t> generation;

  /// The jobs, and the members that have an address.
  ClusterSpec spec() const;
  friend bool operator==(const ClusterStatus&, const ClusterStatus&) = default;
};

/// Receives the reports of a resolver that follows its cluster. All calls are made on the Runtime's executor, return quickly and do not
/// throw. Only the latest status counts: a slow reader may miss a status, but not the latest one.
class StatusObserver {
 public:
  virtual ~StatusObserver() = default;
  /// The current status; also called when nothing has changed, so that the reader knows that the service answered.
  virtual void report(ClusterStatus status) = 0;
  /// The service could not be reached this time; the resolver tries again.
  virtual void report_trouble(const Failure& failure) = 0;
  /// The service announced something, besides the notices of the status.
  virtual void report_notice(const Notice& notice) = 0;
  /// True if the resolver shall wait for a cluster that does not exist yet.
  virtual bool waits_for_existence() const = 0;
  /// True if it shall wait for a cluster that has been reported before and is gone: it may come back. For several parts this applies to
  /// each.
  virtual bool waits_for_return() const { return false; }
};

}  // namespace rollcall
