#include "fleet/rights/rules/target_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cluster/namespace_name.hpp"
#include "fleet/wire/served_target.hpp"
#include "rollcall/endpoint.hpp"
#include "rollcall/scheme_rules.hpp"

namespace rollcall::fleet {
namespace {

using Items = std::vector<std::string>;

const Items* items_of(const Target& target, std::string_view key) {
  const auto found = std::find_if(target.options.begin(), target.options.end(), [key](const auto& option) { return option.first == key; });
  return found == target.options.end() ? nullptr : &found->second;
}

// An empty value leaves the choice to the defaults, like a missing key.
bool says_something(const Items* items) {
  return items && !items->empty() && std::none_of(items->begin(), items->end(), [](const std::string& item) { return item.empty(); });
}

bool matches_one(const Items& patterns, std::string_view text) {
  return std::any_of(patterns.begin(), patterns.end(), [text](const std::string& pattern) { return glob_match(pattern, text); });
}

// As name servers compare names.
std::string plain_host(std::string_view name) {
  if (name.ends_with('.')) name.remove_suffix(1);
  return to_lower(name);
}

bool matches_names(const std::string& pattern, std::string_view body) {
  const std::string wanted = plain_host(pattern);
  const std::vector<std::string_view> names = split(body, ',');
  return std::all_of(names.begin(), names.end(), [&wanted](std::string_view text) {
    const Result<Endpoint> name = Endpoint::parse(text);
    return name && glob_match(wanted, plain_host(name->host));
  });
}

// A pattern of a namespace is for the workloads in it, too.
bool matches_body(const Target& form, const Target& target) {
  if (glob_match(form.body, target.body)) return true;
  const SchemeRules* const rules = find_scheme_rules(target.scheme);
  const bool is_of_namespace = rules && rules->place == SchemePlace::namespace_name && form.body.find('/') == std::string::npos;
  return is_of_namespace && glob_match(form.body, namespace_in(target));
}

Failure no_pattern(std::string_view text, std::string_view why) {
  return Failure(Errc::invalid_argument, fmt::format("{} is no pattern of targets: {}", quoted(text, 120), why))
      .with_hint("tpu:*,project=p,zone=us-* · gce:*,project=p · kubernetes:NAMESPACE · dns:*.train.example · *");
}

}  // namespace

Target with_plain_name(Target target) {
  const SchemeRules* const rules = find_scheme_rules(target.scheme);
  return rules && rules->with_plain_name ? rules->with_plain_name(std::move(target)) : target;
}

Result<TargetPattern> TargetPattern::parse(std::string_view text) {
  constexpr std::string_view and_anything = ",*";
  TargetPattern pattern;
  pattern.is_for_all_ = text == "*";
  if (pattern.is_for_all_) return pattern;
  const std::string_view plain = text.ends_with(and_anything) ? text.substr(0, text.size() - and_anything.size()) : text;
  Result<Target> form = Target::parse(plain);
  if (!form) return no_pattern(text, form.error().what());
  for (const auto& [key, items] : form->options) {
    if (!says_something(&items)) return no_pattern(text, fmt::format("{}= has an empty value", printable(key, 64)));
  }
  // A context is named by the settings alone; it may stand in their patterns.
  Target served = *form;
  std::erase_if(served.options, [](const auto& option) { return option.first == "context"; });
  if (const Result<void> fine = check_served(served); !fine) return no_pattern(text, fine.error().what());
  pattern.form_ = with_plain_name(std::move(*form));
  return pattern;
}

bool TargetPattern::matches(const Target& asked) const {
  if (is_for_all_) return true;
  if (asked.scheme != form_.scheme) return false;
  const Target target = with_plain_name(asked);
  const bool is_named = names_hosts(target.scheme) ? matches_names(form_.body, target.body) : matches_body(form_, target);
  if (!is_named) return false;
  if (items_of(target, "region") && items_of(form_, "zone") && !items_of(form_, "region")) return false;
  return std::all_of(form_.options.begin(), form_.options.end(), [&target](const auto& wanted) {
    const auto fits = [&wanted](const auto& option) {
      return option.first != wanted.first ||
             (says_something(&option.second) && std::all_of(option.second.begin(), option.second.end(),
                                                            [&wanted](const auto& item) { return matches_one(wanted.second, item); }));
    };
    return items_of(target, wanted.first) && std::all_of(target.options.begin(), target.options.end(), fits);
  });
}

bool names_hosts(std::string_view scheme) {
  const SchemeRules* const rules = find_scheme_rules(scheme);
  return rules && rules->names_hosts;
}

bool TargetPattern::names_something() const noexcept { return !is_for_all_ && form_.body.find_first_not_of('*') != std::string::npos; }

bool matches_any(const std::vector<TargetPattern>& patterns, const Target& target) {
  return std::any_of(patterns.begin(), patterns.end(), [&target](const TargetPattern& pattern) { return pattern.matches(target); });
}

}  // namespace rollcall::fleet
