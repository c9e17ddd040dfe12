// Asks Slurm by its own programs: scontrol, and squeue and sinfo where scontrol writes no JSON (Slurm 22.05). [facts: slurm-programs]
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/parser_sink.hpp"
#include "call/runtime_impl.hpp"
#include "resolvers/slurm/rules/slurm_service.hpp"
#include "resolvers/slurm/slurm_program_output.hpp"
#include "resolvers/slurm/slurm_source.hpp"
#include "resolvers/slurm/wire/slurm_list_feed.hpp"
#include "resolvers/slurm/wire/slurm_pairs.hpp"
#include "rollcall/host_list.hpp"
#include "rollcall/program_runner.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_program_output = std::size_t{64} << 20;
constexpr std::size_t max_listed_output = std::size_t{256} << 20;  // of 22.05: 10,000 jobs have 31 MB
constexpr std::size_t jobs_at_a_time = 500;                        // of later ones: 4 MB

using SlurmWords = std::vector<std::string>;

// Variables of the user's that change what is printed.
const std::vector<std::string>& removed_slurm_variables() {
  static const std::vector<std::string> names = {"SQUEUE_STATES",   "SQUEUE_USERS",    "SQUEUE_PARTITION", "SQUEUE_ACCOUNT",
                                                 "SQUEUE_QOS",      "SQUEUE_NAMES",    "SQUEUE_FORMAT",    "SQUEUE_FORMAT2",
                                                 "SQUEUE_LICENSES", "SQUEUE_ARRAY",    "SQUEUE_SORT",      "SINFO_PARTITION",
                                                 "SINFO_FORMAT",    "SCONTROL_FUTURE", "SLURM_JSON",       "SLURM_TIME_FORMAT"};
  return names;
}

// What is run, and what its output has.
class SlurmQuestion {
 public:
  SlurmQuestion(std::string text, std::string list) : what(std::move(text)), key(std::move(list)) {}
  std::string what;
  std::string key;
  SlurmWords words;
  SlurmWords older;      // where scontrol writes no JSON; empty: there is no other way
  bool is_main = false;  // others add to its answer, and leave time for it
};

class SlurmPrograms final : public SlurmSource {
 public:
  asio::awaitable<Result<SlurmJobAnswer>> job(Call& call, SlurmReference wanted, std::uint64_t) override {
    const std::int64_t id = wanted.id;
    const std::string number = std::to_string(id);
    SlurmQuestion question(fmt::format("Slurm's record of job {}", id), "jobs");
    question.words = {"scontrol", "--json", "-d", "show", "job", number};
    question.older = {"squeue", "--json", "--states=all", "-j", number};
    question.is_main = true;
    Result<std::vector<SlurmJobRecord>> records = co_await ask(call, std::move(question), read_slurm_job);
    if (!records && records.error().code() == Errc::not_found) co_return SlurmJobAnswer();
    if (!records) co_return records.error();
    // squeue of 22.05 prints every job.
    std::erase_if(*records, [id](const SlurmJobRecord& one) { return !one.is_of(id); });
    co_return SlurmJobAnswer(std::move(*records));
  }

  asio::awaitable<Result<std::vector<SlurmJobRecord>>> jobs_named(Call& call, std::string name, std::string user) override {
    SlurmWords words = {"squeue", "-h", "--states=all", "-o", "%A|%T|%j"};
    if (name.find(',') == std::string::npos) words.push_back("--name=" + name);  // a comma separates names there
    if (!user.empty()) words.push_back("--user=" + user);
    const Result<ProgramOutput> output = co_await run(call, words, true);
    if (!output) co_return output.error();
    if (output->exit_code != 0 || output->signal != 0) {
      // squeue knows no user of that name.
      if (!user.empty() && output->errors.find("Invalid user") != std::string::npos) co_return std::vector<SlurmJobRecord>();
      co_return slurm_program_failure(words, *output);
    }
    std::vector<SlurmLine> lines = slurm_lines_of_name(output->output.reveal(), name);
    const bool has_live = std::any_of(lines.begin(), lines.end(), [](const SlurmLine& one) { return one.is_live; });
    std::erase_if(lines, [has_live](const SlurmLine& one) { return one.is_live != has_live; });
    std::set<std::int64_t> ids;
    for (const SlurmLine& line : lines) ids.insert(line.id);
    constexpr std::size_t max_asked = 16;
    while (ids.size() > max_asked) ids.erase(ids.begin());
    std::vector<SlurmJobRecord> all;
    for (const std::int64_t id : ids) {
      SlurmReference by_id;
      by_id.id = id;
      Result<SlurmJobAnswer> answer = co_await job(call, std::move(by_id), 0);
      if (!answer) co_return answer.error();
      all.insert(all.end(), std::make_move_iterator(answer->records.begin()), std::make_move_iterator(answer->records.end()));
    }
    co_return all;
  }

  asio::awaitable<Result<std::vector<SlurmNodeRecord>>> nodes(Call& call, std::vector<std::string> names) override {
    const Result<std::string> list = compress_host_list(names);
    if (!list) co_return list.error();
    Result<std::vector<SlurmNodeRecord>> records = co_await ask_nodes(call, *list);
    if (!records) co_return records;
    std::erase_if(*records,
                  [&names](const SlurmNodeRecord& one) { return std::find(names.begin(), names.end(), one.name) == names.end(); });
    co_return records;
  }

  asio::awaitable<Result<SlurmNodesPointer>> all_nodes(Call& call) override {
    Result<std::vector<SlurmNodeRecord>> records = co_await ask_nodes(call, "");
    if (!records) co_return records.error();
    co_return std::make_shared<const SlurmNodeSnapshot>(std::move(*records));
  }

  asio::awaitable<Result<SlurmMarks>> marks(Call& call) override {
    SlurmWords words = {"squeue", "-h", "--states=all", "-o", "%A|%i|%T|%r"};
    const Result<ProgramOutput> output = co_await run(call, words, true);
    if (!output) co_return output.error();
    if (output->exit_code != 0 || output->signal != 0) co_return slurm_program_failure(words, *output);
    co_return read_mark_lines(output->output.reveal());
  }

  asio::awaitable<Result<std::vector<SlurmPartition>>> partition(Call& call, std::string name) override {
    SlurmQuestion question("Slurm's record of a partition", "partitions");
    question.words = {"scontrol", "--json", "show", "partition", name};
    SlurmWords older = {"scontrol", "-o", "show", "partition", std::move(name)};
    if (!has_json_) co_await find_json(call);
    if (has_json_ == false) co_return co_await ask_lines<SlurmPartition>(call, std::move(older), read_partition_lines);
    co_return co_await ask(call, std::move(question), read_slurm_partition);
  }

  asio::awaitable<Result<std::vector<SlurmReservation>>> reservations(Call& call) override {
    SlurmQuestion question("Slurm's list of reservations", "reservations");
    question.words = {"scontrol", "--json", "show", "reservations"};
    SlurmWords older = {"scontrol", "-o", "show", "reservations"};
    if (!has_json_) co_await find_json(call);
    if (has_json_ == false) co_return co_await ask_lines<SlurmReservation>(call, std::move(older), read_reservation_lines);
    co_return co_await ask(call, std::move(question), read_slurm_reservation);
  }

  // By squeue, of many jobs some at a time, so that not all of their text is in memory. squeue of 22.05 prints all of them in any case.
  asio::awaitable<Result<void>> list_jobs(Call& call, SlurmListOptions wanted, SlurmJobTaker& taker) override {
    SlurmWords all = {"squeue", "--json", "--states=all"};
    SlurmWords words = {"squeue", "-h", "--states=all", "-o", "%A"};
    if (!wanted.user.empty()) all.push_back("--user=" + wanted.user);
    if (!wanted.user.empty()) words.push_back("--user=" + wanted.user);
    const Result<ProgramOutput> listed = co_await run(call, words, true);
    if (!listed) co_return listed.error();
    taker.restart();
    const bool has_failed = listed->exit_code != 0 || listed->signal != 0;
    if (has_failed && listed->errors.find("Invalid user") != std::string::npos) co_return Result<void>();  // it has no jobs
    if (has_failed) co_return slurm_program_failure(words, *listed);
    const std::vector<std::string> ids = slurm_ids_in(listed->output.reveal());
    const bool are_many = ids.size() > jobs_at_a_time;
    if (are_many && !has_json_) co_await find_json(call);
    std::set<std::int64_t> seen;
    if (!are_many || has_json_ == false) co_return co_await list_some(call, std::move(all), taker, seen);
    for (std::size_t from = 0; from < ids.size(); from += jobs_at_a_time) {
      const auto first = ids.begin() + static_cast<std::ptrdiff_t>(from);
      const auto end = ids.begin() + static_cast<std::ptrdiff_t>(std::min(ids.size(), from + jobs_at_a_time));
      SlurmWords some = {"squeue", "--json", "--states=all", "-j", fmt::format("{}", fmt::join(first, end, ","))};
      const Result<void> taken = co_await list_some(call, std::move(some), taker, seen);
      if (!taken && taken.error().code() != Errc::not_found) co_return taken;  // all of them are forgotten meanwhile
    }
    co_return Result<void>();
  }

  std::string describe() const override {
    return has_json_.value_or(true) ? "scontrol" : "squeue and sinfo (this scontrol writes no JSON)";
  }

 private:
  // `seen`: the jobs that were taken; with an array come all of its tasks.
  asio::awaitable<Result<void>> list_some(Call& call, SlurmWords words, SlurmJobTaker& taker, std::set<std::int64_t>& seen) {
    const Result<ProgramOutput> output = co_await run(call, words, true, max_listed_output);
    if (!output) co_return output.error();
    const auto take = [&taker, &seen](const SlurmObject& element) {
      SlurmJobRecord job = read_slurm_job(element);
      return seen.insert(job.id).second ? taker.take(std::move(job)) : std::size_t{0};
    };
    SlurmListFeed feed("Slurm's list of jobs, as squeue prints it,", "jobs", take, parse_limits(impl_of(call)));
    Result<void> done = feed.feed(json_in_output(output->output.reveal()));
    if (done) done = feed.finish();
    const bool has_failed = output->exit_code != 0 || output->signal != 0;
    if (has_failed && (!done || !feed.errors().empty())) co_return slurm_program_failure(words, *output);
    if (done && !feed.errors().empty()) co_return slurm_failure(feed.errors());
    if (done) co_return done;
    Failure failure = done.error();
    co_return std::move(failure.with_hint(slurm_by_hand(words)));
  }

  // `list`: a host list; empty: all of them.
  asio::awaitable<Result<std::vector<SlurmNodeRecord>>> ask_nodes(Call& call, std::string list) {
    SlurmQuestion question("Slurm's list of nodes", "nodes");
    question.words = {"scontrol", "--json", "show", "nodes"};
    question.older = {"sinfo", "--json"};
    if (!list.empty()) question.words.push_back(std::move(list));
    Result<std::vector<SlurmNodeRecord>> records = co_await ask(call, std::move(question), read_slurm_node);
    if (!records && records.error().code() == Errc::not_found) co_return std::vector<SlurmNodeRecord>();
    co_return records;
  }

  asio::awaitable<Result<ProgramOutput>> run(Call& call, SlurmWords words, bool is_main, std::size_t max_output = max_program_output) {
    Runtime::Impl& impl = impl_of(call);
    ProgramRequest request(words);
    request.removed_variables = removed_slurm_variables();
    // Times that are printed as text have no zone, long arrays are cut, and nodes and jobs of hidden partitions are left out otherwise.
    request.variables = {{"TZ", "UTC"}, {"SLURM_BITSTR_LEN", "0"}, {"SCONTROL_ALL", "1"}, {"SQUEUE_ALL", "1"}, {"SINFO_ALL", "1"}};
    request.max_output_bytes = max_output;
    // Shorter than the call's time, so that the error names the program and not the call.
    const Duration left = saturating_difference(call.deadline(), impl.time->now());
    const Duration kept = is_main ? std::max<Duration>(left / 20, std::chrono::milliseconds(250)) : left / 2;
    request.timeout = left - std::min(left / 2, kept);
    state_of(call).last_trouble = words.front() + " did not end within that time";
    Result<ProgramOutput> output = co_await impl.programs->run(std::move(request));
    if (output) {
      state_of(call).last_trouble.clear();
      co_return output;
    }
    Failure failure = output.error();
    if (failure.what().find(words.front()) == std::string::npos) failure.with_what(fmt::format("{}: {}", words.front(), failure.what()));
    if (failure.code() == Errc::not_found) {
      failure.with_code(Errc::failed_precondition)
          .with_hint("Slurm's programs are on login and compute nodes; elsewhere name slurmrestd: restd=https://HOST, or restd=unix:/PATH");
    }
    co_return failure;
  }

  template <class Record>
  asio::awaitable<Result<std::vector<Record>>> ask(Call& call, SlurmQuestion question, Record (*read)(const SlurmObject&)) {
    SlurmWords words = has_json_ == false && !question.older.empty() ? question.older : question.words;
    Result<ProgramOutput> output = co_await run(call, words, question.is_main);
    if (output && !has_json_ && !question.older.empty() && is_without_json(*output)) {
      has_json_ = false;
      words = question.older;
      output = co_await run(call, words, question.is_main);
    }
    if (!output) co_return output.error();
    const std::string_view text = json_in_output(output->output.reveal());
    const bool has_failed = output->exit_code != 0 || output->signal != 0;
    std::vector<SlurmError> errors;
    ParseLimits limits = parse_limits(impl_of(call));
    Result<std::vector<Record>> records = read_slurm_text<Record>(fmt::format("{}, as {} prints it,", question.what, words.front()),
                                                                  std::move(question.key), text, read, limits, &errors);
    if (has_failed && (!records || records->empty() || !errors.empty())) co_return slurm_program_failure(words, *output);
    if (records && !errors.empty()) {
      const Failure failure = slurm_failure(errors);
      if (failure.code() == Errc::not_found) co_return std::vector<Record>();
      co_return failure;
    }
    if (!records) {
      Failure failure = records.error();
      co_return std::move(failure.with_hint(slurm_by_hand(words)));
    }
    if (!has_json_) has_json_ = true;
    co_return records;
  }

  // Learns whether scontrol writes JSON, by a small question. A failure is that of the question that comes after it.
  asio::awaitable<void> find_json(Call& call) {
    SlurmWords words = {"scontrol", "--json", "show", "reservations"};
    const Result<ProgramOutput> output = co_await run(call, std::move(words), false);
    if (output && is_without_json(*output)) has_json_ = false;
    if (output && output->exit_code == 0 && output->signal == 0) has_json_ = true;
  }

  template <class Record>
  asio::awaitable<Result<std::vector<Record>>> ask_lines(Call& call, SlurmWords words,
                                                         Result<std::vector<Record>> (*read)(std::string_view, const ParseLimits&)) {
    const Result<ProgramOutput> output = co_await run(call, words, false);
    if (!output) co_return output.error();
    if (output->exit_code != 0 || output->signal != 0) co_return slurm_program_failure(words, *output);
    co_return read(output->output.reveal(), parse_limits(impl_of(call)));
  }

  std::optional<bool> has_json_;  // of scontrol; none: not tried yet
};

}  // namespace

std::shared_ptr<SlurmSource> make_slurm_programs() { return std::make_shared<SlurmPrograms>(); }

}  // namespace rollcall
