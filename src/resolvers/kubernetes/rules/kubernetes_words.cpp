// Messages of the kubelet and of controllers, without secrets. The names of Secrets and of their keys are none: they are what is missing.
#include <array>

#include "base/both_ends.hpp"
#include "base/secret_words.hpp"
#include "base/text.hpp"
#include "resolvers/kubernetes/rules/container_causes.hpp"

namespace rollcall {
namespace {

constexpr std::string_view in_secret = " in Secret ";

class NamedPart {
 public:
  std::string_view before;
  std::string_view after;  // empty: any text, or none
};

// [facts: k8s-secret-names]
constexpr std::array<NamedPart, 4> named_parts = {{{"secret \"", "\" not found"},
                                                   {"couldn't find key ", in_secret},
                                                   {"references non-existent secret key: ", ""},
                                                   {"references non-existent config key: ", ""}}};

std::string_view name_at(std::string_view text) {
  constexpr std::string_view marks = "-._/";
  std::size_t end = 0;
  while (end < text.size() && (is_alnum(text[end]) || marks.find(text[end]) != std::string_view::npos)) ++end;
  const std::string_view name = text.substr(0, end);
  return looks_secret_for_name(name) ? std::string_view() : name;
}

class FoundName {
 public:
  std::size_t at = std::string_view::npos;
  std::size_t size = 0;  // with the words after it, and the Secret's own name
};

FoundName first_name(std::string_view text) {
  FoundName first;
  for (const NamedPart& part : named_parts) {
    const std::size_t found = text.find(part.before);
    if (found == std::string_view::npos || found + part.before.size() >= first.at) continue;
    const std::size_t at = found + part.before.size();
    const std::string_view name = name_at(text.substr(at));
    const std::string_view rest = text.substr(at + name.size());
    if (name.empty() || !rest.starts_with(part.after)) continue;
    first.at = at;
    first.size = name.size() + part.after.size();
    if (part.after == in_secret) first.size += name_at(rest.substr(part.after.size())).size();
  }
  return first;
}

}  // namespace

std::string kubernetes_words(std::string_view message) {
  constexpr std::size_t max_shown = 300;
  std::string shown;
  while (true) {
    const FoundName name = first_name(message);
    if (name.at == std::string_view::npos) break;
    shown += without_secrets(message.substr(0, name.at));
    shown += message.substr(name.at, name.size);
    message.remove_prefix(name.at + name.size);
  }
  return both_ends(trim(shown + without_secrets(message)), max_shown);
}

}  // namespace rollcall
