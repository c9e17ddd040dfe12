// The SageMaker job around this process, from its variables or its file.
#pragma once

#include "call/runtime_impl.hpp"
#include "resolvers/launchers/wire/sagemaker.hpp"
#include "rollcall/accelerator.hpp"

namespace rollcall {

/// Reads the variables; where SM_HOSTS is not set, the file. Errors: failed_precondition (there is neither), and those of the parsers.
Result<SageMakerHosts> read_sagemaker(const Runtime::Impl& impl);

/// The accelerators of this host, which are those of each host. Errors: failed_precondition (not known, or hosts of several types),
/// invalid_argument.
Result<AcceleratorCounts> sagemaker_accelerators(const Runtime::Impl& impl);

}  // namespace rollcall
