#include "core/report/page.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/accounting/forecast.hpp"
#include "core/accounting/many_blocks.hpp"
#include "core/report/closing.hpp"
#include "core/report/html.hpp"
#include "core/report/lists.hpp"

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

Html percent(double share) {
  const double value = 100 * share;
  if (value > 0 && value < .1) return Html("under 0.1") + Html("&#8239;%");
  if (value > 99.9 && value < 100) return Html("over 99.9") + Html("&#8239;%");
  return number(value < 10 ? std::round(value * 10) / 10 : std::round(value), 6) + "&#8239;%";
}

Html days(double value) {
  if (value < 1) return Html("less than a day");
  if (value > 730) return count(static_cast<long long>(value / 365.25)) + " years";
  const Html whole = count(std::llround(value));
  return std::llround(value) == 1 ? whole + " day" : whole + " days";
}

Html name(std::string_view text) {
  return Html("<bdi>") + Html::text(text, 200) + "</bdi>";
}

Html tile(Markup title, const Html& value, const Html& below) {
  return Html("<li>") + title + "<b>" + value + "</b><span class=\"soft\">" + below +
         "</span></li>\n";
}

bool too_early(const ReportedForecast& forecast) {
  return is_too_early(forecast.charges, forecast.days, forecast.charges_left);
}

Html end_of_budget(const ReportFacts& facts) {
  const ReportedForecast& forecast = facts.forecast;
  if (!facts.active) return Html("no longer");
  if (forecast.limited_by.empty()) return Html("unknown");
  if (too_early(forecast)) return Html("too early");
  if (std::isinf(forecast.days_left)) return Html("no end in sight");
  if (forecast.charges_left == 0) return Html("used up");
  return forecast.runs_out_at.empty() ? Html("over 1000 years") : days(forecast.days_left);
}

Html head(const ReportFacts& facts) {
  Html out("<header>\n<p class=\"over\">Privacy report</p>\n<h1>");
  out += name(facts.table);
  out += "</h1>\n<p class=\"soft\">";
  out += facts.past ? Html("As of ") : Html("Made ");
  out += Html::text(facts.made_at) + ", database " + name(facts.database) + ", dpmix " +
         Html::text(facts.version) + ". All times are in time zone " +
         Html::text(facts.time_zone, 60) + ".</p>\n</header>\n";
  if (!facts.active) {
    out +=
        "<p class=\"warn\">This table is no longer protected: nothing more is released about it. "
        "What was charged stays on record.</p>\n";
  }
  out += "<ul class=\"tiles\">\n";
  out += tile("Budget used", percent(facts.share_spent), Html("of what may ever be released"));
  out += tile("Budget", Html("&#949; = ") + number(facts.epsilon, 6),
              facts.delta > 0 ? Html("&#948; = ") + number(facts.delta, 6) : Html("&#948; = 0"));
  out += tile("Releases", count(facts.charges), Html("since ") + Html::text(facts.since));
  out += tile("Lasts", end_of_budget(facts),
              facts.active && too_early(facts.forecast) ? Html("to say: see below")
                                                        : Html("at the present pace"));
  return out + "</ul>\n";
}

// What neighbours differ in, after "if".
Html difference_in_all(const ReportFacts& facts) {
  if (facts.adjacency == "label") {
    return Html("the value of ") + name(facts.label) +
           " in any one row had been another. Every other column counts as public";
  }
  const bool rows = facts.privacy_unit.empty();
  const Html whose =
      rows ? Html("any one row") : Html("all rows of any one value of ") + name(facts.privacy_unit);
  if (!facts.population.empty()) {
    const Html named = facts.unit_through.empty()
                           ? Html("named by ") + name(facts.privacy_unit) + " here"
                           : Html("found through ") + name(facts.unit_through) + " here";
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
  if (facts.blocks.column.empty()) return all;
  return Html("within one block of ") + name(facts.blocks.column) + " (" +
         Html::text(facts.blocks.width) + ") " + all;
}

// Somebody whose rows are in many blocks.
Html promise_over_blocks(const ReportFacts& facts) {
  constexpr int many = 30, some = 7;
  const auto accountant = accountant_of(facts.accountant);
  const BlockBudget budget{facts.largest_epsilon,
                           facts.largest_delta,
                           {accountant.value_or(Accountant::basic), facts.order}};
  Html out(
      "<li>The budget is that of each block. Somebody with rows in several blocks is promised "
      "less: "
      "with rows in ");
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
           "Gaussian noise and no other part, as all had so far.</li>\n";
    return out;
  }
  const ManyBlocks group = group_of_blocks(budget, many);
  out += Html("&#949; = ") + number(group.epsilon, 6);
  if (budget.delta > 0) {
    out += group.delta < 1 ? Html(" and &#948; = ") + number(group.delta, 3)
                           : Html(", at a &#948; above 1, which is no promise");
  }
  out += ". This is group privacy, which holds for releases of all kinds.</li>\n";
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

Html promise(const ReportFacts& facts) {
  Html out("<section>\n<h2>What is promised</h2>\n<p>Everything that dpmix ever releases about ");
  out += facts.population.empty() ? Html("this table")
                                  : Html("the tables of population ") + name(facts.population);
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
    out += "<p>What was released so far is bounded more tightly: by ";
    out += factor(facts.epsilon_spent) + " times (&#949; = " + number(facts.epsilon_spent) +
           (facts.delta > 0 ? Html(" at the same &#948;)") : Html(")"));
    out += ".</p>\n";
  }
  out += scale_of_risk(facts);
  out += "<h2>What is not promised</h2>\n<ul>\n";
  if (!facts.blocks.column.empty()) {
    out += promise_over_blocks(facts);
    out +=
        "<li>A row that is deleted and inserted again is a new one, in a block of its own. Rows "
        "without a block, and those of later blocks than now, are not read.</li>\n";
  }
  if (facts.adjacency != "label" && facts.privacy_unit.empty() && facts.unit_through.empty()) {
    out += "<li>A person who has several rows is protected row by row, not as a whole.</li>\n";
  } else if (facts.adjacency != "label" && facts.rows_per_unit > 1) {
    out += "<li>Nothing is lost to those with many rows: each value counts for at most ";
    out +=
        count(facts.rows_per_unit) +
        " rows in a release, and its noise covers them. Answers are of totals that are bounded by "
        "that, and so are their intervals.</li>\n";
  }
  if (!facts.unit_through.empty()) {
    out += "<li>A row that concerns two people is protected for the one found through ";
    out += name(facts.unit_through);
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
        "people who are in them too. What was charged to this table before it joined the "
        "population counts here.</li>\n";
  }
  out +=
      "<li>The owner of the table, the administrators of the database and holders of "
      "<code>pg_read_all_data</code> see its rows anyway, and may show them to others through "
      "views "
      "and functions of their own";
  if (facts.readers.empty()) {
    out += ". SELECT on it was granted to nobody else.</li>\n";
  } else {
    out += "; so do, by a grant of SELECT on it: ";
    out += name(facts.readers) + ".</li>\n";
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

Html pace(const ReportFacts& facts) {
  const ReportedForecast& forecast = facts.forecast;
  Html out("<p>");
  if (forecast.limited_by.empty()) {
    out += "There was no charge since ";
    out +=
        Html::text(forecast.since) + ", so there is no pace to tell from when the budget will end.";
    return out + "</p>\n";
  }
  if (too_early(forecast)) {
    out += "It is too early to say how long the budget lasts: there was too little to go by since ";
    return out + Html::text(forecast.since) + ". It takes " + count(kLeastCharges) +
           " charges in " + count(kLeastDays) + " days.</p>\n";
  }
  out += "Since ";
  out += Html::text(forecast.since) +
         (forecast.charges == 1 ? Html(" there was ") : Html(" there were ")) +
         count(forecast.charges) + (forecast.charges == 1 ? Html(" charge") : Html(" charges")) +
         ", with a declared &#949; of " + number(forecast.epsilon_per_day, 3) + " a day. ";
  if (forecast.charges_left == 0) {
    out += "No further charge of their average size fits.";
  } else if (!forecast.runs_out_at.empty()) {
    out += "If this goes on, the budget lasts until about ";
    out += Html::text(forecast.runs_out_at) + " (" + days(forecast.days_left) + ", " +
           count(forecast.charges_left) +
           (forecast.charges_left == 1 ? Html(" charge") : Html(" charges")) + " of average size).";
  } else {
    out += "If this goes on, the budget does not end within a thousand years.";
  }
  out += "</p>\n";
  if (!forecast.caution.empty()) {
    out += "<p class=\"warn\">Take this with care. ";
    out += Html::text(forecast.caution, 2000) + "</p>\n";
  }
  return out;
}

Html how_it_adds_up(std::string_view accountant) {
  if (accountant == "basic") return Html("adds up &#949; and &#948; as they were declared");
  if (accountant == "gdp" || accountant == "gaussian") {
    return Html(
        "also adds up how well each release could be told from noise (Gaussian differential "
        "privacy), which for many small answers comes to less than the sum of &#949;");
  }
  return Html(
      "also adds up R&#233;nyi divergences, which for many small answers come to less than the "
      "sum of &#949;");
}

Html fullest_block(const ReportFacts& facts) {
  if (facts.blocks.fullest.empty()) {
    return Html("<p>Each block has the whole budget: none was charged yet.</p>\n");
  }
  return Html("<p>Each block has the whole budget. What is used is that of ") +
         Html::text(facts.blocks.fullest) + ", the fullest; of the emptiest that was charged, " +
         percent(facts.blocks.least_share) + ".</p>\n";
}

Html balance(const ReportFacts& facts) {
  Html out(
      "<section>\n<h2>What is left</h2>\n<div class=\"bar\" role=\"img\" aria-label=\"share of the "
      "budget that is used\"><div style=\"width:");
  out += Html::text(std::to_string(std::clamp<long>(std::lround(100 * facts.share_spent), 0, 100)));
  out += "%\"></div></div>\n";
  const double left = std::max(0., facts.epsilon - facts.epsilon_spent);
  out += table(
      {{"What"}, {"Budget", Column::numbers}, {"Used", Column::numbers}, {"Left", Column::numbers}},
      {{Html("Share of what the accountant admits"), Html("100&#8239;%"),
        percent(facts.share_spent), percent(std::max(0., 1 - facts.share_spent))},
       {Html("&#949; proved of all releases together"), number(facts.epsilon, 6),
        number(facts.epsilon_spent), number(left)},
       {Html("Sum of &#949; as declared"), Html(), number(facts.epsilon_declared, 6), Html()},
       {Html("Sum of &#948; as declared"), number(facts.delta, 6), number(facts.delta_declared, 3),
        Html()}});
  out += "<p class=\"soft\">The accountant of this table, <code>";
  out += Html::text(facts.accountant);
  out += "</code>, ";
  out += how_it_adds_up(facts.accountant);
  out += ". Nothing more is released when its share reaches 100&#8239;%.</p>\n";
  if (!facts.blocks.column.empty()) out += fullest_block(facts);
  if (facts.active) out += pace(facts);
  if (!facts.picture.empty()) {
    out += "<figure><div class=\"drawing\">";
    out += Html::drawn(facts.picture);
    out += "</div></figure>\n";
  }
  return out + "</section>\n";
}

}  // namespace

std::string report_page(const ReportFacts& facts) {
  Html body = head(facts) + promise(facts) + balance(facts);
  body += report_grants(facts) + report_releases(facts) + report_models(facts) +
          report_schedules(facts) + report_columns(facts) + report_history(facts);
  body += report_sign_off() + report_words();
  body +=
      "<p class=\"soft\">This page was made from the ledger and the declarations alone; no row of "
      "the table was read for it. It shows what analysts asked: keep it among those who may know."
      "</p>\n";
  return html_document(std::string("Privacy report: ") + std::string(facts.table), body);
}

}  // namespace dpmix
