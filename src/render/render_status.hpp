// A cluster's status, a wait's progress and a change, for programs; pure. The forms are documented in docs/command.md and docs/protocol.md,
// and stable.
#pragma once

#include <string>
#include <string_view>

#include "rollcall/cluster_change.hpp"
#include "rollcall/wait_progress.hpp"

namespace rollcall {

// One object each, without a line end.

/// `{"phase":"running","state":{"level":"ready","text":"READY"},"health":{…},"cluster":{…},"expected":4,"members":[…],"notices":[…]}`.
/// `health` is the worst health of a member.
std::string render_status_json(const ClusterStatus& status);

/// `{"at_ms":…,"ready":31,"listed":0,"total":32,"phase":"running","state":"","missing":[…],"trouble":"","line":"…"}`. At most 10,000
/// entries are listed; `missing_more` counts the others.
std::string render_progress_json(const WaitProgress& progress);

/// `{"time":…,"change":"member_left","text":…,"member":{"job":…,"index":…,…}}`.
std::string render_change_json(const ClusterChange& change, WallTime when);

/// True if the change is about a member: it joined, left or changed.
bool is_about_member(ChangeKind kind) noexcept;

}  // namespace rollcall
