// Small texts in Slurm's records: generic resources, features, dependencies, names of reasons, ids.
#include "resolvers/slurm/rules/slurm_gres.hpp"
#include "resolvers/slurm/rules/slurm_reference.hpp"
#include "resolvers/slurm/rules/slurm_view.hpp"

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::vector<SlurmGres> list = parse_slurm_gres(text);
  const std::optional<Accelerators> gpus = slurm_gpus_of(list, "GRES");
  require(!gpus || gpus->count >= 0);
  if (gpus) require_printable(gpus->model);
  require(holds_slurm_gres(list, {}));
  require(fits_features("", {text}));
  fits_features(text, {"a", "b"});
  require(slurm_dependencies(text).size() <= 64);
  if (size < 500) require_printable(slurm_reason_words(text));
  const Result<SlurmReference> reference = SlurmReference::parse(text);
  require_sane(reference);
  if (reference) {
    require(reference->id >= 0);
    if (reference->id == 0) require(reference->text() == text);
  }
  return 0;
}
