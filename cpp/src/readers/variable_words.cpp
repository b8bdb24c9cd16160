#include "wmsketch/readers/variable_words.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

#include "wmsketch/data/utf8.hpp"

namespace wmsketch {

namespace {

using Text = std::string_view;

constexpr Text kWord = "<word>";
constexpr std::size_t kFewestWords = 10;    // at a place that varies
constexpr std::size_t kHeavy = 4;           // a word in a quarter of the lines stays
constexpr int kMostPlaces = 4;              // that vary together
constexpr std::size_t kMostTries = 400000;  // sets of places looked at, for all templates of one shape
constexpr std::size_t kMostFound = 1000;

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0; }
constexpr bool is_plain(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '%'; }
constexpr auto kPlain = [] {
  std::array<bool, 256> table{};
  for (int c = 0; c < 256; ++c) table[static_cast<std::size_t>(c)] = is_plain(static_cast<char>(c));
  return table;
}();
bool in_word(Text text, std::size_t at) {
  if (at >= text.size()) return false;
  if (kPlain[static_cast<unsigned char>(text[at])]) return true;
  return (text[at] == '.' || text[at] == '-') && at + 1 < text.size() &&
         kPlain[static_cast<unsigned char>(text[at + 1])];
}

// The length of a kind like <num>, or 0.
std::size_t kind_length(Text text, std::size_t at) {
  const std::size_t end = text.find('>', at);
  if (end == Text::npos || end - at > 6 || end - at < 3) return 0;
  return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                     text.begin() + static_cast<std::ptrdiff_t>(end), [](char c) { return c >= 'a' && c <= 'z'; })
             ? end + 1 - at
             : 0;
}

// The templates of one shape: words as numbers, 0 where they vary.
struct Group {
  struct Entry {
    std::vector<std::uint32_t> words;
    std::uint64_t lines;
  };
  using Places = std::uint64_t;  // bits

  std::vector<Entry> entries{};
  Text pattern{};  // any template of this shape

  // Replaces what varies, until nothing more does.
  void find(const std::vector<bool>& may_vary) {
    for (int n_places = 1; n_places <= kMostPlaces; ++n_places)
      for (int round = 0; round < kMostPlaces && find_once(n_places, may_vary); ++round) {
      }
  }

  // Returns what was found: templates that vary, and the frequent ones that they would replace.
  std::vector<const Entry*> found() const {
    std::vector<const Entry*> varying, all;
    for (const Entry& entry : entries)
      if (std::find(entry.words.begin(), entry.words.end(), 0u) != entry.words.end()) varying.push_back(&entry);
    for (const Entry& entry : entries) {
      const Entry* wider = nullptr;
      for (const Entry* each : varying)
        if (each != &entry && covers(*each, entry) && (!wider || each->lines > wider->lines)) wider = each;
      const bool varies = std::find(entry.words.begin(), entry.words.end(), 0u) != entry.words.end();
      if (wider ? is_heavy(entry.lines, wider->lines + entry.lines) : varies) all.push_back(&entry);
    }
    return all;
  }

 private:
  static bool is_heavy(std::uint64_t lines, std::uint64_t of) { return lines * kHeavy >= of; }
  static bool covers(const Entry& wide, const Entry& narrow) {
    for (std::size_t i = 0; i < wide.words.size(); ++i)
      if (wide.words[i] != 0 && wide.words[i] != narrow.words[i]) return false;
    return true;
  }

  static std::uint64_t hash_of(const std::vector<std::uint32_t>& words, Places without) {
    std::uint64_t hash = without * 0x9e3779b97f4a7c15u;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::uint32_t word = without >> i & 1 ? 0 : words[i];
      hash = (hash ^ word) * 0xff51afd7ed558ccdu;
      hash ^= hash >> 32;
    }
    return hash;
  }

  // Small, because there are many: the places are packed, eight bits for each.
  struct Try {
    std::uint64_t hash;
    std::uint32_t packed, entry;
    auto operator<=>(const Try&) const = default;
    Places places() const {
      Places places = 0;
      for (std::uint32_t rest = packed; rest; rest >>= 8) places |= Places(1) << ((rest & 0xff) - 1);
      return places;
    }
    static std::uint32_t pack(Places places) {
      std::uint32_t packed = 0;
      for (; places; places &= places - 1)
        packed = packed << 8 | static_cast<std::uint32_t>(std::countr_zero(places) + 1);
      return packed;
    }
  };

  bool find_once(int n_places, const std::vector<bool>& may_vary) {
    std::vector<Try> tries;
    tries.reserve(kMostTries);  // touched only as far as it is used
    for (std::uint32_t i = 0; i < entries.size() && tries.size() < kMostTries; ++i) {
      const std::vector<std::uint32_t>& words = entries[i].words;
      Places open = 0;
      for (std::size_t at = 1; at < words.size(); ++at)  // the first word says what the line is about
        if (words[at] != 0 && may_vary[words[at]]) open |= Places(1) << at;
      const auto n_varying = std::count(words.begin(), words.end(), 0u);
      if (2 * (static_cast<std::size_t>(n_varying) + static_cast<std::size_t>(n_places)) > words.size()) continue;
      add_tries(tries, i, open, 0, n_places);
    }
    std::sort(tries.begin(), tries.end());
    struct Candidate {
      std::uint64_t lines;
      std::size_t begin, end;
    };
    std::vector<Candidate> candidates;
    for (std::size_t begin = 0, end = 0; begin < tries.size(); begin = end) {
      std::uint64_t lines = 0;
      while (end < tries.size() && tries[end].hash == tries[begin].hash && tries[end].packed == tries[begin].packed)
        lines += entries[tries[end++].entry].lines;
      if (end - begin >= kFewestWords) candidates.push_back({lines, begin, end});
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& x, const Candidate& y) { return x.lines > y.lines; });
    std::vector<bool> taken(entries.size());
    std::vector<Entry> made;
    for (const Candidate& each : candidates) {
      std::vector<std::uint32_t> members;
      for (std::size_t i = each.begin; i < each.end; ++i)
        if (!taken[tries[i].entry]) members.push_back(tries[i].entry);
      const Places places = tries[each.begin].places();
      members = light(std::move(members), places);
      if (members.empty()) continue;
      Entry entry{entries[members[0]].words, 0};
      for (std::size_t at = 0; at < entry.words.size(); ++at)
        if (places >> at & 1) entry.words[at] = 0;
      for (const std::uint32_t member : members) {
        entry.lines += entries[member].lines;
        taken[member] = true;
      }
      made.push_back(std::move(entry));
    }
    if (made.empty()) return false;
    std::map<std::vector<std::uint32_t>, std::uint64_t> kept;
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (!taken[i]) kept[entries[i].words] += entries[i].lines;
    for (const Entry& entry : made) kept[entry.words] += entry.lines;
    entries.clear();
    for (const auto& [words, lines] : kept) entries.push_back({words, lines});
    return true;
  }

  void add_tries(std::vector<Try>& tries, std::uint32_t entry, Places open, Places chosen, int left) {
    if (left == 0) {
      tries.push_back({hash_of(entries[entry].words, chosen), Try::pack(chosen), entry});
      return;
    }
    while (open && tries.size() < kMostTries) {
      const Places lowest = open & (~open + 1);
      open ^= lowest;
      add_tries(tries, entry, open, chosen | lowest, left - 1);
    }
  }

  // Returns the members whose words at these places are all rare, or none if there are too few of them.
  std::vector<std::uint32_t> light(std::vector<std::uint32_t> members, Places places) const {
    for (std::size_t at = 0; places >> at; ++at) {
      if (!(places >> at & 1)) continue;
      std::map<std::uint32_t, std::uint64_t> lines;
      std::uint64_t total = 0;
      for (const std::uint32_t member : members) {
        lines[entries[member].words[at]] += entries[member].lines;
        total += entries[member].lines;
      }
      const auto n_light =
          std::count_if(lines.begin(), lines.end(), [&](const auto& each) { return !is_heavy(each.second, total); });
      if (static_cast<std::size_t>(n_light) < kFewestWords) return {};
      std::erase_if(members, [&](std::uint32_t member) { return is_heavy(lines[entries[member].words[at]], total); });
    }
    return members;
  }
};

std::string with_words(Text pattern, const std::vector<Text>& words) {
  TemplateWords read;
  read.read(pattern);
  std::string text;
  const char* at = pattern.data();
  for (std::size_t i = 0; i < words.size(); ++i) {
    text.append(at, read.words[i].data()).append(words[i]);
    at = read.words[i].data() + read.words[i].size();
  }
  return text.append(at, pattern.data() + pattern.size());
}

}  // namespace

bool TemplateWords::read(Text text) {
  words.clear();
  shape = 0;
  const auto mix = [&](std::uint64_t code) { shape = (shape ^ code) * 0x100000001b3u; };
  const auto add = [&](char c) { mix(static_cast<unsigned char>(c)); };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t n = 0;
    if (text[at] == '<') {
      n = kind_length(text, at);
      if (text.substr(at, n) != kWord) {
        for (std::size_t i = 0; i < std::max<std::size_t>(n, 1); ++i) add(text[at + i]);
        at += std::max<std::size_t>(n, 1);
        continue;
      }
    } else {
      while (in_word(text, at + n)) ++n;
    }
    if (n == 0) {
      add(text[at++]);
      continue;
    }
    if (words.size() == kMost) return false;
    words.push_back(text.substr(at, n));
    mix(256);  // no byte: a line may contain any of them
    at += n;
  }
  return true;
}

std::vector<std::string> find_variable_words(const std::vector<std::string>& templates, std::size_t most_bytes) {
  std::map<Text, std::uint64_t> distinct;
  for (const std::string& text : templates) ++distinct[text];
  std::map<Text, std::uint32_t> numbers;
  std::vector<Text> texts{kWord};
  std::vector<bool> may_vary{false};
  std::map<std::pair<std::uint64_t, std::size_t>, Group> groups;  // by shape and number of words
  TemplateWords read;
  for (const auto& [text, lines] : distinct) {
    if (find_invalid_utf8(text.data(), text.data() + text.size()) || !read.read(text)) continue;
    Group& group = groups[{read.shape, read.words.size()}];
    group.pattern = text;
    Group::Entry& entry = group.entries.emplace_back(Group::Entry{{}, lines});
    for (const Text word : read.words) {
      const auto [place, is_new] = numbers.emplace(word, static_cast<std::uint32_t>(texts.size()));
      if (is_new) {
        texts.push_back(word);
        may_vary.push_back(word != kWord && std::any_of(word.begin(), word.end(), is_letter));
      }
      entry.words.push_back(place->second);
    }
  }
  std::vector<std::pair<std::uint64_t, std::string>> found;
  for (auto& [key, group] : groups) {
    if (group.entries.size() < kFewestWords) continue;
    group.find(may_vary);
    for (const Group::Entry* entry : group.found()) {
      std::vector<Text> words;
      for (const std::uint32_t word : entry->words) words.push_back(texts[word]);
      found.emplace_back(entry->lines, with_words(group.pattern, words));
    }
  }
  std::sort(found.begin(), found.end(),
            [](const auto& x, const auto& y) { return std::tie(y.first, x.second) < std::tie(x.first, y.second); });
  std::vector<std::string> result;
  std::size_t n_bytes = 0;
  for (auto& [lines, text] : found) {
    n_bytes += text.size();
    if (n_bytes > most_bytes || result.size() == kMostFound) break;
    result.push_back(std::move(text));
  }
  return result;
}

VariableWords::VariableWords(const std::vector<std::string>& found) {
  for (const std::string& text : found) {
    if (!read_.read(text)) continue;
    Rule rule{text, {}, 0};
    for (const Text word : read_.words) {
      rule.words.emplace_back(word == kWord ? Text() : word);
      rule.n_variable += word == kWord;
    }
    rules_[read_.shape].push_back(std::move(rule));
  }
  for (auto& [shape, rules] : rules_)
    std::stable_sort(rules.begin(), rules.end(),
                     [](const Rule& x, const Rule& y) { return x.n_variable < y.n_variable; });
}

void VariableWords::replace(std::string& text, std::vector<std::string>* values) {
  if (rules_.empty() || !read_.read(text)) return;
  const auto found = rules_.find(read_.shape);
  if (found == rules_.end()) return;
  for (const Rule& rule : found->second) {
    bool fits = rule.words.size() == read_.words.size();
    for (std::size_t i = 0; fits && i < rule.words.size(); ++i)
      fits = rule.words[i].empty() || rule.words[i] == read_.words[i];
    if (!fits) continue;
    for (std::size_t i = 0; values && i < rule.words.size(); ++i)
      if (rule.words[i].empty()) values->emplace_back(read_.words[i]);
    text = rule.text;
    return;
  }
}

}  // namespace wmsketch
