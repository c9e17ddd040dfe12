// The targets of one `rollcall spec`, made into resolvers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "command/arguments/command_table.hpp"
#include "command/arguments/target_list.hpp"
#include "rollcall/resolver.hpp"

namespace rollcall::tools {

/// Those of the command line, then those of the files. Errors: invalid_argument.
Result<std::vector<ListedTarget>> collect_targets(const Arguments& arguments);

/// `target` with --project, --zone and --api filled in where its scheme has them and it leaves them open.
Result<std::string> with_defaults(const std::string& target, const Arguments& arguments);

/// What one target is of a cluster of several.
class ClusterPart {
 public:
  ClusterPart(std::string as_given, std::shared_ptr<ClusterResolver> made) : target(std::move(as_given)), resolver(std::move(made)) {}
  std::string target;
  std::shared_ptr<ClusterResolver> resolver;
};

/// Errors: invalid_argument.
Result<std::vector<ClusterPart>> make_parts(const Runtime& runtime, const std::vector<ListedTarget>& targets, const Arguments& arguments);
/// All parts as one cluster.
std::shared_ptr<ClusterResolver> put_together(const Runtime& runtime, const std::vector<ClusterPart>& parts);
/// Both of these.
Result<std::shared_ptr<ClusterResolver>> make_together(const Runtime& runtime, const std::vector<ListedTarget>& targets,
                                                       const Arguments& arguments);

Result<std::shared_ptr<ClusterResolver>> make_listed(const Runtime& runtime, const ListedTarget& target, const Arguments& arguments);

}  // namespace rollcall::tools
