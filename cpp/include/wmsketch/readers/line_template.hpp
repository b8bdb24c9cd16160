// The template of a log line: its text, with the parts that vary from line to line replaced by their kind.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wmsketch {

// Appends the template of a line to `out`. Times become <time>, numbers <num>, network addresses <ip>, long hexadecimal
// words <hex>, identifiers <id>, mail addresses <mail> and quoted text "<text>". A line of an access log becomes its
// request and status, as in `GET /cart/<num> 404`. The template depends on the line alone, never on lines before it,
// so templates of two streams agree and counts of templates can be merged.
// `values`, if given, receives the replaced parts in their order; they point into `line`.
void append_template(std::string_view line, std::string& out, std::vector<std::string_view>* values = nullptr);

}  // namespace wmsketch
