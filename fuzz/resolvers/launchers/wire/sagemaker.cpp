// Fuzz target: SageMaker's variables, a value a line, and its resourceconfig.json.
#include "resolvers/launchers/wire/sagemaker.hpp"

#include "base/text.hpp"
#include "check.hpp"

namespace {

void check_sagemaker(const rollcall::Result<rollcall::SageMakerJob>& job) {
  using namespace rollcall;
  require_sane(job);
  if (!job) return;
  const Result<SageMakerHosts> hosts = hosts_of_sagemaker(*job);
  require_sane(hosts);
  if (!hosts || hosts->jobs.empty()) return;
  require(hosts->jobs.at(hosts->job).hosts.at(static_cast<std::size_t>(hosts->index)) == job->current);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string_view> lines = split(text, '\n');
  std::map<std::string, std::string, std::less<>> variables;
  std::size_t line = 0;
  for (const char* const name : {"SM_HOSTS", "SM_CURRENT_HOST", "SM_INSTANCE_GROUPS", "SM_CURRENT_INSTANCE_GROUP",
                                 "SM_CURRENT_INSTANCE_GROUP_HOSTS", "SM_DISTRIBUTION_INSTANCE_GROUPS", "SM_INSTANCE_GROUPS_DICT"}) {
    if (line < lines.size()) variables.emplace(name, lines[line]);
    ++line;
  }
  check_sagemaker(parse_sagemaker_variables(*fixed_environment(std::move(variables))));
  check_sagemaker(parse_resource_config("the file", text));
  static_cast<void>(is_resource_config(text));
  return 0;
}
