// Items out of the rows of a reader: an event log, or a column of text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "wmsketch/apps/pmi/pmi.hpp"
#include "wmsketch/apps/pmi/pmi_tokens.hpp"
#include "wmsketch/data/row_block.hpp"

namespace wmsketch {

// Where a tokenizer's tokens go.
struct PairSink {
  PairLearner& learner;
  void token(std::string_view name) { learner.add(name); }
  void end() { learner.end_sequence(); }
};

// How the names of features begin, as in `column=`; empty: no such column.
struct BlockColumns {
  std::string items, group, time;
};

// Learns each row's item, in the window of the row's group; with a tokenizer the item is a text of its own. A row
// without an item is passed over. Returns the first bad row and why, when the rows before it are learned.
std::optional<std::pair<std::size_t, std::string>> learn_block(PairLearner& learner, const RowBlock& block,
                                                               const BlockColumns& columns, Tokenizer* tokenizer);

}  // namespace wmsketch
