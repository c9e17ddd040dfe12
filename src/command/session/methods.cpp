#include "command/session/methods.hpp"

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <limits>

#include "base/text.hpp"

namespace rollcall::serve {
namespace {

using Param = ParamRow<Question>;
using Json = boost::json::value;

template <class T, class Value>
Result<void> put_value(T& member, Result<Value> value) {
  if (!value) return value.error();
  member = std::move(*value);
  return Result<void>();
}

template <auto Member>
Result<void> put_text(Question& question, const Json& value) {
  return put_value(question.*Member, read_text(value));
}
template <auto Member>
Result<void> put_texts(Question& question, const Json& value) {
  return put_value(question.*Member, read_texts(value));
}
template <auto Member>
Result<void> put_seconds(Question& question, const Json& value) {
  return put_value(question.*Member, read_seconds(value));
}
template <auto Member>
Result<void> put_flag(Question& question, const Json& value) {
  return put_value(question.*Member, read_flag(value));
}

Result<void> put_targets(Question& question, const Json& value) {
  Result<void> put = put_texts<&Question::targets>(question, value);
  if (put && question.targets.empty()) return Failure(Errc::invalid_argument, "the list is empty");
  return put;
}

Result<void> put_lookup(Question& question, const Json& value) {
  const Result<bool> is_list = read_flag(value);
  if (!is_list) return is_list.error();
  question.lookup = *is_list ? TpuLookup::list : TpuLookup::each;
  return Result<void>();
}

Result<void> put_until(Question& question, const Json& value) {
  const Result<std::string> text = read_text(value);
  if (!text) return text.error();
  return put_value(question.until, parse_readiness(*text));
}

Result<void> put_members(Question& question, const Json& value) {
  const Result<std::int64_t> number = read_whole(value, 1, 65536);
  if (!number) return number.error();
  question.members = static_cast<int>(*number);
  return Result<void>();
}

Result<void> put_window(Question& question, const Json& value) {
  const Result<std::int64_t> number = read_whole(value, 1, max_window);
  if (!number) return number.error();
  question.window = static_cast<std::size_t>(*number);
  return Result<void>();
}

Result<void> put_target(Question& question, const Json& value) {
  Result<std::string> text = read_text(value);
  if (!text) return text.error();
  question.targets = {std::move(*text)};
  return Result<void>();
}

constexpr std::array<std::string_view, 3> source_words = {"auto", "devices", "accelerator-type"};
constexpr std::array<std::string_view, 2> ask_words = {"master", "workers"};
constexpr std::array<std::string_view, 5> kind_words = {"tpu", "queued-resource", "instance-group", "job", "slurm-job"};

Result<void> put_source(Question& question, const Json& value) {
  const Result<std::size_t> word = read_word(value, source_words);
  if (!word) return word.error();
  question.count_from = static_cast<CountFrom>(*word);
  return Result<void>();
}

Result<void> put_ask(Question& question, const Json& value) {
  const Result<std::size_t> word = read_word(value, ask_words);
  if (!word) return word.error();
  question.device_query = static_cast<DeviceQuery>(*word);
  return Result<void>();
}

template <DiscoverOptions& (DiscoverOptions::*Set)(std::vector<std::string>)>
Result<void> put_places(Question& question, const Json& value) {
  Result<std::vector<std::string>> texts = read_texts(value);
  if (!texts) return texts.error();
  (question.search.*Set)(std::move(*texts));
  return Result<void>();
}

template <DiscoverOptions& (DiscoverOptions::*Set)(std::string)>
Result<void> put_search(Question& question, const Json& value) {
  Result<std::string> text = read_text(value);
  if (!text) return text.error();
  (question.search.*Set)(std::move(*text));
  return Result<void>();
}

Result<void> put_kinds(Question& question, const Json& value) {
  const boost::json::array* const list = value.if_array();
  if (!list) return read_texts(value).error();
  std::vector<FoundKind> kinds;
  for (const Json& one : *list) {
    const Result<std::size_t> word = read_word(one, kind_words);
    if (!word) return word.error();
    kinds.push_back(static_cast<FoundKind>(*word));
  }
  question.search.kinds(std::move(kinds));
  return Result<void>();
}

Result<void> put_filters(Question& question, const Json& value) {
  const Result<std::vector<std::string>> texts = read_texts(value);
  if (!texts) return texts.error();
  for (const std::string& filter : *texts) question.search.filter(filter);
  return Result<void>();
}

Result<void> put_form(Question& question, const Json& value) {
  const Result<std::string> text = read_text(value);
  if (!text) return text.error();
  return put_value(question.launch_format, parse_launch_format(*text));
}

Result<void> put_cluster(Question& question, const Json& value) {
  question.has_cluster = true;
  return put_value(question.launch.spec, ClusterSpec::from_json(boost::json::serialize(value)));
}

Result<void> put_task(Question& question, const Json& value) {
  static constexpr std::string_view members[] = {"job", "index"};
  const boost::json::object* const task = value.if_object();
  const Json* const job = task ? task->if_contains(members[0]) : nullptr;
  const Json* const index = task ? task->if_contains(members[1]) : nullptr;
  if (!job || !index) return Failure(Errc::invalid_argument, R"(is no task; accepted is {"job":"worker","index":3})");
  for (const auto& member : *task) {
    if (std::find(std::begin(members), std::end(members), std::string_view(member.key())) == std::end(members))
      return unknown_name("member", member.key(), members);
  }
  Result<std::string> name = read_text(*job);
  if (!name) return about_param(members[0], name.error());
  const Result<std::int64_t> number = read_whole(*index, 0, std::numeric_limits<int>::max());
  if (!number) return about_param(members[1], number.error());
  question.launch.task.emplace(std::move(*name), static_cast<int>(*number));
  return Result<void>();
}

// A parameter that is an option of the command: its values are defined once, there.
Result<void> put_option(Question& question, std::string_view option, const Json& value) {
  const Result<std::string> text = read_text_or_number(value);
  if (!text) return text.error();
  const std::span<const command::OptionRow> rows = command::find_command("spec")->options;
  const auto row = std::find_if(rows.begin(), rows.end(), [option](const command::OptionRow& one) { return one.name == option; });
  command::Arguments arguments;
  arguments.launch = std::move(question.launch);
  Result<void> applied = command::apply_option(*row, *text, arguments);
  question.launch = std::move(arguments.launch);
  return applied;
}

Result<void> put_slots(Question& question, const Json& value) {
  const Result<std::int64_t> number = read_whole(value, 1, 65536);
  if (!number) return number.error();
  question.launch.accelerators_per_host = static_cast<int>(*number);
  return Result<void>();
}
Result<void> put_meeting_port(Question& question, const Json& value) {
  const Result<std::int64_t> number = read_whole(value, 1, 65535);
  if (!number) return number.error();
  question.meeting_port = static_cast<std::uint16_t>(*number);
  return Result<void>();
}
Result<void> put_generation(Question& question, const Json& value) {
  return put_value(question.generation, read_whole(value, 1, std::int64_t{1} << 53));
}
Result<void> put_port(Question& question, const Json& value) { return put_option(question, "--coordinator-port", value); }
Result<void> put_run(Question& question, const Json& value) { return put_option(question, "--job-id", value); }
Result<void> put_slice(Question& question, const Json& value) { return put_option(question, "--accelerator-type", value); }
Result<void> put_jobs(Question& question, const Json& value) { return put_value(question.launch.jobs, read_texts(value)); }

Result<void> put_name(Question& question, const Json& value) {
  Result<std::string> text = read_text(value);
  if (!text) return text.error();
  if (text->size() > 255 || printable_line(*text) != *text)
    return Failure(Errc::invalid_argument, fmt::format("{} is no name; accepted is one line of at most 255 bytes", quoted(*text, 64)));
  question.launch.name = std::move(*text);
  return Result<void>();
}

// clang-format off: a row a line
constexpr Param targets_param{.name = "targets", .apply = put_targets, .is_required = true};
constexpr Param timeout_param{.name = "timeout", .apply = put_seconds<&Question::timeout>};
constexpr Param partial_param{.name = "partial", .apply = put_flag<&Question::is_partial>};
constexpr Param until_param{.name = "until", .apply = put_until};
constexpr Param members_param{.name = "members", .apply = put_members};

constexpr Param resolve_params[] = {targets_param, timeout_param, partial_param, {.name = "list", .apply = put_lookup}};
constexpr Param status_params[] = {targets_param, timeout_param};
constexpr Param why_params[] = {targets_param, timeout_param, until_param, members_param};
constexpr Param wait_params[] = {
    targets_param, timeout_param, until_param, members_param,
    {.name = "queue_timeout", .apply = put_seconds<&Question::queue_timeout>},
    {.name = "provision_timeout", .apply = put_seconds<&Question::provision_timeout>},
    {.name = "for_existence", .apply = put_flag<&Question::is_for_existence>},
    {.name = "for_start", .apply = put_flag<&Question::is_for_start>},
    {.name = "fail_if_unschedulable", .apply = put_flag<&Question::fails_if_unschedulable>},
    {.name = "progress", .apply = put_flag<&Question::wants_progress>},
};

constexpr Param source_param{.name = "source", .apply = put_source};
constexpr Param ask_param{.name = "ask", .apply = put_ask};
constexpr Param window_param{.name = "window", .apply = put_window};
constexpr Param watch_params[] = {targets_param, until_param, members_param, {.name = "notices", .apply = put_flag<&Question::wants_notices>}, window_param};
constexpr Param devices_params[] = {targets_param, timeout_param, partial_param, source_param, ask_param};
constexpr Param accelerators_params[] = {targets_param, timeout_param, source_param, ask_param};
constexpr Param discover_params[] = {
    {.name = "projects", .apply = put_places<&DiscoverOptions::projects>}, {.name = "zones", .apply = put_places<&DiscoverOptions::zones>},
    {.name = "namespaces", .apply = put_places<&DiscoverOptions::namespaces>}, {.name = "context", .apply = put_search<&DiscoverOptions::context>},
    {.name = "slurm_keys", .apply = put_search<&DiscoverOptions::slurm>},
    {.name = "kinds", .apply = put_kinds}, {.name = "filters", .apply = put_filters}, timeout_param, window_param,
};
constexpr Param target_param{.name = "target", .apply = put_target};
constexpr Param topology_params[] = {{.name = "accelerator_type", .apply = put_text<&Question::accelerator_type>}, target_param, timeout_param};
constexpr Param doctor_params[] = {target_param, timeout_param};
constexpr Param launch_params[] = {
    {.name = "format", .apply = put_form, .is_required = true}, {.name = "targets", .apply = put_targets}, {.name = "cluster", .apply = put_cluster},
    {.name = "environment", .apply = put_flag<&Question::wants_environment>}, {.name = "task", .apply = put_task}, {.name = "jobs", .apply = put_jobs},
    {.name = "coordinator_port", .apply = put_port}, {.name = "job_id", .apply = put_run}, {.name = "slots", .apply = put_slots},
    {.name = "accelerator_type", .apply = put_slice}, {.name = "name", .apply = put_name}, timeout_param,
};

constexpr Param barrier_params[] = {
    targets_param, {.name = "task", .apply = put_task}, {.name = "job_id", .apply = put_run}, {.name = "port", .apply = put_meeting_port},
    {.name = "generation", .apply = put_generation}, timeout_param, {.name = "progress", .apply = put_flag<&Question::wants_progress>},
};

constexpr Param preflight_params[] = {
    {.name = "targets", .apply = put_targets}, {.name = "checks", .apply = put_texts<&Question::checks>},
    {.name = "verdict_from", .apply = put_texts<&Question::verdict_from>}, {.name = "task", .apply = put_task},
    {.name = "job_id", .apply = put_run}, {.name = "port", .apply = put_meeting_port}, {.name = "secret_file", .apply = put_text<&Question::secret_file>},
    timeout_param, {.name = "progress", .apply = put_flag<&Question::wants_progress>},
};

constexpr Duration usual_timeout = std::chrono::seconds(30);
constexpr Duration wait_timeout = std::chrono::minutes(30);
constexpr Duration preflight_timeout = std::chrono::minutes(5);

constexpr MethodRow method_table[] = {
    {.name = "resolve", .params = resolve_params, .default_timeout = usual_timeout, .begin = begin_resolve},
    {.name = "status", .params = status_params, .default_timeout = usual_timeout, .begin = begin_status},
    {.name = "why", .params = why_params, .default_timeout = usual_timeout, .begin = begin_why},
    {.name = "wait", .params = wait_params, .default_timeout = wait_timeout, .begin = begin_wait},
    {.name = "watch", .params = watch_params, .default_timeout = usual_timeout, .begin = begin_watch},
    {.name = "devices", .params = devices_params, .default_timeout = usual_timeout, .begin = begin_devices},
    {.name = "accelerators", .params = accelerators_params, .default_timeout = usual_timeout, .begin = begin_accelerators},
    {.name = "discover", .params = discover_params, .default_timeout = usual_timeout, .begin = begin_discover},
    {.name = "whoami", .params = status_params, .default_timeout = usual_timeout, .begin = begin_whoami},
    {.name = "topology", .params = topology_params, .default_timeout = usual_timeout, .begin = begin_topology},
    {.name = "doctor", .params = doctor_params, .default_timeout = usual_timeout, .begin = begin_doctor},
    {.name = "launch", .params = launch_params, .default_timeout = usual_timeout, .begin = begin_launch},
    {.name = "barrier", .params = barrier_params, .default_timeout = wait_timeout, .begin = begin_barrier},
    {.name = "preflight", .params = preflight_params, .default_timeout = preflight_timeout, .begin = begin_preflight},
};
// clang-format on

}  // namespace

std::span<const MethodRow> methods() noexcept { return method_table; }

const MethodRow* find_method(std::string_view name) noexcept {
  const auto found =
      std::find_if(std::begin(method_table), std::end(method_table), [name](const MethodRow& row) { return row.name == name; });
  return found == std::end(method_table) ? nullptr : found;
}

}  // namespace rollcall::serve
