// Texts in an archive: one array with the bytes of all texts, and one with their ends.
#pragma once

#include <string>
#include <vector>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/name_arena.hpp"
#include "wmsketch/data/utf8.hpp"

namespace wmsketch {

inline void archive_texts(Archive& archive, std::vector<std::string>& texts, std::size_t most,
                          const std::string& of = "name") {
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint64_t> ends;
  for (const auto& text : texts) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    ends.push_back(bytes.size());
  }
  archive.growing(of + "_bytes", bytes, std::size_t{1} << 40);
  archive.growing(of + "_ends", ends, most);
  if (!archive.loading()) return;
  texts.clear();
  std::uint64_t begin = 0;
  for (const std::uint64_t end : ends) {
    require_state(begin <= end && end <= bytes.size(), "a name ends outside the array of bytes");
    texts.emplace_back(bytes.begin() + static_cast<std::ptrdiff_t>(begin),
                       bytes.begin() + static_cast<std::ptrdiff_t>(end));
    require_state(find_invalid_utf8(texts.back().data(), texts.back().data() + texts.back().size()) == nullptr,
                  "a name is not UTF-8");
    begin = end;
  }
  require_state(begin == bytes.size(), "there are bytes after the last name");
}

inline void archive_names(Archive& archive, NameArena& arena) {
  auto [names, shortened] = arena.export_names();
  archive_texts(archive, names, arena.entries());
  archive.growing("name_shortened", shortened, arena.entries());
  if (archive.loading()) arena.import_names(names, shortened);
}

}  // namespace wmsketch
