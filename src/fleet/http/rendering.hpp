// What a question about a cluster is answered with, made once of what is known, for all who ask it.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "fleet/topic.hpp"
#include "fleet/wire/documents.hpp"
#include "fleet/wire/fleet_question.hpp"

namespace rollcall::fleet {

/// Who has which address, so that ten thousand can be told who they are.
class TaskIndex {
 public:
  /// Suspends where there are many.
  static asio::awaitable<std::shared_ptr<const TaskIndex>> make(std::shared_ptr<const ClusterStatus> status);
  /// As render_own_task(), without looking at all others.
  std::string own_task(std::string_view self) const;
  /// With which render_task_body() has the number of tasks and the first one.
  const ClusterSpec& spec() const noexcept { return spec_; }

 private:
  class Place {
   public:
    std::string_view job;
    int index = 0;
    std::string_view address;
  };
  std::shared_ptr<const ClusterStatus> status_;  // the views are of it
  ClusterSpec spec_;
  std::unordered_multimap<std::string, Place> places_;  // by host, as host_key() has it
};

class Rendering {
 public:
  Rendering() {}
  Known known;                  ///< what it was made of
  std::uint64_t revision = 0;   ///< at which what it shows last changed
  bool has_content = false;     ///< false: nothing is known yet
  std::shared_ptr<const Failure> failure;       ///< the answer to the question, if it is one that asking again cannot mend
  std::shared_ptr<const ClusterStatus> status;  ///< of status: what is shown
  ProgressDocument progress;                    ///< of progress and task
  std::shared_ptr<const TaskIndex> tasks;       ///< of task, once it is ready
  std::string history;                          ///< of history: the body
};

/// The judgement of WaitJudge on a status, with `question`'s members and conditions. `lost` gets what can never become ready. Suspends
/// where there are many members.
asio::awaitable<ProgressDocument> judge_progress(const Known& known, const FleetQuestion& question, std::string subject,
                                                 std::shared_ptr<const Failure>& lost);

/// What is to be told of what is known. `before`: what was told last, whose revision it keeps where it shows the same; may be null.
asio::awaitable<std::shared_ptr<Rendering>> render_view(const Topic& topic, const FleetQuestion& question,
                                                        std::shared_ptr<const Rendering> before);

/// The body of GET; of task without the asker's own.
std::string render_body(const Rendering& rendering, View view, const Position& position, Age age = {});

}  // namespace rollcall::fleet
