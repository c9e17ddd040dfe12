// Why a pending job waits. The scheduler keeps only the reason that it met last. [facts: slurm-reasons]
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "resolvers/slurm/rules/slurm_gres.hpp"
#include "resolvers/slurm/rules/slurm_reference.hpp"
#include "resolvers/slurm/rules/slurm_view.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_named_nodes = 8;
constexpr std::size_t max_reason_words = 200;
constexpr std::size_t max_sentence = 2000;

class SlurmExplainer {
 public:
  SlurmExplainer(const SlurmJobRecord& job, const SlurmView& view) : job_(job), view_(view), id_(slurm_job_text(job)) {}

  SlurmWait explain() {
    const std::string_view reason = job_.reason;
    if (!by_table(reason) && !by_prefix(reason)) add_nodes(CauseLayer::schedule, quote_reason());
    if (wait_.condition.level == MemberState::ready) wait_.condition.level = MemberState::waiting;
    if (job_.restarts > 0) note(fmt::format("it was requeued {} {}", job_.restarts, job_.restarts == 1 ? "time" : "times"));
    // Behind a job without a time limit Slurm expects a year.
    const bool is_expected = job_.start && *job_.start > view_.now && *job_.start - view_.now < std::chrono::hours(24 * 360);
    if (is_expected && reason != "BeginTime" && wait_.condition.level < MemberState::stopped)
      note("Slurm expects it to start at " + format_rfc3339(std::chrono::floor<std::chrono::minutes>(*job_.start)));
    if (!job_.admin_comment.empty()) note("comment of an administrator: " + printable(job_.admin_comment, max_reason_words));
    if (!view_.missing.empty()) note("more is not known: " + view_.missing);
    wait_.condition.text = state_words() + (reason.empty() ? std::string() : fmt::format(" ({})", printable(reason, 80))) + ": " +
                           printable(sentence_, max_sentence);
    return std::move(wait_);
  }

 private:
  std::string state_words() const {
    return job_.states.front() == "PENDING" ? job_.states.front() : printable(fmt::format("{}", fmt::join(job_.states, "+")), 80);
  }

  void note(std::string_view text) { sentence_ += (sentence_.empty() ? "" : "; ") + std::string(text); }

  void add(CauseLayer layer, std::string text, MemberState level = MemberState::waiting, bool is_final = false) {
    note(text);
    Cause cause(layer, job_.reason.empty() ? "PENDING" : printable(job_.reason, 80), std::move(text), "Slurm job " + id_);
    cause.is_final = is_final;
    wait_.causes.push_back(std::move(cause));
    wait_.condition.level = std::max(wait_.condition.level, level);
  }

  std::string quote_reason() const {
    if (!job_.description.empty()) return "Slurm says: " + printable(job_.description, max_reason_words);
    return job_.reason.empty() ? "the scheduler has not looked at it yet" : "Slurm says: " + printable(job_.reason, max_reason_words);
  }

  bool by_table(std::string_view reason) {
    if (job_.description.find("launch failed") != std::string::npos) return add_launch_failure();
    const bool is_held = job_.is("REQUEUE_HOLD") || job_.is("SPECIAL_EXIT");
    if (is_held && !reason.starts_with("JobH")) {
      add(CauseLayer::gate, fmt::format("it was requeued, and is held: scontrol release {}", id_), MemberState::stopped);
      return true;
    }
    if (reason.empty()) return add_nodes(CauseLayer::queue, "the scheduler has not looked at it yet");
    if (reason == "Resources") return add_resources();
    if (reason == "Priority") return add_nodes(CauseLayer::queue, "jobs of higher priority are before it");
    if (reason == "ReqNodeNotAvail") return add_unavailable();
    if (reason == "BadConstraints" || reason == "Constraints") {
      add(CauseLayer::schedule, "no node has what it asks for: " + what_it_asks(), MemberState::unschedulable);
      return true;
    }
    if (reason == "Dependency") return add_dependency();
    if (reason == "DependencyNeverSatisfied") {
      add(CauseLayer::order, fmt::format("it will never start: {}", awaited_jobs("its dependency can no longer be satisfied")),
          MemberState::lost, true);
      return true;
    }
    if (reason == "BeginTime") {
      const std::string when = job_.eligible ? " before " + format_rfc3339(*job_.eligible) : " yet";
      if (job_.restarts > 0) return add_nodes(CauseLayer::order, "after a requeue it does not start" + when);
      add(CauseLayer::order, "it does not start" + when);
      return true;
    }
    if (reason == "JobHeldUser" || reason == "JobHeldAdmin" || reason == "JobHoldMaxRequeue") {
      const std::string_view by = reason == "JobHeldUser"    ? "by its user"
                                  : reason == "JobHeldAdmin" ? "by an administrator"
                                                             : "after too many requeues (MaxBatchRequeue)";
      const std::string_view advice = reason == "JobHeldAdmin" ? ", as an operator" : "";
      add(CauseLayer::gate, fmt::format("it is held {}: scontrol release {}{}", by, id_, advice), MemberState::stopped);
      return true;
    }
    if (reason == "Licenses") {
      add(CauseLayer::queue, fmt::format("licences are in use: {}", printable(job_.licenses, 80)));
      return true;
    }
    if (reason == "Reservation" || reason == "ReservationDeleted") return add_reservation(reason);
    if (reason == "JobArrayTaskLimit") {
      const std::size_t limit = job_.array_tasks.rfind('%');
      add(CauseLayer::queue, limit == std::string::npos
                                 ? "as many tasks of its array run as may at a time"
                                 : fmt::format("its array runs {} at a time", printable(job_.array_tasks.substr(limit + 1), 20)));
      return true;
    }
    return false;
  }

  bool by_prefix(std::string_view reason) {
    if (reason.starts_with("Partition") || reason == "MaxMemPerLimit") return add_partition(reason);
    const bool is_refused =
        reason == "AccountNotAllowed" || reason == "QOSNotAllowed" || reason == "InvalidAccount" || reason == "InvalidQOS";
    if (is_refused) {
      add(CauseLayer::queue,
          fmt::format("{}: account {}, QOS {}, partition {}", slurm_reason_words(reason), shown(job_.account), shown(job_.qos),
                      shown(partitions())),
          MemberState::unschedulable);
      return true;
    }
    // A limit of minutes is used up, one of a job is in its way for ever; others, of running minutes too, are free again when jobs end.
    const auto has = [reason](std::string_view part) { return reason.find(part) != std::string_view::npos; };
    const bool is_of_job = has("PerJob") || reason.starts_with("QOSMin") || has("TimeLimit");
    const bool is_lasting = is_of_job || (has("Minutes") && !has("RunMinutes"));
    const MemberState level = is_lasting ? MemberState::unschedulable : MemberState::waiting;
    if (reason.starts_with("QOS")) {
      add(CauseLayer::queue, fmt::format("a limit of QOS {}: {}", shown(job_.qos), slurm_reason_words(reason)), level);
      return true;
    }
    if (reason.starts_with("Assoc") || reason.ends_with("PerAccount")) {
      add(CauseLayer::queue, fmt::format("a limit of account {}: {}", shown(job_.account), slurm_reason_words(reason)), level);
      return true;
    }
    const bool is_of_service = reason.starts_with("BurstBuffer") || reason == "Prolog" || reason == "Cleaning" ||
                               reason == "MaxPoweredUpNodes" || reason == "NvidiaImexChannels" || reason == "MpiPortsBusy";
    if (is_of_service) {
      add(CauseLayer::schedule, "waits for: " + slurm_reason_words(reason));
      return true;
    }
    return false;
  }

  static std::string shown(std::string_view name) { return name.empty() ? "(none)" : printable(name, 80); }
  std::string partitions() const { return fmt::format("{}", fmt::join(job_.partitions, ",")); }

  std::string what_it_asks() const {
    std::vector<std::string> asks{fmt::format("{} {}", job_.node_count, job_.node_count == 1 ? "node" : "nodes")};
    if (!job_.required_nodes.empty()) asks.push_back(printable(job_.required_nodes, 80));
    if (!job_.features.empty()) asks.push_back("features " + printable(job_.features, 80));
    for (const std::string* const tres : {&job_.tres_per_node, &job_.tres_per_task, &job_.tres_per_job}) {
      if (!tres->empty()) asks.push_back(printable(*tres, 80));
    }
    return fmt::format("{} of partition {}", fmt::join(asks, ", "), shown(partitions()));
  }

  // The nodes behind it, where some are to blame; else only the text.
  bool add_nodes(CauseLayer layer, const std::string& text) {
    add(layer, text);
    if (view_.known_nodes().empty()) return true;
    blame(candidates());
    return true;
  }

  void blame(const SlurmCandidates& found) {
    for (const std::string& name : found.unknown) {
      note(fmt::format("node {} is not among the nodes that Slurm shows", printable(name, 80)));
      wait_.causes.emplace_back(CauseLayer::node, "NODE_NOT_SHOWN", "Slurm does not show this node", "node " + printable(name, 80));
      if (wait_.causes.size() > max_named_nodes) break;
    }
    std::size_t named = 0;
    for (const SlurmNodeRecord* node : found.to_blame) {
      wait_.condition.level = std::max(wait_.condition.level, MemberState::unschedulable);
      if (++named > max_named_nodes) continue;
      note(fmt::format("{} is {}", printable(node->name, 80), slurm_node_story(*node)));
      Cause cause(CauseLayer::node, printable(fmt::format("{}", fmt::join(node->states, "+")), 80), slurm_node_story(*node),
                  "node " + printable(node->name, 80));
      cause.since = node->reason_at;
      wait_.causes.push_back(std::move(cause));
    }
    if (named > max_named_nodes) note(fmt::format("and {} more nodes", named - max_named_nodes));
  }

  bool add_resources() {
    if (view_.known_nodes().empty()) {
      add(CauseLayer::schedule, "it waits until enough nodes are free: " + what_it_asks());
      return true;
    }
    const SlurmCandidates& found = candidates();
    add(CauseLayer::schedule, slurm_count_words(found));
    blame(found);
    return true;
  }

  const SlurmCandidates& candidates() {
    if (view_.known_nodes().empty()) return own_candidates_;  // they could not be asked
    if (view_.all_nodes) return view_.all_nodes->candidates(job_, view_.partitions);
    return own_candidates_ = find_candidates(job_, view_.nodes, view_.partitions);
  }

  bool add_unavailable() {
    const SlurmCandidates& found = candidates();
    if (!found.to_blame.empty() || !found.unknown.empty()) {
      const bool is_by_name = !job_.required_nodes.empty() && found.candidates <= found.needed;
      add(CauseLayer::schedule, is_by_name ? "a node that it names cannot be used" : slurm_count_words(found));
      blame(found);
      return true;
    }
    const SlurmReservation* const overlap = overlapping_reservation(job_, view_);
    if (!overlap) return add_nodes(CauseLayer::schedule, quote_reason());
    add(CauseLayer::schedule,
        fmt::format("reservation {} has {} from {}{}: it waits for its end, or takes a shorter time limit or other nodes",
                    printable(overlap->name, 80), printable(overlap->nodes, 80), overlap->start ? format_rfc3339(*overlap->start) : "now",
                    overlap->end ? " to " + format_rfc3339(*overlap->end) : ""));
    return true;
  }

  bool add_reservation(std::string_view reason) {
    const auto own = std::find_if(view_.reservations.begin(), view_.reservations.end(),
                                  [this](const SlurmReservation& one) { return one.name == job_.reservation; });
    const std::string name = printable(job_.reservation, 80);
    if (reason == "ReservationDeleted") {
      add(CauseLayer::schedule, fmt::format("its reservation {} was deleted: scontrol update jobid={} reservationname=", name, id_),
          MemberState::unschedulable);
    } else {
      const bool has_start = own != view_.reservations.end() && own->start && *own->start > view_.now;
      add(CauseLayer::schedule, has_start ? fmt::format("its reservation {} begins at {}", name, format_rfc3339(*own->start))
                                          : fmt::format("it waits for its reservation {}", name));
    }
    return true;
  }

  bool add_partition(std::string_view reason) {
    std::string text = slurm_reason_words(reason) + ", partition " + shown(partitions());
    for (const SlurmPartition& partition : view_.partitions) {
      const bool is_own = std::find(job_.partitions.begin(), job_.partitions.end(), partition.name) != job_.partitions.end();
      if (!is_own) continue;
      const std::string name = printable(partition.name, 80);
      // 22.05 says PartitionConfig of both limits, too.
      const bool is_of_limits = reason == "PartitionConfig" || reason == "PartitionTimeLimit" || reason == "PartitionNodeLimit";
      const bool is_too_long = partition.max_minutes && (!job_.time_limit || *job_.time_limit > *partition.max_minutes);
      if (is_of_limits && is_too_long)
        text = job_.time_limit ? fmt::format("it asks for {} minutes, partition {} gives {}: scontrol update jobid={} timelimit={}",
                                             *job_.time_limit, name, *partition.max_minutes, id_, *partition.max_minutes)
                               : fmt::format("it has no time limit, partition {} gives {} minutes", name, *partition.max_minutes);
      const int most = partition.max_nodes.value_or(partition.total_nodes);
      if (is_of_limits && most > 0 && most < job_.node_count)
        text = fmt::format("it asks for {} nodes, partition {} gives {}", job_.node_count, name, most);
      const bool is_up = partition.states.empty() || partition.states.front() == "UP";  // of several, the reason is about another
      if ((reason == "PartitionDown" || reason == "PartitionInactive") && !is_up)
        text = fmt::format("partition {} is {}, until its administrators say otherwise", name, printable(partition.states.front(), 40));
    }
    const bool is_closed = reason == "PartitionDown" || reason == "PartitionInactive";
    add(CauseLayer::schedule, text, is_closed ? MemberState::waiting : MemberState::unschedulable);
    return true;
  }

  std::string awaited_jobs(std::string text) const {
    for (const SlurmJobRecord& one : view_.awaited)
      text += fmt::format(", job {} is {}", slurm_job_text(one), printable(one.states.front(), 40));
    return text;
  }

  bool add_dependency() {
    const bool is_alone = job_.dependency.starts_with("singleton") && job_.dependency.find(',') == std::string::npos;
    add(CauseLayer::order,
        is_alone ? fmt::format("it waits for the end of all earlier jobs of the name {} of {}", quoted(job_.name, 80), shown(job_.user))
                 : awaited_jobs("it waits for " + printable(job_.dependency, max_reason_words)));
    return true;
  }

  // Slurm holds a job whose prolog failed, and drains the node where it did.
  bool add_launch_failure() {
    add(CauseLayer::gate, fmt::format("it could not be launched, and is held: scontrol release {}, once the node is well", id_),
        MemberState::stopped);
    for (const SlurmNodeRecord& node : view_.known_nodes()) {
      const bool is_own = std::any_of(job_.partitions.begin(), job_.partitions.end(), [&node](const std::string& partition) {
        return std::find(node.partitions.begin(), node.partitions.end(), partition) != node.partitions.end();
      });
      if (!is_own || !is_unable(node) || to_lower(node.reason).find("prolog") == std::string::npos) continue;
      note(fmt::format("{} is {}", printable(node.name, 80), slurm_node_story(node)));
      Cause cause(CauseLayer::node, "Prolog", slurm_node_story(node), "node " + printable(node.name, 80));
      cause.since = node.reason_at;
      wait_.causes.push_back(std::move(cause));
      if (wait_.causes.size() > max_named_nodes) break;
    }
    return true;
  }

  const SlurmJobRecord& job_;
  const SlurmView& view_;
  std::string id_;
  std::string sentence_;
  SlurmCandidates own_candidates_;
  SlurmWait wait_;
};

}  // namespace

SlurmWait explain_slurm_wait(const SlurmJobRecord& job, const SlurmView& view) { return SlurmExplainer(job, view).explain(); }

}  // namespace rollcall
