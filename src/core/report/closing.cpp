#include "core/report/closing.hpp"

namespace dpmix {
namespace {

// Whoever keeps this page can tell whether a charge before it was changed since.
Html receipt(const ReportFacts& facts) {
  if (facts.receipt_hash.empty()) return {};
  return Html("<p>The newest receipt is that of charge ") + count(facts.newest_receipt) +
         "; its SHA-256 is <code>" + Html::text(facts.receipt_hash) +
         "</code>. It vouches for all receipts before it: who keeps this page can tell whether one "
         "of these charges was changed since.</p>\n";
}

}  // namespace

Html report_sign_off(const ReportFacts& facts) {
  return Html(
             "<section>\n<h2>Sign-off</h2>\n<p>For those who answer for the data. I have "
             "read:</p>\n<ul>\n"
             "<li>&#9744; what is promised, what is not, and who reads the rows without "
             "dpmix</li>\n"
             "<li>&#9744; who may ask, and what was released</li>\n"
             "<li>&#9744; what was declared as public, and why the budget was changed</li>\n</ul>\n"
             "<p>The releases &#9744; go on as they are &#9744; go on after these changes &#9744; "
             "end:</p>\n") +
         receipt(facts) +
         Html(
             "<div class=\"sign\"><span>Name and "
             "office</span><span>Date</span><span>Signature</span></div>\n"
             "</section>\n");
}

Html report_words() {
  return Html(
      "<section>\n<h2>Words on this page</h2>\n<dl>\n"
      "<dt>Release</dt><dd>Anything that left the table through dpmix: the answer to a query, a "
      "model, "
      "a synthetic table, a comparison. Noise was added to it first.</dd>\n"
      "<dt>Charge</dt><dd>The record that a release was paid for, written before a row was read. "
      "It is "
      "never given back, also when a query failed or was rolled back.</dd>\n"
      "<dt>&#949; (epsilon)</dt><dd>How much a release may tell about one person: it bounds by "
      "what "
      "factor, e to the power of &#949;, any outcome becomes more likely. Smaller is more private; "
      "the "
      "factor is 1.11 for 0.1, 2.72 for 1, 54.6 for 4.</dd>\n"
      "<dt>&#948; (delta)</dt><dd>A small probability that is added to that bound.</dd>\n"
      "<dt>Charged in vain</dt><dd>Of a scheduled release, how often its charge was written and "
      "the "
      "release then failed: what it cost the budget is gone, and nothing was stored.</dd>\n"
      "<dt>Mechanism</dt><dd>The family of the noise.</dd>\n"
      "<dt>Noise</dt><dd>The scale of the noise in each number of an answer, in the unit of that "
      "number: "
      "for <code>gaussian</code> its standard deviation. Errors of this size are usual, errors of "
      "several times this size are rare. Of models and comparisons in units of half a declared "
      "range. (Noise of the families <code>multi_gaussian</code> and "
      "<code>quasi_gaussian</code> may be wider; dpmix.preview tells.)</dd>\n"
      "<dt>Cap</dt><dd>What one role may spend at most, set by the owner as a sum of &#949; or "
      "as a share of the budget. It is a rule among analysts; "
      "the promise to the people in the table is the budget.</dd>\n"
      "</dl>\n</section>\n");
}

}  // namespace dpmix
