// Sets of the fields of a pod, which save most fields a look into their table.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "resolvers/kubernetes/wire/pod_list_fields.hpp"

namespace rollcall {

class PodFieldSet {
 public:
  constexpr PodFieldSet() {}
  constexpr PodFieldSet(std::initializer_list<PodField> fields) {
    for (const PodField field : fields) add(field);
  }
  constexpr void add(PodField field) { words_[index(field) / 64] |= std::uint64_t{1} << index(field) % 64; }
  constexpr bool has(PodField field) const noexcept { return (words_[index(field) / 64] >> index(field) % 64 & 1) != 0; }

 private:
  static constexpr unsigned index(PodField field) { return static_cast<unsigned>(field); }
  std::uint64_t words_[2] = {};
};
static_assert(row_of_pod_field.size() <= 128);

/// Those whose value may be any text.
inline constexpr PodFieldSet pod_text_fields = [] {
  PodFieldSet fields;
  for (const PodFieldRow& row : pod_fields) {
    if (row.inside == plain_text && row.scalar == PodScalar::text && row.field != PodField::kind) fields.add(row.field);
  }
  return fields;
}();

/// Those that are not needed of every pod.
inline constexpr PodFieldSet pod_optional_fields = {
    PodField::containers, PodField::init_containers, PodField::annotations, PodField::condition_since, PodField::asked_name,
    PodField::uid,        PodField::version,         PodField::spec,        PodField::claims,          PodField::conditions,
};

}  // namespace rollcall
