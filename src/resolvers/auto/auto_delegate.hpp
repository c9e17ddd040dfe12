// The resolver that knows a place better than auto: does.
#pragma once

#include <memory>
#include <optional>

#include "rollcall/auto_resolver.hpp"

namespace rollcall {

class AutoDelegate {
 public:
  AutoDelegate() {}
  std::shared_ptr<ClusterResolver> resolver;
  bool has_own_tasks = false;  ///< it knows which task this is, and its own master
};

/// None: the place's cluster stands in the surroundings themselves.
std::optional<AutoDelegate> make_auto_delegate(const Runtime& runtime, Launcher place, const AutoOptions& options);

}  // namespace rollcall
