// Texts of /proc and /sys about accelerators, of several drivers and ages.
#include "devices/local/wire/machine_texts.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;

TEST_CASE("the version of NVIDIA's driver is a word, not a column") {
  CHECK(parse_nvidia_version(
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  (dvs@U22)\nGCC version: 12.3\n") ==
        "580.159.04");
  CHECK(parse_nvidia_version("NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.158.01  Tue Jun 10\n") == "570.158.01");
  CHECK(parse_nvidia_version("NVRM version: NVIDIA\nGCC version: 12.3\n").empty());
  CHECK(parse_nvidia_version("").empty());
}

TEST_CASE("information about a GPU of NVIDIA") {
  const NvidiaInformation found = parse_nvidia_information(
      "Model: \t\t NVIDIA H200\nGPU UUID: \t GPU-1a\nBus Location: \t 0000:1A:06.0\nDevice Minor: \t 12\nGPU Excluded:\t No\n");
  CHECK(found.model == "NVIDIA H200");
  CHECK(found.uuid == "GPU-1a");
  CHECK(found.bus == "0000:1a:06.0");
  CHECK(found.minor == 12);
  CHECK_FALSE(found.is_excluded);
  CHECK(parse_nvidia_information("GPU UUID: GPU-?\?\?\?-?\n").uuid.empty());
  CHECK(parse_nvidia_information("GPU Excluded: Yes").is_excluded);
  CHECK_FALSE(parse_nvidia_information("Device Minor: -1\nDevice Minor\n: 3\n").minor);
}

TEST_CASE("a node of KFD") {
  const KfdProperties found =
      parse_kfd_properties("simd_count 1216\ngfx_target_version 90402\nlocation_id 4352\ndomain 1\ndrm_render_minor 129\nunique_id 255\n");
  CHECK(found.simd_count == 1216);
  CHECK(found.architecture == "gfx942");
  CHECK(found.bus == "0001:11:00.0");
  CHECK(found.render_minor == 129);
  CHECK(found.unique_id == "ff");
  CHECK(parse_kfd_properties("gfx_target_version 90010\n").architecture == "gfx90a");
  CHECK(parse_kfd_properties("gfx_target_version 110000\n").architecture == "gfx1100");
  CHECK(parse_kfd_properties("").simd_count == 0);
}

TEST_CASE("numbers in names and files") {
  CHECK(number_behind("nvidia", "nvidia0") == 0);
  CHECK(number_behind("nvidia", "nvidia17") == 17);
  for (const char* const name : {"nvidia", "nvidiactl", "nvidia01", "nvidia-uvm", "nvidia+1", "nvidia1x", "nvidi1", "nvidia99999999999"})
    CHECK_FALSE(number_behind("nvidia", name));
  CHECK(parse_pci_number("0x10de\n") == 0x10deU);
  CHECK(parse_pci_number("0x030200\n") == 0x030200U);
  for (const char* const text : {"", "0x", "10de", "0x10dg", "0x-1", "0x123456789"}) CHECK_FALSE(parse_pci_number(text));
}
