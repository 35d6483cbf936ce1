// Tensors to and from other libraries, without a copy: DLPack, https://dmlc.github.io/dlpack (version 1.x, and the form
// without a version before it). Include the DLPack header of your choice for what these structs hold.
#pragma once

#include "litz/tensor.h"

struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace litz {

// Takes `managed` over; its deleter is called when the last handle goes. UserError (with `managed` left to the caller)
// if it is not on the CPU, has a dtype that Litz does not have or negative strides, or is of another major version.
LITZ_API Tensor from_dlpack(DLManagedTensor* managed);
LITZ_API Tensor from_dlpack(DLManagedTensorVersioned* managed);

// A managed tensor that shares the memory of `tensor` and keeps it alive until its deleter is called. UserError for
// stand-ins, and for read-only memory where the form cannot say so (the one without a version).
LITZ_API DLManagedTensor* to_dlpack(const Tensor& tensor);
LITZ_API DLManagedTensorVersioned* to_dlpack_versioned(const Tensor& tensor);

}  // namespace litz
