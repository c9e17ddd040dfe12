// Renders what is known of a topic into the answer to a question, once for all clients that ask it.
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

/// Finds a member by its address, so that each of ten thousand clients can be sent its own task.
class TaskIndex {
 public:
  /// Suspends while it indexes many members.
  static asio::awaitable<std::shared_ptr<const TaskIndex>> make(std::shared_ptr<const ClusterStatus> status);
  /// As render_own_task(), without a search through all members.
  std::string own_task(std::string_view self) const;
  /// For render_task_body(), which needs the number of tasks and the first one.
  const ClusterSpec& spec() const noexcept { return spec_; }

 private:
  class Place {
   public:
    std::string_view job;
    int index = 0;
    std::string_view address;
  };
  std::shared_ptr<const ClusterStatus> status_;  // owns what the views refer to
  ClusterSpec spec_;
  std::unordered_multimap<std::string, Place> places_;  // by host_key()
};

class Rendering {
 public:
  Rendering() {}
  Known known;                  ///< the state that was rendered
  std::uint64_t revision = 0;   ///< of the last change of the rendered content
  bool has_content = false;     ///< false: nothing is known yet
  std::shared_ptr<const Failure> failure;       ///< the answer, if it is a failure that does not pass by itself
  std::shared_ptr<const ClusterStatus> status;  ///< of view=status
  ProgressDocument progress;                    ///< of view=progress and view=task
  std::shared_ptr<const TaskIndex> tasks;       ///< of view=task, once it is ready
  std::string history;                          ///< of view=history: the body
};

/// Judges a status as WaitJudge does, by the members and conditions of `question`. `lost` is set if the cluster can never become ready.
/// Suspends while it judges many members.
asio::awaitable<ProgressDocument> judge_progress(const Known& known, const FleetQuestion& question, std::string subject,
                                                 std::shared_ptr<const Failure>& lost);

/// Renders the topic's state for a question. `before`: the former rendering, whose revision is kept if the content is the same; may be
/// null.
asio::awaitable<std::shared_ptr<Rendering>> render_view(const Topic& topic, const FleetQuestion& question,
                                                        std::shared_ptr<const Rendering> before);

/// The body of GET; of view=task without the client's own task.
std::string render_body(const Rendering& rendering, View view, const Position& position, Age age = {});

}  // namespace rollcall::fleet
