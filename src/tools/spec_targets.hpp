// The targets of one `rollcall spec`, made into resolvers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rollcall/resolver.hpp"
#include "tools/command_table.hpp"
#include "tools/target_list.hpp"

namespace rollcall::tools {

/// Those of the command line, then those of the files. Errors: invalid_argument.
Result<std::vector<ListedTarget>> collect_targets(const Arguments& arguments);

/// `target` with --project, --zone and --api filled in where its scheme has them and it leaves them open.
Result<std::string> with_defaults(const std::string& target, const Arguments& arguments);

/// All targets of the arguments as one cluster. Errors: invalid_argument.
Result<std::shared_ptr<ClusterResolver>> make_together(const Runtime& runtime, const Arguments& arguments);
Result<std::shared_ptr<ClusterResolver>> make_together(const Runtime& runtime, const std::vector<ListedTarget>& targets,
                                                       const Arguments& arguments);

Result<std::shared_ptr<ClusterResolver>> make_listed(const Runtime& runtime, const ListedTarget& target, const Arguments& arguments);

}  // namespace rollcall::tools
