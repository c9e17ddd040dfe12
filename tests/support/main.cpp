#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

#include "support/paths.hpp"

const std::filesystem::path& rollcall::testing::source_dir() {
  static const std::filesystem::path path = ROLLCALL_SOURCE_DIR;
  return path;
}
