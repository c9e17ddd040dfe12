// What is known of this process, as text and as JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "rollcall/cluster_status.hpp"
#include "rollcall/error.hpp"
#include "rollcall/own_task.hpp"
#include "rollcall/whoami.hpp"

namespace rollcall::command {

/// The task of a cluster that this process is, or why it is not known.
class OwnPlace {
 public:
  OwnPlace() {}
  std::optional<OwnTask> task;
  std::optional<Failure> failure;  ///< absent if the task is known
  std::optional<Member> member;    ///< what the cluster's status says of the task
  std::string address;
  std::size_t tasks = 0;           ///< of the cluster; 0: not known
};

/// A line for each witness, then one for the task if it is known.
std::string render_whoami_text(const std::vector<Testimony>& witnesses, const OwnPlace& place);
/// `{"testimonies":[…],"task":{…}}`; the task is null if it is not known, and `failure` says why.
std::string render_whoami_json(const std::vector<Testimony>& witnesses, const OwnPlace& place);

}  // namespace rollcall::command
