// Parses what SageMaker says about a training job: its variables SM_*, and the file resourceconfig.json of its containers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/limits.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// The file that SageMaker puts into each container. Its own toolkit makes the variables of it. [facts: sagemaker-resource-config]
inline constexpr const char* sagemaker_file = "/opt/ml/input/config/resourceconfig.json";

/// Machines of one type.
class SageMakerGroup {
 public:
  std::string name;
  std::string instance_type;  ///< `ml.p4d.24xlarge`; empty: not known
  std::vector<std::string> hosts;
};

/// As the service declares it; nothing is compared yet.
class SageMakerJob {
 public:
  SageMakerJob() {}
  std::string source;  ///< for messages: `SM_HOSTS`
  std::vector<std::string> hosts;
  std::string current_source;  ///< `SM_CURRENT_HOST`
  std::string current;
  std::vector<SageMakerGroup> groups;           ///< those whose hosts are known
  std::vector<std::string> group_names;         ///< all; empty: the job has no groups, or they are not known
  std::string current_group;                    ///< empty: not known
  std::vector<std::string> distribution;        ///< the groups in which the program is distributed; empty: not known
};

/// The hosts among which the program of the current host is distributed.
class SageMakerHosts {
 public:
  SageMakerHosts() {}
  std::vector<SageMakerGroup> jobs;  ///< hosts sorted as text; one job `worker`, or a job for each group of a distribution over several
  std::size_t job = 0;               ///< of the current host
  int index = 0;                     ///< of the current host in its job
  bool is_uniform = true;            ///< all are of one instance type
  std::string unlisted;              ///< the message if the current host is not among the hosts, and there are no jobs; else empty
  std::string left_out;              ///< the message if the job has other instance groups; else empty
};

/// SM_HOSTS and SM_CURRENT_HOST, which must be set, and the variables of instance groups, which may be. Errors: invalid_argument,
/// limit_exceeded, failed_precondition (not set). [facts: sagemaker-hosts, sagemaker-groups]
Result<SageMakerJob> parse_sagemaker_variables(const Environment& environment, const ParseLimits& limits = {});

/// The content of resourceconfig.json; `file` names it in messages. Errors: invalid_argument, limit_exceeded.
Result<SageMakerJob> parse_resource_config(std::string_view file, std::string_view text, const ParseLimits& limits = {});

/// True for a JSON object with the members that only resourceconfig.json has.
bool is_resource_config(std::string_view text);

/// Errors: conflict (the current host is not in the group that is called its own), failed_precondition (its group, or the hosts of a
/// group, are not known).
Result<SageMakerHosts> hosts_of_sagemaker(const SageMakerJob& job);

}  // namespace rollcall
