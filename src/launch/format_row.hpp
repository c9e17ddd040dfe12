// One form of launch contracts as a row: its facts, and the functions that render it.
#pragma once

#include "rollcall/launch.hpp"

namespace rollcall {

class FormatRow {
 public:
  LaunchFormatFacts facts;
  Result<std::string> (*text)(const LaunchFacts& facts) = nullptr;
  Result<EnvironmentVariables> (*environment)(const LaunchFacts& facts) = nullptr;
  std::span<const std::string_view> variables = {};
  // Of these, those that are left as they are where the form has no value for them: always (numbers of this host, which hold for any job),
  // or unless the other variables show that they are another job's.
  std::span<const std::string_view> left = {};
  std::span<const std::string_view> left_of_same_job = {};
};

// One row for each form, in the file that renders it.
extern const FormatRow tf_config_row, cluster_def_row, cluster_def_text_row;
extern const FormatRow jax_row, pjrt_row, megascale_row;
extern const FormatRow torchrun_row, torch_env_row, torch_xla_row;
extern const FormatRow mpi_hostfile_row, mpich_hostfile_row, slurm_nodelist_row, ray_row;
extern const FormatRow hosts_row, ssh_config_row, ansible_row, prometheus_row;
extern const FormatRow plain_row, env_row;

inline constexpr std::uint16_t torch_port = 29500;  ///< the default of torch.distributed and its launchers
/// LaunchFacts::usual_ports of the form, else the framework's own port.
std::uint16_t usual_port_of(LaunchFormat format, const LaunchFacts& facts) noexcept;
/// The arguments of torchrun, as one line without its end.
Result<std::string> torchrun_flags(const LaunchFacts& facts);

/// `NAME=value` lines, quoted for a POSIX shell: `set -a; eval "$(…)"` reads them, and so does an env file.
std::string shell_lines(const EnvironmentVariables& variables);
/// The shortest form of the text as one word of a POSIX shell. `text` has no NUL.
std::string shell_word(std::string_view text);

}  // namespace rollcall
