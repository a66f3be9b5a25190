#include "core/report/lists.hpp"

#include <charconv>
#include <span>
#include <string>
#include <unordered_map>

#include "core/release/kinds.hpp"

namespace dpmix {
namespace {

constexpr double kQueryLetters = 700, kTextLetters = 300, kNameLetters = 130;
constexpr std::size_t kMostNoise = 12;  // numbers of one answer whose noise is listed

using Rows = std::vector<std::vector<Html>>;

Html named(std::string_view text) {
  return Html::text(text, kNameLetters);
}

Html code(std::string_view text) {
  return text.empty() ? Html() : Html("<code>") + Html::text(text, kQueryLetters) + "</code>";
}

Html moment(std::string_view text) {
  return text.empty() ? Html() : Html("<span class=\"t\">") + Html::text(text, 40) + "</span>";
}

// A decimal as it was printed, for reading.
Html decimal(std::string_view digits, int significant = 6) {
  double value;
  const auto end = digits.data() + digits.size();
  if (digits.empty() || std::from_chars(digits.data(), end, value).ptr != end) {
    return Html::text(digits, 30);
  }
  return number(value, significant);
}

Html section(Markup title) {
  return Html("<section>\n<h2>") + title + "</h2>\n";
}

Html and_more(std::int64_t left, Markup what) {
  if (left == 0) return {};
  return Html("<p class=\"soft\">and ") + count(left) + " more " + what + ".</p>\n";
}

// The name of a kind: in words where there are such.
Html kind_of(std::string_view word) {
  const ReleaseKind* kind = release_kind_of(word);
  return kind != nullptr && !kind->shown.empty() ? Html::text(kind->shown, kTextLetters)
                                                 : named(word);
}

Html kind_of(const ReportedCharge& charge) {
  // A model without a name was not stored: rows were drawn from it.
  const ReleaseKind* kind = release_kind_of(charge.kind);
  const bool rows = charge.release.empty() && kind != nullptr && !kind->use.empty();
  return kind_of(rows ? "synthesize" : charge.kind);
}

// What became of a period, in words that say what it cost.
Html state_of(std::string_view state) {
  if (state == "failed") return Html("failed, not charged");
  if (state == "spent") return Html("charged, not stored");
  if (state == "running") return Html("under way");
  return named(state);
}

Html who(const ReportedCharge& charge) {
  Html out = named(charge.role);
  if (!charge.granted_to.empty() && charge.granted_to != charge.role) {
    out += "<br/><span class=\"soft\">by the grant to ";
    out += named(charge.granted_to) + "</span>";
  }
  return out;
}

Html noise_of(const ReportedCharge& charge) {
  Html out;
  for (std::size_t i = 0; i < charge.noise.size() && i < kMostNoise; ++i) {
    if (i > 0) out += "<br/>";
    out += Html::text(charge.noise[i].statistic, 60) + ": " +
           (charge.noise[i].scale.empty()
                ? Html("not recorded")
                : Html("<span class=\"t\">") + decimal(charge.noise[i].scale, 4) + "</span>");
  }
  if (charge.noise.size() > kMostNoise) out += "<br/>&#8230;";
  return out;
}

Html asked(const ReportedCharge& charge) {
  Html out = code(charge.text);
  if (!charge.release.empty()) {
    if (!out.empty()) out += "<br/>";
    out += "stored as ";
    out += named(charge.release);
  }
  return out;
}

// Charges that differ in their time alone, newest first.
struct Repeated {
  const ReportedCharge* newest;
  const ReportedCharge* oldest;
  std::int64_t times = 0;
};

std::string all_but_time(const ReportedCharge& charge) {
  std::string key;
  const auto add = [&](std::string_view text) {
    key += text;
    key += '\0';
  };
  for (const std::string_view text : {charge.role, charge.granted_to, charge.kind, charge.mechanism,
                                      charge.release, charge.text}) {
    add(text);
  }
  for (const double value : {charge.epsilon, charge.delta}) add(number(value, 15).str());
  for (const ReportedNoise& noise : charge.noise) add(noise.statistic), add(noise.scale);
  return key;
}

std::vector<Repeated> repeated(std::span<const ReportedCharge> charges) {
  std::vector<Repeated> found;
  std::unordered_map<std::string, std::size_t> place;
  for (const ReportedCharge& charge : charges) {
    const auto [at, added] = place.try_emplace(all_but_time(charge), found.size());
    if (added) found.push_back({&charge, &charge});
    found[at->second].oldest = &charge;
    ++found[at->second].times;
  }
  return found;
}

Html when(const Repeated& group) {
  Html out = moment(group.newest->at);
  if (group.times == 1) return out;
  out += "<br/><span class=\"soft\">";
  return out + count(group.times) + " times since " + moment(group.oldest->at) + "</span>";
}

Html each_and_together(double value, std::int64_t times, int digits) {
  if (times == 1) return number(value, digits);
  return number(value, digits) + "<br/><span class=\"soft\">together " +
         number(value * static_cast<double>(times), digits) + "</span>";
}

}  // namespace

Html report_grants(const ReportFacts& facts) {
  Html out = section("Who may ask, and what they used");
  if (facts.grants.empty()) {
    return out + "<p>Nobody but the owner has access, and nothing was charged.</p>\n</section>\n";
  }
  Rows rows;
  for (const ReportedGrant& grant : facts.grants) {
    Html role = grant.owner ? Html("the owner and administrators") : named(grant.role);
    if (!grant.active) role += " <span class=\"soft\">(no longer)</span>";
    if (!grant.charged_by.empty()) {
      role += "<br/><span class=\"soft\">";
      role += Html::text(grant.charged_by, kTextLetters) + "</span>";
    }
    Html cap = grant.cap.empty() ? Html("no cap") : decimal(grant.cap);
    if (!grant.limits.empty()) {
      cap += "<br/><span class=\"soft\">";
      cap += Html::text(grant.limits) + "</span>";
    }
    rows.push_back({role, count(grant.charges), number(grant.epsilon, 6), cap,
                    number(grant.delta, 3), moment(grant.last_charge)});
  }
  out += table({{"Access of"},
                {"Charges", Column::numbers},
                {"Sum of &#949;", Column::numbers},
                {"Cap on it", Column::numbers},
                {"Sum of &#948;", Column::numbers},
                {"Last charge"}},
               rows);
  return out + and_more(facts.grants_left, "roles") + "</section>\n";
}

Html report_releases(const ReportFacts& facts) {
  Html out = section("What was released");
  if (facts.newest.empty() && facts.months.empty()) {
    return out + "<p>Nothing so far.</p>\n</section>\n";
  }
  Rows rows;
  for (const Repeated& group : repeated(facts.newest)) {
    const ReportedCharge& charge = *group.newest;
    rows.push_back(
        {when(group), who(charge),
         kind_of(charge) + "<br/><span class=\"soft t\">" + named(charge.mechanism) + "</span>",
         asked(charge), each_and_together(charge.epsilon, group.times, 6),
         each_and_together(charge.delta, group.times, 3), noise_of(charge)});
  }
  if (!facts.months.empty() && !rows.empty()) {
    out += "<p>The newest ";
    out += count(static_cast<long long>(facts.newest.size())) +
           " releases; older ones follow, by month.</p>\n";
  }
  if (!rows.empty()) {
    out += table({{"Time"},
                  {"Role"},
                  {"Kind"},
                  {"Asked", Column::code},
                  {"&#949;", Column::numbers},
                  {"&#948;", Column::numbers},
                  {"Noise"}},
                 rows);
  }
  if (facts.months.empty()) return out + "</section>\n";
  rows.clear();
  for (const ReportedMonth& month : facts.months) {
    rows.push_back({moment(month.month), count(month.charges), count(month.queries),
                    count(month.models), count(month.tables), count(month.others),
                    number(month.epsilon, 6), number(month.delta, 3)});
  }
  out += "<h2>Earlier releases, by month</h2>\n";
  out += table({{"Month"},
                {"Releases", Column::numbers},
                {"Queries", Column::numbers},
                {"Models", Column::numbers},
                {"Synthetic tables", Column::numbers},
                {"Other", Column::numbers},
                {"Sum of &#949;", Column::numbers},
                {"Sum of &#948;", Column::numbers}},
               rows);
  return out + "</section>\n";
}

Html report_models(const ReportFacts& facts) {
  if (facts.models.empty()) return {};
  Rows rows;
  for (const ReportedModel& model : facts.models) {
    Html of = Html::text(model.features, kTextLetters);
    if (!model.label.empty()) {
      of += "<br/><span class=\"soft\">by ";
      of += named(model.label) + "</span>";
    }
    rows.push_back(
        {named(model.name) + "<br/><span class=\"soft\">" + named(model.method) + "</span>",
         moment(model.at), named(model.maker), of,
         model.components > 0 ? count(model.components) : Html(), number(model.epsilon, 6),
         number(model.delta, 3), Html::text(model.quality, kTextLetters)});
  }
  Html out = section("Stored models");
  out +=
      "<p>Those with access to the table may use them as often as they like, at no further cost to "
      "privacy.</p>\n";
  out += table({{"Name"},
                {"Made"},
                {"By"},
                {"Columns"},
                {"Parts", Column::numbers},
                {"&#949;", Column::numbers},
                {"&#948;", Column::numbers},
                {"Quality"}},
               rows);
  return out + and_more(facts.models_left, "models") + "</section>\n";
}

Html report_schedules(const ReportFacts& facts) {
  if (facts.schedules.empty()) return {};
  Rows rows;
  for (const ReportedSchedule& schedule : facts.schedules) {
    Html title = named(schedule.name);
    if (!schedule.active) title += " <span class=\"soft\">(paused)</span>";
    if (!schedule.result.empty()) {
      title += "<br/><span class=\"soft\">into ";
      title += named(schedule.result) + "</span>";
    }
    rows.push_back({title, named(schedule.owner), kind_of(schedule.kind),
                    Html::text(schedule.period, 60), number(schedule.epsilon, 6),
                    number(schedule.delta, 3), count(schedule.stored), count(schedule.spent),
                    moment(schedule.last_due) +
                        (schedule.last_due.empty() ? Html() : Html("<br/>")) +
                        state_of(schedule.last_state)});
  }
  Html out = section("Scheduled releases");
  out += table({{"Name"},
                {"By"},
                {"Kind"},
                {"Every"},
                {"&#949; each", Column::numbers},
                {"&#948; each", Column::numbers},
                {"Stored", Column::numbers},
                {"Charged in vain", Column::numbers},
                {"Last due"}},
               rows);
  return out + and_more(facts.schedules_left, "schedules") + "</section>\n";
}

Html report_columns(const ReportFacts& facts) {
  Html out = section("What you declared as public");
  if (facts.columns.empty()) return out + "<p>No bounds and no categories.</p>\n</section>\n";
  Rows rows;
  for (const ReportedColumn& column : facts.columns) {
    Html categories = Html::text(column.categories, kTextLetters);
    if (column.count > 0) {
      categories += " <span class=\"soft\">(";
      categories +=
          count(column.count) + (column.count == 1 ? Html(" value") : Html(" values")) + ")</span>";
    }
    if (!column.quantum.empty()) {
      categories += "constants in queries are rounded down to ";
      categories += moment(column.quantum);
    }
    rows.push_back({named(column.name), named(column.type), moment(column.lower),
                    moment(column.upper), categories});
  }
  out +=
      "<p>You stated these limits and values; they were not taken from the rows. Numbers beyond a "
      "limit count as the limit, other values join no group. As they stand when the page is "
      "made.</p>\n";
  out += table(
      {{"Column"}, {"Type"}, {"From", Column::numbers}, {"To", Column::numbers}, {"Values"}}, rows);
  return out + and_more(facts.columns_left, "columns") + "</section>\n";
}

Html report_history(const ReportFacts& facts) {
  Html out = section("How the budget came about");
  Rows rows;
  for (const ReportedBudget& budget : facts.budgets) {
    rows.push_back({moment(budget.at), decimal(budget.epsilon), decimal(budget.delta),
                    named(budget.role), Html::text(budget.reason, kTextLetters)});
  }
  out +=
      table({{"Set"}, {"&#949;", Column::numbers}, {"&#948;", Column::numbers}, {"By"}, {"Reason"}},
            rows);
  out += and_more(facts.budgets_left, "changes") + "</section>\n";
  if (facts.adoptions.empty()) return out;
  rows.clear();
  for (const ReportedAdoption& adoption : facts.adoptions) {
    rows.push_back(
        {moment(adoption.at), named(adoption.role), Html::text(adoption.reason, kTextLetters)});
  }
  out += section("Where the ledger was kept");
  out +=
      "<p>Its beginning, and each time that it was continued in a restored, copied or promoted "
      "database. A copy that goes on charging elsewhere is not seen here.</p>\n";
  out += table({{"Since"}, {"By"}, {"Reason"}}, rows);
  return out + and_more(facts.adoptions_left, "entries") + "</section>\n";
}

}  // namespace dpmix
