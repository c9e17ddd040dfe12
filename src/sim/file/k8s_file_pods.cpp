// The pods of the section `kubernetes` of a simulation file.
#include <fmt/format.h>

#include <array>

#include "base/text.hpp"
#include "sim/file/k8s_draft.hpp"
#include "sim/wire/k8s_names.hpp"

namespace rollcall::sim {

namespace {

constexpr std::array<std::string_view, 5> phases = {"Pending", "Running", "Succeeded", "Failed", "Unknown"};

void read_texts(KubeTexts& into, const FileValue& value) {
  const json::object* const object = value.object();
  if (!object) return;
  for (const auto& entry : *object) {
    if (value.has_problem()) return;
    if (const auto bad = bad_label_key(entry.key())) return value.complain_about_key(entry.key(), *bad);
    std::string text;
    value.child(entry.key(), entry.value()).read(text);
    into.insert_or_assign(std::string(entry.key()), std::move(text));
  }
}

void read_pairs_of(std::vector<std::pair<std::string, std::string>>& into, const FileValue& value) {
  const json::object* const object = value.object();
  if (!object) return;
  for (const auto& entry : *object) {
    std::string text;
    value.child(entry.key(), entry.value()).read(text);
    into.emplace_back(std::string(entry.key()), std::move(text));
  }
}

void read_ports(KubePodsDraft& draft, const FileValue& value) {
  const json::object* const object = value.object();
  if (!object) return;
  for (const auto& entry : *object) {
    const auto port = value.child(entry.key(), entry.value()).integer(1, 65535);
    draft.set.ports.emplace_back(std::string(entry.key()), static_cast<int>(port.value_or(1)));
  }
}

void read_bases(std::vector<std::string>& into, const FileValue& value) {
  value.read(into);
  if (!value.has_problem() && (into.empty() || into.size() > 2)) return value.complain("expected one address, or two for dual stack");
  for (const std::string& base : into) {
    if (!value.has_problem() && !address_plus(base, 0)) value.complain(fmt::format("{} is no IP address", quoted(base, 80)));
  }
}

void read_phase(KubeChange& change, const FileValue& value) { value.read_word(change.phase, "phase", phases); }

// Each key is there twice: for a pod's first state and for the entries of its timeline.
template <class T, KubeChange& (*Change)(T&)>
struct ChangeKeys {
  static constexpr std::array<FileKey<T>, 9> keys = {{
      {"phase", [](T& into, const FileValue& value) { read_phase(Change(into), value); }},
      {"ready", [](T& into, const FileValue& value) { read_optional(Change(into).ready, value); }},
      {"reason", [](T& into, const FileValue& value) { read_optional(Change(into).reason, value); }},
      {"message", [](T& into, const FileValue& value) { read_optional(Change(into).message, value); }},
      {"waiting", [](T& into, const FileValue& value) { read_optional(Change(into).waiting, value); }},
      {"exit_code", [](T& into, const FileValue& value) { Change(into).exit_code = static_cast<int>(value.integer(0, 255).value_or(0)); }},
      {"restarts",
       [](T& into, const FileValue& value) { Change(into).restarts = static_cast<int>(value.integer(0, 1'000'000).value_or(0)); }},
      {"labels", [](T& into, const FileValue& value) { read_optional(Change(into).labels, value); }},
      {"raw", [](T& into, const FileValue& value) { read_optional(Change(into).raw, value); }},
  }};
};

KubeChange& change_itself(KubeChange& change) { return change; }
KubeChange& change_of_script(KubeScript& script) { return script.first; }

template <class T, std::size_t A, std::size_t B>
constexpr std::array<FileKey<T>, A + B> joined(const std::array<FileKey<T>, A>& a, const std::array<FileKey<T>, B>& b) {
  std::array<FileKey<T>, A + B> out{};
  for (std::size_t i = 0; i < A; ++i) out[i] = a[i];
  for (std::size_t i = 0; i < B; ++i) out[A + i] = b[i];
  return out;
}

constexpr std::array<FileKey<KubeChange>, 3> own_moment_keys = {{
    member<&KubeChange::at>("at"),
    member<&KubeChange::terminating>("terminating"),
    member<&KubeChange::is_deletion>("deleted"),
}};
constexpr auto kube_moment_keys = joined(own_moment_keys, ChangeKeys<KubeChange, change_itself>::keys);

void read_timeline(KubeScript& script, const FileValue& value) {
  read_list(value, [&script](const FileValue& one) {
    KubeChange change;
    read_object<KubeChange>(one, kube_moment_keys, change);
    append_moment(script.timeline, std::move(change), one);
  });
}

constexpr std::array<FileKey<KubeScript>, 5> own_script_keys = {{
    whole<0, 99'999, &KubeScript::pod>("pod"),
    member<&KubeScript::created_at>("created_at"),
    member<&KubeScript::running_after>("running_after"),
    member<&KubeScript::ready_after>("ready_after"),
    {"timeline", read_timeline},
}};
constexpr auto kube_except_keys = joined(own_script_keys, ChangeKeys<KubeScript, change_of_script>::keys);

constexpr std::array<FileKey<KubePodsDraft>, 37> pods_keys = {{
    {"kind", [](KubePodsDraft& draft, const FileValue& value) { value.read_word(draft.kind, "kind", kube_kinds()); }},
    member<&KubePodsDraft::name>("name"),
    {"namespace", [](KubePodsDraft& draft, const FileValue& value) { read_kube_label(draft.name_space, value, "namespace"); }},
    whole<1, 100'000, &KubePodsDraft::count>("count"),
    whole<1, 100'000, &KubePodsDraft::groups>("groups"),
    whole<1, 10'000, &KubePodsDraft::pods_per_host>("pods_per_host"),
    {"replicated_job", [](KubePodsDraft& draft, const FileValue& value) { read_kube_label(draft.replicated_job, value, "name of a job"); }},
    {"labels", [](KubePodsDraft& draft, const FileValue& value) { read_texts(draft.labels, value); }},
    {"annotations", [](KubePodsDraft& draft, const FileValue& value) { read_texts(draft.annotations, value); }},
    member<&KubePodsDraft::set, &KubePodSet::image>("image"),
    member<&KubePodsDraft::set, &KubePodSet::command>("command"),
    {"ports", read_ports},
    {"env", [](KubePodsDraft& draft, const FileValue& value) { read_pairs_of(draft.set.env, value); }},
    whole<0, 1024, &KubePodsDraft::set, &KubePodSet::tpus>("tpus"),
    member<&KubePodsDraft::set, &KubePodSet::service_account>("service_account"),
    member<&KubePodsDraft::set, &KubePodSet::restart_policy>("restart_policy"),
    member<&KubePodsDraft::set, &KubePodSet::host_network>("host_network"),
    member<&KubePodsDraft::node>("node"),
    {"node_selector", [](KubePodsDraft& draft, const FileValue& value) { read_texts(draft.set.node_selector, value); }},
    member<&KubePodsDraft::hostname>("hostname"),
    member<&KubePodsDraft::subdomain>("subdomain"),
    {"host_ips", [](KubePodsDraft& draft, const FileValue& value) { read_bases(draft.host_ips, value); }},
    {"pod_ips", [](KubePodsDraft& draft, const FileValue& value) { read_bases(draft.pod_ips, value); }},
    member<&KubePodsDraft::stagger>("stagger"),
    member<&KubePodsDraft::script, &KubeScript::created_at>("created_at"),
    member<&KubePodsDraft::script, &KubeScript::running_after>("running_after"),
    member<&KubePodsDraft::script, &KubeScript::ready_after>("ready_after"),
    {"phase", [](KubePodsDraft& draft, const FileValue& value) { read_phase(draft.script.first, value); }},
    member<&KubePodsDraft::script, &KubeScript::first, &KubeChange::ready>("ready"),
    member<&KubePodsDraft::script, &KubeScript::first, &KubeChange::reason>("reason"),
    member<&KubePodsDraft::script, &KubeScript::first, &KubeChange::message>("message"),
    whole<0, 255, &KubePodsDraft::script, &KubeScript::first, &KubeChange::exit_code>("exit_code"),
    whole<0, 1'000'000, &KubePodsDraft::script, &KubeScript::first, &KubeChange::restarts>("restarts"),
    member<&KubePodsDraft::script, &KubeScript::first, &KubeChange::waiting>("waiting"),
    member<&KubePodsDraft::script, &KubeScript::first, &KubeChange::raw>("raw"),
    {"timeline", [](KubePodsDraft& draft, const FileValue& value) { read_timeline(draft.script, value); }},
    {"except",
     [](KubePodsDraft& draft, const FileValue& value) {
       read_list(value, [&draft](const FileValue& one) { read_object<KubeScript>(one, kube_except_keys, draft.except.emplace_back()); });
     }},
}};

}  // namespace

void read_kube_pods(KubeDraft& draft, const FileValue& value) {
  KubePodsDraft pods;
  read_object<KubePodsDraft>(value, pods_keys, pods);
  if (value.has_problem()) return;
  constexpr std::size_t max_model_bytes = 256 * 1024 * 1024;
  if (json::serialize(value.json()).size() * pods.count * pods.groups > max_model_bytes)
    return value.complain("count: this would be too large");
  if (auto wrong = kube_expand(draft, pods)) value.complain(*std::move(wrong));
}

FileSections kube_pod_sections() {
  return {{"kubernetes_pods", names_of(pods_keys)},
          {"kubernetes_except", names_of(kube_except_keys)},
          {"kubernetes_moment", names_of(kube_moment_keys)}};
}

std::vector<std::string_view> kube_phases() { return {phases.begin(), phases.end()}; }

}  // namespace rollcall::sim
