// Looks up the members of a group by instances.get and instances.list.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "async/group.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "call/parser_sink.hpp"
#include "call/runtime_impl.hpp"
#include "google/list_pages.hpp"
#include "resolvers/gce/gce_api.hpp"
#include "resolvers/gce/rules/compute_service.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_members_by_get = 256;
constexpr std::size_t max_filter_bytes = 6000;  // encoded; front ends accept URLs of 8 kB

constexpr std::string_view usual_mask = "name,zone,status,networkInterfaces(name,networkIP,ipv6Address,ipv6AccessConfigs/externalIpv6)";

// The physical location is requested only for the order by topology.
std::string instance_mask(const GceOptions& options, GceDetails details) {
  return fmt::format("{}{}{}", usual_mask, options.order() == GceOrder::topology ? ",resourceStatus/physicalHostTopology" : "",
                     details == GceDetails::hardware ? ",machineType,guestAccelerators" : "");
}

// The common state of one call's look-ups. Lives in look_up_members().
class GceQuestion {
 public:
  GceQuestion(Call& in_call, const GcePlan& of_plan, const GceOptions& by_options, GceDetails details, GoneMember what_is_gone)
      : call(in_call), plan(of_plan), options(by_options), mask(instance_mask(by_options, details)), gone(what_is_gone),
        memory(impl_of(in_call).memory) {}
  Call& call;
  const GcePlan& plan;
  const GceOptions& options;
  std::string mask;  // of an instance's fields
  GoneMember gone;
  MemoryShare memory;  // of the instances that are kept

  std::string zone_of(const InstanceGroupMember& member) const { return plan.region.empty() ? plan.zone : member.zone; }
};

// None for a deleted member, if that is allowed.
Result<std::optional<Instance>> gone_member(const GceQuestion& q, Failure failure) {
  if (failure.code() != Errc::not_found) return failure;
  if (q.gone == GoneMember::left_out) return std::optional<Instance>();
  failure.with_what(fmt::format("{}; it is gone since the group was listed", failure.what()));
  failure.with_hint("Ask again, or allow partial answers (partial=true).");
  if (!q.options.allow_partial()) return failure;
  report_missing(q.call, q.plan, failure);
  return std::optional<Instance>();
}

asio::awaitable<Result<std::optional<Instance>>> get_instance(GceQuestion& q, const InstanceGroupMember& member) {
  const std::string path = fmt::format("zones/{}/instances/{}?fields={}&prettyPrint=false", q.zone_of(member), member.name, q.mask);
  ApiRequest request = cloud_request(compute_service, q.plan.url(path), q.plan.who(member));
  const Result<HttpResponse> response = co_await api_send(q.call, request);
  if (!response) co_return gone_member(q, response.error());
  Result<Instance> instance = parse_instance(response->body, parse_limits(impl_of(q.call)), &q.memory);
  if (!instance) co_return gce_failure(request.what, instance.error(), request.http.url.without_query());
  co_return std::optional<Instance>(std::move(*instance));
}

asio::awaitable<Result<std::vector<std::optional<Instance>>>> get_all(GceQuestion& q, const std::vector<InstanceGroupMember>& members) {
  std::function<asio::awaitable<Result<std::optional<Instance>>>(std::size_t)> ask = [&q, &members](std::size_t i) {
    return get_instance(q, members[i]);
  };
  Result<std::vector<std::optional<Instance>>> found =
      co_await join_bounded(members.size(), impl_of(q.call).limits.requests_in_flight_per_host, std::move(ask));
  co_return found;
}

// Members of one zone that are listed by one request, and its filter.
class GceBatch {
 public:
  explicit GceBatch(std::string of_zone) : zone(std::move(of_zone)) {}
  std::string zone;
  std::string filter;  // percent-encoded
};

std::vector<GceBatch> gce_batches(const GceQuestion& q, const std::vector<InstanceGroupMember>& members) {
  std::vector<GceBatch> batches;
  std::map<std::string, std::size_t, std::less<>> open;  // by zone: the batch that has room left
  for (const InstanceGroupMember& member : members) {
    const std::string zone = q.zone_of(member);
    const std::string term = percent_encode_path_segment(fmt::format("(name = \"{}\")", member.name));
    const auto known = open.find(zone);
    if (known == open.end() || batches[known->second].filter.size() + term.size() > max_filter_bytes) {
      open[zone] = batches.size();
      batches.emplace_back(zone);
    }
    std::string& filter = batches[open[zone]].filter;
    filter += (filter.empty() ? "" : "%20OR%20") + term;
  }
  return batches;
}

// The memory that a copy takes.
std::size_t memory_of(const Instance& instance) {
  std::size_t bytes = sizeof(Instance) + instance.name.size() + instance.zone.size() + instance.status.size() + instance.cluster.size() +
                      instance.block.size() + instance.subblock.size() + instance.physical_host.size() + instance.machine_type.size();
  for (const Instance::Interface& nic : instance.interfaces)
    bytes += sizeof(nic) + nic.name.size() + nic.ip.size() + nic.ipv6.size() + nic.external_ipv6.size();
  for (const GuestAccelerators& guest : instance.guests) bytes += sizeof(guest) + guest.type.size();
  return bytes;
}

// Instances by zone and name.
using InstanceIndex = std::map<std::pair<std::string, std::string>, Instance>;

ListQuestion batch_question(const GceQuestion& q, const GceBatch& batch) {
  ListQuestion question;
  question.what = q.plan.who();
  question.url =
      q.plan.url(fmt::format("zones/{}/instances?maxResults=500&filter={}{}&fields=items({}),nextPageToken,warning&prettyPrint=false",
                             batch.zone, batch.filter, q.options.allow_partial() ? "&returnPartialSuccess=true" : "", q.mask));
  question.service = &compute_service;
  return question;
}

asio::awaitable<Result<InstanceIndex>> list_gce_batch(GceQuestion& q, const GceBatch& batch) {
  const std::size_t max = impl_of(q.call).limits.max_endpoints;
  const ListQuestion question = batch_question(q, batch);
  const std::string asked = question.url.without_query();
  InstanceIndex index;
  ListPages<InstanceListParser> pages(q.call, question);
  for (;;) {
    const Result<InstanceListParser*> read = co_await pages.next();
    if (!read) {
      Failure failure = read.error();
      if (failure.code() == Errc::permission_denied) failure.with_hint(failure.hint() + " Without compute.instances.list: lookup=get.");
      co_return failure;
    }
    if (!*read) co_return index;
    InstancePage& page = (*read)->page();
    const Result<void> complete = judge_warning(q.call, q.plan, q.options, page.warning, asked);
    if (!complete) co_return complete.error();
    for (Instance& instance : page.instances) {
      std::pair<std::string, std::string> key(batch.zone, instance.name);
      index.insert_or_assign(std::move(key), std::move(instance));
      if (index.size() > max) {
        Failure failure(Errc::limit_exceeded, fmt::format("{}: over {} instances were listed", q.plan.who(), max));
        co_return failure.with_target(asked);
      }
    }
    q.memory.add(std::move((*read)->memory()));
  }
}

asio::awaitable<Result<std::vector<std::optional<Instance>>>> list_all(GceQuestion& q, const std::vector<InstanceGroupMember>& members) {
  const std::vector<GceBatch> batches = gce_batches(q, members);
  std::function<asio::awaitable<Result<InstanceIndex>>(std::size_t)> ask = [&q, &batches](std::size_t i) {
    return list_gce_batch(q, batches[i]);
  };
  Result<std::vector<InstanceIndex>> lists =
      co_await join_bounded(batches.size(), impl_of(q.call).limits.requests_in_flight_per_host, std::move(ask));
  if (!lists) co_return lists.error();
  InstanceIndex all;
  for (InstanceIndex& list : *lists) all.merge(list);
  std::vector<std::optional<Instance>> found;
  for (const InstanceGroupMember& member : members) {
    const std::string zone = q.zone_of(member);
    const auto known = all.find(std::pair(zone, member.name));
    if (known != all.end()) {
      // A group that names a member several times gets one copy for each.
      if (!q.memory.charge(memory_of(known->second))) co_return too_much_memory(q.plan.who(), q.memory);
      found.emplace_back(known->second);
      continue;
    }
    Failure failure(Errc::not_found, q.plan.who(member) + ": not among the instances of its zone");
    failure.with_target(q.plan.url("zones/" + zone + "/instances").without_query());
    Result<std::optional<Instance>> gone = gone_member(q, std::move(failure));
    if (!gone) co_return gone.error();
    found.emplace_back();
  }
  co_return found;
}

// Without a zone in its URL, a member cannot be looked up unless the group has a zone.
Result<void> check_member_zones(const GceQuestion& q, const std::vector<InstanceGroupMember>& members) {
  for (const InstanceGroupMember& member : members) {
    if (q.zone_of(member).empty()) return Failure(Errc::malformed_response, q.plan.who(member) + ": its URL names no zone");
  }
  return Result<void>();
}

}  // namespace

asio::awaitable<Result<std::vector<GceInstance>>> look_up_members(Call& call, const GcePlan& plan, const GceOptions& options,
                                                                  std::vector<InstanceGroupMember> members, GceDetails details,
                                                                  GoneMember gone) {
  GceQuestion q(call, plan, options, details, gone);
  const Result<void> zones_fine = check_member_zones(q, members);
  if (!zones_fine) co_return zones_fine.error();
  const bool is_list =
      options.lookup() == GceLookup::list || (options.lookup() == GceLookup::automatic && members.size() > max_members_by_get);
  asio::awaitable<Result<std::vector<std::optional<Instance>>>> asking = is_list ? list_all(q, members) : get_all(q, members);
  Result<std::vector<std::optional<Instance>>> found = co_await std::move(asking);
  if (!found) co_return found.error();
  std::vector<GceInstance> result;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!(*found)[i]) continue;
    GceInstance& one = result.emplace_back();
    one.member = std::move(members[i]);
    one.instance = std::move(*(*found)[i]);
  }
  co_return result;
}

}  // namespace rollcall
