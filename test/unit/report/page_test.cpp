#include "core/report/page.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/drawing/xml_text.hpp"
#include "core/report/html.hpp"
#include "unit/drawing/svg_check.hpp"

namespace dpmix::test {
namespace {

// Everything that a page can show, each text the one given.
struct Filled {
  std::array<ReportedNoise, 20> noise;
  std::vector<ReportedGrant> grants;
  std::vector<ReportedCharge> charges;
  std::vector<ReportedMonth> months;
  std::vector<ReportedModel> models;
  std::vector<ReportedSchedule> schedules;
  std::vector<ReportedColumn> columns;
  std::vector<ReportedBudget> budgets;
  std::vector<ReportedAdoption> adoptions;
  std::vector<ReportedExposure> exposures;
  ReportFacts facts{};

  explicit Filled(std::string_view t) {
    noise.fill({t, "12.5"});
    noise[1].scale = t;
    grants = {{true, true, "", "", t, t, t, 3, .3, 0},
              {false, false, t, "2.5", t, t, t, 7, .7, 1e-9}};
    for (const std::string_view kind : {std::string_view("query"), std::string_view("gmm"), t}) {
      charges.push_back({1, t, t, t, kind, t, t, t, .1, 1e-9, noise});
      charges.back().granted_to = "other";
    }
    months = {{t, 12345, 12000, 300, 40, 5, 17.5, 1e-8}};
    models = {{t, t, t, t, t, t, t, 3, 1, 1e-7}};
    schedules = {{t, t, t, t, t, t, t, .1, 1e-9, 30, 1, true},
                 {t, t, t, t, t, t, t, .1, 0, 0, 0, false}};
    columns = {{t, t, t, t, t, 14, t}};
    budgets = {{t, "4", "0.000001", t, t}, {t, "2", "0", t, t}};
    adoptions = {{t, t, t}};
    exposures = {{t, t}};
    facts.table = facts.database = facts.version = facts.made_at = facts.time_zone = t;
    facts.active = true;
    facts.adjacency = "add_remove";
    facts.accountant = "renyi";
    facts.unit_through = "";
    facts.privacy_unit = facts.population = facts.label = facts.readers = facts.since = t;
    facts.rows_per_unit = 3;
    facts.epsilon = 4;
    facts.largest_epsilon = 5;
    facts.delta = facts.largest_delta = 1e-6;
    facts.epsilon_spent = 1.25;
    facts.epsilon_declared = 2.5;
    facts.share_spent = .42;
    facts.charges = 12348;
    facts.forecast = {t, t, t, "cost", 12, 34, 17.2, .05, 30};
    facts.picture = "<?xml version=\"1.0\"?>\n<svg width=\"9\"><rect/></svg>\n";
    facts.grants = grants;
    facts.newest = charges;
    facts.months = months;
    facts.models = models;
    facts.schedules = schedules;
    facts.columns = columns;
    facts.budgets = budgets;
    facts.adoptions = adoptions;
    facts.exposures = exposures;
    facts.grants_left = facts.models_left = facts.schedules_left = facts.columns_left = 1;
    facts.budgets_left = facts.adoptions_left = 1;
  }
};

std::string without_doctype(const std::string& page) {
  return page.substr(page.find("<html"));
}

// All tags with their attributes, in order.
std::vector<std::string> tags_of(const std::string& page) {
  std::vector<std::string> tags;
  for (std::size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at)) {
    const std::size_t end = page.find('>', at);
    tags.push_back(page.substr(at, end - at));
    at = end;
  }
  return tags;
}

// An attribute such as onload.
bool has_handler(const std::string& tag) {
  for (std::size_t at = tag.find(" on"); at != std::string::npos; at = tag.find(" on", at + 1)) {
    const std::size_t end = tag.find_first_not_of("abcdefghijklmnopqrstuvwxyz", at + 1);
    if (end != std::string::npos && tag[end] == '=') return true;
  }
  return false;
}

bool says(const ReportFacts& facts, std::string_view words) {
  return report_page(facts).find(words) != std::string::npos;
}

TEST(Report, ForecastsFromEnoughDataOnly) {
  Filled filled("t");
  const auto early = [&](std::int64_t charges, double days, std::int64_t left = 34) {
    filled.facts.forecast.charges = charges;
    filled.facts.forecast.days = days;
    filled.facts.forecast.charges_left = left;
    EXPECT_NE(says(filled.facts, "too early"),
              says(filled.facts, "budget lasts until") || left == 0);
    return says(filled.facts, "<b>too early</b>");
  };
  EXPECT_FALSE(early(10, 3));
  EXPECT_TRUE(early(9, 3));
  EXPECT_TRUE(early(10, 2.9));
  EXPECT_FALSE(early(1, 0, 0));  // used up is used up
}

TEST(Report, ScaleOfRiskIsInOrder) {
  Filled filled("t");
  filled.facts.largest_epsilon = 2;
  filled.facts.epsilon_spent = .5;
  const std::string page = report_page(filled.facts);
  std::size_t at = page.find("At most times as likely");
  for (const char* factor : {">1.11<", ">1.65<", ">2.72<", ">7.39<", ">54.6<", ">2"}) {
    at = page.find(factor, at + 1);
    EXPECT_NE(at, std::string::npos) << factor;
  }
  filled.facts.largest_epsilon = 100;
  EXPECT_TRUE(says(filled.facts, "over a million"));
}

TEST(Report, RepeatedReleasesAreOneRow) {
  Filled filled("t");
  ReportedCharge charge = filled.charges[0];
  std::vector<ReportedCharge> list;
  const auto add = [&](std::string_view at, std::string_view text, double epsilon) {
    charge.at = at;
    charge.text = text;
    charge.epsilon = epsilon;
    list.push_back(charge);
  };
  for (const std::string_view at : {"day 9", "day 8", "day 7"}) {
    add(at, "SELECT nightly", .25);
    add(at, "SELECT nightly", .5);  // at another price
  }
  add("day 1", "SELECT once", .25);
  filled.facts.newest = list;
  filled.facts.months = {};
  const std::string page = report_page(filled.facts);
  const auto count = [&](std::string_view words) {
    std::size_t found = 0;
    for (std::size_t at = page.find(words); at != std::string::npos; at = page.find(words, at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count("SELECT nightly"), 2u);
  EXPECT_EQ(count("SELECT once"), 1u);
  EXPECT_EQ(count("3 times since"), 2u);
  EXPECT_EQ(count("day 7"), 2u);
  EXPECT_EQ(count("together 0.75"), 1u);
  EXPECT_EQ(count("together 1.5"), 1u);
}

TEST(Report, NoTextBecomesMarkup) {
  const std::string plain = report_page(Filled("a name").facts);
  EXPECT_TRUE(well_formed(without_doctype(plain)));
  std::string control;
  for (int i = 1; i < 256; ++i) control += static_cast<char>(i);
  const std::string hostile[] = {"<script>alert(1)</script>",
                                 "\" onmouseover=\"alert(1)\" x=\"",
                                 "' onclick='alert(1)",
                                 "</style><script src=http://x></script>",
                                 "--></title><img src=x onerror=alert(1)>",
                                 "<![CDATA[ ]]> &lt;b&gt; &amp; &#60;b&#62; &",
                                 "javascript:alert(1)",
                                 "\xE2\x80\xAE"
                                 "right to left",
                                 "\xF0\x9F\x98\x80 \xC3\xA4 \xC3 \xED\xA0\x80 \xF4\x90\x80\x80",
                                 control,
                                 std::string(100000, '<'),
                                 std::string(100000, 'W')};
  for (const std::string& text : hostile) {
    const Filled filled(text);
    const std::string page = report_page(filled.facts);
    EXPECT_TRUE(well_formed(without_doctype(page)));
    EXPECT_EQ(tags_of(page), tags_of(plain)) << text.substr(0, 80);
    EXPECT_LT(page.size(), plain.size() + 250000);  // whatever is long is cut
  }
}

TEST(Report, LoadsAndRunsNothing) {
  const std::string page = report_page(Filled("text").facts);
  for (const std::string& tag : tags_of(page)) {
    for (const char* reference : {" src=", " href=", "<script", "<link", "<iframe", "<object",
                                  "<form", "url(", "@import"}) {
      EXPECT_FALSE(contains(tag, reference)) << tag;
    }
    EXPECT_FALSE(has_handler(tag)) << tag;
  }
  for (const char* reference : {"url(", "@import", "http:", "https:"}) {
    EXPECT_FALSE(contains(page, reference));
  }
  EXPECT_TRUE(contains(page, "default-src 'none'"));
  EXPECT_EQ(page, report_page(Filled("text").facts));
}

// With nothing to list a page is a page.
TEST(Report, OfATableWithoutCharges) {
  ReportFacts facts{};
  facts.table = "t";
  facts.active = true;
  facts.adjacency = "replace";
  facts.accountant = "basic";
  facts.epsilon = facts.largest_epsilon = 1;
  const ReportedBudget budget{"2026-01-01 00:00", "1", "0", "anna", "protect"};
  facts.budgets = {&budget, 1};
  facts.forecast.days_left = std::numeric_limits<double>::infinity();
  const std::string page = report_page(facts);
  EXPECT_TRUE(well_formed(without_doctype(page)));
  EXPECT_TRUE(contains(page, "Nothing so far."));
  EXPECT_TRUE(contains(page, "no pace to tell from"));
  EXPECT_FALSE(contains(page, "nan"));
  EXPECT_FALSE(contains(page, "Stored models"));
  facts.active = false;
  EXPECT_TRUE(contains(report_page(facts), "no longer protected"));
}

// The promise in words is never stronger than the guarantee in numbers.
TEST(Report, BoundsAreRoundedUp) {
  Filled filled("x");
  filled.facts.budgets = filled.facts.budgets.first(1);
  filled.facts.budgets_left = 0;
  for (double epsilon = .001; epsilon < 13; epsilon *= 1.07) {
    filled.facts.largest_epsilon = epsilon;
    const std::string page = report_page(filled.facts);
    const std::size_t at = page.find("becomes more than ");
    ASSERT_NE(at, std::string::npos);
    std::string digits = page.substr(at + 18, page.find(" times", at) - at - 18);
    for (std::size_t gap; (gap = digits.find("&#8239;")) != std::string::npos;)
      digits.erase(gap, 7);
    const double told = std::stod(digits);
    EXPECT_GE(told, std::exp(epsilon) * (1 - 1e-9)) << epsilon;
    EXPECT_LE(told, std::exp(epsilon) * 1.011) << epsilon;
  }
  for (const double delta : {1e-6, 3e-7, 1e-5, .3, .49, 7e-12}) {
    filled.facts.largest_delta = delta;
    const std::string page = report_page(filled.facts);
    const std::size_t at = page.find("probability of 1 in ");
    ASSERT_NE(at, std::string::npos) << delta;
    std::string digits = page.substr(at + 20, page.find(". This is", at) - at - 20);
    for (std::size_t gap; (gap = digits.find("&#8239;")) != std::string::npos;)
      digits.erase(gap, 7);
    EXPECT_GE(1 / std::stod(digits), delta);
    EXPECT_LE(1 / std::stod(digits), delta * 1.6);
  }
  filled.facts.largest_epsilon = 1e7;
  EXPECT_TRUE(contains(report_page(filled.facts), "promises next to nothing"));
  EXPECT_TRUE(
      contains(report_page(filled.facts), "e to the power of 10&#8239;000&#8239;000 times"));
}

TEST(Report, SaysWhoseDataIsProtected) {
  const auto page = [](std::string_view adjacency, std::string_view unit,
                       std::string_view population = "") {
    Filled filled("x");
    filled.facts.adjacency = adjacency;
    filled.facts.privacy_unit = unit;
    filled.facts.population = population;
    filled.facts.label = "diagnosis";
    return report_page(filled.facts);
  };
  EXPECT_TRUE(contains(page("add_remove", ""), "if any one row had been missing"));
  EXPECT_TRUE(contains(page("add_remove", ""), "protected row by row"));
  EXPECT_TRUE(contains(page("add_remove", "patient"),
                       "if all rows of any one value of <bdi>patient</bdi> had been missing"));
  EXPECT_FALSE(contains(page("add_remove", "patient"), "protected row by row"));
  EXPECT_TRUE(contains(page("replace", ""), "How many rows there are counts as public"));
  EXPECT_TRUE(contains(page("label", ""), "the value of <bdi>diagnosis</bdi> in any one row"));
  for (const std::string_view adjacency : {"add_remove", "replace"}) {
    const std::string all = page(adjacency, "pid", "clinic");
    EXPECT_TRUE(contains(all, "releases about the tables of population <bdi>clinic</bdi>"));
    EXPECT_TRUE(contains(all, "named by <bdi>pid</bdi> here, in all of these tables"));
    EXPECT_TRUE(contains(all, "Protected tables outside this population"));
  }
}

// A row that names another one is not a person's own, and not a unit either.
TEST(Report, SaysThroughWhichTableAPersonIsFound) {
  Filled filled("x");
  filled.facts.adjacency = "add_remove";
  filled.facts.privacy_unit = "";
  filled.facts.population = "shop";
  filled.facts.unit_through = "public.orders";
  const std::string all = report_page(filled.facts);
  EXPECT_TRUE(
      contains(all, "person, found through <bdi>public.orders</bdi> here, in all of these"));
  EXPECT_TRUE(contains(all, "found through <bdi>public.orders</bdi> alone"));
  EXPECT_FALSE(contains(all, "protected row by row"));
  filled.facts.unit_through = "<i>";
  EXPECT_FALSE(contains(report_page(filled.facts), "<i>"));
}

// Of a table with blocks the promise is about one block, and somebody in 30 is promised less.
TEST(Report, SaysWhatBlocksPromise) {
  const auto page = [](bool gaussian, double epsilon, double delta) {
    Filled filled("x");
    filled.facts.adjacency = "add_remove";
    filled.facts.accountant = "gdp";
    filled.facts.privacy_unit = filled.facts.population = "";
    filled.facts.largest_epsilon = epsilon;
    filled.facts.largest_delta = delta;
    filled.facts.blocks = {"day", "1 day each", "block 3", .042, gaussian};
    return report_page(filled.facts);
  };
  const std::string all = page(true, 1, 1e-6);
  EXPECT_TRUE(contains(all, "within one block of <bdi>day</bdi> (1 day each) any one row"));
  EXPECT_TRUE(contains(all, "with rows in 30 of them &#949; = 6.34 in place of 1"));
  EXPECT_TRUE(contains(all, "&#949; = 20.7, if it reads 7 of them together; &#949; = 55.5"));
  EXPECT_TRUE(contains(all, "that of block 3, the fullest"));
  EXPECT_TRUE(contains(all, "4.2&#8239;%"));
  EXPECT_TRUE(contains(page(false, .1, 1e-9), "&#949; = 3 and &#948; = "));
  EXPECT_TRUE(contains(page(false, 1, 1e-6), "&#949; = 30, at a &#948; above 1"));
  EXPECT_TRUE(contains(page(true, 1, 0), "&#949; = 30. This is group privacy"));
  Filled none("x");
  EXPECT_FALSE(contains(report_page(none.facts), "in several blocks"));
}

// Of a population with blocks it is about a person and a block, and budgets of several add up.
TEST(Report, SaysWhatBlocksOfAPopulationPromise) {
  const auto page = [](bool gaussian, double delta) {
    Filled filled("x");
    filled.facts.adjacency = "add_remove";
    filled.facts.accountant = "gdp";
    filled.facts.population = "patients";
    filled.facts.privacy_unit = "pid";
    filled.facts.largest_epsilon = 1;
    filled.facts.largest_delta = delta;
    filled.facts.blocks = {"", "1 year each", "what is in no block", .042, gaussian, true};
    return report_page(filled.facts);
  };
  const std::string all = page(true, 1e-6);
  EXPECT_TRUE(contains(all,
                       "within one block of time (1 year each), or of all that is in no block, "
                       "all rows of any one person"));
  EXPECT_TRUE(contains(all, "who is there in k blocks, k + 1 budgets are promised together"));
  EXPECT_TRUE(contains(all, "at the &#948; of one block"));
  EXPECT_TRUE(contains(all, "3.58"));
  EXPECT_TRUE(contains(all, "1.1e-05") || contains(all, "1.1e-5"));
  EXPECT_TRUE(contains(all, "that of what is in no block, the fullest"));
  EXPECT_FALSE(contains(all, "in several blocks less is promised"));
  for (const std::string& other : {page(false, 1e-6), page(true, 0)}) {
    EXPECT_FALSE(contains(other, "at the &#948; of one block"));
    EXPECT_FALSE(contains(other, "3.58"));
    EXPECT_TRUE(contains(other, "k + 1 budgets"));
  }
}

std::string between(const std::string& page, std::string_view from, std::string_view to) {
  const std::size_t at = page.find(from);
  return at == std::string::npos ? std::string() : page.substr(at, page.find(to, at) - at);
}

// How full the budget is, is said once, as the ledger decides it.
TEST(Report, OneNumberSaysHowMuchIsUsed) {
  Filled filled("x");
  filled.facts.epsilon = 4;
  filled.facts.epsilon_spent = 2.125;
  filled.facts.epsilon_declared = 17.25;
  filled.facts.share_spent = .16;
  const std::string page = report_page(filled.facts);
  const std::string left = between(page, "<h2>What is left</h2>", "</section>");
  EXPECT_TRUE(contains(page, "<b>16&#8239;%</b>"));
  EXPECT_TRUE(contains(left, "16&#8239;% of the budget is used"));
  for (const char* other : {"2.125", "17.25", "53", "1.875"}) {
    EXPECT_FALSE(contains(left, other)) << other;
  }
  const std::string promised =
      between(page, "<h2>What is promised</h2>", "<h2>What is not promised</h2>");
  EXPECT_TRUE(contains(promised, "(&#949; = 2.125 at the same &#948;)"));
  EXPECT_TRUE(contains(promised, "<svg width"));
}

TEST(Report, NoPromiseStandsUnderWhatIsNotPromised) {
  Filled filled("x");
  filled.facts.adjacency = "add_remove";
  filled.facts.privacy_unit = "pid";
  filled.facts.rows_per_unit = 3;
  filled.facts.accountant = "gdp";
  filled.facts.blocks = {"day", "1 day each", "block 3", .042, true};
  const std::string page = report_page(filled.facts);
  const std::string promised =
      between(page, "<h2>What is promised</h2>", "<h2>What is not promised</h2>");
  const std::string not_promised = between(page, "<h2>What is not promised</h2>", "</section>");
  EXPECT_TRUE(contains(promised, "weighed down to that of at most 3 rows"));
  EXPECT_TRUE(contains(promised, "To somebody with rows in several blocks less is promised"));
  EXPECT_TRUE(contains(promised, "before it joined the population is part of all this"));
  for (const char* words :
       {"weighed down", "covered, too", "&#949;", "counts here", "noise covers"}) {
    EXPECT_FALSE(contains(not_promised, words)) << words;
  }
}

TEST(Report, OfAPopulationNamesItsTables) {
  for (const std::string_view text : {"a name", "</td><script>alert(1)</script>"}) {
    Filled filled("x");
    const ReportedTable tables[] = {{text, "pid", "", 20, 12345, true},
                                    {"ward.lab", "", text, 50, 0, false}};
    filled.facts.tables = tables;
    filled.facts.adjacency = "add_remove";
    filled.facts.population = filled.facts.table = "clinic";
    filled.facts.rows_per_unit = 50;
    const std::string page = report_page(filled.facts);
    EXPECT_TRUE(well_formed(without_doctype(page)));
    EXPECT_FALSE(contains(page, "<script"));
    EXPECT_TRUE(contains(page, "<h1>Population <bdi>clinic</bdi></h1>"));
    EXPECT_TRUE(contains(page, "<title>Privacy report: population clinic</title>"));
    const std::string list = between(page, "<h2>The tables</h2>", "</section>");
    EXPECT_TRUE(contains(list, "<bdi>pid</bdi>"));
    EXPECT_TRUE(contains(list, "found through <bdi>"));
    EXPECT_TRUE(contains(list, ">20</td>") && contains(list, ">50</td>"));
    EXPECT_TRUE(contains(list, "12&#8239;345"));
    EXPECT_TRUE(contains(list, "(no longer)"));
    EXPECT_TRUE(contains(page, "all rows of any one person, named as the list above says, in all"));
    EXPECT_TRUE(contains(page, "at most so many rows as the list above says"));
  }
}

// A name that turns the direction of writing could look like another one.
TEST(Html, TextKeepsItsDirection) {
  EXPECT_EQ(Html::text("a\xE2\x80\xAEx\xE2\x81\xA6y").str(), "a&#65533;x&#65533;y");
  EXPECT_EQ(svg_text("\xE2\x80\xAA\xE2\x81\xA9\xE2\x80\xA9\xE2\x81\xAA", 100),
            "&#65533;&#65533;&#8233;&#8298;");
}

TEST(Html, NumbersAreShort) {
  EXPECT_EQ(number(12345.678, 4).str(), "12&#8239;346");
  EXPECT_EQ(number(1234567, 6).str(), "1.23457e6");
  EXPECT_EQ(number(.000012).str(), "1.2e-5");
  EXPECT_EQ(number(-1234).str(), "-1&#8239;234");
  EXPECT_EQ(number(NAN).str(), "&#8211;");
  EXPECT_EQ(count(1234567).str(), "1&#8239;234&#8239;567");
  EXPECT_EQ(count(-123).str(), "-123");
}

}  // namespace
}  // namespace dpmix::test
