// The parts of the module `litz._litz`; each file binds one.
#pragma once

#include <nanobind/nanobind.h>

namespace litz::python {

// Litz's errors as Python exceptions.
void bind_errors(nanobind::module_& m);
// DType, Value, Graph, GraphBuilder.
void bind_graph(nanobind::module_& m);
// Options.
void bind_options(nanobind::module_& m);
// compile, Executable, Program.
void bind_program(nanobind::module_& m);
// interpret.
void bind_interpreter(nanobind::module_& m);
// Functions on the whole process: list_backends, reset, empty_cache, info, ….
void bind_process(nanobind::module_& m);

}  // namespace litz::python
