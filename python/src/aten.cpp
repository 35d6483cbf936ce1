#include "python/src/aten.h"

#include <nanobind/stl/string.h>

#include <utility>

#include "litz/error.h"
#include "ops/aten.h"

namespace litz::python {

namespace nb = nanobind;

namespace {

[[noreturn]] void no_argument(nb::handle value) {
  throw UserError("GraphBuilder.aten takes no argument of type " +
                  nb::cast<std::string>(nb::handle(Py_TYPE(value.ptr())).attr("__name__")));
}

template <typename T>
std::vector<T> to_vector(nb::handle list) {
  std::vector<T> out;
  for (nb::handle item : list) out.push_back(nb::cast<T>(item));
  return out;
}

// Lists are of one kind; whole numbers among floats are floats.
ops::AtenArg to_list(nb::handle list) {
  bool floats = false;
  bool tensors = false;
  bool booleans = true;
  for (nb::handle item : list) {
    floats = floats || PyFloat_Check(item.ptr());
    tensors = tensors || item.is_none() || nb::isinstance<PythonValue>(item);
    booleans = booleans && PyBool_Check(item.ptr());
    if (!tensors && !PyFloat_Check(item.ptr()) && !PyLong_Check(item.ptr())) no_argument(item);
  }
  if (tensors) {
    std::vector<ops::AtenTensor> out;
    for (nb::handle item : list) {
      if (!item.is_none() && !nb::isinstance<PythonValue>(item)) no_argument(item);
      out.push_back({item.is_none() ? ir::kNoValue : nb::cast<PythonValue>(item).id});
    }
    return out;
  }
  if (nb::len(list) > 0 && booleans) return to_vector<bool>(list);
  if (floats) return to_vector<double>(list);
  return to_vector<int64_t>(list);
}

ops::AtenArg to_argument(nb::handle value) {
  PyObject* object = value.ptr();
  if (value.is_none()) return std::monostate{};
  if (nb::isinstance<PythonValue>(value)) return ops::AtenTensor{nb::cast<PythonValue>(value).id};
  if (PyBool_Check(object)) return nb::cast<bool>(value);
  if (PyLong_Check(object)) return nb::cast<int64_t>(value);
  if (PyFloat_Check(object)) return nb::cast<double>(value);
  if (PyUnicode_Check(object)) return nb::cast<std::string>(value);
  if (nb::isinstance<PythonDType>(value)) return nb::cast<PythonDType>(value).dtype;
  if (PyList_Check(object)) return to_list(value);
  no_argument(value);
}

}  // namespace

nb::object import_aten(ops::Builder& builder, const std::string& op, const nb::list& arguments,
                       const std::vector<bool>& used) {
  ops::AtenCall call{.name = op, .used = used};
  for (nb::handle argument : arguments) call.args.push_back(to_argument(argument));
  Result<std::vector<ir::ValueId>> results = ops::import_aten(builder, call);
  if (!results) return nb::cast(results.error());
  nb::list out;
  for (ir::ValueId id : *results) {
    if (id == ir::kNoValue) {
      out.append(nb::none());
    } else {
      out.append(PythonValue{id});
    }
  }
  return out;
}

}  // namespace litz::python
