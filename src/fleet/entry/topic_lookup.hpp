// Finds the topics of the targets that clients name, as far as the clients' rights and limits allow.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "fleet/entry/admission.hpp"
#include "fleet/entry/view_groups.hpp"
#include "fleet/fleet.hpp"

namespace rollcall::fleet {

/// True if the last poll found that the target does not exist; an older status may still be known.
inline bool is_absent(const Known& known) { return known.failure && known.failure->code() == Errc::not_found; }

/// All references outlive it.
class TopicLookup {
 public:
  TopicLookup(std::shared_ptr<Fleet> fleet, Admission& admission, ViewGroups& groups)
      : fleet_(std::move(fleet)), admission_(admission), groups_(groups) {}

  /// Set if the client may not name the target here: 400 it is not served, 403 it may not be read. Checked before anything is looked up.
  std::optional<Refusal> refusal_of(const Target& target, const Client& client) const;
  /// The topic of a target for which refusal_of() is empty. Errors: as Fleet::topic(); rate_limited.
  Result<std::shared_ptr<Topic>> find(const Target& target, const Client& client);
  /// Both. Errors: permission_denied, invalid_argument, and those of find().
  Result<std::shared_ptr<Topic>> find_allowed(const Target& target, const Client& client);
  /// The answer to a failure of find().
  static Refusal refusal_of_failure(const Target& target, const Failure& why);

 private:
  void forget_expired();

  std::shared_ptr<Fleet> fleet_;
  Admission& admission_;
  ViewGroups& groups_;
  std::unordered_map<std::string, std::weak_ptr<Topic>> topics_;  // by canonical text of the target
  std::size_t swept_size_ = 64;                                   // of topics_ after the last forget_expired()
};

}  // namespace rollcall::fleet
