// The pods of the section `kubernetes` of a simulation file.
#include <fmt/format.h>

#include <array>

#include "base/text.hpp"
#include "sim/file/k8s_draft.hpp"
#include "sim/wire/k8s_names.hpp"

namespace rollcall::sim {

namespace {

constexpr std::array<std::string_view, 5> phases = {"Pending", "Running", "Succeeded", "Failed", "Unknown"};

template <auto... Member>
void read_texts(KubePodsDraft& draft, const FileValue& value) {
  read_entries(value, [&](std::string key, const FileValue& one) {
    if (const auto bad = bad_label_key(key)) return value.complain_about_key(key, *bad);
    one.read(member_of<Member...>(draft)[std::move(key)]);
  });
}

void read_env(KubePodsDraft& draft, const FileValue& value) {
  read_entries(value, [&](std::string name, const FileValue& one) { one.read(draft.set.env.emplace_back(std::move(name), "").second); });
}

void read_ports(KubePodsDraft& draft, const FileValue& value) {
  read_entries(value, [&](std::string name, const FileValue& one) {
    draft.set.ports.emplace_back(std::move(name), static_cast<int>(one.integer(1, 65535).value_or(1)));
  });
}

template <auto Member>
void read_bases(KubePodsDraft& draft, const FileValue& value) {
  std::vector<std::string>& into = draft.*Member;
  value.read(into);
  if (!value.has_problem() && (into.empty() || into.size() > 2)) return value.complain("expected one address, or two for dual stack");
  for (const std::string& base : into) {
    if (!value.has_problem() && !address_plus(base, 0)) value.complain(fmt::format("{} is no IP address", quoted(base, 80)));
  }
}

constexpr auto kube_moment_form = file_form<KubeChange>(
    "kubernetes_moment", member<&KubeChange::at>("at"), member<&KubeChange::terminating>("terminating"),
    member<&KubeChange::is_deletion>("deleted"), word<&KubeChange::phase>("phase", "phase", phases), member<&KubeChange::ready>("ready"),
    member<&KubeChange::reason>("reason"), member<&KubeChange::message>("message"), member<&KubeChange::waiting>("waiting"),
    whole<&KubeChange::exit_code>("exit_code", 0, 255), whole<&KubeChange::restarts>("restarts", 0, 1'000'000),
    word<&KubeChange::cause>("cause", "cause", kube_causes), member<&KubeChange::labels>("labels"), member<&KubeChange::raw>("raw"));

void read_moment_of_pod(KubeScript& script, const FileValue& value) {
  KubeChange change;
  read_object(value, kube_moment_form, change);
  append_moment(script.timeline, std::move(change), value);
}

// The first state has the keys of an entry, except those that only an entry has.
constexpr auto kube_except_form = file_form<KubeScript>(
    "kubernetes_except", whole<&KubeScript::pod>("pod", 0, 99'999), member<&KubeScript::created_at>("created_at"),
    member<&KubeScript::running_after>("running_after"), member<&KubeScript::ready_after>("ready_after"),
    each<read_moment_of_pod, describe<kube_moment_form>>("timeline"), keys_of<kube_moment_form, 3, &KubeScript::first>());

void read_moment_of_pods(KubePodsDraft& draft, const FileValue& value) { read_moment_of_pod(draft.script, value); }
void read_kube_except(KubePodsDraft& draft, const FileValue& value) { read_object(value, kube_except_form, draft.except.emplace_back()); }

constexpr FileForm<KubePodsDraft, 38> pods_form = {
    "kubernetes_pods",  // an entry makes count × groups pods
    {{
        word<&KubePodsDraft::kind>("kind", "kind", kube_kinds),
        member<&KubePodsDraft::name>("name"),
        label<&KubePodsDraft::namespace_name>("namespace", "namespace"),
        whole<&KubePodsDraft::count>("count", 1, 100'000),
        whole<&KubePodsDraft::groups>("groups", 1, 100'000),
        whole<&KubePodsDraft::pods_per_host>("pods_per_host", 1, 10'000),
        label<&KubePodsDraft::replicated_job>("replicated_job", "name of a job"),
        by<read_texts<&KubePodsDraft::labels>>("labels"),
        by<read_texts<&KubePodsDraft::annotations>>("annotations"),
        member<&KubePodsDraft::set, &KubePodSet::image>("image"),
        member<&KubePodsDraft::set, &KubePodSet::command>("command"),
        by<read_ports>("ports"),
        by<read_env>("env"),
        whole<&KubePodsDraft::set, &KubePodSet::tpus>("tpus", 0, 1024),
        member<&KubePodsDraft::set, &KubePodSet::service_account>("service_account"),
        member<&KubePodsDraft::set, &KubePodSet::restart_policy>("restart_policy"),
        member<&KubePodsDraft::set, &KubePodSet::host_network>("host_network"),
        member<&KubePodsDraft::node>("node"),
        by<read_texts<&KubePodsDraft::set, &KubePodSet::node_selector>>("node_selector"),
        member<&KubePodsDraft::hostname>("hostname"),
        member<&KubePodsDraft::subdomain>("subdomain"),
        by<read_bases<&KubePodsDraft::host_ips>>("host_ips"),
        by<read_bases<&KubePodsDraft::pod_ips>>("pod_ips"),
        member<&KubePodsDraft::stagger>("stagger"),
        member<&KubePodsDraft::script, &KubeScript::created_at>("created_at"),
        member<&KubePodsDraft::script, &KubeScript::running_after>("running_after"),
        member<&KubePodsDraft::script, &KubeScript::ready_after>("ready_after"),
        word<&KubePodsDraft::script, &KubeScript::first, &KubeChange::phase>("phase", "phase", phases),
        member<&KubePodsDraft::script, &KubeScript::first, &KubeChange::ready>("ready"),
        member<&KubePodsDraft::script, &KubeScript::first, &KubeChange::reason>("reason"),
        member<&KubePodsDraft::script, &KubeScript::first, &KubeChange::message>("message"),
        whole<&KubePodsDraft::script, &KubeScript::first, &KubeChange::exit_code>("exit_code", 0, 255),
        whole<&KubePodsDraft::script, &KubeScript::first, &KubeChange::restarts>("restarts", 0, 1'000'000),
        member<&KubePodsDraft::script, &KubeScript::first, &KubeChange::waiting>("waiting"),
        word<&KubePodsDraft::script, &KubeScript::first, &KubeChange::cause>("cause", "cause", kube_causes),
        member<&KubePodsDraft::script, &KubeScript::first, &KubeChange::raw>("raw"),
        each<read_moment_of_pods>("timeline"),
        each<read_kube_except, describe<kube_except_form>>("except"),
    }}};

}  // namespace

void read_kube_pods(KubeDraft& draft, const FileValue& value) {
  KubePodsDraft pods;
  read_object(value, pods_form, pods);
  value.complain_if_huge("count", pods.count * pods.groups);
  if (value.has_problem()) return;
  if (auto wrong = kube_expand(draft, pods)) value.complain(*std::move(wrong));
}

void describe_kube_pods(FileSections& out) { describe<pods_form>(out); }

}  // namespace rollcall::sim
