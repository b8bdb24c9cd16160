#include "wmsketch/readers/line_template.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace wmsketch {

namespace {

using Text = std::string_view;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
// Characters that end a token. All others may be inside one, as in a path or an address.
constexpr bool is_delimiter(char c) { return is_blank(c) || Text("()[]{}<>\"'`,;=|&?*").find(c) != Text::npos; }
constexpr auto kDelimiters = [] {
  std::array<bool, 256> table{};
  for (int c = 0; c < 256; ++c) table[static_cast<std::size_t>(c)] = is_delimiter(static_cast<char>(c));
  return table;
}();
bool ends_token(char c) { return kDelimiters[static_cast<unsigned char>(c)]; }

template <class Is>
std::size_t run(Text text, std::size_t at, Is is) {
  std::size_t n = 0;
  while (at + n < text.size() && is(text[at + n])) ++n;
  return n;
}
template <class Is>
bool all(Text text, Is is) {
  return !text.empty() && run(text, 0, is) == text.size();
}

bool is_one_of(Text word, Text names) {  // names of three letters in a row
  if (word.size() != 3) return false;
  for (std::size_t i = 0; i < names.size(); i += 3)
    if (names.substr(i, 3) == word) return true;
  return false;
}
bool is_month(Text word) { return is_one_of(word, "JanFebMarAprMayJunJulAugSepOctNovDec"); }
bool is_weekday(Text word) { return is_one_of(word, "MonTueWedThuFriSatSun"); }

// 10:11, 10:11:12 or 10:11:12.345
bool is_clock(Text word) {
  const std::size_t hours = run(word, 0, is_digit);
  if (hours < 1 || hours > 2 || word.size() < hours + 3 || word[hours] != ':' || run(word, hours + 1, is_digit) != 2)
    return false;
  const Text rest = word.substr(hours + 3);
  if (rest.empty()) return true;
  return rest.size() >= 3 && rest[0] == ':' && run(rest, 1, is_digit) == 2 &&
         std::all_of(rest.begin() + 3, rest.end(),
                     [](char c) { return is_digit(c) || Text(".+-Z:").find(c) != Text::npos; });
}

// 2024-05-17, 2024/05/17, 17/May/2024 or 17-05-2024, and a clock behind it
bool is_date(Text word) {
  const std::size_t first = run(word, 0, is_digit);
  if ((first != 4 && first != 2 && first != 1) || word.size() < first + 3) return false;
  const char separator = word[first];
  if (separator != '-' && separator != '/') return false;
  const std::size_t digits = run(word, first + 1, is_digit), letters = run(word, first + 1, is_letter);
  const std::size_t second = first + 1 + std::max(digits, letters);
  if (letters ? !is_month(word.substr(first + 1, letters)) : digits < 1 || digits > 2) return false;
  if (second >= word.size() || word[second] != separator) return false;
  const std::size_t third = run(word, second + 1, is_digit);
  if (first == 4 ? third < 1 || third > 2 : third != 4) return false;
  const Text rest = word.substr(second + 1 + third);
  return std::all_of(rest.begin(), rest.end(),
                     [](char c) { return is_digit(c) || Text("T_:.+-Z").find(c) != Text::npos; });
}

// An IPv4 address with an optional port or prefix length, or an IPv6 address.
bool is_address(Text word) {
  if (word.starts_with('/')) word.remove_prefix(1);  // as Java prints it
  std::size_t at = 0, parts = 0;
  for (; parts < 4; ++parts) {
    const std::size_t n = run(word, at, is_digit);
    if (n < 1 || n > 3) break;
    at += n;
    if (parts < 3 && (at >= word.size() || word[at++] != '.')) break;
  }
  if (parts == 4) {
    if (at == word.size()) return true;
    return (word[at] == ':' || word[at] == '/') && all(word.substr(at + 1), is_digit);
  }
  const auto colons = std::count(word.begin(), word.end(), ':');
  return colons >= 2 && colons <= 8 &&
         std::all_of(word.begin(), word.end(), [](char c) { return is_hex(c) || c == ':'; }) &&
         (word.find("::") != Text::npos || colons == 7);
}

bool is_uuid(Text word) {
  if (word.size() != 36) return false;
  for (std::size_t i = 0; i < 36; ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? word[i] != '-' : !is_hex(word[i])) return false;
  }
  return true;
}

constexpr std::size_t kLeastHex = 8;  // no word has so many letters from a to f alone

bool is_hexadecimal(Text word) {
  if (word.size() > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X')) return all(word.substr(2), is_hex);
  return word.size() >= kLeastHex && all(word, is_hex) && std::any_of(word.begin(), word.end(), is_letter);
}

// Where the part of a pod's name begins that Kubernetes made up: web-7d9f8b6c5-x2x9z. 0: it is no such name.
std::size_t made_up_from(Text word) {
  const auto made_up = [](char c) { return Text("bcdfghjklmnpqrstvwxz2456789").find(c) != Text::npos; };
  const std::size_t last = word.rfind('-');
  if (last == Text::npos || last < 2 || word.size() - last - 1 != 5 || !all(word.substr(last + 1), made_up)) return 0;
  const std::size_t before = word.rfind('-', last - 1);
  if (before == Text::npos || before == 0) return 0;
  const Text hash = word.substr(before + 1, last - before - 1);
  const bool is_hash = hash.size() >= 8 && hash.size() <= 10 && std::any_of(hash.begin(), hash.end(), is_digit) &&
                       all(hash, [&](char c) { return made_up(c) || is_hex(c); });
  return is_hash ? before + 1 : 0;
}

bool is_mail(Text word) {
  const std::size_t at = word.find('@');
  return at != Text::npos && at > 0 && word.find('.', at) != Text::npos && word.find('/') == Text::npos;
}

// The length of a number with its sign and decimals at the start of a word, or 0.
std::size_t number_length(Text word) {
  std::size_t at = !word.empty() && (word[0] == '-' || word[0] == '+') ? 1 : 0;
  const std::size_t digits = run(word, at, is_digit);
  if (digits == 0) return 0;
  at += digits;
  while (at + 1 < word.size() && word[at] == '.' && is_digit(word[at + 1])) at += 1 + run(word, at + 1, is_digit);
  return at;
}

// Whether a word may be of any of the kinds: all have a digit, an @, a colon, or many letters from a to f.
bool may_vary(Text word) {
  std::size_t n_hex = 0;
  for (const char c : word) {
    if ((c >= '0' && c <= ':') || c == '@') return true;
    n_hex = is_hex(c) ? n_hex + 1 : 0;
    if (n_hex == kLeastHex) return true;
  }
  return false;
}

class Template {
 public:
  Template(Text line, std::string& out, std::vector<Text>* values) : line_(line), out_(out), values_(values) {}

  void write() {
    if (write_access()) return;
    while (at_ < line_.size()) {
      const char c = line_[at_];
      if (is_blank(c)) {
        while (at_ < line_.size() && is_blank(line_[at_])) ++at_;
        if (!ends_with(" ")) out_ += ' ';
      } else if ((c == '"' || c == '\'' || c == '`') && write_quoted(c)) {
      } else if (ends_token(c)) {
        if (!take_fraction()) out_ += line_[at_++];
      } else {
        write_token();
      }
    }
  }

 private:
  bool ends_with(Text end) const { return Text(out_).ends_with(end); }

  void replace(Text kind, Text value) {
    out_ += kind;
    if (values_) values_->push_back(value);
  }

  // 10:11:12,345: the milliseconds belong to the time.
  bool take_fraction() {
    if (line_[at_] != ',' || !ends_with("<time>")) return false;
    const std::size_t digits = run(line_, at_ + 1, is_digit);
    if (digits < 3 || digits > 9) return false;
    at_ += 1 + digits;
    return true;
  }

  bool write_quoted(char quote) {
    const bool opens = at_ == 0 || ends_token(line_[at_ - 1]) || line_[at_ - 1] == ':';
    const std::size_t end = opens ? line_.find(quote, at_ + 1) : Text::npos;
    if (end == Text::npos || (end + 1 < line_.size() && is_letter(line_[end + 1]))) return false;
    const Text inside = line_.substr(at_ + 1, end - at_ - 1);
    const bool is_message =
        ends_with("msg=") || ends_with("message=") || ends_with("error=") || ends_with("err=") || ends_with("] ");
    out_ += quote;
    if (is_message) {
      Template(inside, out_, values_).write();
    } else if (!inside.empty()) {
      replace("<text>", inside);
    }
    out_ += quote;
    at_ = end + 1;
    return true;
  }

  Text token_at(std::size_t at) const {
    std::size_t end = at;
    while (end < line_.size() && !ends_token(line_[end])) ++end;
    return line_.substr(at, end - at);
  }
  std::size_t behind_blanks(std::size_t at) const { return at + run(line_, at, is_blank); }

  // Jan 12 03:04:05, and a day of the week before it or a year after it. Returns its end, or 0.
  std::size_t named_date_end() const {
    std::size_t at = at_;
    if (is_weekday(token_at(at))) at = behind_blanks(at + 3);
    if (!is_month(token_at(at))) return 0;
    at = behind_blanks(at + 3);
    const Text day = token_at(at);
    if (day.size() > 2 || !all(day, is_digit)) return 0;
    at = behind_blanks(at + day.size());
    const Text clock = token_at(at);
    if (!is_clock(clock)) return 0;
    at += clock.size();
    const std::size_t next = behind_blanks(at);
    const Text year = token_at(next);
    return year.size() == 4 && all(year, is_digit) && next > at ? next + 4 : at;
  }

  // Jan 12 03:04:05 HOST program[123]: the name of the host, which syslog writes between time and program.
  void write_host() {
    const std::size_t begin = behind_blanks(at_);
    const Text host = token_at(begin);
    if (begin == at_ || host.empty() || host.back() == ':' || !std::any_of(host.begin(), host.end(), is_lower)) return;
    const std::size_t next = behind_blanks(begin + host.size());
    std::size_t end = next;  // of the program, which may have a part in parentheses: sshd(pam_unix)[123]:
    while (end < line_.size() && !is_blank(line_[end]) && line_[end] != ':') ++end;
    if (next == begin + host.size() || end == next || end >= line_.size() || line_[end] != ':') return;
    out_ += ' ';
    replace("<host>", host);
    at_ = begin + host.size();
  }

  void write_time(std::size_t end) {
    const Text value = line_.substr(at_, end - at_);
    const bool begins = at_ == 0 && !is_digit(line_[0]);
    at_ = end;
    if (ends_with("<time> ")) {  // a date and its clock are one time
      out_.pop_back();
    } else {
      replace("<time>", value);
      if (begins) write_host();
    }
  }

  void write_token() {
    Text token = token_at(at_);
    if (is_letter(token[0]))
      if (const std::size_t end = named_date_end()) return write_time(end);
    Text tail;
    while (token.size() > 1 && Text(".:!").find(token.back()) != Text::npos) {
      token.remove_suffix(1);
      tail = line_.substr(at_ + token.size(), tail.size() + 1);
    }
    if (is_digit(token[0]) && (is_date(token) || is_clock(token))) {
      write_time(at_ + token.size());
    } else if (ends_with("<time> ") && token.size() == 5 && (token[0] == '+' || token[0] == '-') &&
               all(token.substr(1), is_digit)) {  // the zone of a time
      out_.pop_back();
      at_ += token.size();
    } else {
      at_ += token.size();
      write_word(token);
    }
    out_ += tail;
    at_ += tail.size();
  }

  void write_word(Text word) {
    if (!may_vary(word)) {
      out_ += word;
      return;
    }
    if (is_address(word)) return replace("<ip>", word);
    if (is_uuid(word)) return replace("<id>", word);
    if (is_mail(word)) return replace("<mail>", word);
    if (const std::size_t begin = made_up_from(word)) {
      out_ += word.substr(0, begin);
      return replace("<id>", word.substr(begin));
    }
    if (const std::size_t n = number_length(word)) {
      const Text unit = word.substr(n);
      if (unit.empty() || unit == "%" || (unit.size() <= 3 && all(unit, is_letter) && !all(word, is_hex))) {
        replace("<num>", word.substr(0, n));
        out_ += unit;
        return;
      }
    }
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t n = run(word, at, [](char c) { return is_digit(c) || is_letter(c) || (c & 0x80) != 0; });
      if (n >= 2 && at > 0 && word[at - 1] == '%' && is_hex(word[at]) && is_hex(word[at + 1])) {
        out_ += word.substr(at, 2);  // %24 in a path stands for a character
        if (n > 2) write_part(word.substr(at + 2, n - 2));
      } else if (n && n < word.size() && is_hexadecimal(word.substr(at, n))) {
        replace("<num>", word.substr(at, n));  // one id in fifty has digits only: the others are of its template
      } else if (n) {
        write_part(word.substr(at, n));
      } else if (word[at] == '-' && at + 1 < word.size() && is_digit(word[at + 1]) && at > 0 && word[at - 1] == '_') {
        // blk_-123 and blk_123 are of one template
      } else {
        out_ += word[at];
      }
      at += std::max<std::size_t>(n, 1);
    }
  }

  // Letters and digits. Few digits behind letters belong to a name, as in utf8; three or more vary.
  void write_part(Text part) {
    if (all(part, is_digit)) return replace("<num>", part);
    if (is_hexadecimal(part)) return replace("<hex>", part);
    for (std::size_t at = 0; at < part.size();) {
      const std::size_t others = run(part, at, [](char c) { return !is_digit(c); });
      out_ += part.substr(at, others);
      at += others;
      const std::size_t digits = run(part, at, is_digit);
      if (digits >= 3) {
        replace("<num>", part.substr(at, digits));
      } else {
        out_ += part.substr(at, digits);
      }
      at += digits;
    }
  }

  // host ident user [17/May/2024:10:11:12 +0000] "GET /path HTTP/1.1" 200 123 ...
  bool write_access() {
    const std::size_t bracket = line_.find(" [");
    if (bracket == Text::npos || !is_date(token_at(bracket + 2))) return false;
    const std::size_t quote = line_.find("] \"", bracket);
    if (quote == Text::npos) return false;
    const std::size_t begin = quote + 3;
    std::size_t end = begin;  // of the request: a quote inside it is escaped
    while (end < line_.size() && (line_[end] != '"' || line_[end - 1] == '\\')) ++end;
    const Text after = line_.substr(std::min(end + 1, line_.size()));
    if (after.size() < 4 || after[0] != ' ' || run(after, 1, is_digit) != 3) return false;
    replace("", line_.substr(0, line_.find(' ')));  // who asked
    Text request = line_.substr(begin, end - begin);
    if (const std::size_t protocol = request.rfind(" HTTP/"); protocol != Text::npos)
      request = request.substr(0, protocol);
    const std::size_t query = request.find('?');
    Template path(request.substr(0, query), out_, values_);
    path.write();
    if (query != Text::npos) replace("?<query>", request.substr(query + 1));
    out_ += after.substr(0, 4);
    return true;
  }

  Text line_;
  std::string& out_;
  std::vector<Text>* values_;
  std::size_t at_ = 0;
};

}  // namespace

void append_template(std::string_view line, std::string& out, std::vector<std::string_view>* values) {
  Template(line, out, values).write();
}

}  // namespace wmsketch
