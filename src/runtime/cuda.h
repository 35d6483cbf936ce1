// Whether and how CUDA programs run. runtime/no_cuda answers where this build has no CUDA.
#pragma once

#include <string>

namespace litz::runtime {

// Empty if CUDA programs run here, otherwise the reason why they do not.
std::string cuda_problem();
// Throws an UnsupportedError with that reason. `what` needs CUDA.
void require_cuda(const std::string& what);

}  // namespace litz::runtime
