// A scheme's rules list the keys that a service accepts. A key that a resolver gets later is not served until its rules list it.
#include "fleet/wire/served_target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/order.hpp"
#include "base/text.hpp"
#include "rollcall/scheme_rules.hpp"

namespace rollcall::fleet {
namespace {

// "tpu:, gce: and dns:"
std::string served_schemes() {
  std::string text;
  const std::vector<const SchemeRules*> all = scheme_rules();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0) text += i + 1 < all.size() ? ", " : " and ";
    text += fmt::format("{}:", all[i]->scheme);
  }
  return text;
}

Failure not_served(const Target& target, std::string_view why) {
  return Failure(Errc::invalid_argument, fmt::format("{} cannot be asked of a service: {}", quoted(target.to_text()), why))
      .with_hint(fmt::format("a service answers for {} targets by name, which mean the same to everybody", served_schemes()));
}

// Why the name does not mean the same cluster for each client; empty: it does.
std::string_view name_fault(const SchemeRules& rules, const Target& target) {
  if (target.body.empty()) return "it names nothing, so that it means what the client's own environment says";
  return rules.name_fault ? rules.name_fault(target) : std::string_view();
}

}  // namespace

Result<void> check_served(const Target& target) {
  const SchemeRules* const rules = find_scheme_rules(target.scheme);
  if (!rules) return not_served(target, fmt::format("{}: means the client's own environment, or is no scheme", target.scheme));
  if (const std::string_view fault = name_fault(*rules, target); !fault.empty()) return not_served(target, fault);
  for (const auto& [key, items] : target.options) {
    if (rules->serves_jobs && key.starts_with("job.")) continue;
    const auto is_it = [name = std::string_view(key)](const ServedKey& known) { return known.name == name; };
    if (std::none_of(rules->keys.begin(), rules->keys.end(), is_it))
      return not_served(target, fmt::format("{}= is for the client's own use", printable(key, 64)));
  }
  return {};
}

Target canonical_target(Target target) {
  const auto rank = [](std::string_view key) {
    return key == "project" ? 0 : key == "zone" || key == "region" ? 1 : key.starts_with("job.") ? 3 : 2;
  };
  sort_stably(target.options, [&rank](const auto& a, const auto& b) {
    const int of_a = rank(a.first);
    const int of_b = rank(b.first);
    return of_a != of_b ? of_a < of_b : of_a != 3 && a.first < b.first;
  });
  return target;
}

}  // namespace rollcall::fleet
