// An object that asks for pods: the first byte is its kind. Numbers are bounded, texts can be printed, and an accepted selector is one of
// labels.
#include "resolvers/kubernetes/workload/wire/workload.hpp"

#include "check.hpp"
#include "cluster/service_address.hpp"
#include "resolvers/kubernetes/workload/rules/workload_chain.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const WorkloadType& type = workload_types()[data[0] % workload_types().size()];
  const Result<Workload> workload = parse_workload(type, text);
  require_sane(workload);
  require_sane(parse_owner(text));
  require_sane(parse_api_versions(text));
  require_sane(workload_type_called(text));
  if (!workload) return 0;
  require(total_of(*workload) >= 0);
  require_printable(describe_size(*workload));
  for (const WorkloadRole& role : workload->roles) {
    require(role.parts >= 0 && role.members >= 0 && role.first >= 0);
    require(job_name_fault(role.job).empty());
    for (const char c : role.selector) require(c >= 0x20 && c != 0x7f);
  }
  ClusterStatus status;
  status.members.emplace_back(workload->roles.empty() ? "worker" : workload->roles.front().job, 0);
  status.members.front().health.level = MemberState::waiting;
  for (const Cause& cause : order_causes(*workload, status)) require_printable(cause.text);
  WorkloadChain chain;
  chain.levels.push_back(std::make_shared<const Workload>(*workload));
  const WorkloadState state = state_of(chain);
  if (state.cause) {
    require_printable(state.cause->text);
    require_printable(state.cause->code);
    require_printable(state.condition.text);
  }
  return 0;
}
