// The selectors and options of a list or watch, parsed and checked as in the API server.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/error.hpp"
#include "rollcall/sim/cloud.hpp"
#include "sim/model/k8s_model.hpp"
#include "sim/wire/route.hpp"

namespace rollcall::sim {

enum class LabelOperator { exists, absent, in, not_in, greater, less };

struct LabelRequirement {
  std::string key;
  LabelOperator op = LabelOperator::exists;
  std::vector<std::string> values;  // sorted
};

using LabelSelector = std::vector<LabelRequirement>;

/// `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a`, `!a`, `a>1`, `a<1`, joined by commas. Errors: invalid_argument with the
/// server's text.
Result<LabelSelector> parse_label_selector(std::string_view text);

bool matches(const LabelSelector& selector, const KubeTexts& labels);

struct FieldTerm {
  std::string field;
  std::string value;
  bool is_negated = false;
};

using FieldSelector = std::vector<FieldTerm>;

/// `a=b`, `a==b`, `a!=b`, joined by commas; `\` escapes. Errors: invalid_argument with the server's text.
Result<FieldSelector> parse_field_selector(std::string_view text);

/// The first field by which objects of that resource cannot be selected.
std::optional<std::string> unknown_field(const FieldSelector& selector, std::string_view resource);

bool matches(const FieldSelector& selector, const boost::json::object& object);

struct KubeListOptions {
  LabelSelector labels;
  FieldSelector fields;
  bool is_watch = false;
  bool allows_bookmarks = false;
  std::string version;  // resourceVersion
  std::string match;    // resourceVersionMatch
  std::string continues;
  std::int64_t limit = 0;
  std::optional<std::int64_t> timeout_seconds;
  std::optional<bool> sends_initial_events;
};

/// Parses the options of a question for a resource. On an error sets `refusal`.
std::optional<KubeListOptions> read_list_options(const KubernetesModel& model, const ParsedTarget& target, std::string_view resource,
                                                 std::optional<Reply>& refusal);

/// The token of a list: the position and version at which it continues.
struct KubeContinue {
  std::int64_t version = 0;  // -1: the current version
  std::string start;         // the key to begin at, relative to the list's scope
};
/// Errors: invalid_argument with the server's text.
Result<KubeContinue> parse_continue(std::string_view token);
std::string make_continue(std::int64_t version, std::string_view start);
/// The token that continues at the current version, as sent with 410.
std::string make_restart_token(const KubeContinue& token);
inline constexpr std::string_view expired_continue_message =
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue "
    "parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token "
    "results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and "
    "now may show up in the list.";

/// strconv.ParseUint of a resourceVersion; "" and "0" are 0. Errors: invalid_argument with the server's text.
Result<std::uint64_t> parse_resource_version(std::string_view text);

}  // namespace rollcall::sim
