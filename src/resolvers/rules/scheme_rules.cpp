// The list of all rules: one line for each scheme that a service answers for. The rules are in the resolvers' rules/.
#include "rollcall/scheme_rules.hpp"

#include <atomic>
#include <iterator>
#include <mutex>

namespace rollcall {

extern const SchemeRules tpu_rules;
extern const SchemeRules gce_rules;
extern const SchemeRules kubernetes_rules;
extern const SchemeRules slurm_rules;
extern const SchemeRules dns_rules;

namespace {

constexpr const SchemeRules* library_rules[] = {&tpu_rules, &gce_rules, &kubernetes_rules, &slurm_rules, &dns_rules};

// Constant-initialised: programs may add schemes before main().
constinit std::atomic<AddedSchemeLink*> first_added = nullptr;
constinit std::mutex adding;

}  // namespace

const AddedSchemeLink* added_schemes() noexcept { return first_added.load(std::memory_order_acquire); }

void link_scheme(AddedSchemeLink& link) noexcept {
  const std::lock_guard lock(adding);
  link.next = first_added.load(std::memory_order_relaxed);
  first_added.store(&link, std::memory_order_release);
}

void unlink_scheme(AddedSchemeLink& link) noexcept {
  const std::lock_guard lock(adding);
  AddedSchemeLink* const first = first_added.load(std::memory_order_relaxed);
  if (first == &link) return first_added.store(link.next, std::memory_order_release);
  for (AddedSchemeLink* before = first; before; before = before->next) {
    if (before->next == &link) before->next = link.next;
  }
}

const SchemeRules* find_scheme_rules(std::string_view scheme) noexcept {
  for (const AddedSchemeLink* link = added_schemes(); link; link = link->next) {
    if (link->name == scheme) return link->rules;  // it replaces the library's scheme, with or without rules
  }
  for (const SchemeRules* rules : library_rules) {
    if (rules->scheme == scheme) return rules;
  }
  return nullptr;
}

std::vector<const SchemeRules*> scheme_rules() {
  std::vector<const SchemeRules*> all;
  for (const SchemeRules* rules : library_rules) {
    if (find_scheme_rules(rules->scheme) == rules) all.push_back(rules);
  }
  for (const AddedSchemeLink* link = added_schemes(); link; link = link->next) {
    if (link->rules && find_scheme_rules(link->name) == link->rules) all.push_back(link->rules);
  }
  return all;
}

}  // namespace rollcall
