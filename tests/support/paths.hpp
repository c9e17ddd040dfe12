// The path of the checkout. In this file only, so that a compiler cache works for the others in any checkout.
#pragma once

#include <filesystem>

namespace rollcall::testing {

const std::filesystem::path& source_dir();
inline std::filesystem::path tests_dir() { return source_dir() / "tests"; }

}  // namespace rollcall::testing
