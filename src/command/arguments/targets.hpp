// Targets: read from the command line and from files, checked, completed with defaults, and turned into resolvers.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "command/arguments/command_table.hpp"
#include "rollcall/error.hpp"
#include "rollcall/resolver.hpp"
#include "rollcall/target_scheme.hpp"

namespace rollcall::command {

/// The scheme of a target's text; null: it is not known.
const TargetScheme* scheme_of(std::string_view text) noexcept;
/// True if the target, or the environment, lists all members.
bool is_of_fixed_list(std::string_view text);
bool has_key(const TargetScheme& scheme, std::string_view key) noexcept;
/// True: the target's service takes a token of its own, `token_file=`.
bool takes_token_file(std::string_view text) noexcept;

/// Checks that `text` starts with a known scheme. Errors: invalid_argument naming the target that was probably meant.
Result<void> check_scheme(std::string_view text);

inline constexpr std::size_t max_target_list_bytes = 10 * 1024 * 1024;
inline constexpr std::size_t max_targets = 100'000;

class ListedTarget {
 public:
  ListedTarget() {}
  ListedTarget(std::string target, std::string origin) : text(std::move(target)), where(std::move(origin)) {}
  std::string text;
  std::string where;  ///< `file:line`, empty for the command line
};

/// A `#` starts a comment at the start of a line or after a blank. Errors: invalid_argument with `name:line`, limit_exceeded.
Result<std::vector<ListedTarget>> parse_target_list(std::string_view text, std::string_view name);

/// `-` is standard input. Errors: as parse_target_list; a file that cannot be read is invalid_argument.
Result<std::vector<ListedTarget>> read_target_list(const std::string& path);

/// The targets of the command line, then those of the files. Errors: invalid_argument.
Result<std::vector<ListedTarget>> collect_targets(const Arguments& arguments);

/// The message for a cluster without tasks: `the cluster has no tasks: TF_CONFIG is not set`.
std::string empty_cluster_text(const Arguments& arguments);

/// `target` with --project, --zone and --api added where its scheme has these keys and `target` does not set them.
Result<std::string> with_defaults(const std::string& target, const Arguments& arguments);

/// One target of a cluster that is made of several.
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
/// make_parts() and put_together() in one call.
Result<std::shared_ptr<ClusterResolver>> make_together(const Runtime& runtime, const std::vector<ListedTarget>& targets,
                                                       const Arguments& arguments);

Result<std::shared_ptr<ClusterResolver>> make_listed(const Runtime& runtime, const ListedTarget& target, const Arguments& arguments);

}  // namespace rollcall::command
