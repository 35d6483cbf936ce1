#include "support/options.h"

#include <nanobind/stl/string.h>

#include <string>

#include "litz/error.h"
#include "python/src/bindings.h"

namespace litz::python {

namespace nb = nanobind;

namespace {

OptionValue to_option(const std::string& key, nb::handle value) {
  if (PyBool_Check(value.ptr())) return nb::cast<bool>(value);
  if (PyLong_Check(value.ptr())) return nb::cast<int64_t>(value);
  if (PyFloat_Check(value.ptr())) return nb::cast<double>(value);
  if (PyUnicode_Check(value.ptr())) return nb::cast<std::string>(value);
  std::string type = nb::cast<std::string>(nb::handle(Py_TYPE(value.ptr())).attr("__name__"));
  throw UserError("option \"" + key + "\" cannot be of type " + type);
}

nb::object to_python(const OptionValue& value) {
  return std::visit([](const auto& v) { return nb::cast(v); }, value);
}

void set(Options& options, nb::handle key, nb::handle value) {
  if (!PyUnicode_Check(key.ptr()))
    throw UserError("the name of an option is a text, got " + nb::cast<std::string>(nb::repr(key)));
  std::string name = nb::cast<std::string>(key);
  options.set(name, to_option(name, value));
}

nb::dict as_dict(const Options& options) {
  nb::dict out;
  for (const OptionInfo& info : option_table()) {
    out[nb::str(info.name.data(), info.name.size())] = to_python(options.get(info.name));
  }
  return out;
}

std::string table_text() {
  std::string out;
  for (const OptionInfo& info : option_table()) {
    out += std::string(info.name) + " (" + std::string(option_type_name(info)) + ", default " +
           option_value_text(Options{}.get(info.name)) + "): " + std::string(info.doc) + "\n";
  }
  return out;
}

}  // namespace

void bind_options(nb::module_& m) {
  static const std::string doc =
      "What `options={…}` of torch.compile and litz.compile takes. Defaults come from the "
      "environment where it says so.\n\n" +
      table_text();
  nb::class_<Options>(m, "Options", doc.c_str())
      .def("__init__",
           [](Options* self, const nb::kwargs& values) {
             new (self) Options(options_from_environment());
             for (auto [key, value] : values) set(*self, key, value);
           })
      .def("set", &set, nb::arg("key"), nb::arg("value"),
           "Sets an option. UserError names the nearest right key, the expected type or the allowed values.")
      .def(
          "get", [](const Options& o, const std::string& key) { return to_python(o.get(key)); }, nb::arg("key"))
      .def("as_dict", &as_dict)
      .def("__repr__",
           [](const Options& o) { return "litz.Options(" + nb::cast<std::string>(nb::repr(as_dict(o))) + ")"; });
}

}  // namespace litz::python
