// What a model throws at Python beside the errors of the core.
#pragma once

#include <cstddef>
#include <exception>

#include "wmsketch/data/error.hpp"

namespace wmsketch::python {

[[noreturn]] inline void raise_bad_row(const BadRow& bad, std::size_t first_row) {
  throw BadRow(first_row + bad.row, bad.what());
}

// The model needs a shape before it can go on: its rows turned out to be a table, whose schema takes some of the
// budget, or to have names. `start` gives it one. Nothing of the call that raised this was learned.
struct ShapeWanted : std::exception {
  const char* what() const noexcept override { return "the model needs a shape for its rows"; }
};

}  // namespace wmsketch::python
