// The Python type of a compiled graph: called by vectorcall with one list, so that a call costs no more than it must.
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

// After Python.h.
#include <structmember.h>

#include <memory>
#include <span>
#include <string>

#include "litz/error.h"
#include "python/src/bindings.h"
#include "python/src/errors.h"
#include "python/src/foreign.h"
#include "python/src/program.h"
#include "python/src/report.h"

namespace litz::python {

namespace nb = nanobind;

namespace {

struct ProgramObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  Program* program;
  PyObject* attributes;  // __dict__
  PyObject* weak_references;
};

// Runs `body`; a C++ exception becomes a Python one through the translators of errors.cpp.
template <typename Body>
PyObject* guarded(Body body) {
  try {
    return body();
  } catch (nb::python_error& e) {
    e.restore();
  } catch (const IndexError& e) {
    raise_litz_error(ErrorKind::index, e.what());
  } catch (const UserError& e) {
    raise_litz_error(ErrorKind::user, e.what());
  } catch (const UnsupportedError& e) {
    raise_litz_error(ErrorKind::unsupported, e.what());
  } catch (const std::bad_alloc&) {
    PyErr_SetString(PyExc_MemoryError, "litz: no memory for an output or for working memory");
  } catch (const std::exception& e) {
    raise_litz_error(ErrorKind::internal, e.what());
  }
  return nullptr;
}

PyObject* run_on(PyObject* self, std::span<PyObject* const> arguments) {
  return reinterpret_cast<ProgramObject*>(self)->program->call(arguments).release().ptr();
}

PyObject* call(PyObject* self, PyObject* const* args, size_t flags, PyObject* keywords) {
  return guarded([&] {
    if (PyVectorcall_NARGS(flags) != 1 || (keywords != nullptr && PyTuple_GET_SIZE(keywords) != 0)) {
      throw UserError("a compiled graph is called with one list of inputs");
    }
    if (!PyList_CheckExact(args[0])) throw UserError("a compiled graph is called with one list of inputs");
    const auto count = static_cast<size_t>(PyList_GET_SIZE(args[0]));
    return run_on(self, {PySequence_Fast_ITEMS(args[0]), count});
  });
}

PyObject* run(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  return guarded([&] { return run_on(self, {args, static_cast<size_t>(count)}); });
}

PyObject* refresh(PyObject* self, PyObject*) {
  return guarded([&] {
    reinterpret_cast<ProgramObject*>(self)->program->refresh();
    return Py_NewRef(Py_None);
  });
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(reinterpret_cast<ProgramObject*>(self)->attributes);
  return 0;
}

int clear(PyObject* self) {
  Py_CLEAR(reinterpret_cast<ProgramObject*>(self)->attributes);
  return 0;
}

void deallocate(PyObject* self) {
  auto* object = reinterpret_cast<ProgramObject*>(self);
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (object->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  Py_CLEAR(object->attributes);
  delete object->program;
  type->tp_free(self);
  Py_DECREF(type);
}

PyMethodDef methods[] = {
    // CPython's own way to put a function of another signature into the table.
    {"run", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(run)), METH_FASTCALL,
     "Runs it on inputs that are arguments, not in a list."},
    {"refresh", refresh, METH_NOARGS, "Packs and folds the weights again at the next call."},
    {nullptr, nullptr, 0, nullptr},
};

// functools.wraps, which AOTAutograd and Dynamo use, copies what stands in __dict__.
PyGetSetDef properties[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(ProgramObject, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(ProgramObject, attributes), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ProgramObject, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyObject* make_type() {
  // The slots are read by CPython while the type is made, and not kept.
  PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>("A compiled graph: takes one list of inputs, returns the list of results.")},
      {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
      {Py_tp_dealloc, reinterpret_cast<void*>(deallocate)},
      {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
      {Py_tp_clear, reinterpret_cast<void*>(clear)},
      {Py_tp_methods, methods},
      {Py_tp_members, members},
      {Py_tp_getset, properties},
      {0, nullptr},
  };
  PyType_Spec spec{};
  spec.name = "litz._litz.Program";
  spec.basicsize = sizeof(ProgramObject);
  spec.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  spec.slots = slots;
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) nb::raise_python_error();
  return type;
}

std::vector<ResultSource> to_sources(const nb::list& results) {
  std::vector<ResultSource> out;
  for (nb::handle item : results) {
    std::string kind = nb::cast<std::string>(item[0]);
    ResultSource source;
    source.kind = kind == "output"  ? ResultSource::Kind::output
                  : kind == "input" ? ResultSource::Kind::input
                                    : ResultSource::Kind::value;
    source.index = nb::cast<uint32_t>(item[1]);
    source.value = nb::borrow(item[2]);
    source.view = nb::borrow(item[3]);
    out.push_back(std::move(source));
  }
  return out;
}

}  // namespace

void bind_program(nb::module_& m) {
  nb::class_<driver::Compiled>(m, "Executable", "Compiled code with its plan.")
      .def(
          "report", [](const driver::Compiled& c) { return report_dict(c.report); },
          "What was compiled, as plain data.")
      .def(
          "plan", [](const driver::Compiled& c) { return serialize_plan(c.executable->plan()); }, "The plan, as JSON.");

  m.def(
      "compile",
      [](const ir::Graph& graph, const Options& options, nb::object foreign, nb::object frozen_changed,
         std::shared_ptr<const TensorApi> tensors) {
        auto runner = make_foreign_runner(std::move(foreign), std::move(frozen_changed), std::move(tensors));
        nb::gil_scoped_release release;
        return driver::compile(graph, options, std::move(runner));
      },
      nb::arg("graph"), nb::arg("options"), nb::arg("foreign"), nb::arg("frozen_changed"), nb::arg("tensors"),
      "Compiles a graph. `foreign(key, tensors)` runs its foreign nodes; `frozen_changed(input)` is told of weights "
      "that "
      "were written unseen.");

  PyObject* type = make_type();
  m.attr("Program") = nb::handle(type);
  m.def(
      "make_program",
      [type](std::shared_ptr<driver::Compiled> compiled, std::vector<uint32_t> inputs, const nb::list& results,
             std::shared_ptr<const TensorApi> tensors) {
        auto program =
            std::make_unique<Program>(std::move(compiled), std::move(inputs), to_sources(results), std::move(tensors));
        auto* object = PyObject_GC_New(ProgramObject, reinterpret_cast<PyTypeObject*>(type));
        if (object == nullptr) nb::raise_python_error();
        object->vectorcall = call;
        object->program = program.release();
        object->attributes = nullptr;
        object->weak_references = nullptr;
        PyObject_GC_Track(object);
        return nb::steal(reinterpret_cast<PyObject*>(object));
      },
      nb::arg("executable"), nb::arg("inputs"), nb::arg("results"), nb::arg("tensors"),
      "A callable. `results`: (kind, index, value, view) for each item of the list it returns, kind \"output\", "
      "\"input\" or \"value\"; `view` makes the item of the tensor, or is None.");
}

}  // namespace litz::python
