#include "core/report/promise.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/accounting/many_blocks.hpp"

namespace dpmix {
namespace {

constexpr double kMostFactor = 1e6;  // beyond, a bound on probabilities says nothing to a reader

// Digits of e^epsilon as a bound: up to three, rounded up.
Html factor(double epsilon) {
  const double exact = std::exp(epsilon);
  const double unit = std::pow(10, std::floor(std::log10(exact)) - 2);
  return number(std::ceil(exact / unit * (1 - 1e-12)) * unit, 3);
}

// A small probability, never told smaller than it is.
Html chance(double delta) {
  const double one_in = std::floor(1 / delta);
  if (one_in < 2 || one_in > 1e15) return number(delta, 3);
  return Html("1 in ") + count(static_cast<long long>(one_in));
}

// What neighbours differ in, after "if".
Html difference_in_all(const ReportFacts& facts) {
  if (facts.adjacency == "label") {
    return Html("the value of ") + name_of(facts.label) +
           " in any one row had been another. Every other column counts as public";
  }
  const bool rows = facts.privacy_unit.empty();
  const Html whose = rows ? Html("any one row")
                          : Html("all rows of any one value of ") + name_of(facts.privacy_unit);
  if (!facts.population.empty()) {
    const Html named = !facts.tables.empty() ? Html("named as the list above says")
                       : facts.unit_through.empty()
                           ? Html("named by ") + name_of(facts.privacy_unit) + " here"
                           : Html("found through ") + name_of(facts.unit_through) + " here";
    const Html all = Html("all rows of any one person, ") + named + ", in all of these tables";
    return facts.adjacency == "replace"
               ? all + " had held other values. How many persons there are counts as public"
               : all + " had been missing, or those of one more person had been in them";
  }
  if (facts.adjacency == "replace") {
    return whose + " had held other values. How many " +
           (rows ? Html("rows there are") : Html("such values there are")) + " counts as public";
  }
  return whose + " had been missing from the table" +
         (rows ? Html(", or one more row had been in it")
               : Html(", or those of one more value had been in it"));
}

Html difference(const ReportFacts& facts) {
  const Html all = difference_in_all(facts);
  if (facts.blocks.of_population) {
    return Html("within one block of time (") + Html::text(facts.blocks.width) +
           "), or of all that is in no block, " + all;
  }
  if (facts.blocks.column.empty()) return all;
  return Html("within one block of ") + name_of(facts.blocks.column) + " (" +
         Html::text(facts.blocks.width) + ") " + all;
}

BlockBudget block_budget(const ReportFacts& facts) {
  const auto accountant = accountant_of(facts.accountant);
  return {facts.largest_epsilon,
          facts.largest_delta,
          {accountant.value_or(Accountant::basic), facts.order}};
}

// Somebody who is in a population with blocks for some time: whole budgets add up.
Html promise_over_time(const ReportFacts& facts) {
  const BlockBudget budget = block_budget(facts);
  const bool gaussian = facts.blocks.gaussian && budget.delta > 0;
  std::vector<std::vector<Html>> rows;
  for (const int blocks : {1, 2, 5, 10, 30}) {
    const ManyBlocks sum = sum_of_blocks(budget, blocks + 1);
    rows.push_back({count(blocks), number(sum.epsilon, 6), number(sum.delta, 3)});
    if (gaussian) rows.back().push_back(number(epsilon_of_many_blocks(budget, blocks + 1, 1), 3));
  }
  Html out(
      "<p>The budget is for each person and block, for ever, and once more for what is in no "
      "block, which each release that reads such tables pays and which never renews. To somebody "
      "who is there in k blocks, k + 1 budgets are promised together:</p>\n");
  out += gaussian ? table({{"Blocks of a person", Column::numbers},
                           {"&#949;", Column::numbers},
                           {"&#948;", Column::numbers},
                           {"&#949; at the &#948; of one block", Column::numbers}},
                          rows)
                  : table({{"Blocks of a person", Column::numbers},
                           {"&#949;", Column::numbers},
                           {"&#948;", Column::numbers}},
                          rows);
  if (gaussian) {
    out +=
        "<p class=\"soft\">The last column holds as long as all releases have Gaussian noise and "
        "no other part, as all had so far; the others hold for all releases.</p>\n";
  }
  return out;
}

// Somebody whose rows are in many blocks.
Html promise_over_blocks(const ReportFacts& facts) {
  constexpr int many = 30, some = 7;
  const BlockBudget budget = block_budget(facts);
  Html out(
      "<p>The budget is that of each block. To somebody with rows in several blocks less is "
      "promised: with rows in ");
  out += count(many) + " of them ";
  if (facts.blocks.gaussian && budget.delta > 0) {
    const auto epsilon = [&](int together) {
      return Html("&#949; = ") + number(epsilon_of_many_blocks(budget, many, together), 3);
    };
    out += epsilon(1);
    out += Html(" in place of ") + number(budget.epsilon, 6) +
           " at the same &#948;, if each noisy number reads one of these blocks; " + epsilon(some) +
           ", if it reads " + count(some) + " of them together; " + epsilon(many) +
           ", if it reads all of them. This holds as long as all releases have "
           "Gaussian noise and no other part, as all had so far.</p>\n";
    return out;
  }
  const ManyBlocks group = group_of_blocks(budget, many);
  out += Html("&#949; = ") + number(group.epsilon, 6);
  if (budget.delta > 0) {
    out += group.delta < 1 ? Html(" and &#948; = ") + number(group.delta, 3)
                           : Html(", at a &#948; above 1, which is no promise");
  }
  out += ". This is group privacy, which holds for releases of all kinds.</p>\n";
  return out;
}

// What the budget and the releases so far promise, among values that others choose.
Html scale_of_risk(const ReportFacts& facts) {
  struct Mark {
    double epsilon;
    Html what;
  };
  std::vector<Mark> marks;
  for (const double epsilon : {.1, 1., 4., 8.}) {
    if (epsilon != facts.largest_epsilon) marks.push_back({epsilon, Html("for comparison")});
  }
  marks.push_back({facts.largest_epsilon, Html("<b>promised here</b>")});
  if (facts.charges > 0) {
    marks.push_back({facts.epsilon_spent, Html("<b>proved of what was released so far</b>")});
  }
  std::stable_sort(marks.begin(), marks.end(),
                   [](const Mark& a, const Mark& b) { return a.epsilon < b.epsilon; });
  std::vector<std::vector<Html>> rows;
  for (const Mark& mark : marks) {
    const bool tells = mark.epsilon <= std::log(kMostFactor);
    rows.push_back(
        {number(mark.epsilon), tells ? factor(mark.epsilon) : Html("over a million"), mark.what});
  }
  return table(
      {{"&#949;", Column::numbers}, {"At most times as likely", Column::numbers}, {"Where"}}, rows);
}

// What holds for people with many rows: in each table, where the page is of several.
Html with_many_rows(const ReportFacts& facts) {
  if (facts.adjacency == "label" || facts.rows_per_unit <= 1) return {};
  const bool several = !facts.tables.empty();
  return Html("<p>Those with many rows are covered, too. What one person adds to an answer is ") +
         "weighed down to that of at most " +
         (several ? Html("so many rows as the list above says")
                  : count(facts.rows_per_unit) + " rows") +
         ", and the noise covers it. Answers are of totals that are bounded by that, and so are "
         "their intervals.</p>\n";
}

Html promised(const ReportFacts& facts) {
  Html out("<section>\n<h2>What is promised</h2>\n<p>Everything that dpmix ever releases about ");
  out += facts.population.empty() ? Html("this table")
                                  : Html("the tables of population ") + name_of(facts.population);
  out +=
      " &#8211; answers, models, synthetic tables, all of them taken together &#8211; would have "
      "come out almost as likely if ";
  out += difference(facts) + ".</p>\n<p>";
  const bool tells = facts.largest_epsilon <= std::log(kMostFactor);
  out +=
      "Almost as likely means: no outcome, and nothing that anybody concludes or does because of "
      "it, becomes more than ";
  out += (tells ? factor(facts.largest_epsilon)
                : Html("e to the power of ") + number(facts.largest_epsilon, 15)) +
         " times as likely because of those data";
  if (facts.largest_delta > 0) {
    out += ", apart from an added probability of ";
    out += chance(facts.largest_delta);
  }
  out += ". This is the guarantee of &#949; = ";
  out += number(facts.largest_epsilon, 15) +
         (facts.largest_delta > 0 ? Html(" and &#948; = ") + number(facts.largest_delta, 15)
                                  : Html(" and &#948; = 0"));
  out += facts.budgets.size() + static_cast<std::size_t>(facts.budgets_left) > 1
             ? Html(", the largest values that the budget ever had")
             : Html(", the whole budget");
  out += ". It holds whatever analysts ask and whatever else they know, alone or together.</p>\n";
  if (!tells) {
    out +=
        "<p class=\"warn\">So large an &#949; promises next to nothing to the people in the "
        "table.</p>\n";
  }
  if (facts.charges > 0 && facts.epsilon_spent < std::log(kMostFactor)) {
    out += "<p>Of what was released so far more is proved: no more than ";
    out += factor(facts.epsilon_spent) +
           " times as likely (&#949; = " + number(facts.epsilon_spent) +
           (facts.delta > 0 ? Html(" at the same &#948;)") : Html(")"));
    out += ".</p>\n";
  }
  if (facts.blocks.of_population) {
    out += promise_over_time(facts);
  } else if (facts.blocks.any()) {
    out += promise_over_blocks(facts);
  }
  out += with_many_rows(facts);
  if (!facts.population.empty()) {
    out +=
        "<p>What was charged to a table before it joined the population is part of all "
        "this.</p>\n";
  }
  out += scale_of_risk(facts);
  if (!facts.picture.empty()) {
    out += "<figure><div class=\"drawing\">";
    out += Html::drawn(facts.picture);
    out +=
        "</div><figcaption>How far the proof of what was released had come at each time. How much "
        "of the budget is used is said below.</figcaption></figure>\n";
  }
  return out;
}

Html not_promised(const ReportFacts& facts) {
  Html out("<h2>What is not promised</h2>\n<ul>\n");
  if (facts.blocks.any()) {
    out +=
        "<li>A row that is deleted and inserted again is a new one, in a block of its own. Rows "
        "without a block, and those of later blocks than now, are not read.</li>\n";
  }
  if (facts.adjacency != "label" && facts.privacy_unit.empty() && facts.unit_through.empty()) {
    out += "<li>A person who has several rows is protected row by row, not as a whole.</li>\n";
  }
  if (!facts.unit_through.empty()) {
    out += "<li>A row that concerns two people is protected for the one found through ";
    out += name_of(facts.unit_through);
    out += " alone.</li>\n";
  }
  if (facts.unit_updates > 0) {
    out += "<li class=\"warn\">Whose row it is was updated by ";
    out += count(facts.unit_updates) +
           (facts.unit_updates == 1 ? Html(" statement") : Html(" statements")) +
           ". Of a row that came to belong to another person the budget may have been spent once "
           "for each of them.</li>\n";
  }
  if (facts.population.empty()) {
    out +=
        "<li>Other protected tables about the same people have budgets of their own, which add up "
        "for these people.</li>\n";
  } else {
    out +=
        "<li>Protected tables outside this population have budgets of their own, which add up for "
        "people who are in them too.</li>\n";
  }
  out +=
      "<li>The owner, the administrators of the database and holders of "
      "<code>pg_read_all_data</code> see the rows anyway, and may show them to others through "
      "views "
      "and functions of their own";
  if (facts.readers.empty()) {
    out += ". SELECT was granted to nobody else.</li>\n";
  } else {
    out += "; so do, by a grant of SELECT: ";
    out += name_of(facts.readers) + ".</li>\n";
  }
  for (const ReportedExposure& exposure : facts.exposures) {
    out += "<li class=\"warn\">PostgreSQL itself shows something of the rows: ";
    out += Html::text(exposure.what) + ". ";
    out += Html::text(exposure.shows) + "</li>\n";
  }
  out +=
      "<li>How long a query takes, and what PostgreSQL shows to everyone of the size of a table, "
      "are not covered.</li>\n"
      "<li>If the record of charges is lost with the disk, or the machine is set back to an older "
      "state, what was charged since is forgotten, and could be spent again.</li>\n"
      "</ul>\n</section>\n";
  return out;
}

}  // namespace

Html report_tables(const ReportFacts& facts) {
  if (facts.tables.empty()) return {};
  std::vector<std::vector<Html>> rows;
  for (const ReportedTable& table : facts.tables) {
    rows.push_back({name_of(table.name) +
                        (table.active ? Html() : Html(" <span class=\"soft\">(no longer)</span>")),
                    table.through.empty() ? name_of(table.unit)
                                          : Html("found through ") + name_of(table.through),
                    count(table.rows_per_unit), count(table.charges)});
  }
  Html out(
      "<section>\n<h2>The tables</h2>\n<p>They are about the same people and share one "
      "budget.</p>\n");
  out += dpmix::table({{"Table"},
                       {"Whose row it is"},
                       {"Rows of one person that count in full", Column::numbers},
                       {"Releases", Column::numbers}},
                      rows);
  return out +
         "<p class=\"soft\">A person with more rows is weighed down to so many. A release about "
         "several tables is listed with its first one.</p>\n</section>\n";
}

Html report_promise(const ReportFacts& facts) {
  return promised(facts) + not_promised(facts);
}

}  // namespace dpmix
