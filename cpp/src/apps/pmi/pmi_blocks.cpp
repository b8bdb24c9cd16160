#include "wmsketch/apps/pmi/pmi_blocks.hpp"

#include "wmsketch/readers/times.hpp"

namespace wmsketch {
namespace {

struct Event {
  std::string item, group, time;
};

Event event_of(const RowBlock& block, std::size_t row, const BlockColumns& columns) {
  Event event;
  std::string scratch;
  for (auto i = block.starts[row]; i < block.starts[row + 1]; ++i) {
    const RowBlock::Cell cell = block.cell(static_cast<std::size_t>(i), scratch);
    if (cell.is_number) continue;
    if (cell.column == columns.items) event.item = cell.word;  // one column may have several roles
    if (cell.column == columns.group) event.group = cell.word;
    if (cell.column == columns.time) event.time = cell.word;
  }
  return event;
}

}  // namespace

std::optional<std::pair<std::size_t, std::string>> learn_block(PairLearner& learner, const RowBlock& block,
                                                               const BlockColumns& columns, Tokenizer& tokenizer,
                                                               bool text) {
  PairSink sink{learner};
  for (std::size_t row = 0; row < block.size(); ++row) {
    const Event event = event_of(block, row, columns);
    if (event.item.empty()) continue;
    if (text) {
      tokenizer.feed(event.item, sink);
      tokenizer.finish(sink);
      continue;
    }
    double seconds = 0;
    if (!columns.time.empty()) {
      const auto found = seconds_in(event.time);
      if (!found)
        return std::pair(row, event.time.empty() ? "expected a time, found none"
                                                 : "expected a time (a number of seconds, or like 2024-05-17 "
                                                   "08:30:00), found \"" +
                                                       event.time.substr(0, 40) + "\"");
      seconds = *found;
    }
    if (!columns.group.empty()) learner.choose_group(learner.key_of(event.group));
    learner.add(tokenizer.item_of(event.item), seconds);
  }
  return std::nullopt;
}

}  // namespace wmsketch
