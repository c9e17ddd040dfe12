// gpu_model(): short names of GPUs.
#include "accelerator/gpu_model.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;

TEST_CASE("GPUs by the names of vendors and clouds") {
  CHECK(gpu_model("NVIDIA-H100-80GB-HBM3") == "H100");
  CHECK(gpu_model("nvidia-h100-mega-80gb") == "H100");
  CHECK(gpu_model("NVIDIA-A100-SXM4-40GB-MIG-1g.5gb") == "A100");
  CHECK(gpu_model("nvidia-tesla-t4") == "T4");
  CHECK(gpu_model("Tesla-V100-SXM2-16GB") == "V100");
  CHECK(gpu_model("NVIDIA-GB200") == "GB200");
  CHECK(gpu_model("NVIDIA-RTX-A6000") == "RTX A6000");
  CHECK(gpu_model("NVIDIA-GeForce-RTX-4090") == "RTX 4090");
  CHECK(gpu_model("AMD_Instinct_MI300X_OAM") == "MI300X");
  CHECK(gpu_model("a10g") == "A10G");
  CHECK(gpu_model("Some-GPU") == "Some-GPU");
  CHECK(gpu_model("").empty());
  CHECK(gpu_model("---") == "---");
}
