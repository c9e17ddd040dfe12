// The table of target schemes. make_resolver(), the command's help and completions, doctor(), exec and the service go by its rows.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "rollcall/doctor_subject.hpp"
#include "rollcall/found.hpp"
#include "rollcall/resolver.hpp"
#include "rollcall/scheme_rules.hpp"
#include "rollcall/target.hpp"

namespace rollcall {

class AutoTpu;
class RemoteServers;
class TpuOptions;

/// A key of a target, as in `tpu:trainer,zone=us-central2-b`.
class TargetKey {
 public:
  std::string_view name;
  std::string_view meaning;  ///< one line, with the default
  /// It names a file that is read, or a server that may receive a token: its author needs the same trust as the author of the command line.
  bool needs_trust = false;
};

/// One kind of target. Programs add their own rows: see AddedScheme and make_resolver below. The views must outlive the row.
class TargetScheme {
 public:
  /// Called with a target of this scheme whose keys are known ones. Errors: invalid_argument.
  using Maker = Result<std::shared_ptr<ClusterResolver>> (*)(Runtime runtime, const Target& target);
  /// See make_served.
  using ServedMaker = std::shared_ptr<ClusterResolver> (*)(std::shared_ptr<RemoteServers> servers, std::shared_ptr<ClusterResolver> local,
                                                           Target target);

  std::string_view name;  ///< without the colon
  std::string_view synopsis;  ///< `tpu:NAME[,project=P][,zone=Z]`
  std::string_view summary = {};  ///< one line
  std::string_view example = {};
  std::span<const TargetKey> keys = {};
  bool takes_jobs = false;  ///< `job.NAME=a+b`
  bool name_needs_trust = false;  ///< as TargetKey::needs_trust for keys: the name is a file's path
  /// The target or the environment lists all members: they stay the same while a cluster is waited for.
  bool is_fixed = false;
  /// Of a scheme that is fixed: true for a target that is not. Null: none.
  bool (*is_followed)(const Target& target) = nullptr;
  /// The task that the resolver knows is the master's, unless `task=` is given: it is not the task of this process.
  bool task_is_masters = false;
  /// An empty rpc_layer that a caller of master() gives means none; false: it means the resolver's own.
  bool keeps_empty_rpc_layer = false;
  std::string_view variable = {};  ///< the environment variable that has the cluster
  Maker make = nullptr;  ///< must be given

  // What follows may be null.
  /// Which targets a service answers for, and how it groups them; null: none.
  const SchemeRules* rules = nullptr;
  /// What discover() finds for the name that is being typed; null, or none: no names are offered.
  std::optional<FoundKind> (*completes)(std::string_view name) = nullptr;
  /// The service behind the target, for doctor(); null: only the resolver is asked. Errors: invalid_argument.
  Result<std::shared_ptr<const DoctorSubject>> (*doctor)(const Runtime& runtime, const Target& target) = nullptr;
  /// How tasks are numbered: "by the names of hosts, as text". Null: "as the target lists them".
  std::string_view (*task_order)(const Target& target, const ClusterResolver& resolver) = nullptr;
  /// What to do where two of its tasks have one address. Null, or empty: not known.
  std::string_view (*same_address_hint)(const Target& target) = nullptr;
  /// True: the cluster is a Slurm step. A process that is none of its tasks is no task at all. Null: never.
  bool (*is_slurm_step)(const ClusterResolver& resolver) = nullptr;
  /// The TPU slice that this process is part of, once the resolver was asked. Null: the scheme does not look at its own machine.
  std::optional<AutoTpu> (*own_slice)(const ClusterResolver& resolver) = nullptr;
  /// The one TPU that the target names. Null: targets name no TPU. Errors: invalid_argument.
  Result<TpuOptions> (*tpu)(const Target& target) = nullptr;
  /// Private to the library: a resolver that asks a service, with what `local` has beside its cluster.
  ServedMaker make_served = nullptr;
};

/// A scheme of the program's own, for the whole process while the object lives: make_resolver(), the service, doctor() and completions know
/// it, before the library's schemes. `scheme` outlives the object. Make it before other threads use the library, destroy it after them:
///
///   const rollcall::AddedScheme added(inventory_scheme);
class AddedScheme {
 public:
  explicit AddedScheme(const TargetScheme& scheme) noexcept;
  explicit AddedScheme(TargetScheme&&) = delete;  // it would not outlive the object
  ~AddedScheme();
  AddedScheme(const AddedScheme&) = delete;
  AddedScheme& operator=(const AddedScheme&) = delete;

 private:
  AddedSchemeLink link_;
};

/// The library's own, in the order in which help shows them, then those of AddedScheme.
std::vector<const TargetScheme*> target_schemes();

/// The scheme of that name, those of AddedScheme first; null: there is none.
const TargetScheme* find_scheme(std::string_view name) noexcept;

/// The scheme, of `own` or of target_schemes(), that was probably meant by a name that none has: a misspelling, or `k8s`.
std::optional<std::string_view> meant_scheme(std::string_view name, std::span<const TargetScheme> own = {});

/// Checks that the scheme has all of the target's keys. Errors: invalid_argument naming the key and the nearest valid one.
[[nodiscard]] Result<void> check_keys(const Target& target, const TargetScheme& scheme);

/// Checks that the target may be accepted from an author with less trust than the author of the command line: nothing in it needs trust.
/// Errors: refused_by_policy naming the first key that does.
[[nodiscard]] Result<void> check_needs_no_trust(const Target& target, const TargetScheme& scheme);

/// As make_resolver(runtime, target) of resolver.hpp; the rows of `own` come first. Errors: invalid_argument, naming the
/// nearest scheme or key on a misspelling; also for a row without a maker, and where the maker returns null.
Result<std::shared_ptr<ClusterResolver>> make_resolver(Runtime runtime, std::string_view target, std::span<const TargetScheme> own);
/// The same for a target that is already parsed.
Result<std::shared_ptr<ClusterResolver>> make_resolver(Runtime runtime, const Target& target, std::span<const TargetScheme> own = {});

}  // namespace rollcall
