// The state of a learner as a dict of numpy arrays, and back.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "arrays.hpp"
#include "wmsketch/data/archive.hpp"
#include "wmsketch/rule/learner.hpp"

namespace wmsketch::python {

namespace nb = nanobind;

using Arrays = nb::typed<nb::dict, nb::str, nb::object>;

// Calls use(T{}) with the C++ type T of an array.
template <class Use>
void with_type(ArrayType type, Use use) {
  switch (type) {
    case ArrayType::float32:
      return use(float{});
    case ArrayType::float64:
      return use(double{});
    case ArrayType::uint32:
      return use(std::uint32_t{});
    case ArrayType::uint64:
      return use(std::uint64_t{});
    case ArrayType::int64:
      return use(std::int64_t{});
    case ArrayType::uint8:
      return use(std::uint8_t{});
    case ArrayType::uint16:
      return use(std::uint16_t{});
    case ArrayType::int32:
      return use(std::int32_t{});
  }
}

// A copy of a state that Python knows nothing of. It is made while the model is locked, and `arrays` when it no longer
// is: a new object of Python may start the garbage collector, whose finalizers may use the model.
class SavedState final : public Archive {
 public:
  bool loading() const override { return false; }
  Arrays arrays() && {
    Arrays arrays;
    for (auto& [name, values] : saved_)
      arrays[nb::str(name.data(), name.size())] =
          std::visit([](auto& own) { return nb::cast(to_numpy(std::move(own))); }, values);
    return arrays;
  }

 protected:
  void visit(std::string_view name, ArrayType type, void* data, std::size_t count) override {
    with_type(type, [&]<class T>(T) {
      const T* first = static_cast<const T*>(data);
      saved_.emplace_back(name, std::vector<T>(first, first + count));
    });
  }
  std::size_t length(std::string_view) const override { return 0; }

 private:
  template <class... T>
  using OneOf = std::variant<std::vector<T>...>;
  using Values =
      OneOf<float, double, std::uint32_t, std::uint64_t, std::int64_t, std::uint8_t, std::uint16_t, std::int32_t>;
  std::vector<std::pair<std::string, Values>> saved_;
};

class LoadingArchive final : public Archive {
 public:
  explicit LoadingArchive(const Arrays& arrays) : arrays_(arrays) {}
  bool loading() const override { return true; }

 protected:
  void visit(std::string_view name, ArrayType type, void* data, std::size_t count) override {
    with_type(type, [&]<class T>(T) {
      Vector<T> array;
      if (!nb::try_cast(find(name), array, false))
        throw std::invalid_argument("the saved array '" + std::string(name) + "' has the wrong type");
      if (array.size() != count)
        throw std::invalid_argument("the saved array '" + std::string(name) + "' has " + std::to_string(array.size()) +
                                    " entries, but the model has " + std::to_string(count));
      if (count > 0) std::memcpy(data, array.data(), count * sizeof(T));
    });
  }
  std::size_t length(std::string_view name) const override { return nb::len(find(name)); }

 private:
  nb::handle find(std::string_view name) const {
    const nb::str key(name.data(), name.size());
    if (!arrays_.contains(key)) throw std::invalid_argument("the saved array '" + std::string(name) + "' is missing");
    return arrays_[key];
  }
  const Arrays& arrays_;
};

// Reads one number of a state.
class NumberArchive final : public Archive {
 public:
  explicit NumberArchive(std::string_view name) : name_(name) {}
  bool loading() const override { return false; }
  std::optional<double> number;

 protected:
  void visit(std::string_view name, ArrayType type, void* data, std::size_t count) override {
    if (name != name_ || count != 1) return;
    with_type(type, [&]<class T>(T) { number = static_cast<double>(*static_cast<const T*>(data)); });
  }
  std::size_t length(std::string_view) const override { return 0; }

 private:
  std::string_view name_;
};

template <class Model>
SavedState save_state(Model& model) {
  SavedState state;
  model.archive(state);
  return state;
}

template <class Model>
std::optional<double> number_of_state(Model& model, std::string_view name) {
  NumberArchive archive(name);
  model.archive(archive);
  return archive.number;
}

template <class Model>
void load_state(Model& model, const Arrays& state) {
  LoadingArchive archive(state);
  model.archive(archive);
}

}  // namespace wmsketch::python
