// Functions that check and store the values of the command line's options. Included by the option rows only.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "base/duration.hpp"
#include "base/path_text.hpp"
#include "base/proxy_url.hpp"
#include "base/value_readers.hpp"
#include "command/arguments/command_table.hpp"
#include "command/terminal/signals.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall::command {

inline Result<void> bad(std::string what) { return Failure(Errc::invalid_argument, std::move(what)); }

template <std::string Arguments::* Member>
Result<void> store_text(Arguments& a, const std::string& value) {
  if (value.empty()) return bad("the value is empty");
  a.*Member = value;
  return Result<void>();
}

template <std::string Arguments::* Member>
Result<void> store_readable(Arguments& a, const std::string& value) {
  if (value.empty() || ::access(value.c_str(), R_OK) != 0) {
    return bad(fmt::format("cannot read {}: {}", quoted_path(value), std::strerror(value.empty() ? ENOENT : errno)));
  }
  a.*Member = value;
  return Result<void>();
}

template <bool Arguments::* Member>
Result<void> store_flag(Arguments& a, const std::string&) {
  a.*Member = true;
  return Result<void>();
}

inline Result<void> store_bad_annotation(Arguments& a, const std::string& value) {
  a.refuses_bad_annotations = value == "refuse";
  return Result<void>();
}

template <std::uint16_t Arguments::* Member>
Result<void> store_port(Arguments& a, const std::string& value) {
  const auto port = parse_decimal<std::uint16_t>(value);
  if (!port) return bad(fmt::format("{} is no port; accepted are 0 (any free one) to 65535", quoted(value, 64)));
  a.*Member = *port;
  return Result<void>();
}

// The files are read here: their contents may be needed only late, or never, and an error must appear at once.
inline Result<void> store_ca(Arguments& a, const std::string& value) {
  Result<void> fine = store_readable<&Arguments::ca_file>(a, value);
  if (fine) fine = check_ca_file(value);
  return fine;
}

// Never quotes the text: it may contain a password.
inline Result<void> store_proxy(Arguments& a, const std::string& value) {
  const Result<ProxyUrl> url = ProxyUrl::parse(value, "the URL");
  if (!url) return url.error();
  a.proxy = Secret<std::string>(value);
  return Result<void>();
}

template <auto Member>  // `Duration`, or an optional one
Result<void> store_duration(Arguments& a, const std::string& value) {
  const Result<Duration> duration = parse_duration(value);
  if (!duration) return duration.error();
  a.*Member = *duration;
  return Result<void>();
}

template <class Member>  // int, or an optional one
Result<void> store_number(const std::string& value, std::string_view noun, int low, int high, Member& member) {
  const Result<int> number = number_between(value, noun, low, high);
  if (!number) return number.error();
  member = *number;
  return Result<void>();
}

inline Result<void> store_retries(Arguments& a, const std::string& value) {
  return store_number(value, "number of retries", 0, 1000, a.retries);
}

inline Result<void> store_connect_to(Arguments& a, const std::string& value) {
  Result<ConnectTo> parsed = ConnectTo::parse(value);
  if (!parsed) return parsed.error();
  a.connect_to.push_back(std::move(*parsed));
  return Result<void>();
}

template <std::vector<std::string> Arguments::* Member>
Result<void> append_text(Arguments& a, const std::string& value) {
  if (value.empty()) return bad("the value is empty");
  (a.*Member).push_back(value);
  return Result<void>();
}

// `a,b`, appended to the values of earlier options.
template <std::vector<std::string> Arguments::* Member>
Result<void> append_list(Arguments& a, const std::string& value) {
  for (const std::string_view one : split(value, ',')) {
    if (one.empty()) return bad("a value is empty");
    (a.*Member).emplace_back(one);
  }
  return Result<void>();
}

inline constexpr std::string_view found_kinds[] = {"tpu", "queued-resource", "instance-group", "job", "slurm-job"};

inline Result<void> append_kind(Arguments& a, const std::string& value) {
  static constexpr FoundKind kinds[] = {FoundKind::tpu, FoundKind::queued_resource, FoundKind::instance_group, FoundKind::job,
                                        FoundKind::slurm_job};
  for (std::size_t i = 0; i < std::size(kinds); ++i) {
    if (value == found_kinds[i]) a.kinds.push_back(kinds[i]);
  }
  return Result<void>();
}

inline Result<void> store_until(Arguments& a, const std::string& value) {
  const Result<Readiness> until = parse_readiness(value);
  if (!until) return until.error();
  a.until = *until;
  return Result<void>();
}

template <int Arguments::* Member>
Result<void> store_members(Arguments& a, const std::string& value) {
  return store_number(value, "number of members", 1, 65536, a.*Member);
}

inline constexpr std::string_view progress_forms[] = {"table", "lines", "json", "none"};
inline constexpr std::string_view formats[] = {"text", "json"};
inline constexpr std::string_view lookups[] = {"auto", "each", "list"};
inline constexpr std::string_view log_forms[] = {"json"};
inline constexpr std::string_view sources[] = {"auto", "devices", "accelerator-type"};  // in the order of CountFrom
inline constexpr std::string_view device_queries[] = {"master", "workers"};  // in the order of DeviceQuery
inline constexpr std::string_view apis[] = {"v2", "v1", "v2alpha1"};

// The parser accepts only the listed choices.
inline Result<void> store_format(Arguments& a, const std::string& value) {
  a.format = value == formats[1] ? Format::json : Format::text;
  a.has_format = true;
  return Result<void>();
}
// text, json, or a form of launch contracts.
inline constexpr auto cluster_formats = [] {
  std::array<std::string_view, std::size(formats) + std::size(launch_format_names)> all{};
  std::copy(std::begin(launch_format_names), std::end(launch_format_names), std::copy(std::begin(formats), std::end(formats), all.begin()));
  return all;
}();

inline Result<void> store_cluster_format(Arguments& a, const std::string& value) {
  a.launch_format.reset();
  if (value == formats[0] || value == formats[1]) return store_format(a, value);
  const Result<LaunchFormat> format = parse_launch_format(value);
  if (!format) return format.error();
  a.launch_format = *format;
  a.has_format = true;
  return Result<void>();
}
inline constexpr std::string_view environment_forms[] = {"shell", "github", "json", "dotenv"};
// The index of the choice in `names`, in the order of the enum.
template <auto member, class Choice, const auto& names>
Result<void> store_choice(Arguments& a, const std::string& value) {
  a.*member = static_cast<Choice>(*index_among(value, names));
  return Result<void>();
}
inline Result<void> store_api(Arguments& a, const std::string& value) {
  static constexpr TpuApiVersion versions[] = {TpuApiVersion::v2, TpuApiVersion::v1, TpuApiVersion::v2alpha1};
  a.api = versions[*index_among(value, apis)];
  return Result<void>();
}
inline Result<void> store_log(Arguments& a, const std::string&) {
  a.log = LogForm::json;
  return Result<void>();
}

inline Result<void> store_task(Arguments& a, const std::string& value) {
  const std::size_t colon = value.rfind(':');
  const auto index = colon == std::string::npos ? std::nullopt : parse_decimal<int>(std::string_view(value).substr(colon + 1));
  if (!index || colon == 0) return bad(fmt::format("{} is no task; write it as worker:3", quoted(value, 64)));
  a.launch.task.emplace(value.substr(0, colon), *index);
  return Result<void>();
}

// The forms in which a program gets the cluster.
inline constexpr std::string_view launch_forms[] = {"tf-config", "jax", "pjrt", "megascale", "torchrun", "torch-env", "torch-xla"};

// `a,b` of them.
inline Result<void> append_launch_form(Arguments& a, const std::string& value) {
  for (const std::string_view name : split(value, ',')) {
    const Result<LaunchFormat> format = parse_launch_format(name);
    if (!format)
      return bad(
          fmt::format("{} is no form for a program's environment; accepted are {}", quoted(name, 64), fmt::join(launch_forms, ", ")));
    if (!facts_of(*format).has_environment)
      return Failure(Errc::invalid_argument, fmt::format("{} is no environment of a program", name))
          .with_hint(fmt::format("print it: rollcall spec --format {}", name));
    a.launch_as.push_back(*format);
  }
  return Result<void>();
}

inline Result<void> append_job(Arguments& a, const std::string& value) {
  for (const std::string_view name : split(value, ',')) {
    if (name.empty()) return bad("a job's name is empty");
    a.launch.jobs.emplace_back(name);
  }
  return Result<void>();
}

inline Result<void> store_coordinator_port(Arguments& a, const std::string& value) {
  static constexpr std::string_view rules[] = {"usual", "task", "derived"};  // in the order of CoordinatorPort
  const std::optional<std::size_t> rule = index_among(value, rules);
  const auto port = parse_decimal<std::uint16_t>(value, 1);
  if (!rule && !port) return bad(fmt::format("{} is no port; accepted are 1 to 65535, usual, task and derived", quoted(value, 64)));
  a.launch.coordinator_port = port;
  a.launch.port_rule = port ? CoordinatorPort::usual : static_cast<CoordinatorPort>(*rule);
  return Result<void>();
}

template <std::optional<std::uint16_t> Arguments::* Port>
Result<void> store_meeting_port(Arguments& a, const std::string& value) {
  a.*Port = parse_decimal<std::uint16_t>(value, 1);
  if (!(a.*Port)) return bad(fmt::format("{} is no port; accepted are 1 to 65535", quoted(value, 64)));
  return Result<void>();
}

inline Result<void> store_job_id(Arguments& a, const std::string& value) {
  if (value.empty() || value.size() > 255 || printable_line(value) != value || value.find(' ') != std::string::npos)
    return bad(fmt::format("{} is no job id; accepted is one word of at most 255 bytes", quoted(value, 64)));
  a.launch.job_id = value;
  return Result<void>();
}

inline Result<void> store_slots(Arguments& a, const std::string& value) {
  return store_number(value, "number of slots", 1, 65536, a.launch.accelerators_per_host);
}

inline Result<void> store_accelerator_type(Arguments& a, const std::string& value) {
  Result<AcceleratorType> type = AcceleratorType::parse(value);
  if (!type) return type.error();
  a.launch.accelerator_type = std::move(*type);
  return Result<void>();
}

inline Result<void> store_hostfile(Arguments& a, const std::string& value) {
  if (value.empty()) return bad("the value is empty");
  a.launch.hostfile = value;
  return Result<void>();
}

inline Result<void> store_on_preempt(Arguments& a, const std::string& value) {
  const Result<int> number = parse_signal(value);
  if (!number) return number.error();
  a.on_preempt = *number;
  return Result<void>();
}

inline constexpr std::string_view restart_reasons[] = {"lost", "failed"};

inline Result<void> store_restart_on(Arguments& a, const std::string& value) {
  a.restarts_on_lost = a.restarts_on_failed = false;
  for (const std::string_view one : split(value, ',')) {
    if (one != restart_reasons[0] && one != restart_reasons[1])
      return bad(
          fmt::format("{} is no reason to restart; accepted are {}, joined by commas", quoted(one, 64), fmt::join(restart_reasons, ", ")));
    (one == restart_reasons[0] ? a.restarts_on_lost : a.restarts_on_failed) = true;
  }
  return Result<void>();
}

inline Result<void> store_max_restarts(Arguments& a, const std::string& value) {
  return store_number(value, "number of restarts", 0, 1'000'000, a.max_restarts);
}

}  // namespace rollcall::command
