#include "wmsketch/models/class_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

#include "wmsketch/data/archive_names.hpp"
#include "wmsketch/data/error.hpp"
#include "wmsketch/data/hashing.hpp"

namespace wmsketch {

ClassTable::ClassTable(std::uint32_t max_classes, const NameSecret& secret)
    : max_classes_(max_classes), secret_(secret) {
  require_parameter(max_classes >= 2 && max_classes <= kMostClasses, "max_classes", "must be between 2 and 2^21",
                    max_classes);
  texts_.resize(kLabelBytes * max_classes);
  for (auto* numbers : {&ends_, &keys_, &by_key_}) numbers->resize(max_classes);
  weights_.resize(max_classes);
  sums_.resize(std::size_t{max_classes} + 1);
}

std::string_view ClassTable::label(std::uint32_t c) const {
  const std::uint32_t begin = c == 0 ? 0 : ends_[c - 1];
  return {texts_.data() + begin, ends_[c] - begin};
}

std::uint32_t ClassTable::place_among(std::uint32_t first, std::uint32_t last, Key wanted) const {
  const auto before = [&](std::uint32_t c, Key key) { return keys_[c] < key; };
  const auto found = std::lower_bound(by_key_.begin() + first, by_key_.begin() + last, wanted, before);
  return static_cast<std::uint32_t>(found - by_key_.begin());
}

std::uint32_t ClassTable::class_of_key(Key wanted) const {
  for (std::uint32_t first = 0; first < size_;) {
    const std::uint32_t last = first + std::max(std::bit_floor(size_ - first), std::min(kRun, size_ - first));
    const std::uint32_t at = place_among(first, last, wanted);
    if (at < last && keys_[by_key_[at]] == wanted) return by_key_[at];
    first = last;
  }
  return kNone;
}

std::uint32_t ClassTable::find(std::string_view wanted) const {
  const std::uint32_t c = class_of_key(key_of_name(wanted, secret_));
  return c != kNone && label(c) == wanted ? c : kNone;  // no two classes share a key
}

void ClassTable::require_room(std::span<const std::string> labels) const {
  std::size_t classes = size_, bytes = size_ == 0 ? 0 : ends_[size_ - 1];
  std::set<Key> keys;
  for (const std::string& label : labels) {
    if (find(label) != kNone) continue;
    ++classes;
    bytes += label.size();
    const Key key = key_of_name(label, secret_);
    if (!keys.insert(key).second || class_of_key(key) != kNone)
      throw std::invalid_argument("the label '" + label.substr(std::min<std::size_t>(1, label.size())) +
                                  "' has the same hash as another label: rename one of them");
  }
  if (classes > max_classes_)
    throw std::invalid_argument("max_classes is " + std::to_string(max_classes_) + ", got " + std::to_string(classes) +
                                " different labels");
  if (bytes > kLabelBytes * max_classes_)
    throw std::invalid_argument("the labels need " + std::to_string(bytes) +
                                " bytes, but max_classes=" + std::to_string(max_classes_) + " reserves " +
                                std::to_string(kLabelBytes * max_classes_) + ": raise max_classes");
}

std::uint32_t ClassTable::add(std::string_view label) {
  const std::uint32_t c = size_, begin = c == 0 ? 0 : ends_[c - 1];
  keys_[c] = key_of_name(label, secret_);
  const std::uint32_t at = place_among(c - c % kRun, c, keys_[c]);
  std::move_backward(by_key_.begin() + at, by_key_.begin() + c, by_key_.begin() + c + 1);
  by_key_[at] = c;
  std::ranges::copy(label, texts_.begin() + begin);
  ends_[c] = begin + static_cast<std::uint32_t>(label.size());
  ++size_;
  const auto before = [&](std::uint32_t a, std::uint32_t b) { return keys_[a] < keys_[b]; };
  const auto end = by_key_.begin() + size_;
  for (std::uint32_t run = kRun; size_ % (2 * run) == 0; run *= 2)
    std::inplace_merge(end - 2 * run, end - run, end, before);
  return c;
}

void ClassTable::see(std::uint32_t c, std::uint64_t times, double weight) {
  times =
      std::min(times, ~std::uint64_t{0} - total_);  // all counts saturate together, so that their sum stays the total
  total_ += times;
  total_weight_ += weight;
  weights_[c] += weight / scale_;
  for (std::uint32_t i = c + 1; i < sums_.size(); i += i & (~i + 1)) sums_[i] += times;
}

void ClassTable::fade(double kept) {
  constexpr double kSmallestScale = 1e-100;
  total_weight_ *= kept;
  scale_ *= kept;
  if (scale_ >= kSmallestScale) return;
  for (double& weight : weights_) weight *= scale_;
  scale_ = 1;
}

std::uint64_t ClassTable::sum_below(std::uint32_t end) const {
  std::uint64_t sum = 0;
  for (std::uint32_t i = end; i > 0; i &= i - 1) sum += sums_[i];
  return sum;
}

std::uint32_t ClassTable::class_of_nth(std::uint64_t n) const {
  std::uint32_t at = 0;
  for (std::uint32_t step = std::bit_floor(max_classes_); step > 0; step /= 2) {
    if (at + step > max_classes_ || sums_[at + step] > n) continue;
    at += step;
    n -= sums_[at];
  }
  return at;
}

void ClassTable::archive(Archive& archive) {
  std::vector<std::string> labels;
  std::vector<std::uint64_t> counts;
  for (std::uint32_t c = 0; c < size(); ++c) {
    labels.emplace_back(label(c));
    counts.push_back(count(c));
  }
  archive_texts(archive, labels, max_classes_, "label");
  archive.growing("class_counts", counts, max_classes_);
  std::vector<double> weights(weights_.begin(), weights_.begin() + size_);
  archive.growing("class_weights", weights, max_classes_);
  double total_weight = total_weight_;  // saved, because it was summed in another order and may differ in the last bit
  double scale = scale_;
  archive.value("class_weights_total", total_weight);
  archive.value("class_weights_scale", scale);
  if (!archive.loading()) return;
  require_state(labels.size() == counts.size() && labels.size() == weights.size(),
                "labels, counts and weights differ in length");
  *this = ClassTable(max_classes_, secret_);
  for (std::size_t c = 0; c < labels.size(); ++c) {
    require_state(find(labels[c]) == kNone, "a label occurs twice");
    require_room(std::span(&labels[c], 1));
    require_state(counts[c] <= ~std::uint64_t{0} - total_, "the counts are too large");
    require_state(weights[c] >= 0 && std::isfinite(weights[c]), "the weight of a class is negative or not finite");
    see(add(labels[c]), counts[c], weights[c]);
  }
  require_state(total_weight >= 0 && std::isfinite(total_weight), "the weight of all classes is not finite");
  require_state(scale > 0 && scale <= 1, "the scale of the classes' weights is not in (0, 1]");
  total_weight_ = total_weight;
  scale_ = scale;
}

}  // namespace wmsketch
