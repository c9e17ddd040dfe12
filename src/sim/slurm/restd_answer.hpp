// The envelope of an answer of slurmrestd: what it says of itself, its errors and warnings around the list.
#pragma once

#include <string>
#include <string_view>

#include "sim/slurm/restd_view.hpp"

namespace rollcall::sim {

struct RestdError {
  int status = 500;
  int number = -1;
  std::string_view error = "Unspecified error";
  std::string description;
  std::string_view source = "slurm_load_jobs()";
  bool is_bare = false;    // 22.05 writes some as error and errno alone
  bool is_silent = false;  // the status alone says it
};

/// A list of records. `changed`: the time of the last change, where the list has one.
Reply restd_list(const RestdView& view, std::string_view key, json::array records, std::optional<Duration> changed,
                 std::string_view warning = {}, std::string_view source = {});
/// A warning alone, without any list.
Reply restd_nothing(const RestdView& view, std::string_view warning, std::string_view source);
/// `key` is the list that is there, empty, beside the error; empty: none.
Reply restd_error(const RestdView& view, std::string_view key, const RestdError& error);
Reply restd_text(int status, std::string_view text);
/// 304, as for a list that has not changed.
Reply restd_unchanged();
/// A path, or a version, that the server does not have.
Reply restd_no_path(const RestdView& view);

}  // namespace rollcall::sim
