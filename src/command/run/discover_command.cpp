// `rollcall discover`.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "command/arguments/command_table.hpp"
#include "command/arguments/targets.hpp"
#include "command/run/command_session.hpp"
#include "command/show/found_text.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "json/memory_share.hpp"
#include "render/render_found.hpp"
#include "rollcall/auto_resolver.hpp"
#include "rollcall/discover.hpp"

namespace rollcall::command {
namespace {

// The command line's options for the search, checked.
class DiscoverPlan {
 public:
  DiscoverPlan() {}
  DiscoverOptions options;
  bool searches = true;  ///< false: only the listed targets are looked up
  std::vector<ListedTarget> targets;
  ColumnList columns;
  bool has_usual_columns = true;
  std::vector<SortKey> sort;     ///< none: finds are printed as they arrive
  bool has_usual_order = true;
  bool is_json = false;
};

Result<DiscoverPlan> plan_of(const Arguments& arguments) {
  DiscoverPlan plan;
  plan.options.projects(arguments.projects).zones(arguments.zones).kinds(arguments.kinds);
  plan.options.namespaces(arguments.namespaces).context(arguments.context).slurm(arguments.slurm);
  for (const std::string& filter : arguments.filters) plan.options.filter(filter);
  if (arguments.api) plan.options.api_version(*arguments.api);
  const Result<void> fine = check_discovery(plan.options);
  if (!fine) return fine.error();
  if (!arguments.token_file.empty() && (!arguments.namespaces.empty() || !arguments.context.empty()))
    complain("--token-file is for Google's services: the jobs of namespaces are listed with the kubeconfig's own credentials");
  const bool says_where = !arguments.projects.empty() || !arguments.zones.empty() || !arguments.namespaces.empty() ||
                          !arguments.context.empty() || !arguments.slurm.empty() || !arguments.kinds.empty() || !arguments.filters.empty();
  plan.searches = arguments.target_files.empty() || says_where;
  if (!arguments.target_files.empty()) {
    Result<std::vector<ListedTarget>> targets = collect_targets(arguments);
    if (!targets) return targets.error();
    plan.targets = std::move(*targets);
  }
  Result<ColumnList> columns = parse_columns(arguments.columns);
  if (!columns) return columns.error();
  plan.columns = std::move(*columns);
  if (!arguments.sort.empty()) {
    Result<std::vector<SortKey>> sort = parse_sort(arguments.sort);
    if (!sort) return sort.error();
    plan.sort = std::move(*sort);
  }
  plan.is_json = arguments.has_format ? arguments.format == Format::json : !is_terminal(STDOUT_FILENO);
  plan.has_usual_order = arguments.sort.empty();
  plan.has_usual_columns = arguments.columns.empty();
  if (plan.has_usual_order && !plan.is_json) plan.sort = usual_order();
  return plan;
}

FoundRow row_of_target(const ListedTarget& target, const ClusterSpec& spec) {
  FoundRow row;
  row.kind = "target";
  row.found.name = row.found.target = target.text;
  row.found.state = "READY";
  for (const ClusterSpec::Job& job : spec.job_list()) {
    row.found.members += job.tasks.size();
    for (const auto& [task, address] : job.tasks) row.found.addresses.push_back(address);
  }
  return row;
}

std::string json_line(const FoundRow& row) { return render_found_json(row.found, row.kind) + "\n"; }

class DiscoverCommand {
 public:
  DiscoverCommand(Arguments arguments, DiscoverPlan plan)
      : arguments_(std::move(arguments)), plan_(std::move(plan)), session_(arguments_, plan_.targets.size() + 1) {}

  int run() {
    if (!session_.open()) return exit_usage;
    kept_memory_ = MemoryShare(session_.runtime().memory());
    for (const ListedTarget& target : plan_.targets) look_up(target);
    if (plan_.searches) {
      if (is_of_projects_alone() && arguments_.projects.empty() && arguments_.zones.empty()) look_around();
      stream_ = discover(session_.runtime(), std::move(plan_.options), session_.call_options());
      session_.ask(read_stream(), [this](const Result<bool>& read) {
        if (!read && read.error().code() != Errc::cancelled) miss(std::string(), read.error());
      });
    }
    const bool is_over = session_.wait();
    stream_.reset();
    if (!is_over) {
      if (!plan_.is_json) print_kept();
      return exit_interrupted;
    }
    return session_.exit_code(conclude());
  }

 private:
  asio::awaitable<Result<bool>> read_stream() {
    for (;;) {
      Result<std::optional<Found>> item = co_await stream_->try_next();
      if (!item) {
        miss(std::string(), item.error());
        if (item.error().code() != Errc::cancelled) continue;
        stream_.reset();  // ends the search
        co_return item.error();
      }
      if (!*item) co_return true;
      take(FoundRow(std::move(**item)));
    }
  }

  // No search lists the cluster that this process is in.
  void look_around() {
    const std::shared_ptr<AutoResolver> here = make_auto_resolver(session_.runtime(), AutoOptions().from(places_without_requests()));
    session_.ask(here->try_choose(session_.call_options()), [this](const Result<AutoChoice>& choice) {
      here_ = choice ? fmt::format("this process is in a cluster itself, which rollcall spec auto: shows ({}: {})",
                                   to_string(choice->place), choice->reason)
                     : choice.error().what();
    });
  }

  void look_up(const ListedTarget& target) {
    const Result<std::shared_ptr<ClusterResolver>> made = make_listed(session_.runtime(), target, arguments_);
    if (!made) return miss(target.text, made.error());
    session_.ask((*made)->try_cluster_spec(session_.call_options()), [this, &target](const Result<ClusterSpec>& spec) {
      if (spec) {
        take(row_of_target(target, *spec));
      } else {
        miss(target.text, spec.error());
      }
    });
  }

  void take(FoundRow row) {
    ++found_;
    if (!plan_.sort.empty()) return keep(std::move(row));
    print(plan_.is_json ? json_line(row) : table_.line(row));
  }

  void keep(FoundRow row) {
    const std::size_t texts = 512 + 2 * sizeof(std::string) * row.found.addresses.size();
    if (kept_memory_.charge(texts) && kept_memory_.make_room(kept_)) {
      kept_.push_back(std::move(row));
      return;
    }
    if (plan_.has_usual_order && !plan_.is_json) {  // too many to sort: from here on they are printed as they arrive
      kept_.push_back(std::move(row));
      plan_.sort.clear();
      return print_kept();
    }
    if (std::exchange(has_dropped_, true)) return;
    Failure failure = too_much_memory("what is to be sorted", kept_memory_);
    failure.with_hint("without --sort, rows are printed as they come");
    miss(std::string(), std::move(failure));
  }

  void miss(std::string target, Failure failure) {
    remember(failure);
    if (failure.code() == Errc::cancelled) return;
    session_.clear_line();
    const std::string message = failure.message();
    const std::string shown = target_text(target);
    const std::string line = message.find(shown) == std::string::npos ? fmt::format("{}: {}", shown, message) : message;
    constexpr std::size_t max_remembered = 4096;
    const bool is_new = said_.size() < max_remembered ? said_.insert(line).second : !said_.contains(line);
    if (is_new) complain(line);  // a missing token is missing for every list
    if (plan_.is_json) print(render_missing_json(TargetFailure(std::move(target), std::move(failure))) + "\n");
  }

  // One failure of each kind, for the exit code.
  void remember(const Failure& failure) {
    const auto same = [code = exit_code_for(failure)](const Failure& known) { return exit_code_for(known) == code; };
    if (std::none_of(failures_.begin(), failures_.end(), same)) failures_.push_back(failure);
  }

  void print(std::string_view text) {
    session_.clear_line();
    is_unheard_ = is_unheard_ || !write_result(text);
  }

  void print_kept() {
    if (kept_.empty()) return;
    sort_rows(kept_, plan_.has_usual_order ? usual_order() : plan_.sort);
    std::optional<std::size_t> width;
    if (is_terminal(STDOUT_FILENO)) width = static_cast<std::size_t>(terminal_width(STDOUT_FILENO));
    table_ = FoundTable(plan_.columns, kept_, width, plan_.has_usual_columns);
    std::string text;
    if (!plan_.is_json) text = table_.header(wants_colour(STDOUT_FILENO));
    for (const FoundRow& row : kept_) text += plan_.is_json ? json_line(row) : table_.line(row);
    std::vector<FoundRow>().swap(kept_);
    kept_memory_.return_to(0);
    print(text);
  }

  int conclude() {
    print_kept();
    if (is_unheard_) return exit_failed;
    if (found_ == 0 && !here_.empty() && !arguments_.is_quiet) complain(here_);
    if (failures_.empty()) {
      if (found_ == 0 && !arguments_.is_quiet)
        complain(is_of_projects_alone() ? "nothing was found; jobs of Kubernetes are found by --namespace NAME, or --kind job"
                                        : "nothing was found");
      return exit_answered;
    }
    return arguments_.is_partial && found_ > 0 ? exit_partial : exit_code_for(failures_);
  }

  bool is_of_projects_alone() const {
    return arguments_.namespaces.empty() && arguments_.context.empty() && arguments_.slurm.empty() && arguments_.kinds.empty() &&
           arguments_.filters.empty();
  }

  Arguments arguments_;
  DiscoverPlan plan_;
  CommandSession session_;
  std::shared_ptr<FoundStream> stream_;
  std::vector<FoundRow> kept_;  // kept for sorting
  MemoryShare kept_memory_;
  FoundTable table_;
  std::string here_;  // the cluster that this process is in, or what was looked for
  bool has_dropped_ = false;
  std::size_t found_ = 0;
  std::vector<Failure> failures_;
  std::set<std::string> said_;
  bool is_unheard_ = false;
};

}  // namespace

int run_discover(Arguments arguments) {
  Result<DiscoverPlan> plan = plan_of(arguments);
  if (!plan) return refuse(plan.error(), exit_usage);
  DiscoverCommand command(std::move(arguments), std::move(*plan));
  return command.run();
}

}  // namespace rollcall::command
