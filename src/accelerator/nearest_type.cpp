#include "rollcall/accelerator.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "accelerator/tpu_shape.hpp"
#include "base/text.hpp"

namespace rollcall {
namespace {

// The sizes of a generation that are sold, in the unit of type names.
std::vector<int> listed_sizes(const TpuGenerationRow& row) {
  std::vector<int> sizes;
  for (const TpuSliceRow& slice : tpu_slices) {
    bool is_listed = false;
    const bool exists = slice.dimensions == row.dimensions && usual_shape(row, slice.chips, is_listed);
    if (exists && is_listed) sizes.push_back(slice.chips * row.units_per_chip);
  }
  return sizes;
}

// A different number means another generation, which may be new: only wrong letters are treated as a misspelling.
char generation_digit(std::string_view text) noexcept {
  const std::size_t at = text.find_first_of("0123456789");
  return at == std::string_view::npos ? '\0' : text[at];
}

struct GenerationNickname {
  std::string_view said;
  std::string_view meant;
};
constexpr GenerationNickname nicknames[] = {{"trillium", "v6e"}, {"ironwood", "tpu7x"}};

}  // namespace

std::optional<std::string> nearest_type(std::string_view text) {
  const std::size_t dash = text.find('-');
  for (const GenerationNickname& one : nicknames) {
    const bool has_size = dash != std::string_view::npos && equals_ignoring_case(text.substr(0, dash), one.said);
    if (has_size) return nearest_type(fmt::format("{}{}", one.meant, text.substr(dash)));
  }
  const auto wanted = dash == std::string_view::npos ? std::optional<int>() : parse_decimal<int>(text.substr(dash + 1));
  std::vector<std::string> names;
  for (const TpuGenerationRow& row : tpu_generations) {
    if (generation_digit(row.name) != generation_digit(text)) continue;
    const std::vector<int> sizes = listed_sizes(row);
    if (wanted && equals_ignoring_case(text.substr(0, dash), row.name)) {
      int best = sizes.front();
      for (const int size : sizes) {
        if (std::abs(size - *wanted) < std::abs(best - *wanted)) best = size;
      }
      return fmt::format("{}-{}", row.name, best);
    }
    for (const int size : sizes) names.push_back(fmt::format("{}-{}", row.name, size));
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const auto meant = nearest(text, candidates);
  return meant ? std::optional<std::string>(*meant) : std::nullopt;
}

}  // namespace rollcall
