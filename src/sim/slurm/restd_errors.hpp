// What slurmrestd answers where it cannot answer: of the token, of slurmctld, of names.
#pragma once

#include <string_view>

#include "sim/slurm/restd_answer.hpp"
#include "sim/wire/route.hpp"

namespace rollcall::sim {

/// The list in the answer to a path: `jobs` for `job/7`; empty: none.
std::string_view restd_list_of(const Route& route);

/// slurmctld refuses the token, and says of none why.
RestdError restd_refused_token(const RestdView& view, const Route& route);
/// slurmctld does not answer.
RestdError restd_no_controller(const RestdView& view, const Route& route);
Reply restd_bad_job_id(const RestdView& view, std::string_view item);
Reply restd_unknown_job(const RestdView& view, std::string_view item);
/// 24.11 does not list nodes that have changed since a time: its partitions have not, or the API is too old for the time.
Reply restd_no_changed_nodes(const RestdView& view, std::string_view since);
Reply restd_unknown_node(const RestdView& view, std::string_view item);
Reply restd_unknown_place(const RestdView& view, const Route& route);

}  // namespace rollcall::sim
