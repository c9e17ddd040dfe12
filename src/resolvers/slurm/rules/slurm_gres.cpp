#include "resolvers/slurm/rules/slurm_gres.hpp"

#include <algorithm>

#include "accelerator/gpu_model.hpp"
#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr int max_gres_count = 1'000'000'000;
constexpr std::size_t max_gres_parts = 1024;

// At commas outside of parentheses: `gpu:h100:2(IDX:0,2),gpu:a100:1(IDX:1)`.
std::vector<std::string_view> gres_parts(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size() && parts.size() < max_gres_parts; ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '(') ++depth;
    if (c == ')' && depth > 0) --depth;
    if (c != ',' || (depth > 0 && i < text.size())) continue;
    parts.push_back(trim(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  return parts;
}

// `16`, `2K`; none for a word.
std::optional<int> gres_number(std::string_view text) {
  constexpr std::string_view suffixes = "KMGTP";  // of 1024
  std::int64_t unit = 1;
  const std::size_t suffix = text.empty() ? std::string_view::npos : suffixes.find(text.back());
  if (suffix != std::string_view::npos) {
    text.remove_suffix(1);
    for (std::size_t i = 0; i <= suffix; ++i) unit *= 1024;
  }
  const std::optional<int> number = parse_decimal<int>(text, 0, max_gres_count);
  if (!number) return std::nullopt;
  return static_cast<int>(*number > max_gres_count / unit ? max_gres_count : *number * unit);
}

bool is_with_prefix(std::string_view& part) {
  for (const std::string_view prefix : {"gres:", "gres/"}) {
    if (!part.starts_with(prefix)) continue;
    part.remove_prefix(prefix.size());
    return true;
  }
  return false;
}

bool is_share(const SlurmGres& gres) { return gres.name == "shard" || gres.name == "mps"; }

// `(3/4,0/4)`: of each GPU the job's share and all of it.
std::optional<int> shared_gpus(std::string_view part) {
  const std::size_t begin = part.find('(');
  if (begin == std::string_view::npos || !part.ends_with(')')) return std::nullopt;
  int gpus = 0;
  for (const std::string_view one : split(part.substr(begin + 1, part.size() - begin - 2), ',')) {
    const std::size_t slash = one.find('/');
    const std::optional<int> own = slash == std::string_view::npos ? std::nullopt : parse_decimal<int>(one.substr(0, slash));
    if (!own) return std::nullopt;
    gpus += *own > 0 ? 1 : 0;
  }
  return gpus;
}

}  // namespace

std::vector<SlurmGres> parse_slurm_gres(std::string_view text) {
  std::vector<SlurmGres> list;
  for (const std::string_view whole : gres_parts(text)) {
    std::string_view part = trim(whole.substr(0, whole.find('(')));
    const bool is_gres = is_with_prefix(part);
    const std::size_t equals = part.find('=');
    // Without the prefix `=` is that of another resource: `cpu=4`.
    if (part.empty() || part == "(null)" || (!is_gres && equals != std::string_view::npos)) continue;
    SlurmGres gres;
    std::string_view number;
    if (equals != std::string_view::npos) {
      number = part.substr(equals + 1);
      part = part.substr(0, equals);
    }
    const std::vector<std::string_view> words = split(part, ':');
    gres.name = words[0];
    std::size_t rest = words.size();
    if (number.empty() && words.size() > 1 && gres_number(words.back())) number = words[--rest];
    for (std::size_t i = 1; i < rest; ++i) {
      if (words[i] != "no_consume") gres.type += (gres.type.empty() ? "" : ":") + std::string(words[i]);
    }
    if (!number.empty()) gres.count = gres_number(number).value_or(0);
    if (is_share(gres)) gres.shared = shared_gpus(whole);
    list.push_back(std::move(gres));
  }
  return list;
}

int count_slurm_gres(const std::vector<SlurmGres>& list, std::string_view name, std::string_view type) {
  std::int64_t typed = 0;
  std::int64_t untyped = 0;
  for (const SlurmGres& gres : list) {
    if (gres.name != name) continue;
    if (!type.empty()) {
      if (equals_ignoring_case(gres.type, type)) typed += gres.count;
    } else {
      (gres.type.empty() ? untyped : typed) += gres.count;
    }
  }
  return static_cast<int>(std::min<std::int64_t>(std::max(typed, untyped), max_gres_count));
}

bool holds_slurm_gres(const std::vector<SlurmGres>& has, const std::vector<SlurmGres>& asked) {
  return std::all_of(asked.begin(), asked.end(),
                     [&has](const SlurmGres& one) { return count_slurm_gres(has, one.name, one.type) >= one.count; });
}

std::optional<Accelerators> slurm_gpus_of(const std::vector<SlurmGres>& list, std::string source) {
  Accelerators gpus("GPU", count_slurm_gres(list, "gpu"), std::move(source));
  for (const SlurmGres& gres : list) {
    if (!is_share(gres) || gres.count == 0) continue;
    if (!gres.shared) return std::nullopt;
    gpus.count = std::min(gpus.count + *gres.shared, max_gres_count);
  }
  std::string_view type;
  for (const SlurmGres& gres : list) {
    if (gres.name != "gpu" || gres.count == 0 || gres.type.empty()) continue;
    if (!type.empty() && !equals_ignoring_case(type, gres.type)) return gpus;
    type = gres.type;
  }
  if (!type.empty()) gpus.model = printable(gpu_model(type), 80);
  return gpus;
}

}  // namespace rollcall
