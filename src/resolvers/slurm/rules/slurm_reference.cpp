#include "resolvers/slurm/rules/slurm_reference.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::int64_t max_slurm_id = 0xffffffff;

// A name that begins as an id, as Slurm's commands print steps (`7.0`, `7.batch`), waiting tasks (`7_[2-5%1]`) and clusters (`7;roll`).
std::string_view id_in_name(std::string_view name) {
  const std::size_t end = name.find_first_not_of("0123456789");
  if (end == 0 || end == std::string_view::npos) return {};
  const bool is_as_printed = name[end] == '.' || name[end] == ';' || name.substr(end).starts_with("_[");
  return is_as_printed ? name.substr(0, end) : std::string_view();
}

Failure no_such_job(const SlurmReference& wanted, std::string_view what) {
  if (const std::string_view id = id_in_name(wanted.name); wanted.id == 0 && !id.empty()) {
    return Failure(Errc::not_found, fmt::format("Slurm has no job of the name {}{}", quoted(wanted.name, 80), what))
        .with_hint(fmt::format("name a job, not a step, a list of tasks or a cluster: slurm:job/{}, slurm:job/{}_N", id, id));
  }
  return Failure(Errc::not_found, fmt::format("Slurm has no job {}{}", printable(wanted.text(), 80), what))
      .with_hint("squeue --me lists jobs; Slurm forgets a job a few minutes after its end (MinJobAge); sacct -j ID shows how it ended");
}

// True if `2-5,9%1` has the number; none: the list is cut.
std::optional<bool> is_in_array(std::string_view list, std::int64_t task) {
  list = list.substr(0, list.find('%'));
  for (const std::string_view part : split(list, ',')) {
    if (part == "...") return std::nullopt;
    const std::string_view range = part.substr(0, part.find(':'));
    const std::size_t dash = range.find('-');
    const auto low = parse_decimal<std::int64_t>(range.substr(0, dash));
    const auto high = dash == std::string_view::npos ? low : parse_decimal<std::int64_t>(range.substr(dash + 1));
    const auto step = part.size() > range.size() ? parse_decimal<std::int64_t>(part.substr(range.size() + 1), 1) : std::int64_t{1};
    if (!low || !high || !step) return std::nullopt;
    if (task >= *low && task <= *high && (task - *low) % *step == 0) return true;
  }
  return false;
}

Result<std::vector<SlurmJobRecord>> task_of_array(const SlurmReference& wanted, std::vector<SlurmJobRecord>& records) {
  std::vector<SlurmJobRecord> found;
  bool is_cut = false;
  for (SlurmJobRecord& record : records) {
    if (record.array_job != wanted.id) continue;
    if (record.array_task == wanted.task) {
      found.assign(1, std::move(record));
      return found;
    }
    if (record.array_task || record.array_tasks.empty()) continue;
    const std::optional<bool> is_there = is_in_array(record.array_tasks, *wanted.task);
    if (!is_there.value_or(true)) continue;
    is_cut = !is_there;
    record.array_task = wanted.task;
    found.assign(1, std::move(record));
  }
  if (!found.empty() && !is_cut) return found;
  if (is_cut) {
    return Failure(Errc::not_found,
                   fmt::format("job {} is not among the tasks that have started, and Slurm shows only a part of the others", wanted.text()))
        .with_hint("slurmrestd and squeue show all of them with SLURM_BITSTR_LEN=0");
  }
  return no_such_job(wanted, records.empty() ? "" : " (the job is there, without that task)");
}

Failure names_no_task(const SlurmReference& wanted, std::vector<SlurmJobRecord> records) {
  // Those that have started first.
  std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) {
    return std::pair(!a.array_task, a.array_task.value_or(0)) < std::pair(!b.array_task, b.array_task.value_or(0));
  });
  constexpr std::size_t max_shown = 5;
  std::vector<std::string> tasks;
  for (const SlurmJobRecord& record : records) {
    if (tasks.size() == max_shown) break;
    if (record.array_task) tasks.push_back(fmt::format("{} is {}", slurm_job_text(record), record.states.front()));
    if (!record.array_task && !record.array_tasks.empty()) tasks.push_back(fmt::format("tasks {} wait", printable(record.array_tasks, 80)));
  }
  return Failure(Errc::invalid_argument,
                 fmt::format("job {} is an array of several tasks, each a cluster of its own: {}", wanted.text(), fmt::join(tasks, ", ")))
      .with_hint(fmt::format("name one: slurm:job/{}_N", wanted.id));
}

Result<std::vector<SlurmJobRecord>> job_by_name(const SlurmReference& wanted, std::vector<SlurmJobRecord>& records) {
  std::erase_if(records, [&wanted](const SlurmJobRecord& record) { return record.name != wanted.name; });
  if (records.empty()) return no_such_job(wanted, "");
  std::vector<const SlurmJobRecord*> live;
  for (const SlurmJobRecord& record : records) {
    const bool is_first = record.het_job == 0 || record.het_offset == 0;
    if (!record.is_over() && is_first) live.push_back(&record);
  }
  if (live.size() > 1) {
    constexpr std::size_t max_shown = 5;
    std::vector<std::string> ids;
    for (const SlurmJobRecord* record : live) {
      if (ids.size() < max_shown) ids.push_back(fmt::format("{} of {}", slurm_job_text(*record), printable(record->user, 40)));
    }
    return Failure(Errc::conflict, fmt::format("{} jobs have the name {}: {}", live.size(), quoted(wanted.name, 80), fmt::join(ids, ", ")))
        .with_hint("name one by its id: slurm:job/ID; user=NAME takes only that user's");
  }
  const SlurmJobRecord& last =
      live.empty() ? *std::max_element(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.id < b.id; })
                   : *live.front();
  SlurmReference by_id;
  by_id.id = last.het_job != 0 ? last.het_job : last.array_job.value_or(last.id);
  by_id.task = last.array_task;
  return select_slurm_jobs(by_id, std::move(records));
}

}  // namespace

Result<SlurmReference> SlurmReference::parse(std::string_view text) {
  SlurmReference reference;
  constexpr std::size_t max_name = 1024;
  const bool is_number = !text.empty() && is_digit(text.front()) && text.find_first_not_of("0123456789_+") == std::string_view::npos;
  if (!is_number) {
    if (text.empty() || text.size() > max_name || trim(text) != text || text.starts_with('-'))
      return Failure(Errc::invalid_argument, fmt::format("{} is no id or name of a Slurm job", quoted(text, 80)))
          .with_hint("slurm:job/4711, slurm:job/4711_3 (task 3 of an array), slurm:job/4711+1 (a component), or a name");
    reference.name = text;
    return reference;
  }
  const std::size_t mark = text.find_first_of("_+");
  const auto id = parse_decimal<std::int64_t>(text.substr(0, mark), 1, max_slurm_id);
  const std::string_view rest = mark == std::string_view::npos ? std::string_view() : text.substr(mark + 1);
  const auto part = parse_decimal<std::int64_t>(rest, 0, 1'000'000'000);
  if (!id || (mark != std::string_view::npos && !part)) {
    return Failure(Errc::invalid_argument, fmt::format("{} is no id of a Slurm job", quoted(text, 80)))
        .with_hint("ids are 1 to 4294967295, with _N for a task of an array or +N for a component");
  }
  reference.id = *id;
  if (part && text[mark] == '_') reference.task = part;
  if (part && text[mark] == '+') reference.component = static_cast<int>(*part);
  return reference;
}

std::string SlurmReference::text() const {
  if (id == 0) return name;
  if (task) return fmt::format("{}_{}", id, *task);
  return component ? fmt::format("{}+{}", id, *component) : std::to_string(id);
}

Result<std::vector<SlurmJobRecord>> select_slurm_jobs(const SlurmReference& wanted, std::vector<SlurmJobRecord> records) {
  if (wanted.id == 0) return job_by_name(wanted, records);
  if (wanted.task) return task_of_array(wanted, records);
  std::vector<SlurmJobRecord> found;
  for (SlurmJobRecord& record : records) {
    if (record.het_job == wanted.id && (!wanted.component || record.het_offset == *wanted.component)) found.push_back(record);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.het_offset < b.het_offset; });
  if (!found.empty()) return found;
  if (wanted.component) return no_such_job(wanted, records.empty() ? "" : " (the job is there, without that component)");
  const bool is_array =
      std::any_of(records.begin(), records.end(), [&wanted](const SlurmJobRecord& record) { return record.array_job == wanted.id; });
  if (is_array) return names_no_task(wanted, std::move(records));
  for (SlurmJobRecord& record : records) {
    if (record.id != wanted.id) continue;
    found.push_back(std::move(record));
    return found;
  }
  return no_such_job(wanted, "");
}

std::string slurm_job_text(const SlurmJobRecord& job) {
  if (job.array_job && job.array_task) return fmt::format("{}_{}", *job.array_job, *job.array_task);
  return job.het_job != 0 ? fmt::format("{}+{}", job.het_job, job.het_offset) : std::to_string(job.id);
}

}  // namespace rollcall
