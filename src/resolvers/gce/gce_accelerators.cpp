// The accelerators of an instance: those that it lists, else those that its machine type has [facts: compute-accelerators].
#include <fmt/format.h>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "resolvers/gce/gce_api.hpp"
#include "resolvers/gce/rules/machine_types.hpp"

namespace rollcall {
namespace {

// GPUs of several models count together. TPUs, or types that are not known, beside others make no number.
std::optional<Accelerators> sum_of_guests(const Instance& instance) {
  std::optional<Accelerators> sum;
  for (const GuestAccelerators& guest : instance.guests) {
    std::optional<Accelerators> those = accelerators_of_guest_type(guest.type, guest.count, instance.machine_type);
    if (!those) return std::nullopt;
    if (!sum) {
      sum = std::move(those);
      continue;
    }
    if (sum->kind != "GPU" || those->kind != "GPU") return std::nullopt;
    sum->count = saturating_sum(sum->count, those->count);
    if (sum->model != those->model) sum->model.clear();
  }
  return sum;
}

}  // namespace

std::optional<Accelerators> gce_accelerators(const Instance& instance) {
  const std::optional<Accelerators> by_type = accelerators_of_machine_type(instance.machine_type);
  if (instance.guests.empty()) return by_type;
  std::optional<Accelerators> own = sum_of_guests(instance);
  if (!own || !by_type || by_type->count == 0) return own;
  if (own->kind != by_type->kind) return std::nullopt;
  if (own->count != by_type->count)
    own->source = fmt::format("guestAccelerators; by the machine type {} it is {}", printable(instance.machine_type, 64), by_type->count);
  return own;
}

}  // namespace rollcall
