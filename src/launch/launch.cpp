// The table of launch contracts, and the look-up of a form by its name.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "launch/format_row.hpp"
#include "launch/ranks.hpp"

namespace rollcall {
namespace {

// A new form is a row here and an enumerator in rollcall/launch.hpp, with its name, in the same order.
constexpr const FormatRow* format_rows[] = {
    &tf_config_row, &cluster_def_row, &cluster_def_text_row, &jax_row,          &pjrt_row,           &megascale_row,
    &torchrun_row,  &torch_env_row,   &torch_xla_row,        &mpi_hostfile_row, &mpich_hostfile_row, &slurm_nodelist_row,
    &ray_row,       &hosts_row,       &ssh_config_row,       &ansible_row,      &prometheus_row,     &plain_row,
    &env_row,
};
static_assert(std::size(format_rows) == std::size(launch_format_names));

const FormatRow& row_of(LaunchFormat format) noexcept { return *format_rows[static_cast<std::size_t>(format)]; }

constexpr std::size_t max_variable = 128 * 1024 - 1;  // MAX_ARG_STRLEN, including the NUL

Result<void> check_variable(const std::string& name, const std::string& value) {
  if (printable_line(value) != value)
    return Failure(Errc::invalid_argument, fmt::format("{} cannot be set: {} has characters that do not show", name, quoted(value, 80)));
  if (name.size() + 1 + value.size() <= max_variable) return Result<void>();
  return Failure(Errc::limit_exceeded, fmt::format("{} would have {} bytes; a program can be given {} in one variable", name, value.size(),
                                                   max_variable - name.size() - 1))
      .with_hint("write the cluster to a file: rollcall wait --format json");
}

}  // namespace

std::span<const LaunchFormatFacts> launch_formats() noexcept {
  static const std::vector<LaunchFormatFacts> all = [] {
    std::vector<LaunchFormatFacts> facts;
    for (const FormatRow* row : format_rows) facts.push_back(row->facts);
    return facts;
  }();
  return all;
}

const LaunchFormatFacts& facts_of(LaunchFormat format) noexcept { return row_of(format).facts; }

std::uint16_t usual_port_of(LaunchFormat format, const LaunchFacts& facts) noexcept {
  const auto set = facts.usual_ports.find(format);
  return set == facts.usual_ports.end() ? facts_of(format).coordinator_port : set->second;
}

Result<LaunchFormat> parse_launch_format(std::string_view name) {
  const auto at = std::find(std::begin(launch_format_names), std::end(launch_format_names), name);
  if (at != std::end(launch_format_names)) return static_cast<LaunchFormat>(at - std::begin(launch_format_names));
  const std::optional<std::string_view> meant = nearest(name, launch_format_names);
  return Failure(Errc::invalid_argument,
                 fmt::format("{} is no form of a cluster; accepted are {}", quoted(name, 64), fmt::join(launch_format_names, ", ")))
      .with_hint(meant ? fmt::format("did you mean {}?", *meant) : std::string());
}

Result<std::string> render_launch(LaunchFormat format, const LaunchFacts& facts) {
  const FormatRow& row = row_of(format);
  if (row.text) return row.text(facts);
  const Result<EnvironmentVariables> variables = launch_environment(format, facts);
  if (!variables) return variables.error();
  return shell_lines(*variables);
}

Result<EnvironmentVariables> launch_environment(LaunchFormat format, const LaunchFacts& facts) {
  const FormatRow& row = row_of(format);
  if (!row.environment) {
    return Failure(Errc::unimplemented, fmt::format("{} is no environment of a program", to_string(format)))
        .with_hint(fmt::format("print it: rollcall spec --format {}", to_string(format)));
  }
  Result<EnvironmentVariables> variables = row.environment(facts);
  if (!variables) return variables;
  for (const auto& [name, value] : *variables) {
    const Result<void> checked = check_variable(name, value);
    if (!checked) return checked.error();
  }
  return variables;
}

std::span<const std::string_view> launch_variables(LaunchFormat format) noexcept { return row_of(format).variables; }

std::vector<std::string_view> stale_variables(LaunchFormat format, const EnvironmentVariables& set, const Environment& outside) {
  const FormatRow& row = row_of(format);
  const auto contains = [](std::span<const std::string_view> names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  // TF_CONFIG may be written in other ways.
  const bool is_other_job = std::any_of(set.begin(), set.end(), [&outside](const auto& variable) {
    return variable.first != "TF_CONFIG" && outside.get(variable.first).value_or(variable.second) != variable.second;
  });
  std::vector<std::string_view> stale;
  for (const std::string_view name : row.variables) {
    const bool is_set = std::any_of(set.begin(), set.end(), [name](const auto& variable) { return variable.first == name; });
    const bool is_left = contains(row.left, name) || (contains(row.left_of_same_job, name) && !is_other_job);
    if (!is_set && !is_left) stale.push_back(name);
  }
  return stale;
}

Result<LaunchCoordinator> launch_coordinator(LaunchFormat format, const LaunchFacts& facts) {
  const std::uint16_t usual_port = usual_port_of(format, facts);
  if (usual_port != 0) return coordinator_for(facts, usual_port);
  return Failure(Errc::unimplemented, fmt::format("{} names no coordinator that could be probed", to_string(format)));
}

std::string shell_word(std::string_view text) {
  const auto is_safe = [](char c) { return is_alnum(c) || std::string_view("_-./:,@%+").find(c) != std::string_view::npos; };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_safe)) return std::string(text);
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += R"('\'')";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string shell_lines(const EnvironmentVariables& variables) {
  std::string out;
  for (const auto& [name, value] : variables) out += fmt::format("{}={}\n", name, shell_word(value));
  return out;
}

}  // namespace rollcall
