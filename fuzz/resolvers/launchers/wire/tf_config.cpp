// TF_CONFIG and TPU_CONFIG.
#include "resolvers/launchers/wire/tf_config.hpp"

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<TfConfig> config = TfConfig::parse(text);
  require_sane(config);
  if (config) {
    require_sane(config->cluster());
    require_sane(config->task_type());
    require_sane(config->task_id());
    require_sane(config->rpc_layer());
    require_sane(config->session_master());
  }
  const Result<TpuConfig> tpu = TpuConfig::parse(text);
  require_sane(tpu);
  if (tpu) require(!tpu->tpu_node_name.empty());
  return 0;
}
