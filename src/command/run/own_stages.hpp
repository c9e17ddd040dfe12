// The stages of a command that comes to a barrier: its own, and those of the processes before it.
#pragma once

#include <asio/awaitable.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command/process/stage_file.hpp"
#include "rollcall/cluster_spec.hpp"
#include "rollcall/launch.hpp"
#include "rollcall/runtime.hpp"
#include "rollcall/stage.hpp"

namespace rollcall::command {

/// What cannot be noted is reported once, and holds nothing up.
class OwnStages {
 public:
  OwnStages() {}
  ~OwnStages() { begin({}); }
  OwnStages(const OwnStages&) = delete;
  OwnStages& operator=(const OwnStages&) = delete;

  /// From here on stages are noted. `is_quiet`: what fails is not reported; `is_for_service`: a service that there is shows them.
  void open(bool is_quiet, bool is_for_service);
  /// This process is at that stage now; empty: at none.
  void begin(std::string_view name);
  std::vector<StageSpan> all() const { return file_ ? file_->read() : std::vector<StageSpan>(); }
  /// All has started: what comes then is of another start.
  void forget() noexcept;
  /// Has the Runtime's service show the stages, until cancelled; ends at once if it has none. All parameters must outlive
  /// the await.
  asio::awaitable<Result<void>> keep_reporting(const Runtime& runtime, const ClusterSpec& spec, const LaunchedTask& own,
                                               const std::string& run) const;

 private:
  void note(const Result<void>& done);

  std::optional<StageFile> file_;
  std::string now_;
  bool is_quiet_ = true;
  bool is_for_service_ = false;
};

}  // namespace rollcall::command
