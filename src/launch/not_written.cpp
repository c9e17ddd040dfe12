// Forms that are written next.
#include "launch/format_row.hpp"

namespace rollcall {
namespace {

Result<std::string> not_written(const LaunchFacts&) { return Failure(Errc::unimplemented, "this form is not written yet"); }

}  // namespace

const FormatRow mpi_hostfile_row{.facts = {.format = LaunchFormat::mpi_hostfile, .help = "not written yet"}, .text = not_written};
const FormatRow mpich_hostfile_row{.facts = {.format = LaunchFormat::mpich_hostfile, .help = "not written yet"}, .text = not_written};
const FormatRow slurm_nodelist_row{.facts = {.format = LaunchFormat::slurm_nodelist, .help = "not written yet"}, .text = not_written};
const FormatRow ray_row{.facts = {.format = LaunchFormat::ray, .help = "not written yet"}, .text = not_written};
const FormatRow hosts_row{.facts = {.format = LaunchFormat::hosts, .help = "not written yet"}, .text = not_written};
const FormatRow ssh_config_row{.facts = {.format = LaunchFormat::ssh_config, .help = "not written yet"}, .text = not_written};
const FormatRow ansible_row{.facts = {.format = LaunchFormat::ansible, .help = "not written yet"}, .text = not_written};
const FormatRow prometheus_row{.facts = {.format = LaunchFormat::prometheus, .help = "not written yet"}, .text = not_written};

}  // namespace rollcall
