// The section `kubernetes` of a simulation file, but for its pods.
#include "sim/file/k8s_draft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "sim/wire/k8s_names.hpp"

namespace rollcall::sim {

namespace {

constexpr std::array<std::string_view, 9> verbs = {"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "*"};

void read_verbs(KubeRule& rule, const FileValue& value) {
  read_list(value, [&rule](const FileValue& one) { one.read_word(rule.verbs.emplace_back(), "verb", verbs); });
}

void read_rule_namespaces(KubeRule& rule, const FileValue& value) {
  read_list(value, [&rule](const FileValue& one) {
    std::string& name = rule.namespaces.emplace_back();
    if (one.json().is_string() && one.json().get_string() == "*") {
      name = "*";
    } else {
      read_kube_label(name, one, "namespace");
    }
  });
}

constexpr std::array<FileKey<KubeRule>, 3> rule_keys = {{
    {"namespaces", read_rule_namespaces},
    {"verbs", read_verbs},
    member<&KubeRule::resources>("resources"),
}};

void read_rules(KubeUser& user, const FileValue& value) {
  user.rules.emplace();
  read_list(value, [&user](const FileValue& one) {
    read_object<KubeRule>(one, rule_keys, user.rules->emplace_back());
    const KubeRule& rule = user.rules->back();
    if (!one.has_problem() && (rule.namespaces.empty() || rule.verbs.empty())) one.complain("a rule needs namespaces and verbs");
  });
}

void read_token(KubeUser& user, const FileValue& value) {
  value.read(user.token);
  const bool is_fine =
      !user.token.empty() && std::all_of(user.token.begin(), user.token.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (!value.has_problem() && !is_fine) value.complain("expected a token without blanks");
}

constexpr std::array<FileKey<KubeUser>, 3> user_keys = {{
    member<&KubeUser::name>("name"),
    {"token", read_token},
    {"rules", read_rules},
}};

void read_user(KubeDraft& draft, const FileValue& value) {
  KubeUser user;
  read_object<KubeUser>(value, user_keys, user);
  if (value.has_problem()) return;
  if (user.name.empty() || user.token.empty()) return value.complain("a user needs a name and a token");
  for (const KubeUser& known : draft.model.users) {
    if (known.token == user.token) return value.complain("token: another user has the same");
  }
  draft.model.users.push_back(std::move(user));
}

void read_version(KubeDraft& draft, const FileValue& value) {
  std::string text;
  value.read(text);
  if (value.has_problem()) return;
  const auto minor = text.starts_with("1.") ? parse_decimal<int>(std::string_view(text).substr(2), 0, 999) : std::nullopt;
  if (!minor) return value.complain(fmt::format("{} is no version of Kubernetes: expected one such as \"1.34\"", quoted(text, 80)));
  draft.model.minor = std::to_string(*minor);
}

void read_history(KubeDraft& draft, const FileValue& value) {
  if (value.json().is_null()) {
    draft.model.history.reset();
  } else {
    read_optional(draft.model.history, value);
  }
}

constexpr std::array<std::string_view, 3> watch_list_words = {"yes", "forbidden", "failing"};

void read_watch_list(KubeDraft& draft, const FileValue& value) {
  std::string word = "yes";
  value.read_word(word, "answer", watch_list_words);
  draft.model.watch_list = word == "forbidden" ? WatchListSupport::forbidden
                           : word == "failing" ? WatchListSupport::failing
                                               : WatchListSupport::yes;
}

constexpr std::array<FileKey<KubeDraft>, 11> kubernetes_keys = {{
    {"version", read_version},
    {"namespace", [](KubeDraft& draft, const FileValue& value) { read_kube_label(draft.model.default_namespace, value, "namespace"); }},
    {"namespaces",
     [](KubeDraft& draft, const FileValue& value) {
       read_list(value, [&draft](const FileValue& one) { read_kube_label(draft.model.namespaces.emplace_back(), one, "namespace"); });
     }},
    member<&KubeDraft::model, &KubernetesModel::allows_anonymous>("anonymous"),
    each<read_user>("users"),
    member<&KubeDraft::model, &KubernetesModel::has_managed_fields>("managed_fields"),
    {"watch_list", read_watch_list},
    whole<1, 1'000'000'000'000'000, &KubeDraft::model, &KubernetesModel::first_version>("first_version"),
    {"history", read_history},
    {"restarts",
     [](KubeDraft& draft, const FileValue& value) {
       read_list(value, [&draft](const FileValue& one) { one.read(draft.model.restarts.emplace_back()); });
     }},
    each<read_kube_pods>("pods"),
}};

}  // namespace

void read_kube_label(std::string& into, const FileValue& value, std::string_view noun) {
  std::string text;
  value.read(text);
  if (value.has_problem()) return;
  if (!is_dns_label(text)) return value.complain(fmt::format("{} is no {}: expected at most 63 of a-z, 0-9 and -", quoted(text, 80), noun));
  into = std::move(text);
}

void read_kubernetes_section(Model& model, const FileValue& value) {
  KubeDraft draft;
  draft.model.start = parse_rfc3339(model.start_time).value_or(*parse_rfc3339("2026-01-01T00:00:00Z"));
  read_object<KubeDraft>(value, kubernetes_keys, draft);
  if (value.has_problem()) return;
  kube_complete(draft.model);
  model.kubernetes = std::make_shared<const KubernetesModel>(std::move(draft.model));
}

FileSections kubernetes_sections() {
  FileSections out = kube_pod_sections();
  out.emplace_back("kubernetes", names_of(kubernetes_keys));
  out.emplace_back("kubernetes_user", names_of(user_keys));
  out.emplace_back("kubernetes_rule", names_of(rule_keys));
  return out;
}

}  // namespace rollcall::sim
