#include "resolvers/queued/queued_spec.hpp"

#include <fmt/format.h>

#include <set>

#include "base/text.hpp"
#include "resolvers/queued/queued_status.hpp"
#include "resolvers/tpu/tpu_spec.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_shown_slices = 8;

std::string slice_of(std::size_t number, std::size_t slices, const std::string& id) {
  return slices == 1 ? "TPU " + quoted(id, 80) : fmt::format("slice {} (TPU {})", number, quoted(id, 80));
}

std::string state_of(const FoundSlice& slice) {
  if (!slice.node) return slice.problem.code() == Errc::not_found ? "does not exist" : printable(slice.problem.what(), 200);
  return slice.node->state.empty() ? "has no state" : "is " + printable(slice.node->state, 64);
}

// A request becomes ACTIVE before each of its nodes is READY, and stays ACTIVE after that.
std::optional<Failure> missing_slices(std::string_view request, const std::vector<FoundSlice>& slices) {
  std::string list;
  std::size_t missing = 0;
  bool is_coming = true;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    if (slices[i].node && slices[i].node->state == "READY") continue;
    is_coming = is_coming && slices[i].node && is_on_its_way(slices[i].node->state);
    if (++missing > max_shown_slices) continue;
    list += fmt::format("{}{} {}", missing == 1 ? "" : ", ", slice_of(i, slices.size(), slices[i].id), state_of(slices[i]));
  }
  if (missing == 0) return std::nullopt;
  if (missing > max_shown_slices) list += fmt::format(" and {} more", missing - max_shown_slices);
  const std::string how_many = slices.size() == 1 ? "its node is" : fmt::format("{} of its {} slices are", missing, slices.size());
  return Failure(Errc::not_ready, fmt::format("{} is ACTIVE, but {} not ready: {}", queued_name(request), how_many, list))
      .with_hint(is_coming ? "they are on their way: rollcall wait (wait_until_ready) waits for them"
                           : "a slice that is gone does not come back by itself: request it again");
}

Failure about_queued(std::string_view request, Failure failure) {
  failure.with_what(fmt::format("{}: {}", queued_name(request), failure.what()));
  return failure;
}

}  // namespace

std::string slice_job(std::string_view job, std::size_t slice) { return fmt::format("{}{}", job, slice); }

Result<ClusterSpec> spec_of_slices(std::string_view request, const std::vector<FoundSlice>& slices, const std::string& job,
                                   SliceJobs jobs) {
  if (std::optional<Failure> missing = missing_slices(request, slices)) return std::move(*missing);
  ClusterSpec spec;
  ClusterSpec::Tasks all;
  std::set<std::string, std::less<>> seen;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    Result<ClusterSpec::Tasks> tasks = worker_tasks(slices[i].id, *slices[i].node);
    if (!tasks) return about_queued(request, tasks.error());
    for (const auto& [worker, address] : *tasks) {
      if (!seen.insert(address).second) {
        const std::string where = slice_of(i, slices.size(), slices[i].id);
        Failure twice(Errc::malformed_response, fmt::format("worker {} of {} has the address {} of another", worker, where, address));
        return about_queued(request, std::move(twice));
      }
      all.emplace(static_cast<int>(all.size()), address);
    }
    if (jobs == SliceJobs::each) {
      const Result<void> set = spec.set_job(slice_job(job, i), std::move(*tasks));
      if (!set) return set.error();
    }
  }
  if (jobs == SliceJobs::merged) {
    const Result<void> set = spec.set_job(job, std::move(all));
    if (!set) return set.error();
  }
  return spec;
}

Result<AcceleratorCounts> counts_of_slices(std::string_view request, const std::vector<FoundSlice>& slices) {
  if (std::optional<Failure> missing = missing_slices(request, slices)) return std::move(*missing);
  std::optional<AcceleratorType> first;
  for (const FoundSlice& slice : slices) {
    const Result<AcceleratorType> type = accelerator_of(slice.id, *slice.node);
    if (!type) return about_queued(request, type.error());
    if (first && first->devices_per_host() != type->devices_per_host()) {
      return Failure(Errc::failed_precondition,
                     fmt::format("{}: its slices have hosts with {} and with {} TPU devices ({}, {})", queued_name(request),
                                 first->devices_per_host(), type->devices_per_host(), first->name(), type->name()));
    }
    if (!first) first = *type;
  }
  return counts_of(*first);
}

Result<std::vector<TpuSlice>> types_of_slices(std::string_view request, const std::vector<FoundSlice>& slices, const std::string& job,
                                              SliceJobs jobs) {
  if (std::optional<Failure> missing = missing_slices(request, slices)) return std::move(*missing);
  std::vector<TpuSlice> found;
  for (const FoundSlice& slice : slices) {
    Result<AcceleratorType> type = accelerator_of(slice.id, *slice.node);
    if (!type) type = about_queued(request, type.error());
    const Result<std::vector<Endpoint>> workers = worker_endpoints(slice.id, *slice.node);
    if (!workers) return about_queued(request, workers.error());
    found.emplace_back(jobs == SliceJobs::each ? slice_job(job, found.size()) : job, std::move(type), static_cast<int>(workers->size()));
  }
  return found;
}

}  // namespace rollcall
