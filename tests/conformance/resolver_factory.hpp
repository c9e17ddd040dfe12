// Constructs resolvers from upstream's constructor arguments.
#pragma once

#include <memory>
#include <string>

#include "conformance/subject.hpp"
#include "rollcall/resolver.hpp"

namespace rollcall::conformance {

/// Throws NotApplicable and NotUnderstood.
std::shared_ptr<ClusterResolver> construct_resolver(const std::string& resolver, const json::object& args, const Setting& setting);

}  // namespace rollcall::conformance
