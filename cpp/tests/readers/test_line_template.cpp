#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wmsketch/readers/line_template.hpp"
#include "wmsketch/readers/log_lines.hpp"

namespace wmsketch {
namespace {

std::string template_of(std::string_view line) {
  std::string text;
  append_template(line, text);
  return text;
}

TEST(LineTemplate, ReplacesWhatVaries) {
  const std::vector<std::pair<std::string_view, std::string_view>> lines = {
      {"Jun  9 06:07:04 combo sshd(pam_unix)[19939]: failure; uid=0 rhost=218.188.2.4",
       "<time> <host> sshd(pam_unix)[<num>]: failure; uid=<num> rhost=<ip>"},
      {"[Sun Dec 04 04:47:44 2005] [error] child in error state 6", "[<time>] [error] child in error state <num>"},
      {"2015-10-18 18:01:47,978 INFO [main] started", "<time> INFO [main] started"},
      {"2024-05-17T10:11:12.123Z level=error msg=\"cannot open 12\" user='bob'",
       "<time> level=error msg=\"cannot open <num>\" user='<text>'"},
      {"Receiving block blk_-1608999687 src: /10.250.19.102:54106", "Receiving block blk_<num> src: <ip>"},
      {"took 12ms, 55% of 3.5 s", "took <num>ms, <num>% of <num> s"},
      {"id 3f2504e0-4f89-11d3-9a0c-0305e82c3301 at 0x7fff12 sha deadbeef01 or deadbeef",
       "id <id> at <hex> sha <hex> or <hex>"},
      {"mail to bob@example.org bounced", "mail to <mail> bounced"},
      {"listening on ::1 and fe80::1", "listening on <ip> and <ip>"},
      {"it's fine, don't worry", "it's fine, don't worry"},
      {"utf8 in v1 of user12345", "utf8 in v1 of user<num>"},
  };
  for (const auto& [line, expected] : lines) EXPECT_EQ(template_of(line), expected);
}

TEST(LineTemplate, OfAnAccessLogIsTheRequestAndItsStatus) {
  EXPECT_EQ(
      template_of(R"(10.0.0.1 - - [17/May/2024:10:11:12 +0000] "GET /cart%24/12?x=1 HTTP/1.1" 404 512 "-" "curl/8")"),
      "GET /cart%24/<num>?<query> 404");
  EXPECT_EQ(template_of(R"(host - bob [17/May/2024:10:11:12 +0000] "-" 408 -)"), "- 408");
}

TEST(LineTemplate, GivesTheReplacedParts) {
  std::string text;
  std::vector<std::string_view> values;
  append_template("user 17 from 10.0.0.1", text, &values);
  EXPECT_EQ(values, (std::vector<std::string_view>{"17", "10.0.0.1"}));
}

TEST(LineTemplate, OfAnyBytesEnds) {
  for (const char* line :
       {"\"", "'", "[", "a\"", "- - [", " [1/Jan/2020] \"", "\xff\xfe 12", "::", "0x", ".", "...", "-"})
    template_of(line);
}

TEST(LogLines, MakeOneRowOfATrace) {
  LogLineParser parser;
  const auto rows = parser.feed(
      "start 1\nTraceback (most recent call last):\n  File \"a.py\", line 3, in f\n    f()\nValueError: bad 12\n"
      "java.io.IOException: no\n\tat A.b(A.java:1)\n\tat C.d(C.java:2)\nend\n",
      true);
  EXPECT_EQ(rows->size(), 4u);
}

TEST(LogLines, MakeOneRowOfEachExceptionOfAChain) {
  LogLineParser parser;
  const auto rows = parser.feed(
      "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\nKeyError: 'x'\n\n"
      "During handling of the above exception, another exception occurred:\n\n"
      "Traceback (most recent call last):\n  File \"a.py\", line 5, in g\nValueError: bad\n",
      true);
  EXPECT_EQ(rows->size(), 2u);
}

TEST(LineTemplate, KnowsTheHostOfSyslog) {
  EXPECT_EQ(template_of("May 17 00:00:00 web0 sshd[123]: done"), "<time> <host> sshd[<num>]: done");
  EXPECT_EQ(template_of("Jun  9 06:07:04 combo sshd(pam_unix)[1]: x"), "<time> <host> sshd(pam_unix)[<num>]: x");
  EXPECT_EQ(template_of("May 17 00:00:00 kernel: done"), "<time> kernel: done");
  EXPECT_EQ(template_of("May 17 00:00:00 INFO main: done"), "<time> INFO main: done");
  EXPECT_EQ(template_of("at May 17 00:00:00 web0 sshd: done"), "at <time> web0 sshd: done");
  EXPECT_EQ(template_of("E1 failed err=\"no route to 10.0.0.1\""), "E1 failed err=\"no route to <ip>\"");
}

TEST(LogLines, KeepTheFirstLineOfATemplate) {
  LogLineParser parser;
  parser.look_for({"start <num>", "stop", "a long li"}, {false, false, true});
  parser.feed("start 7\nstart 8\na long line\n", true);
  EXPECT_EQ(parser.example(0), "start 7");
  EXPECT_EQ(parser.example(1), "");
  EXPECT_EQ(parser.example(2), "a long line");
  EXPECT_EQ(parser.n_missing(), 1u);
}

}  // namespace
}  // namespace wmsketch
