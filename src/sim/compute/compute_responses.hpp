// Responses as Compute Engine writes them.
#pragma once

#include <string>
#include <string_view>

#include "rollcall/sim/cloud.hpp"
#include "sim/wire/route.hpp"
#include "sim/wire/state.hpp"

namespace rollcall::sim {

/// `{"error": {"code": …, "message": …, "errors": [{"message", "domain", "reason"}]}}`; further fields of the one error as given.
Reply compute_error(int status, std::string_view reason, std::string_view message, json::object further = {});
/// The error that a script asks for; reason and message by the status when they are empty.
Reply scripted_compute_error(int status, std::string_view reason, std::string_view message);

/// The `fields` mask over `schema`, prettyPrint.
Reply compute_reply(const json::value& value, std::string_view schema, const ParsedTarget& target);

/// `https://www.googleapis.com/compute/v1/projects/P/` and what is below.
std::string compute_url(const Context& context, std::string_view path);

/// An instance as the API shows it. `moment` is one of its timeline.
json::object instance_json(const Context& context, const ComputeInstance& instance, const ComputeMoment& moment);
/// What can be selected of an instance.
extern const std::string_view instance_schema;

}  // namespace rollcall::sim
