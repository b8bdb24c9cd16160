// Learns items from rows of a reader: an event log, or a column of text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "wmsketch/apps/pmi/pmi.hpp"
#include "wmsketch/apps/pmi/pmi_tokens.hpp"
#include "wmsketch/data/row_block.hpp"

namespace wmsketch {

// The sink of a tokenizer.
struct PairSink {
  PairLearner& learner;
  void token(std::string_view name) { learner.add(name); }
  void end() { learner.end_sequence(); }
};

// Names of columns; empty: no such column.
struct BlockColumns {
  std::string items, group, time;
};

// Learns the item of each row in the window of the row's group. If it is `text`, it has a sequence of its own. Rows
// without an item are skipped. Returns the first bad row and the reason; the rows before it are learned.
std::optional<std::pair<std::size_t, std::string>> learn_block(PairLearner& learner, const RowBlock& block,
                                                               const BlockColumns& columns, Tokenizer& tokenizer,
                                                               bool text);

}  // namespace wmsketch
