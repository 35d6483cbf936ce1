// Ops outside of a trace.
#pragma once

#include <string_view>
#include <vector>

#include "api/call.h"
#include "litz/tensor.h"

namespace litz::api {

// Compiles a program of this op alone, kept by op, arguments and layouts (bounded), and runs it.
std::vector<Tensor> run_eagerly(const CallSite& site, std::string_view aten, const std::vector<Argument>& arguments);
// A view: no data moves, but for a reshape that takes a copy.
Tensor view_eagerly(const CallSite& site, const Tensor& x, std::string_view op, const ir::Attributes& attributes);
// Forgets what was compiled.
void reset_eager();

}  // namespace litz::api
