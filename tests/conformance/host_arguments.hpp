// Resolvers that read the environment of a job: Slurm's and SageMaker's, from upstream's constructor arguments.
#pragma once

#include <memory>

#include "conformance/arguments.hpp"
#include "conformance/subject.hpp"
#include "rollcall/resolver.hpp"

namespace rollcall::conformance {

// Throw NotApplicable.
std::shared_ptr<ClusterResolver> construct_slurm(Arguments& args, const json::object& values, const Setting& setting);
std::shared_ptr<ClusterResolver> construct_sagemaker(Arguments& args, const Setting& setting);

}  // namespace rollcall::conformance
