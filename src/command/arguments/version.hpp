// The version that --version prints.
#pragma once

#include <string>
#include <string_view>

namespace rollcall::tools {

/// The project's version, such as "0.1.0".
std::string_view version() noexcept;

/// A line for each library that was linked: its name, its version as it says itself where it can, and whether it is part of this program
/// ("static") or a file of the system's ("shared"). Nothing is initialised by asking.
std::string linked_versions();

}  // namespace rollcall::tools
