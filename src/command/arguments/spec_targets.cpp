#include "command/arguments/spec_targets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "command/arguments/target_hint.hpp"
#include "rollcall/target.hpp"
#include "rollcall/target_scheme.hpp"
#include "rollcall/union_resolver.hpp"

namespace rollcall::tools {
namespace {

Failure at(const ListedTarget& target, Failure failure) {
  std::string what = target.where.empty() ? failure.what() : fmt::format("{}: {}", target.where, failure.what());
  failure.with_what(std::move(what));
  return failure;
}

}  // namespace

Result<std::vector<ListedTarget>> collect_targets(const Arguments& arguments) {
  std::vector<ListedTarget> targets;
  for (const std::string& text : arguments.positionals) targets.emplace_back(text, std::string());
  for (const std::string& file : arguments.target_files) {
    Result<std::vector<ListedTarget>> listed = read_target_list(file);
    if (!listed) return listed.error();
    std::move(listed->begin(), listed->end(), std::back_inserter(targets));
  }
  if (targets.size() > max_targets)
    return Failure(Errc::invalid_argument, fmt::format("{} targets: more than {}", targets.size(), max_targets));
  if (targets.empty()) {
    return Failure(Errc::invalid_argument,
                   fmt::format("{} lists no target", printable(fmt::format("{}", fmt::join(arguments.target_files, ", ")))));
  }
  return targets;
}

Result<std::string> with_defaults(const std::string& text, const Arguments& arguments) {
  if (arguments.project.empty() && arguments.zone.empty() && arguments.api.empty()) return text;
  Result<Target> target = Target::parse(text);
  if (!target) return target.error();
  const TargetScheme* const scheme = find_scheme(target->scheme);
  if (!scheme) return text;
  bool is_filled = false;
  const auto fill = [&](std::string key, const std::string& value) {
    const bool is_known = std::any_of(scheme->keys.begin(), scheme->keys.end(), [&](const TargetKey& k) { return k.name == key; });
    if (value.empty() || !is_known || target->get(key)) return;
    target->options.emplace_back(std::move(key), std::vector<std::string>{value});
    is_filled = true;
  };
  if (!target->body.starts_with("projects/")) {  // a full resource name says both
    fill("project", arguments.project);
    if (!target->get("region")) fill("zone", arguments.zone);
  }
  fill("api", arguments.api);
  return is_filled ? target->to_text() : text;
}

Result<std::shared_ptr<ClusterResolver>> make_listed(const Runtime& runtime, const ListedTarget& target, const Arguments& arguments) {
  const Result<void> scheme = check_scheme(target.text);
  if (!scheme) return at(target, scheme.error());
  const Result<std::string> filled = with_defaults(target.text, arguments);
  if (!filled) return at(target, filled.error());
  Result<std::shared_ptr<ClusterResolver>> made = make_resolver(runtime, *filled);
  if (!made) return at(target, made.error());
  return made;
}

Result<std::vector<ClusterPart>> make_parts(const Runtime& runtime, const std::vector<ListedTarget>& targets, const Arguments& arguments) {
  std::vector<ClusterPart> parts;
  for (const ListedTarget& target : targets) {
    Result<std::shared_ptr<ClusterResolver>> made = make_listed(runtime, target, arguments);
    if (!made) return made.error();
    parts.emplace_back(target.text, std::move(*made));
  }
  return parts;
}

std::shared_ptr<ClusterResolver> put_together(const Runtime& runtime, const std::vector<ClusterPart>& parts) {
  if (parts.size() == 1) return parts.front().resolver;
  std::vector<std::shared_ptr<ClusterResolver>> resolvers;
  for (const ClusterPart& part : parts) resolvers.push_back(part.resolver);
  return make_union_resolver(runtime, std::move(resolvers));
}

Result<std::shared_ptr<ClusterResolver>> make_together(const Runtime& runtime, const std::vector<ListedTarget>& targets,
                                                       const Arguments& arguments) {
  const Result<std::vector<ClusterPart>> parts = make_parts(runtime, targets, arguments);
  if (!parts) return parts.error();
  return put_together(runtime, *parts);
}

}  // namespace rollcall::tools
