// Counts this host's accelerators: compares the sources, and chooses the count that programs here can use.
#pragma once

#include <string>
#include <string_view>

#include "devices/local/rules/machine_facts.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/local_devices.hpp"

namespace rollcall {

/// `environment`: for the variables that hide devices from a process; the counts do not depend on them.
LocalDevices count_local_devices(const MachineFacts& machine, const NvmlOutcome& nvml, const Environment& environment);

/// `1 GPU`, `8 GPUs`.
std::string count_text(std::size_t count, std::string_view what);
/// The model that all devices have; empty: they differ.
std::string model_of_all(const std::vector<LocalDevice>& devices);
/// `A, B, C`, at most eight and how many more.
std::string short_list(const std::vector<std::string>& names);

// One vendor each: a group where any source has a device, and notes.
void count_nvidia(const MachineFacts& machine, const NvmlOutcome& nvml, LocalDevices& out);
void count_amd(const MachineFacts& machine, LocalDevices& out);
void count_tpu(const MachineFacts& machine, LocalDevices& out);
void count_gaudi(const MachineFacts& machine, LocalDevices& out);
void count_neuron(const MachineFacts& machine, LocalDevices& out);

// What a PCI function is.
bool is_nvidia_gpu(const PciFunction& function);
bool is_amd_accelerator(const PciFunction& function);
bool is_gaudi(const PciFunction& function);

/// Compares the group with the variables that hide its devices: LocalDeviceGroup::visible.
void note_visible(const Environment& environment, LocalDeviceGroup& group, std::vector<std::string>& notes);

/// What an NVML code says of a GPU or the host: `the GPU is lost (NVML code 15)`.
std::string nvml_code_text(int code);

}  // namespace rollcall
