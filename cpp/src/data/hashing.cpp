#include "wmsketch/data/hashing.hpp"

#include "wmsketch/data/prefixed_names.hpp"
#include "wmsketch/data/random.hpp"

namespace wmsketch {

NameSecret secret_of_seed(std::uint64_t seed) {
  Random random(seed ^ 0x243f6a8885a308d3u);  // so that names and sketches draw different numbers from one seed
  NameSecret secret;
  for (std::uint64_t* part : {&secret.first, &secret.second, &secret.third}) *part = random.next();
  return secret;
}

std::uint64_t hash_name(std::string_view name, const NameSecret& secret) {
  return detail::hash_rest(name.data(), name.size(), secret.first, name.size(), secret);
}

PrefixedNames::PrefixedNames(std::string_view prefix, const NameSecret& secret)
    : secret_(secret), state_(secret.first), n_bytes_(prefix.size() % 16), size_(prefix.size()) {
  // a name follows, so more than 16 bytes are left wherever 16 of the prefix are
  for (; prefix.size() >= 16; prefix.remove_prefix(16))
    state_ = detail::fold_multiply(detail::load_word<std::uint64_t>(prefix.data()) ^ secret.second,
                                   detail::load_word<std::uint64_t>(prefix.data() + 8) ^ state_);
  for (std::size_t i = prefix.size(); i-- > 0;) bytes_ = bytes_ << 8 | static_cast<unsigned char>(prefix[i]);
}

}  // namespace wmsketch
