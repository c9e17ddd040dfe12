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

void read_phase(KubeChange& change, const FileValue& value) {
  std::string word;
  value.read_word(word, "phase", phases);
  if (!value.has_problem()) change.phase = std::move(word);
}

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
    {"at", [](KubeChange& change, const FileValue& value) { value.read(change.at); }},
    {"terminating", [](KubeChange& change, const FileValue& value) { read_optional(change.terminating, value); }},
    {"deleted", [](KubeChange& change, const FileValue& value) { value.read(change.is_deletion); }},
}};
constexpr auto kube_moment_keys = joined(own_moment_keys, ChangeKeys<KubeChange, change_itself>::keys);

void read_timeline(KubeScript& script, const FileValue& value) {
  read_list(value, [&script](const FileValue& one) {
    KubeChange change;
    read_object<KubeChange>(one, kube_moment_keys, change);
    if (!one.has_problem() && !script.timeline.empty() && change.at <= script.timeline.back().at)
      return one.complain("at: each entry must be later than the one before");
    script.timeline.push_back(std::move(change));
  });
}

constexpr std::array<FileKey<KubeScript>, 5> own_script_keys = {{
    {"pod",
     [](KubeScript& script, const FileValue& value) { script.pod = static_cast<std::size_t>(value.integer(0, 99'999).value_or(0)); }},
    {"created_at", [](KubeScript& script, const FileValue& value) { read_optional(script.created_at, value); }},
    {"running_after", [](KubeScript& script, const FileValue& value) { read_optional(script.running_after, value); }},
    {"ready_after", [](KubeScript& script, const FileValue& value) { read_optional(script.ready_after, value); }},
    {"timeline", read_timeline},
}};
constexpr auto kube_except_keys = joined(own_script_keys, ChangeKeys<KubeScript, change_of_script>::keys);

constexpr std::array<FileKey<KubePodsDraft>, 37> pods_keys = {{
    {"kind", [](KubePodsDraft& draft, const FileValue& value) { value.read_word(draft.kind, "kind", kube_kinds()); }},
    {"name", [](KubePodsDraft& draft, const FileValue& value) { value.read(draft.name); }},
    {"namespace", [](KubePodsDraft& draft, const FileValue& value) { read_kube_label(draft.name_space, value, "namespace"); }},
    {"count", [](KubePodsDraft& draft,
                 const FileValue& value) { draft.count = static_cast<std::size_t>(value.integer(1, 100'000).value_or(1)); }},
    {"groups", [](KubePodsDraft& draft,
                  const FileValue& value) { draft.groups = static_cast<std::size_t>(value.integer(1, 100'000).value_or(1)); }},
    {"pods_per_host", [](KubePodsDraft& draft,
                         const FileValue& value) { draft.pods_per_host = static_cast<std::size_t>(value.integer(1, 10'000).value_or(1)); }},
    {"replicated_job", [](KubePodsDraft& draft, const FileValue& value) { read_kube_label(draft.replicated_job, value, "name of a job"); }},
    {"labels", [](KubePodsDraft& draft, const FileValue& value) { read_texts(draft.labels, value); }},
    {"annotations", [](KubePodsDraft& draft, const FileValue& value) { read_texts(draft.annotations, value); }},
    {"image", [](KubePodsDraft& draft, const FileValue& value) { value.read(draft.set.image); }},
    {"command", [](KubePodsDraft& draft, const FileValue& value) { value.read(draft.set.command); }},
    {"ports", read_ports},
    {"env", [](KubePodsDraft& draft, const FileValue& value) { read_pairs_of(draft.set.env, value); }},
    {"tpus", [](KubePodsDraft& draft, const FileValue& value) { draft.set.tpus = value.integer(0, 1024).value_or(0); }},
    {"service_account", [](KubePodsDraft& draft, const FileValue& value) { value.read(draft.set.service_account); }},
    {"restart_policy", [](KubePodsDraft& draft, const FileValue& value) { value.read(draft.set.restart_policy); }},
    {"host_network", [](KubePodsDraft& draft, const FileValue& value) { value.read(draft.set.host_network); }},
    {"node", [](KubePodsDraft& draft, const FileValue& value) { value.read(draft.node); }},
    {"node_selector", [](KubePodsDraft& draft, const FileValue& value) { read_texts(draft.set.node_selector, value); }},
    {"hostname", [](KubePodsDraft& draft, const FileValue& value) { value.read(draft.hostname); }},
    {"subdomain", [](KubePodsDraft& draft, const FileValue& value) { value.read(draft.subdomain); }},
    {"host_ips", [](KubePodsDraft& draft, const FileValue& value) { read_bases(draft.host_ips, value); }},
    {"pod_ips", [](KubePodsDraft& draft, const FileValue& value) { read_bases(draft.pod_ips, value); }},
    {"stagger", [](KubePodsDraft& draft, const FileValue& value) { value.read(draft.stagger); }},
    {"created_at", [](KubePodsDraft& draft, const FileValue& value) { read_optional(draft.script.created_at, value); }},
    {"running_after", [](KubePodsDraft& draft, const FileValue& value) { read_optional(draft.script.running_after, value); }},
    {"ready_after", [](KubePodsDraft& draft, const FileValue& value) { read_optional(draft.script.ready_after, value); }},
    {"phase", [](KubePodsDraft& draft, const FileValue& value) { read_phase(draft.script.first, value); }},
    {"ready", [](KubePodsDraft& draft, const FileValue& value) { read_optional(draft.script.first.ready, value); }},
    {"reason", [](KubePodsDraft& draft, const FileValue& value) { read_optional(draft.script.first.reason, value); }},
    {"message", [](KubePodsDraft& draft, const FileValue& value) { read_optional(draft.script.first.message, value); }},
    {"exit_code", [](KubePodsDraft& draft,
                     const FileValue& value) { draft.script.first.exit_code = static_cast<int>(value.integer(0, 255).value_or(0)); }},
    {"restarts", [](KubePodsDraft& draft,
                    const FileValue& value) { draft.script.first.restarts = static_cast<int>(value.integer(0, 1'000'000).value_or(0)); }},
    {"waiting", [](KubePodsDraft& draft, const FileValue& value) { read_optional(draft.script.first.waiting, value); }},
    {"raw", [](KubePodsDraft& draft, const FileValue& value) { read_optional(draft.script.first.raw, value); }},
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

std::vector<std::pair<std::string_view, KeyNames>> kube_pod_sections() {
  std::vector<std::pair<std::string_view, KeyNames>> out;
  out.emplace_back("kubernetes_pods", names_of(pods_keys));
  out.emplace_back("kubernetes_except", names_of(kube_except_keys));
  out.emplace_back("kubernetes_moment", names_of(kube_moment_keys));
  return out;
}

std::vector<std::string_view> kube_phases() { return {phases.begin(), phases.end()}; }

}  // namespace rollcall::sim
