// What is known of this process, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "command/ask/own_place.hpp"
#include "rollcall/error.hpp"
#include "rollcall/whoami.hpp"

namespace rollcall::command {

/// A line for each witness, then one for the task if it is known.
std::string render_whoami_text(const std::vector<Testimony>& witnesses, const Result<OwnPlace>& place);
/// `{"testimonies":[…],"task":{…}}`; the task is null if it is not known, and `failure` says why.
std::string render_whoami_json(const std::vector<Testimony>& witnesses, const Result<OwnPlace>& place);

}  // namespace rollcall::command
