#include "discover/discovery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::array<std::string_view, 11> filter_keys = {"kind",   "name", "project",         "zone", "namespace", "state",
                                                          "health", "type", "queued_resource", "user", "partition"};

}  // namespace

Result<FoundFilter::Term> FoundFilter::parse_term(const std::string& text) {
  const std::size_t at = text.find('=');
  Term term;
  term.is_negated = at != std::string::npos && at > 0 && text[at - 1] == '!';
  const std::string_view name = std::string_view(text).substr(0, at == std::string::npos ? at : at - (term.is_negated ? 1 : 0));
  const auto known = std::find(filter_keys.begin(), filter_keys.end(), name);
  if (at == std::string::npos || known == filter_keys.end()) {
    Failure failure(Errc::invalid_argument, at == std::string::npos ? fmt::format("the filter {} is not KEY=PATTERN", quoted(text, 80))
                                                                    : fmt::format("the filter {} has no known key", quoted(text, 80)));
    if (const auto near = nearest(name, filter_keys); near && at != std::string::npos) {
      failure.with_hint(fmt::format("did you mean {}=?", *near));
    } else {
      failure.with_hint(fmt::format("keys are {}", fmt::join(filter_keys, ", ")));
    }
    return failure;
  }
  term.key = static_cast<Key>(known - filter_keys.begin());
  for (const std::string_view pattern : split(std::string_view(text).substr(at + 1), '+')) term.patterns.emplace_back(pattern);
  return term;
}

Result<FoundFilter> FoundFilter::parse(const std::vector<std::string>& texts) {
  FoundFilter filter;
  for (const std::string& text : texts) {
    Result<Term> term = parse_term(text);
    if (!term) return term.error();
    filter.terms_.push_back(std::move(*term));
  }
  return filter;
}

bool FoundFilter::Term::holds(std::string_view value) const {
  const bool is_matched =
      std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) { return glob_match(pattern, value); });
  return is_matched != is_negated;
}

bool FoundFilter::Term::holds(const Found& found) const {
  switch (key) {
    case Key::kind: return holds(to_string(found.kind));
    case Key::name: return holds(found.name);
    case Key::project: return holds(found.project);
    case Key::zone: return holds(found.zone);
    case Key::namespace_name: return holds(found.namespace_name);
    case Key::state: return holds(found.state);
    case Key::health: return holds(found.health);
    case Key::type: return holds(found.kind == FoundKind::job ? found.workload : found.accelerator_type);
    case Key::user: return holds(found.user);
    case Key::partition: return holds(found.partition);
    case Key::queued_resource: break;
  }
  return holds(found.queued_resource);
}

bool FoundFilter::matches(const Found& found) const {
  return std::all_of(terms_.begin(), terms_.end(), [&found](const Term& term) { return term.holds(found); });
}

bool FoundFilter::may_match(const Found& found) const {
  return std::all_of(terms_.begin(), terms_.end(),
                     [&found](const Term& term) { return term.key == Key::state || term.key == Key::health || term.holds(found); });
}

std::string FoundFilter::only(std::string_view key) const {
  for (const Term& term : terms_) {
    const bool is_it = filter_keys[static_cast<std::size_t>(term.key)] == key;
    const bool is_plain = !term.is_negated && term.patterns.size() == 1 && term.patterns.front().find('*') == std::string::npos;
    if (is_it && is_plain) return term.patterns.front();
  }
  return {};
}

bool FoundFilter::names(FoundKind kind) const {
  return std::any_of(terms_.begin(), terms_.end(), [kind](const Term& term) {
    return term.key == Key::kind && !term.is_negated &&
           std::find(term.patterns.begin(), term.patterns.end(), to_string(kind)) != term.patterns.end();
  });
}

bool FoundFilter::admits(FoundKind kind) const {
  return std::all_of(terms_.begin(), terms_.end(),
                     [kind](const Term& term) { return term.key != Key::kind || term.holds(to_string(kind)); });
}

}  // namespace rollcall
