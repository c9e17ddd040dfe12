#include "fleet/wire/fleet_question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "base/url.hpp"
#include "cluster/service_address.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::array<std::string_view, 5> view_names = {"status", "spec", "progress", "task", "history"};
constexpr std::string_view awaited = "awaited";
constexpr int max_members = 65536;  // as WaitOptions::members

Failure bad_value(std::string_view name, std::string_view value, std::string_view wanted) {
  return Failure(Errc::invalid_argument, fmt::format("{}={} is not {}", name, quoted(value, 80), wanted));
}

Result<void> read_view(FleetQuestion& question, std::string_view name, std::string_view value) {
  const auto* const at = std::find(view_names.begin(), view_names.end(), value);
  if (at != view_names.end()) {
    question.view = static_cast<View>(at - view_names.begin());
    return {};
  }
  Failure failure = bad_value(name, value, "a view");
  const auto meant = nearest(value, view_names);
  return std::move(failure).with_hint(meant ? fmt::format("did you mean {}?", *meant)
                                            : fmt::format("known are {}", fmt::join(view_names, ", ")));
}

Result<void> read_until(FleetQuestion& question, std::string_view name, std::string_view value) {
  const Result<Readiness> until = parse_readiness(value);
  if (!until) {
    Failure failure = until.error();
    failure.with_what(fmt::format("{}: {}", name, failure.what()));
    return failure;
  }
  if (!includes(usually_ready, *until)) {
    return bad_value(name, value, "what a service can judge")
        .with_hint("whether members are reachable, and what devices they have, each client asks by itself: state, health, endpoints");
  }
  question.until = *until;
  return {};
}

Result<void> read_members(FleetQuestion& question, std::string_view name, std::string_view value) {
  const auto count = parse_decimal<int>(value, 0, max_members);
  if (!count) return bad_value(name, value, fmt::format("a number from 0 to {}", max_members));
  question.members = *count;
  return {};
}

Result<void> read_existence(FleetQuestion& question, std::string_view name, std::string_view value) {
  if (value != awaited) return bad_value(name, value, awaited);
  question.awaits_existence = true;
  return {};
}

Result<void> read_self(FleetQuestion& question, std::string_view name, std::string_view value) {
  const Result<Endpoint> self = Endpoint::parse(value);
  if (!self || service_host(self->host).empty()) return bad_value(name, value, "an address");
  question.self = value;
  return {};
}

Result<void> read_wait(FleetQuestion& question, std::string_view name, std::string_view value) {
  const auto seconds = parse_decimal<int>(value, 0, static_cast<int>(max_wait.count()));
  if (!seconds) return bad_value(name, value, fmt::format("a number of seconds from 0 to {}", max_wait.count()));
  question.wait = std::chrono::seconds(*seconds);
  return {};
}

// A parameter of the query: how it is read from its text, and written. A text that is empty is left out.
class ParameterRow {
 public:
  std::string_view name;
  Result<void> (*read)(FleetQuestion& question, std::string_view name, std::string_view value);
  std::string (*write)(const FleetQuestion& question);
};
constexpr std::array<ParameterRow, 6> question_parameters = {
    ParameterRow{"view", read_view, [](const FleetQuestion& q) { return std::string(to_string(q.view)); }},
    ParameterRow{"until", read_until, [](const FleetQuestion& q) { return q.until == usually_ready ? std::string() : to_string(q.until); }},
    ParameterRow{"members", read_members,
                 [](const FleetQuestion& q) { return q.members == 0 ? std::string() : std::to_string(q.members); }},
    ParameterRow{"existence", read_existence, [](const FleetQuestion& q) { return std::string(q.awaits_existence ? awaited : ""); }},
    ParameterRow{"self", read_self, [](const FleetQuestion& q) { return q.self; }},
    ParameterRow{"wait", read_wait,
                 [](const FleetQuestion& q) { return q.wait.count() == 0 ? std::string() : std::to_string(q.wait.count()); }}};

Failure unknown_parameter(std::string_view name) {
  std::array<std::string_view, question_parameters.size()> names;
  std::transform(question_parameters.begin(), question_parameters.end(), names.begin(), [](const ParameterRow& row) { return row.name; });
  Failure failure(Errc::invalid_argument, fmt::format("there is no parameter {}", quoted(name, 64)));
  const auto meant = nearest(name, names);
  return std::move(failure).with_hint(meant ? fmt::format("did you mean {}?", *meant)
                                            : fmt::format("known are {}", fmt::join(names, ", ")));
}

Result<void> read_query(FleetQuestion& question, std::string_view query) {
  std::array<bool, question_parameters.size()> is_given{};
  for (const std::string_view part : split(query, '&')) {
    const std::size_t equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    const auto* const row =
        std::find_if(question_parameters.begin(), question_parameters.end(), [name](const ParameterRow& one) { return one.name == name; });
    if (row == question_parameters.end()) return unknown_parameter(name);
    if (equals == std::string_view::npos) return Failure(Errc::invalid_argument, fmt::format("{} has no value", name));
    bool& is_known = is_given[static_cast<std::size_t>(row - question_parameters.begin())];
    if (is_known) return Failure(Errc::invalid_argument, fmt::format("{} is given twice", name));
    is_known = true;
    const std::optional<std::string> value = percent_decode(part.substr(equals + 1));
    if (!value) return Failure(Errc::invalid_argument, fmt::format("{} contains a % that two hexadecimal digits do not follow", name));
    if (Result<void> done = row->read(question, name, *value); !done) return done;
  }
  return {};
}

}  // namespace

std::string_view to_string(View view) noexcept { return view_names[static_cast<std::size_t>(view)]; }

Result<FleetQuestion> FleetQuestion::parse(std::string_view path_and_query) {
  const std::size_t mark = path_and_query.find('?');
  const std::optional<std::string> text = percent_decode(path_and_query.substr(0, mark));
  if (!text) return Failure(Errc::invalid_argument, "the path contains a % that two hexadecimal digits do not follow");
  Result<Target> named = Target::parse(*text);
  if (!named) return named.error();
  FleetQuestion question(std::move(*named));
  const std::string_view query = mark == std::string_view::npos ? std::string_view() : path_and_query.substr(mark + 1);
  if (!query.empty()) {
    const Result<void> read = read_query(question, query);
    if (!read) return read.error();
  }
  return question;
}

std::string FleetQuestion::to_text() const {
  // Characters that need no escape in a path (RFC 3986, 3.3) are kept; a % of the target's text is escaped once more.
  std::string text = percent_encode(target.to_text(), "-._~:/@,=+");
  for (const ParameterRow& row : question_parameters) {
    const std::string value = row.write(*this);
    if (!value.empty())
      text += fmt::format("{}{}={}", &row == question_parameters.data() ? '?' : '&', row.name, percent_encode(value, "-._~:,"));
  }
  return text;
}

}  // namespace rollcall::fleet
