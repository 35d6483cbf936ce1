#include "python/src/bindings.h"

NB_MODULE(_litz, m) {
  m.doc() = "Litz's compiler and runtime. The public interface is the package litz.";
  // Compiled programs live in Dynamo's caches until the process ends.
  nanobind::set_leak_warnings(false);
  litz::python::bind_errors(m);
  litz::python::bind_options(m);
  litz::python::bind_graph(m);
  litz::python::bind_interpreter(m);
  litz::python::bind_program(m);
  litz::python::bind_process(m);
}
