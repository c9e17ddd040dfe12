// Label selectors in the grammar of the API server, its error texts included.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rollcall/error.hpp"
#include "sim/model/k8s_model.hpp"

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

}  // namespace rollcall::sim
