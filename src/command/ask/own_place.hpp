// Asks which task of a cluster this process is, with what is known of the task.
#pragma once

#include <asio/awaitable.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command/ask/own_task.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall::command {

/// The task of a cluster that this process is.
class OwnPlace {
 public:
  OwnPlace() {}
  OwnTask task;
  std::string address;           ///< empty: the task has none
  std::size_t tasks = 0;         ///< of the cluster
  std::optional<Member> member;  ///< what the cluster's status says of the task
};

/// `needs_member`: the status is asked for OwnPlace::member; else only where a variable counts within a part. May suspend; cancellable.
/// Errors: those of the parts and of find_own_task(); failed_precondition (the cluster is one slice of several).
asio::awaitable<Result<OwnPlace>> ask_own_place(std::vector<ClusterPart> parts, std::shared_ptr<ClusterResolver> together,
                                                QuestionOptions options, bool needs_member);

}  // namespace rollcall::command
