#include "serve/methods.hpp"

#include <algorithm>
#include <array>

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
Result<void> put_texts(Question& question, const Json& value) { return put_value(question.*Member, read_texts(value)); }
template <auto Member>
Result<void> put_seconds(Question& question, const Json& value) { return put_value(question.*Member, read_seconds(value)); }
template <auto Member>
Result<void> put_flag(Question& question, const Json& value) { return put_value(question.*Member, read_flag(value)); }

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

// clang-format off: a row a line
constexpr Param targets_param{.name = "targets", .apply = put_targets, .is_required = true};
constexpr Param timeout_param{.name = "timeout", .apply = put_seconds<&Question::timeout>};
constexpr Param partial_param{.name = "partial", .apply = put_flag<&Question::is_partial>};
constexpr Param until_param{.name = "until", .apply = put_until};
constexpr Param members_param{.name = "members", .apply = put_members};

constexpr Param resolve_params[] = {targets_param, timeout_param, partial_param, {.name = "list", .apply = put_lookup}};
constexpr Param status_params[] = {targets_param, timeout_param};
constexpr Param wait_params[] = {
    targets_param, timeout_param, until_param, members_param,
    {.name = "queue_timeout", .apply = put_seconds<&Question::queue_timeout>},
    {.name = "provision_timeout", .apply = put_seconds<&Question::provision_timeout>},
    {.name = "for_existence", .apply = put_flag<&Question::is_for_existence>},
    {.name = "for_start", .apply = put_flag<&Question::is_for_start>},
    {.name = "fail_if_unschedulable", .apply = put_flag<&Question::fails_if_unschedulable>},
    {.name = "progress", .apply = put_flag<&Question::wants_progress>},
};

constexpr Duration usual_timeout = std::chrono::seconds(30);
constexpr Duration wait_timeout = std::chrono::minutes(30);

constexpr MethodRow method_table[] = {
    {.name = "resolve", .params = resolve_params, .default_timeout = usual_timeout, .begin = begin_resolve},
    {.name = "status", .params = status_params, .default_timeout = usual_timeout, .begin = begin_status},
    {.name = "wait", .params = wait_params, .default_timeout = wait_timeout, .begin = begin_wait},
};
// clang-format on

}  // namespace

std::span<const MethodRow> methods() noexcept { return method_table; }

const MethodRow* find_method(std::string_view name) noexcept {
  const auto found = std::find_if(std::begin(method_table), std::end(method_table), [name](const MethodRow& row) { return row.name == name; });
  return found == std::end(method_table) ? nullptr : found;
}

}  // namespace rollcall::serve
