// The queued resources of a simulation file: the requests, and the nodes that their states create and delete.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/order.hpp"
#include "base/text.hpp"
#include "sim/file/file.hpp"
#include "sim/file/node_draft.hpp"
#include "sim/wire/responses.hpp"

namespace rollcall::sim {

namespace {

constexpr std::array<std::string_view, 11> queued_words = {
    "CREATING",  "ACCEPTED", "WAITING_FOR_RESOURCES", "PROVISIONING", "ACTIVE", "FAILED", "SUSPENDING",
    "SUSPENDED", "DELETING", "STATE_UNSPECIFIED",     "DELETED"};
constexpr std::array<std::string_view, 3> initiators = {"", "USER", "SERVICE"};
constexpr std::size_t max_slices = 1024;

// The changes of one slice.
struct SliceExcept {
  std::size_t slice = 0;
  NodeDraft changes;
};

struct QueuedDraft {
  QueuedModel request;
  NodeDraft node;
  std::optional<Duration> provisioning_after;
  std::optional<Duration> active_after;
  std::optional<std::string> state;
  bool has_timeline = false;
  Duration stagger{0};
  std::vector<SliceExcept> except;
};

void read_error(QueuedMoment& moment, const FileValue& value) {
  if (!value.json().is_string()) return value.read(moment.error);
  std::string text;
  value.read(text);
  moment.error = json::object{{"code", 8}, {"message", text}};
}

constexpr auto queued_moment_form = file_form<QueuedMoment>(
    "queued_moment", member<&QueuedMoment::at>("at"), word<&QueuedMoment::state>("state", "state", queued_words),
    word<&QueuedMoment::initiator>("initiator", "initiator", initiators), by<read_error>("error"), member<&QueuedMoment::raw>("raw"));

void read_queued_moment(QueuedDraft& draft, const FileValue& value) {
  QueuedMoment moment;
  const std::vector<QueuedMoment>& before = draft.request.timeline;
  if (!before.empty()) moment.state = before.back().state;
  read_object(value, queued_moment_form, moment);
  const bool has_wrong_error = moment.state != "FAILED" && !moment.error.empty();
  append_moment(draft.request.timeline, std::move(moment), value);
  if (has_wrong_error) value.complain("error: only FAILED has one");
}

void read_slice_timeline(SliceExcept& except, const FileValue& value) { read_node_timeline(except.changes, value); }

constexpr auto slice_except_form =
    file_form<SliceExcept>("slice_except", whole<&SliceExcept::slice>("slice", 0, max_slices - 1), by<read_slice_timeline>("timeline"));

void read_slice_except(QueuedDraft& draft, const FileValue& value) {
  SliceExcept except;
  read_object(value, slice_except_form, except);
  if (value.has_problem()) return;
  const std::size_t slices = std::max<std::size_t>(draft.request.slices, 1);
  if (except.slice >= slices) return value.complain(fmt::format("slice: there are {}, counted from 0", slices));
  draft.except.push_back(std::move(except));
}

void read_guaranteed(QueuedDraft& draft, const FileValue& value) {
  bool is_given = true;
  json::object details;
  if (value.json().is_bool()) {
    value.read(is_given);
  } else {
    value.read(details);
  }
  if (is_given) draft.request.guaranteed = std::move(details);
}

void read_slice(QueuedDraft& draft, const FileValue& value) { read_slice_node(draft.node, value); }

// The first entry of the timeline, which holds the keys of the state.
QueuedMoment& only_moment(QueuedDraft& draft) {
  std::vector<QueuedMoment>& timeline = draft.request.timeline;
  return timeline.empty() ? timeline.emplace_back() : timeline.front();
}
constexpr FileKey<QueuedDraft> initiator_key() {
  const auto read = [](QueuedDraft& draft, const FileValue& value, const FileKey<QueuedDraft>&) {
    if (const auto number = value.word("initiator", initiators)) only_moment(draft).initiator = initiators[*number];
  };
  return {"initiator", read, {}, {}, initiators};
}
void read_only_error(QueuedDraft& draft, const FileValue& value) { read_error(only_moment(draft), value); }

void read_queued_timeline(QueuedDraft& draft, const FileValue& value) {
  if (!draft.request.timeline.empty()) return value.complain("give initiator and error in its entries");
  draft.has_timeline = true;
  read_list(value, [&draft](const FileValue& one) { read_queued_moment(draft, one); });
}

constexpr FileForm<QueuedDraft, 21> queued_form = {
    "queued_resource",
    {{
        id<&QueuedDraft::request, &QueuedModel::name>("name", "name of a queued resource"),
        id<&QueuedDraft::request, &QueuedModel::project>("project", "project"),
        id<&QueuedDraft::request, &QueuedModel::zone>("zone", "zone"),
        id<&QueuedDraft::request, &QueuedModel::node_id>("node_id", "name of a node"),
        whole<&QueuedDraft::request, &QueuedModel::slices>("slices", 1, max_slices),
        id<&QueuedDraft::request, &QueuedModel::prefix>("node_id_prefix", "prefix of nodes' names"),
        by<read_slice, describe_slice_node>("node"),
        member<&QueuedDraft::request, &QueuedModel::is_spot>("spot"),
        by<read_guaranteed>("guaranteed"),
        member<&QueuedDraft::request, &QueuedModel::is_best_effort>("best_effort"),
        member<&QueuedDraft::request, &QueuedModel::reservation_name>("reservation_name"),
        member<&QueuedDraft::request, &QueuedModel::queueing_policy>("queueing_policy"),
        member<&QueuedDraft::request, &QueuedModel::create_time>("create_time"),
        word<&QueuedDraft::state>("state", "state", queued_words),
        initiator_key(),
        by<read_only_error>("error"),
        member<&QueuedDraft::provisioning_after>("provisioning_after"),
        member<&QueuedDraft::active_after>("active_after"),
        by<read_queued_timeline, describe<queued_moment_form>>("timeline"),
        member<&QueuedDraft::stagger>("stagger"),
        each<read_slice_except, describe<slice_except_form>>("except"),
    }}};

// The fault of the whole draft, if there is one.
std::optional<std::string> check_queued(const QueuedDraft& draft) {
  const QueuedModel& request = draft.request;
  if (request.name.empty()) return "a queued resource needs a name";
  if (request.slices > 0 && !request.node_id.empty()) return "node_id: slices have a node_id_prefix";
  if (request.slices == 0 && !request.prefix.empty()) return "node_id_prefix: goes with slices";
  if (int{request.is_spot} + int{request.is_best_effort} + int{request.guaranteed.has_value()} > 1) {
    return "spot, guaranteed, best_effort: it is one of them";
  }
  const bool is_scripted = draft.provisioning_after || draft.active_after;
  if (int{is_scripted} + int{draft.has_timeline} + int{draft.state.has_value()} > 1) {
    return "give state, timeline, or provisioning_after and active_after";
  }
  if (!draft.has_timeline && !request.timeline.empty() && !draft.state) return "initiator, error: they go with a state";
  if (draft.state && *draft.state != "FAILED" && !request.timeline.empty() && !request.timeline.front().error.empty()) {
    return "error: only FAILED has one";
  }
  return std::nullopt;
}

void settle_timeline(QueuedDraft& draft) {
  std::vector<QueuedMoment>& timeline = draft.request.timeline;
  const auto add = [&timeline](Duration at, std::string state) {
    if (!timeline.empty() && timeline.back().at >= at) timeline.pop_back();
    QueuedMoment& moment = timeline.emplace_back();
    moment.at = at;
    moment.state = std::move(state);
  };
  if (draft.state) {
    if (timeline.empty()) timeline.emplace_back();
    timeline.front().state = *draft.state;
  } else if (draft.provisioning_after || draft.active_after) {
    add(Duration(0), "WAITING_FOR_RESOURCES");
    add(draft.provisioning_after.value_or(Duration(0)), "PROVISIONING");
    if (draft.active_after) add(*draft.active_after, "ACTIVE");
  } else if (timeline.empty()) {
    timeline.emplace_back();
  }
  for (QueuedMoment& moment : timeline) {
    if (moment.state != "FAILED" || !moment.error.empty()) continue;
    moment.error = json::object{
        {"code", 8},
        {"message", fmt::format("There is no more capacity in the zone \"{}\"; you can try in another zone.", draft.request.zone)}};
  }
}

void add_node_state(NodeDraft& node, Duration at, std::string_view state) {
  MomentDraft& moment = node.timeline.emplace_back();
  moment.at = at;
  moment.state = std::string(state);
}

// The timeline of a slice's node by the request's states: it is READY `late` after the request is ACTIVE.
void follow_request(NodeDraft& node, const QueuedModel& request, Duration late) {
  const std::vector<QueuedMoment>& timeline = request.timeline;
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    const QueuedMoment& moment = timeline[i];
    if (moment.state == "PROVISIONING") {
      add_node_state(node, moment.at, "CREATING");
    } else if (moment.state == "ACTIVE") {
      const Duration ready_at = moment.at + late;
      if (late > Duration(0)) add_node_state(node, moment.at, "CREATING");
      if (i + 1 == timeline.size() || ready_at < timeline[i + 1].at) add_node_state(node, ready_at, "READY");
    } else if (moment.state == "SUSPENDING") {
      add_node_state(node, moment.at, moment.initiator == "SERVICE" ? "PREEMPTED" : "DELETING");
    } else {
      add_node_state(node, moment.at, moment.state == "DELETING" ? "DELETING" : "DELETED");
    }
  }
}

std::optional<std::string> add_slices(Model& model, const QueuedDraft& draft) {
  const QueuedModel& request = draft.request;
  for (std::size_t slice = 0; slice < std::max<std::size_t>(request.slices, 1); ++slice) {
    NodeDraft node = draft.node;
    node.node.project = request.project;
    node.node.zone = request.zone;
    node.node.name = request.slices == 0 ? request.node_id : fmt::format("{}-{}", request.prefix, slice);
    node.node.queued_resource = request.full_name();
    node.node.is_multislice = request.slices > 0;
    node.node.slice = slice;
    node.node.is_spot = request.is_spot;
    node.node.is_preemptible = request.is_best_effort;
    node.node.is_reserved = !request.reservation_name.empty();
    node.node.create_time = request.create_time;
    node.first_number = slice;
    follow_request(node, request, draft.stagger * static_cast<int>(slice));
    for (const SliceExcept& except : draft.except) {
      if (except.slice != slice) continue;
      node.timeline.insert(node.timeline.end(), except.changes.timeline.begin(), except.changes.timeline.end());
    }
    sort_stably(node.timeline, [](const MomentDraft& a, const MomentDraft& b) { return a.at < b.at; });
    if (auto wrong = expand_node(model, node)) return wrong;
  }
  return std::nullopt;
}

json::object node_as_asked(const NodeModel& node) {
  json::object out;
  put(out, "description", node.description);
  out["acceleratorType"] = node.accelerator_type;
  out["runtimeVersion"] = node.runtime_version;
  put(out, "labels", node.labels);
  put(out, "metadata", node.metadata);
  put(out, "tags", node.tags);
  return out;
}

}  // namespace

void read_queued_resource(Model& model, const FileValue& value) {
  QueuedDraft draft;
  QueuedModel& request = draft.request;
  draft.node = usual_node(model);
  request.project = model.project;
  request.zone = model.zone;
  read_object(value, queued_form, draft);
  if (value.has_problem()) return;
  if (auto wrong = check_queued(draft)) return value.complain(*std::move(wrong));
  if (request.slices == 0 && request.node_id.empty()) request.node_id = request.name;
  if (request.slices > 0 && request.prefix.empty()) request.prefix = request.name;
  const bool is_known = std::any_of(model.queued.begin(), model.queued.end(), [&](const QueuedModel& other) {
    return other.name == request.name && other.zone == request.zone && other.project == request.project;
  });
  if (is_known) return value.complain(fmt::format("there are two queued resources {}", quoted(request.full_name())));
  value.complain_if_huge("slices", std::max<std::size_t>(request.slices, 1) * (request.timeline.size() + 1));
  if (value.has_problem()) return;
  settle_timeline(draft);
  request.node = node_as_asked(draft.node.node);
  if (auto wrong = add_slices(model, draft)) return value.complain("node: " + *std::move(wrong));
  model.queued.push_back(std::move(request));
}

void describe_queued_resource(FileSections& out) { describe<queued_form>(out); }

}  // namespace rollcall::sim
