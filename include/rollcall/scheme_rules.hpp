// What a service and its clients need of a kind of targets: which targets may be served, how they are grouped, and where they lie. Pure.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "rollcall/target.hpp"

namespace rollcall {

/// Where the clusters of a scheme lie.
enum class SchemePlace {
  none,            ///< nowhere in particular: each target is polled alone
  zone,            ///< `project=` and `zone=` (or `region=`) of Google Cloud: one list shows many clusters, and a project has a quota
  namespace_name,  ///< the name is a namespace of the Kubernetes cluster that `context=` chooses
  cluster,         ///< `cluster=`, or the only one that the service knows: one question shows all of its jobs
};

/// A key of a target that a service may answer for.
class ServedKey {
 public:
  std::string_view name;
  bool is_of_client = false;  ///< concerns the client alone, such as `task`; the client leaves it out of what it sends
};

/// The rules of one scheme. A scheme without rules is resolved by each client itself and never served. The views outlive the rules.
class SchemeRules {
 public:
  std::string_view scheme;                    ///< without the colon
  std::span<const ServedKey> keys = {};       ///< other keys, such as those that name a file or a server, are refused
  bool serves_jobs = false;                   ///< `job.NAME=…` is allowed too
  SchemePlace place = SchemePlace::none;
  std::string_view noun = {};                 ///< "TPU", "instance group"; for messages
  bool names_hosts = false;                   ///< the name is a list of host names: rights compare each, without port and case
  /// Why the name does not mean the same cluster for each client; empty: it does. Null: each name does.
  std::string_view (*name_fault)(const Target& target) = nullptr;
  /// Replaces a full resource name by its last part, and adds project and zone as keys unless they are there. Null: names have one form.
  Target (*with_plain_name)(Target target) = nullptr;
  /// True: several targets like this one in a zone cost one request for a list, instead of one each. Null: never.
  bool (*is_listed)(const Target& target) = nullptr;
};

/// The rules of that scheme; null: no service answers for it. Thread-safe.
const SchemeRules* find_scheme_rules(std::string_view scheme) noexcept;

/// The rules of all schemes that are served; those of AddedScheme last. A scheme that it replaces has only its own.
std::vector<const SchemeRules*> scheme_rules();

class TargetScheme;

/// Private to the library: a scheme of AddedScheme, in a list that is read without a lock. It stays where it is while it is linked.
class AddedSchemeLink {
 public:
  AddedSchemeLink(const TargetScheme& of, std::string_view its_name, const SchemeRules* its_rules) noexcept
      : scheme(&of), name(its_name), rules(its_rules) {}
  const TargetScheme* scheme;
  std::string_view name;
  const SchemeRules* rules;  ///< null: it is not served
  AddedSchemeLink* next = nullptr;
};
/// The first of the list; null: no scheme was added.
const AddedSchemeLink* added_schemes() noexcept;
void link_scheme(AddedSchemeLink& link) noexcept;
void unlink_scheme(AddedSchemeLink& link) noexcept;

}  // namespace rollcall
