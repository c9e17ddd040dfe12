// A record in an answer of slurmrestd: all fields of the real one, in its order. The form of a field follows from the version.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/model.hpp"

namespace rollcall::sim {

/// The release that answers, and the version of the API that was asked for.
struct RestdShape {
  std::size_t release = 0;  // of slurm_releases
  int version = 38;

  bool is_old() const { return release == 0; }
};

/// The fields of a record: `name` is a text, `cpus#16` a number, `nice?` a number that is not set, `start_time=` one that is set,
/// `time_limit~` one without limit, `hold!` false; `flags[]`, `power{}`, `profile:["NOT_SET"]`.
extern const std::string_view restd_job_v38, restd_job_v42, restd_job_v45;
extern const std::string_view restd_node_v38, restd_node_v42, restd_node_v45;
extern const std::string_view restd_partition_v38, restd_partition_v42, restd_partition_v45;
extern const std::string_view restd_reservation_v38, restd_reservation_v42, restd_reservation_v45;

/// A number that may be unset, as this shape writes it.
json::value restd_number(const RestdShape& shape, std::int64_t number);

/// A record as it is where nothing is set. Fields that the version does not have are not set either.
class RestdRecord {
 public:
  RestdRecord(const RestdShape& shape, std::string_view v38, std::string_view v42, std::string_view v45);

  bool has(std::string_view key) const { return fields_.contains(key); }
  void set_text(std::string_view key, std::string_view text);
  /// In the form of the field: plain, or with `set`.
  void set_number(std::string_view key, std::int64_t number);
  void set(std::string_view key, json::value value);
  /// A field of an object that is a field.
  void set_inner(std::string_view object, std::string_view key, json::value value);
  /// As an array, or as one text where the field is one.
  void set_words(std::string_view key, const std::vector<std::string>& words, std::string_view separator = ",");

  json::object take(const json::object& raw) &&;

 private:
  json::object fields_;
};

}  // namespace rollcall::sim
