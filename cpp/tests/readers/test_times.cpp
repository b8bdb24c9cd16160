#include <gtest/gtest.h>

#include <string>

#include "wmsketch/readers/times.hpp"

namespace wmsketch {
namespace {

TEST(Times, ReadsWhatPeopleWrite) {
  const auto noon = calendar_seconds("2024-05-17 12:00");
  ASSERT_TRUE(noon);
  for (const char* same :
       {"2024-05-17T12:00:00Z", "2024/05/17 12:00", "2024-05-17T14:00:00+02:00", "17/May/2024:12:00:00 +0000",
        "[17/May/2024:12:00:00 +0000]", "17.5.2024 12:00", "17 May 2024 12:00", "17-May-2024 12:00:00",
        "May 17, 2024 12:00 PM", "Fri, 17 May 2024 12:00:00 GMT", " 2024-05-17 12:00 "})
    EXPECT_EQ(calendar_seconds(same), noon) << same;
  EXPECT_EQ(calendar_seconds("5/17/2024 12:00 PM", ColumnKind::time_mdy), noon);
  EXPECT_EQ(calendar_seconds("17/5/2024 12:00", ColumnKind::time_dmy), noon);
  for (const char* none : {"", "2024", "5/17/2024", "2024-02-30", "2024-05-17 25:00", "2024-05-17 12", "1.2.3",
                           "10.0.0.1", "12:30", "2024-05-17-3", "17 May", "May", "2024-05-17 13:00 PM"})
    EXPECT_FALSE(calendar_seconds(none)) << none;
}

TEST(Times, GivesTheirParts) {
  const TimeParts parts = parts_of(*calendar_seconds("2024-05-18 21:59:59.9"));
  EXPECT_EQ(parts.words[0], "21");
  EXPECT_EQ(parts.words[1], "Sat");
  EXPECT_EQ(parts.words[2], "May");
  EXPECT_FALSE(parts.is_midnight);
  const TimeParts before = parts_of(*calendar_seconds("1969-12-31"));
  EXPECT_EQ(before.words[1], "Wed");
  EXPECT_TRUE(before.is_midnight);
}

TEST(Times, OneDateShowsWhichNumberIsTheMonth) {
  TimeGuess guess;
  for (int i = 0; i < 10; ++i) guess.add("3/4/2024");
  EXPECT_EQ(guess.kind(10), ColumnKind::text);
  EXPECT_TRUE(guess.is_unclear(10));
  guess.add("3/14/2024");
  EXPECT_EQ(guess.kind(11), ColumnKind::time_mdy);
  guess.add("14/3/2024");
  EXPECT_EQ(guess.kind(12), ColumnKind::text);
}

TEST(Times, NumbersAreTimesByTheNameOfTheirColumn) {
  for (const char* name : {"timestamp", "event_timestamp", "ts", "unix_time", "epoch_ms", "request.ts"})
    EXPECT_TRUE(names_epoch(name)) << name;
  for (const char* name : {"points", "costs", "price", "id", "time"}) EXPECT_FALSE(names_epoch(name)) << name;
  EXPECT_EQ(epoch_seconds(1.7e9), 1.7e9);
  EXPECT_EQ(epoch_seconds(1.7e12), 1.7e9);
  EXPECT_FALSE(epoch_seconds(1234));
}

}  // namespace
}  // namespace wmsketch
