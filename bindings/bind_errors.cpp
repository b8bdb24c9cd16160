// Errors of the core become those of wmsketch.errors, with their fields. That module puts them into words.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <exception>
#include <variant>

#include "text.hpp"
#include "wmsketch/data/error.hpp"

namespace nb = nanobind;

namespace wmsketch::python {
namespace {

nb::object as_object(const ErrorValue& value) {
  if (const auto* number = std::get_if<std::uint64_t>(&value)) return nb::int_(*number);
  if (const auto* number = std::get_if<double>(&value)) return nb::float_(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return escaped(*text);
  return nb::ellipsis();  // no value
}

nb::object as_exception(const Error& error) {
  const nb::module_ errors = nb::module_::import_("wmsketch.errors");
  const ErrorFields& fields = error.fields();
  switch (error.code()) {
    case ErrorCode::parameter:
      return errors.attr("ParameterError")(escaped(fields.parameter), escaped(fields.rule), as_object(fields.value));
    case ErrorCode::row:
      return errors.attr("RowError")(fields.row, escaped(error.what()));
    case ErrorCode::damaged:
      return errors.attr("DamagedError")(escaped(error.what()));
    case ErrorCode::merge:
      return errors.attr("MergeError")(escaped(error.what()), nb::make_tuple(escaped(fields.parameter)));
  }
  return nb::none();
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    const nb::object exception = as_exception(error);
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
  }
}

}  // namespace

void bind_errors() { nb::register_exception_translator(translate); }

}  // namespace wmsketch::python
