#include "core/report/page.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/accounting/forecast.hpp"
#include "core/report/closing.hpp"
#include "core/report/html.hpp"
#include "core/report/lists.hpp"
#include "core/report/promise.hpp"

namespace dpmix {
namespace {

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
  if (!facts.tables.empty()) out += "Population ";
  out += name_of(facts.table);
  out += "</h1>\n<p class=\"soft\">";
  out += facts.past ? Html("As of ") : Html("Made ");
  out += Html::text(facts.made_at) + ", database " + name_of(facts.database) + ", dpmix " +
         Html::text(facts.version) + ". All times are in time zone " +
         Html::text(facts.time_zone, 60) + ".</p>\n</header>\n";
  if (!facts.active) {
    out +=
        "<p class=\"warn\">It is no longer protected: nothing more is released about it. What was "
        "charged stays on record.</p>\n";
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

// One number. That of the ledger, by which it ends: epsilon climbs fast at first and slowly later,
// so that half of epsilon is no half of what may be released.
Html balance(const ReportFacts& facts) {
  Html out(
      "<section>\n<h2>What is left</h2>\n<div class=\"bar\" role=\"img\" aria-label=\"share of the "
      "budget that is used\"><div style=\"width:");
  out += Html::text(std::to_string(std::clamp<long>(std::lround(100 * facts.share_spent), 0, 100)));
  out += "%\"></div></div>\n<p>";
  out += percent(facts.share_spent) +
         " of the budget is used. At 100&#8239;% nothing more is released, whatever is asked. The "
         "accountant, <code>";
  out += Html::text(facts.accountant);
  out += "</code>, ";
  out += how_it_adds_up(facts.accountant);
  out += facts.accountant == "basic"
             ? Html(".</p>\n")
             : Html(
                   ". This share decides. The &#949; that is proved of the releases (above) is no "
                   "share of the budget: it grows fast at first and slowly later.</p>\n");
  if (facts.blocks.any()) out += fullest_block(facts);
  if (facts.active) out += pace(facts);
  return out + "</section>\n";
}

}  // namespace

std::string report_page(const ReportFacts& facts) {
  Html body = head(facts) + report_tables(facts) + report_promise(facts) + balance(facts);
  body += report_grants(facts) + report_releases(facts) + report_models(facts) +
          report_schedules(facts) + report_columns(facts) + report_history(facts);
  body += report_sign_off(facts) + report_words();
  body +=
      "<p class=\"soft\">This page was made from the ledger and the declarations alone; no row "
      "was read for it. It shows what analysts asked: keep it among those who may know."
      "</p>\n";
  return html_document("Privacy report: " + std::string(facts.tables.empty() ? "" : "population ") +
                           std::string(facts.table),
                       body);
}

}  // namespace dpmix
