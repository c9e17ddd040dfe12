#include "meeting/wire/meeting_documents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "json/json_fields.hpp"
#include "json/json_values.hpp"

namespace rollcall::meeting {
namespace {

constexpr std::size_t incarnation_digits = 16;
constexpr std::int64_t max_members = 1 << 20;
using Count = NumberUpTo<max_members, "not a number of members">;
using Generation = NumberUpTo<max_generation, "not the number of a start">;
using Number = NumberUpTo<std::numeric_limits<std::int64_t>::max(), "not a number from 0 on">;

class RunList {
 public:
  RunList() {}
  std::vector<RunLine> runs;
};

class IncarnationText : public JsonText {
 public:
  static std::string read(std::string& slot, std::string_view text) {
    const bool is_hex = text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    if (text.size() != incarnation_digits || !is_hex) return fmt::format("is {}, not 16 hexadecimal digits", quoted(text, 64));
    slot = text;
    return {};
  }
};

// A stage that a person named: a text that check_stage_name() refuses is no name.
class StageName : public JsonText {
 public:
  static std::string read(std::string& slot, std::string_view text) {
    const Result<void> fine = check_stage_name(text);
    if (!fine) return "is no name of a stage: " + fine.error().message();
    slot = text;
    return {};
  }
};
class StageNameOrNone : public StageName {
 public:
  static bool write(std::string& out, std::string_view text) { return !text.empty() && JsonText::write(out, text); }
};
class OverOrRunning : public JsonText {
 public:
  static std::string read(bool& slot, std::string_view word) {
    slot = word == "over";
    return slot || word == "running" ? std::string() : fmt::format("is {}, neither over nor running", quoted(word, 64));
  }
  static bool write(std::string& out, bool is_over) { return JsonText::write(out, is_over ? "over" : "running"); }
};
class TimeIfAny : public AgeMilliseconds {
 public:
  static bool write(std::string& out, Duration time) { return time >= std::chrono::milliseconds(1) && AgeMilliseconds::write(out, time); }
};
class ExitStatusIfAny : public NumberUpTo<255, "not an exit status"> {
 public:
  static bool write(std::string& out, int status) { return status != 0 && append_json_number(out, status); }
};

using StageWord = WordOf<Stage, 4, "stage">;
using StateWord = WordOf<RollState, 2, "state of a barrier">;

// clang-format off
constexpr auto stage_fields = json_object<StageSpan>(
    json_field<&StageSpan::name, StageName>("name"),
    json_field<&StageSpan::time, AgeMilliseconds>("ms"),
    json_field<&StageSpan::is_over, OverOrRunning>("state"),
    json_field<&StageSpan::exit_status, ExitStatusIfAny>("exit"));
constexpr auto hello_fields = json_object<Hello>(
    required(json_field<&Hello::incarnation, IncarnationText>("incarnation")),
    required(json_field<&Hello::sequence, Number>("sequence")),
    required(json_field<&Hello::call, Number>("call")),
    required(json_field<&Hello::stage, StageWord>("stage")),
    json_field<&Hello::generation, Generation>("generation"),
    json_field<&Hello::why, OptionalText<512>>("why"),
    json_field<&Hello::tasks, OptionalText<1024>>("tasks"),
    optional_array<&Hello::stages, stage_fields>("stages"));
constexpr auto missing_fields = json_object<MissingTask>(
    required(json_field<&MissingTask::task, PrintableText<256>>("task")),
    json_field<&MissingTask::why, OptionalText<512>>("why"),
    json_field<&MissingTask::stage, StageNameOrNone>("stage"),
    json_field<&MissingTask::time, TimeIfAny>("for_ms"),
    json_field<&MissingTask::others, TimeIfAny>("others_ms"));
constexpr auto answer_fields = json_object<RollAnswer>(
    required(json_field<&RollAnswer::members, Count>("members")),
    required(json_field<&RollAnswer::here, Count>("here")),
    required(json_field<&RollAnswer::call, Number>("call")),
    required(json_field<&RollAnswer::state, StateWord>("state")),
    json_field<&RollAnswer::generation, Generation>("generation"),
    optional_array<&RollAnswer::missing, missing_fields>("missing"));
constexpr auto run_fields = json_object<RunLine>(
    required(json_field<&RunLine::run, PrintableText<64>>("run")),
    json_field<&RunLine::tasks, OptionalText<1024>>("tasks"),
    json_field<&RunLine::waiting_ms, Number>("waiting_ms"),
    object_field<&RunLine::roll, answer_fields>("roll"));
constexpr auto list_fields = json_object<RunList>(array_field<&RunList::runs, run_fields>("runs"));
// clang-format on

std::string check_counts(RollAnswer& answer) {
  if (answer.here > answer.members) return fmt::format("{} of {} members are here", answer.here, answer.members);
  if (answer.missing.size() > max_missing_named) return fmt::format("names more than {} missing tasks", max_missing_named);
  return {};
}

std::string check_stages(Hello& hello) {
  if (hello.stages.size() > max_stages) return fmt::format("names more than {} stages", max_stages);
  const bool has_nameless =
      std::any_of(hello.stages.begin(), hello.stages.end(), [](const StageSpan& stage) { return stage.name.empty(); });
  return has_nameless ? "has a stage without a name" : "";
}

constexpr JsonForm<Hello> hello_form = json_form<hello_fields, check_stages>("a task's hello", "incarnation, sequence, call or stage");
constexpr JsonForm<RollAnswer> answer_form =
    json_form<answer_fields, check_counts>("the answer of the barrier", "members, here, call or state");

constexpr JsonForm<RunList> runs_form = json_form<list_fields>("the list of runs");

}  // namespace

std::string_view to_string(Stage stage) noexcept {
  constexpr std::array<std::string_view, 4> words = {"barrier", "left", "started", "coming"};
  return words[static_cast<std::size_t>(stage)];
}

std::string_view to_string(RollState state) noexcept { return state == RollState::released ? "released" : "waiting"; }

std::string write_hello(const Hello& hello) { return to_json(hello_fields, hello); }
Result<Hello> read_hello(std::string_view json) { return read_json(hello_form, json, ParseLimits()); }
std::string write_answer(const RollAnswer& answer) { return to_json(answer_fields, answer); }
Result<RollAnswer> read_answer(std::string_view json, const ParseLimits& limits) { return read_json(answer_form, json, limits); }

std::string write_runs(std::vector<RunLine> runs) {
  RunList list;
  list.runs = std::move(runs);
  return to_json(list_fields, list);
}
Result<std::vector<RunLine>> read_runs(std::string_view json, const ParseLimits& limits) {
  Result<RunList> list = read_json(runs_form, json, limits);
  if (!list) return list.error();
  return std::move(list->runs);
}

}  // namespace rollcall::meeting
