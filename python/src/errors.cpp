#include "python/src/errors.h"

#include <exception>
#include <string>

#include "litz/error.h"
#include "python/src/bindings.h"

namespace litz::python {

namespace nb = nanobind;

namespace {

// The Python types, alive as long as the module: errors may be raised until the interpreter ends.
struct ErrorTypes {
  PyObject* error = nullptr;
  PyObject* user = nullptr;
  PyObject* index = nullptr;
  PyObject* unsupported = nullptr;
  PyObject* internal = nullptr;
};

ErrorTypes& error_types() {
  static ErrorTypes types;
  return types;
}

PyObject* make_error(nb::module_& m, const char* name, const char* doc, nb::handle bases) {
  std::string full = std::string("litz.") + name;
  PyObject* type = PyErr_NewExceptionWithDoc(full.c_str(), doc, bases.ptr(), nullptr);
  if (type == nullptr) nb::raise_python_error();
  m.attr(name) = nb::handle(type);
  return type;
}

void translate(const std::exception_ptr& error, void*) {
  const ErrorTypes& types = error_types();
  try {
    std::rethrow_exception(error);
  } catch (const IndexError& e) {
    PyErr_SetString(types.index, e.what());
  } catch (const UserError& e) {
    PyErr_SetString(types.user, e.what());
  } catch (const UnsupportedError& e) {
    PyErr_SetString(types.unsupported, e.what());
  } catch (const InternalError& e) {
    PyErr_SetString(types.internal, e.what());
  } catch (const Error& e) {
    PyErr_SetString(types.error, e.what());
  }
}

}  // namespace

void raise_litz_error(ErrorKind kind, const char* message) {
  const ErrorTypes& types = error_types();
  PyObject* kinds[] = {types.user, types.index, types.unsupported, types.internal};
  PyErr_SetString(kinds[static_cast<size_t>(kind)], message);
}

void bind_errors(nb::module_& m) {
  ErrorTypes& types = error_types();
  types.error = make_error(m, "Error", "Base of every error that Litz raises.", PyExc_Exception);
  types.user = make_error(m, "UserError", "A wrong argument: the message names it and what was expected.", types.error);
  types.index = make_error(m, "IndexError", "An index outside a tensor: names the op, the index and the size.",
                           nb::make_tuple(nb::handle(types.user), nb::handle(PyExc_IndexError)));
  types.unsupported = make_error(m, "UnsupportedError", "A valid program that this version of Litz does not compile.",
                                 nb::make_tuple(nb::handle(types.error), nb::handle(PyExc_NotImplementedError)));
  types.internal = make_error(m, "InternalError", "A fault in Litz: please report it with the message.",
                              nb::make_tuple(nb::handle(types.error), nb::handle(PyExc_RuntimeError)));
  nb::register_exception_translator(translate, nullptr);
}

}  // namespace litz::python
