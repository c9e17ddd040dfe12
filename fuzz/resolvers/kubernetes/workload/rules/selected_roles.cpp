// A label selector against a workload: never more pods than it has.
#include "resolvers/kubernetes/workload/rules/selected_roles.hpp"

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const Workload workload = [] {
    const Result<Workload> read = parse_workload(
        **workload_type_called("jobset"),
        R"({"kind":"JobSet","metadata":{"name":"t","uid":"u"},"spec":{"replicatedJobs":[{"name":"s","replicas":4,"template":{"spec":{
            "parallelism":16,"completions":16,"template":{"metadata":{"labels":{"app":"x"}}}}}}]}})");
    require(read.has_value());
    return *read;
  }();
  const SelectedRoles selected = roles_selected_by(text, workload);
  require(selected.roles.size() <= workload.roles.size());
  for (const SelectedRole& one : selected.roles) {
    require(one.parts >= 0 && one.parts <= one.role->parts);
    require(one.members >= 0 && one.members <= one.role->members);
  }
  return 0;
}
