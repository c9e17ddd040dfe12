// Fuzz target: SM_HOSTS and SM_CURRENT_HOST, each on a line.
#include "resolvers/launchers/wire/sagemaker.hpp"

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = text.find('\n');
  const std::string_view current = line == std::string_view::npos ? "" : text.substr(line + 1);
  const Result<SageMakerHosts> hosts = parse_sagemaker(text.substr(0, line), current);
  require_sane(hosts);
  if (hosts && !hosts->hosts.empty()) require(hosts->hosts[static_cast<std::size_t>(hosts->current)] == current);
  return 0;
}
