#include "wmsketch/apps/pmi/pmi_tokens.hpp"

namespace wmsketch {
namespace {

bool inside(char32_t c, char32_t first, char32_t last) { return first <= c && c <= last; }

// Symbols and punctuation beyond ASCII. Everything else beyond ASCII counts as a letter.
bool is_sign(char32_t c) {
  if (c < 0xc0) return c != 0xaa && c != 0xb5 && c != 0xba;
  return c == 0xd7 || c == 0xf7 || inside(c, 0x2000, 0x206f) || inside(c, 0x20a0, 0x20cf) ||
         inside(c, 0x2190, 0x2bff) || inside(c, 0x3000, 0x3004) || inside(c, 0x3008, 0x3020) ||
         inside(c, 0xfe10, 0xfe6f) || c == 0xfeff || inside(c, 0xff01, 0xff0f) || c == 0xfffd;
}

// Lower case for Latin, Greek and Cyrillic, the common scripts with case.
char32_t lower(char32_t c) {
  if (inside(c, 0xc0, 0xde) && c != 0xd7) return c + 0x20;
  if (inside(c, 0x100, 0x137) || inside(c, 0x14a, 0x177)) return c == 0x130 ? c : c | 1;
  if (inside(c, 0x139, 0x148) || inside(c, 0x179, 0x17e)) return c + (c & 1);
  if (c == 0x178) return 0xff;
  if (inside(c, 0x391, 0x3a9)) return c + 0x20;
  if (c == 0x386) return 0x3ac;
  if (inside(c, 0x388, 0x38a)) return c + 0x25;
  if (c == 0x38c) return 0x3cc;
  if (c == 0x38e || c == 0x38f) return c + 0x3f;
  if (inside(c, 0x410, 0x42f)) return c + 0x20;
  if (inside(c, 0x400, 0x40f)) return c + 0x50;
  if (inside(c, 0x460, 0x481) || inside(c, 0x48a, 0x4bf) || inside(c, 0x4d0, 0x52f)) return c | 1;
  return c;
}

}  // namespace

Tokenizer::Tokenizer(TokenRule rule, Boundary boundary, bool lowercase)
    : rule_(rule), boundary_(boundary), lowercase_(lowercase && rule != TokenRule::templates) {
  lowercase = lowercase_;
  token_.reserve(kLongest);
  wide_.reserve(4);
  for (int i = 0; i < 256; ++i) {
    const auto c = static_cast<char>(i);
    const bool upper = c >= 'A' && c <= 'Z';
    const bool letter = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool blank = c == ' ' || (c >= '\t' && c <= '\r');
    letters_[static_cast<std::size_t>(i)] = lowercase && upper ? static_cast<char>(c | 0x20) : c;
    Kind kind = kWord;
    if (c == '\n') {
      kind = kNewline;
    } else if (rule == TokenRule::words) {
      kind = i >= 0x80 ? kWide : c == '\'' ? kApostrophe : letter ? kWord : kOther;
    } else if (rule == TokenRule::whitespace) {
      kind = blank ? kOther : i >= 0x80 ? kWide : kWord;
    } else if (c == '\r') {
      kind = kOther;
    } else if (i >= 0x80 && lowercase) {
      kind = kWide;
    }
    kinds_[static_cast<std::size_t>(i)] = kind;
  }
}

Tokenizer::Kind Tokenizer::read_wide() {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(wide_[i]); };
  const std::size_t n = wide_.size();
  const std::size_t expected = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : byte(0) >= 0xc0 ? 2 : 1;
  const bool words = rule_ == TokenRule::words;
  if (n < 2 || n != expected) return words ? kOther : kWord;  // not UTF-8
  char32_t c = byte(0) & (0xffu >> (n + 1));
  for (std::size_t i = 1; i < n; ++i) c = c << 6 | (byte(i) & 0x3fu);
  if (words && c == 0x2019) return kApostrophe;
  if (words && is_sign(c)) return kOther;
  if (n == 2 && lowercase_) {
    const char32_t low = lower(c);
    wide_[0] = static_cast<char>(0xc0u | low >> 6);
    wide_[1] = static_cast<char>(0x80u | (low & 0x3fu));
  }
  return kWord;
}

}  // namespace wmsketch
