// The result of one examination of the environment by `auto`.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

#include "resolvers/auto/auto_cluster.hpp"
#include "resolvers/auto/auto_survey.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// Each call has its own. The resolver keeps the last one for its properties.
class AutoSituation {
 public:
  AutoChoice choice;
  std::optional<AutoDelegate> delegate;
  TpuVmFacts facts;
  Result<std::optional<int>> task_id = std::optional<int>();
  std::optional<std::string> task_type;  ///< if the place has several jobs and the cluster was read

  std::string describe() const { return fmt::format("auto, here {} ({})", to_string(choice.place), choice.reason); }
  bool has_own_tasks() const { return delegate && delegate->has_own_tasks; }
  Failure with_origin(Failure failure) const {
    if (failure.code() == Errc::cancelled || failure.what().starts_with("auto:")) return failure;
    failure.with_what(fmt::format("{}: {}", describe(), failure.what()));
    return failure;
  }
};

}  // namespace rollcall
