// The section `kubernetes` of a simulation file, except for its pods.
#include "sim/file/k8s_draft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "base/timestamp.hpp"

namespace rollcall::sim {

namespace {

constexpr std::array<std::string_view, 9> verbs = {"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "*"};

void read_verbs(KubeRule& rule, const FileValue& value) {
  read_list(value, [&rule](const FileValue& one) {
    if (const auto number = one.word("verb", verbs)) rule.verbs.emplace_back(verbs[*number]);
  });
}

void read_rule_namespaces(KubeRule& rule, const FileValue& value) {
  read_list(value, [&rule](const FileValue& one) {
    std::string& name = rule.namespaces.emplace_back();
    if (one.json().is_string() && one.json().get_string() == "*") {
      name = "*";
    } else {
      one.read_label(name, "namespace");
    }
  });
}

constexpr auto rule_form = file_form<KubeRule>("kubernetes_rule", by<read_rule_namespaces>("namespaces"), by<read_verbs>("verbs"),
                                               member<&KubeRule::resources>("resources"));

void read_rules(KubeUser& user, const FileValue& value) {
  user.rules.emplace();
  read_list(value, [&user](const FileValue& one) {
    read_object(one, rule_form, user.rules->emplace_back());
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

constexpr auto user_form = file_form<KubeUser>("kubernetes_user", member<&KubeUser::name>("name"), by<read_token>("token"),
                                               by<read_rules, describe<rule_form>>("rules"));

void read_user(KubeDraft& draft, const FileValue& value) {
  KubeUser user;
  read_object(value, user_form, user);
  if (value.has_problem()) return;
  if (user.name.empty()) return value.complain("a user needs a name");
  for (const KubeUser& known : draft.model.users) {
    if (!user.token.empty() && known.token == user.token) return value.complain("token: another user has the same");
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

void read_namespace(KubeDraft& draft, const FileValue& value) { value.read_label(draft.model.namespaces.emplace_back(), "namespace"); }
void read_restart(KubeDraft& draft, const FileValue& value) { value.read(draft.model.restarts.emplace_back()); }

constexpr auto kubernetes_form = file_form<KubeDraft>(
    "kubernetes", by<read_version>("version"), label<&KubeDraft::model, &KubernetesModel::default_namespace>("namespace", "namespace"),
    each<read_namespace>("namespaces"), member<&KubeDraft::model, &KubernetesModel::allows_anonymous>("anonymous"),
    each<read_user, describe<user_form>>("users"), member<&KubeDraft::model, &KubernetesModel::has_managed_fields>("managed_fields"),
    word<&KubeDraft::model, &KubernetesModel::watch_list>("watch_list", "answer", watch_list_words),
    whole<&KubeDraft::model, &KubernetesModel::first_version>("first_version", 1, 1'000'000'000'000'000), by<read_history>("history"),
    each<read_restart>("restarts"), each<read_kube_pods, describe_kube_pods>("pods"),
    each<read_kube_object, describe_kube_object>("objects"));

}  // namespace

void read_kubernetes(Model& model, const FileValue& value) {
  KubeDraft draft;
  draft.model.start = parse_rfc3339(model.start_time).value_or(*parse_rfc3339("2026-01-01T00:00:00Z"));
  read_object(value, kubernetes_form, draft);
  if (value.has_problem()) return;
  kube_complete(draft.model);
  model.kubernetes = std::make_shared<const KubernetesModel>(std::move(draft.model));
}

void describe_kubernetes(FileSections& out) { describe<kubernetes_form>(out); }

}  // namespace rollcall::sim
