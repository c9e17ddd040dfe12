// Asks Slurm by its own programs: scontrol, and squeue and sinfo where scontrol writes no JSON (Slurm 22.05). [facts: slurm-programs]
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/parser_sink.hpp"
#include "call/runtime_impl.hpp"
#include "programs/helpful_lines.hpp"
#include "resolvers/slurm/rules/slurm_service.hpp"
#include "resolvers/slurm/slurm_source.hpp"
#include "resolvers/slurm/wire/slurm_list_feed.hpp"
#include "resolvers/slurm/wire/slurm_pairs.hpp"
#include "rollcall/host_list.hpp"
#include "rollcall/program_runner.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_program_output = std::size_t{64} << 20;

using SlurmWords = std::vector<std::string>;

// A variable of the user's that changes what is printed.
const std::vector<std::string>& removed_slurm_variables() {
  static const std::vector<std::string> names = {
      "SQUEUE_STATES",  "SQUEUE_USERS",    "SQUEUE_PARTITION", "SQUEUE_ACCOUNT", "SQUEUE_QOS",      "SQUEUE_NAMES", "SQUEUE_FORMAT",
      "SQUEUE_FORMAT2", "SQUEUE_LICENSES", "SINFO_PARTITION",  "SINFO_FORMAT",   "SCONTROL_FUTURE", "SINFO_ALL",    "SLURM_JSON"};
  return names;
}

// Warnings, such as of a plugin, stand before the document.
std::string_view from_json_on(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == '{') return text.substr(at);
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) return text;
    at = end + 1;
  }
  return text;
}

bool is_without_json(const ProgramOutput& output) {
  return output.exit_code != 0 &&
         (output.errors.find("unrecognized option") != std::string::npos || output.errors.find("invalid option") != std::string::npos ||
          output.errors.find("--json") != std::string::npos);
}

Failure program_failure(const SlurmWords& words, const ProgramOutput& output) {
  const std::string said = helpful_lines(output.errors);
  const std::string how =
      output.signal != 0 ? fmt::format("was ended by signal {}", output.signal) : fmt::format("ended with exit code {}", output.exit_code);
  const bool is_controller = output.errors.find("Unable to contact slurm controller") != std::string::npos;
  const bool is_refused = output.errors.find("authentication") != std::string::npos || output.errors.find("munge") != std::string::npos;
  const bool is_absent = output.errors.find("Invalid job id") != std::string::npos || output.errors.find("not found") != std::string::npos;
  const Errc code = is_controller ? Errc::unavailable
                    : is_absent   ? Errc::not_found
                    : is_refused  ? Errc::unauthenticated
                                  : Errc::failed_precondition;
  return Failure(code, fmt::format("{} {}{}{}", words.front(), how, said.empty() ? "" : ": ", said))
      .with_hint(is_controller ? "check with scontrol ping that slurmctld runs"
                 : is_refused  ? "munge, sackd or SLURM_JWT lets a program ask: run scontrol ping by hand"
                               : "run it by hand: " + printable(fmt::format("{}", fmt::join(words, " ")), 200));
}

class SlurmPrograms final : public SlurmSource {
 public:
  asio::awaitable<Result<std::vector<SlurmJobRecord>>> job(Call& call, std::int64_t id) override {
    const std::string what = fmt::format("Slurm's record of job {}", id);
    const std::string number = std::to_string(id);
    SlurmWords words = {"scontrol", "--json", "-d", "show", "job", number};
    SlurmWords older = {"squeue", "--json", "--states=all", "-j", number};
    Result<std::vector<SlurmJobRecord>> records = co_await ask(call, std::move(words), std::move(older), what, "jobs", read_slurm_job);
    if (!records && records.error().code() == Errc::not_found) co_return std::vector<SlurmJobRecord>();
    if (!records) co_return records;
    // squeue of 22.05 prints every job.
    std::erase_if(*records, [id](const SlurmJobRecord& one) { return one.id != id && one.array_job != id && one.het_job != id; });
    co_return records;
  }

  asio::awaitable<Result<std::vector<SlurmJobRecord>>> jobs_named(Call& call, std::string name, std::string user) override {
    SlurmWords words = {"squeue", "-h", "--states=all", "-o", "%A|%i", "--name=" + name};
    words.push_back(user.empty() ? "--me" : "--user=" + user);
    const Result<ProgramOutput> output = co_await run(call, words);
    if (!output) co_return output.error();
    if (output->exit_code != 0 || output->signal != 0) co_return program_failure(words, *output);
    std::vector<SlurmJobRecord> all;
    std::vector<std::int64_t> ids;
    for (const std::string_view line : split(std::string_view(output->output.reveal()), '\n')) {
      const auto id = parse_decimal<std::int64_t>(trim(line.substr(0, line.find('|'))), 1);
      if (id && std::find(ids.begin(), ids.end(), *id) == ids.end()) ids.push_back(*id);
    }
    constexpr std::size_t max_asked = 16;
    if (ids.size() > max_asked) ids.erase(ids.begin(), ids.end() - max_asked);
    for (const std::int64_t id : ids) {
      Result<std::vector<SlurmJobRecord>> records = co_await job(call, id);
      if (!records) co_return records;
      all.insert(all.end(), std::make_move_iterator(records->begin()), std::make_move_iterator(records->end()));
    }
    co_return all;
  }

  asio::awaitable<Result<std::vector<SlurmNodeRecord>>> nodes(Call& call, std::vector<std::string> names) override {
    SlurmWords words = {"scontrol", "--json", "show", "nodes"};
    SlurmWords older = {"sinfo", "--json"};
    if (!names.empty()) {
      const Result<std::string> list = compress_host_list(names);
      if (!list) co_return list.error();
      words.push_back(*list);
    }
    Result<std::vector<SlurmNodeRecord>> records =
        co_await ask(call, std::move(words), std::move(older), "Slurm's list of nodes", "nodes", read_slurm_node);
    if (!records && records.error().code() == Errc::not_found) co_return std::vector<SlurmNodeRecord>();
    if (!records || names.empty()) co_return records;
    std::erase_if(*records,
                  [&names](const SlurmNodeRecord& one) { return std::find(names.begin(), names.end(), one.name) == names.end(); });
    co_return records;
  }

  asio::awaitable<Result<std::vector<SlurmPartition>>> partition(Call& call, std::string name) override {
    SlurmWords words = {"scontrol", "--json", "show", "partition", name};
    SlurmWords older = {"scontrol", "-o", "show", "partition", std::move(name)};
    if (!has_json_) co_await find_json(call);
    if (has_json_ == false) co_return co_await ask_lines<SlurmPartition>(call, std::move(older), read_partition_lines);
    co_return co_await ask(call, std::move(words), SlurmWords(), "Slurm's record of a partition", "partitions", read_slurm_partition);
  }

  asio::awaitable<Result<std::vector<SlurmReservation>>> reservations(Call& call) override {
    SlurmWords words = {"scontrol", "--json", "show", "reservations"};
    SlurmWords older = {"scontrol", "-o", "show", "reservations"};
    if (!has_json_) co_await find_json(call);
    if (has_json_ == false) co_return co_await ask_lines<SlurmReservation>(call, std::move(older), read_reservation_lines);
    co_return co_await ask(call, std::move(words), SlurmWords(), "Slurm's list of reservations", "reservations", read_slurm_reservation);
  }

  std::string describe() const override {
    return has_json_.value_or(true) ? "scontrol" : "squeue and sinfo (this scontrol writes no JSON)";
  }

 private:
  asio::awaitable<Result<ProgramOutput>> run(Call& call, SlurmWords words) {
    Runtime::Impl& impl = impl_of(call);
    ProgramRequest request(words);
    request.removed_variables = removed_slurm_variables();
    request.variables = {{"TZ", "UTC"}};  // times that are printed as text have no zone
    request.max_output_bytes = max_program_output;
    // Shorter than the call's time, so that the error names the program and not the call.
    const Duration left = saturating_difference(call.deadline(), impl.time->now());
    request.timeout = left - std::min(left / 2, std::max<Duration>(left / 20, std::chrono::milliseconds(250)));
    state_of(call).last_trouble = words.front() + " did not end within that time";
    Result<ProgramOutput> output = co_await impl.programs->run(std::move(request));
    if (output) {
      state_of(call).last_trouble.clear();
      co_return output;
    }
    Failure failure = output.error();
    failure.with_what(fmt::format("{}: {}", words.front(), failure.what()));
    if (failure.code() == Errc::not_found) {
      failure.with_code(Errc::failed_precondition)
          .with_hint("Slurm's programs are on login and compute nodes; elsewhere name slurmrestd: restd=https://HOST, or restd=unix:/PATH");
    }
    co_return failure;
  }

  // By `words`, or by `older` where scontrol writes no JSON.
  template <class Record>
  asio::awaitable<Result<std::vector<Record>>> ask(Call& call, SlurmWords words, SlurmWords older, std::string what, std::string key,
                                                   Record (*read)(const SlurmObject&)) {
    if (has_json_ == false) words = older;
    Result<ProgramOutput> output = co_await run(call, words);
    if (output && !has_json_ && is_without_json(*output)) {
      has_json_ = false;
      words = older;
      output = co_await run(call, words);
    }
    if (!output) co_return output.error();
    const std::string_view text = from_json_on(output->output.reveal());
    const bool has_failed = output->exit_code != 0 || output->signal != 0;
    std::vector<SlurmError> errors;
    ParseLimits limits = parse_limits(impl_of(call));
    Result<std::vector<Record>> records =
        read_slurm_text<Record>(what + ", as " + words.front() + " prints it", std::move(key), text, read, limits, &errors);
    if (has_failed && (!records || records->empty() || !errors.empty())) co_return program_failure(words, *output);
    if (records && !errors.empty()) {
      const Failure failure = slurm_failure(errors);
      if (failure.code() == Errc::not_found) co_return std::vector<Record>();
      co_return failure;
    }
    if (records && !has_json_) has_json_ = true;
    co_return records;
  }

  // Learns whether scontrol writes JSON, by a small question. A failure is that of the question that comes after it.
  asio::awaitable<void> find_json(Call& call) {
    SlurmWords words = {"scontrol", "--json", "show", "reservations"};
    const Result<ProgramOutput> output = co_await run(call, std::move(words));
    if (output && is_without_json(*output)) has_json_ = false;
    if (output && output->exit_code == 0 && output->signal == 0) has_json_ = true;
  }

  template <class Record>
  asio::awaitable<Result<std::vector<Record>>> ask_lines(Call& call, SlurmWords words,
                                                         Result<std::vector<Record>> (*read)(std::string_view, const ParseLimits&)) {
    const Result<ProgramOutput> output = co_await run(call, words);
    if (!output) co_return output.error();
    if (output->exit_code != 0 || output->signal != 0) co_return program_failure(words, *output);
    co_return read(output->output.reveal(), parse_limits(impl_of(call)));
  }

  std::optional<bool> has_json_;  // of scontrol; none: not tried yet
};

}  // namespace

std::shared_ptr<SlurmSource> make_slurm_programs() { return std::make_shared<SlurmPrograms>(); }

}  // namespace rollcall
