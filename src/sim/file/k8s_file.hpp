// The section `kubernetes` of a simulation file, in parts.
#pragma once

#include "sim/file/file_sections.hpp"
#include "sim/file/k8s_draft.hpp"

namespace rollcall::sim {

void read_kubernetes_section(Model& model, const FileValue& value);
/// One entry of `pods`.
void read_kube_pods(KubeDraft& draft, const FileValue& value);
/// A DNS label; `noun` for the message.
void read_kube_label(std::string& into, const FileValue& value, std::string_view noun);

std::vector<std::pair<std::string_view, KeyNames>> kubernetes_sections();
std::vector<std::pair<std::string_view, KeyNames>> kube_pod_sections();
std::vector<std::string_view> kube_phases();

}  // namespace rollcall::sim
