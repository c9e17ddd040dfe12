// queuedResources of the simulated Cloud TPU API.
#include <fmt/format.h>

#include <algorithm>

#include "sim/model/timeline.hpp"
#include "sim/tpu/queued_resource.hpp"
#include "sim/tpu/tpu_api.hpp"
#include "sim/wire/responses.hpp"

namespace rollcall::sim {

namespace {

const QueuedMoment* queued_moment(const QueuedModel& request, Duration now) {
  const QueuedMoment* const moment = moment_at(request.timeline, now);
  return moment && moment->state != "DELETED" ? moment : nullptr;
}

Reply get_queued(const Context& context, const Route& route, const ParsedTarget& target) {
  const std::string project = project_id(context, route);
  const auto& all = context.model.queued;
  const auto found = std::find_if(all.begin(), all.end(), [&](const QueuedModel& request) {
    return request.name == route.item && request.zone == route.location && request.project == project;
  });
  const QueuedMoment* const moment = found == all.end() ? nullptr : queued_moment(*found, context.now);
  if (!moment) return resource_not_found(fmt::format("projects/{}/locations/{}/queuedResources/{}", project, route.location, route.item));
  return tpu_reply(queued_json(*found, *moment, route.version, context.model.start_time), queued_schema(route.version), target);
}

}  // namespace

Reply answer_queued_resources(const Context& context, const Route& route, const ParsedTarget& target) {
  if (route.verb == "get") return get_queued(context, route, target);
  if (auto refusal = refuse_zone(context, route)) return *std::move(refusal);
  const std::string project = project_id(context, route);
  std::vector<std::string> keys;
  std::vector<std::pair<const QueuedModel*, const QueuedMoment*>> members;
  for (const QueuedModel& request : context.model.queued) {
    if (request.project != project || !is_listed_zone(context, route, request.zone)) continue;
    const QueuedMoment* const moment = queued_moment(request, context.now);
    if (!moment) continue;
    keys.push_back(request.full_name());
    members.emplace_back(&request, moment);
  }
  const auto page = page_of(keys, target, context.model.api.max_page_size);
  if (!page) return google_error(400, default_message(400));
  json::object out;
  json::array list;
  for (std::size_t i = page->first; i < page->last; ++i) {
    list.push_back(queued_json(*members[i].first, *members[i].second, route.version, context.model.start_time));
  }
  if (!list.empty()) out["queuedResources"] = std::move(list);
  if (!page->next_token.empty()) out["nextPageToken"] = page->next_token;
  add_unreachable(out, context, route);
  return tpu_reply(out, fmt::format("queuedResources({}),nextPageToken,unreachable", queued_schema(route.version)), target);
}

}  // namespace rollcall::sim
