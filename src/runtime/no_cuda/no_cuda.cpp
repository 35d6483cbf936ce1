#include "litz/error.h"
#include "runtime/cuda.h"

namespace litz::runtime {

std::string cuda_problem() { return "this build of Litz runs programs on CPU only"; }

void require_cuda(const std::string& what) {
  throw UnsupportedError("cuda-not-built", what + " needs CUDA, and " + cuda_problem(),
                         "move the model and its inputs to the CPU");
}

}  // namespace litz::runtime
