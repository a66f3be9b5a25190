# The statements of docs/tutorial.md as a reader copies them, and what must come of them; for tests that have check and
# check_match.

tutorial_statements() {  # the page on standard input
  echo '\set ON_ERROR_STOP on'
  awk '/^```sql$/ { inside = 1; next } /^```$/ { inside = 0 } inside'
  echo '\echo the end'
}
tutorial_checks() {  # the folder where they ran, with what psql said in out and err
  local out err
  out=$(cat "$1/out") err=$(cat "$1/err")
  check_match "it runs to its end" "^the end$" "$out
$err"
  check "and only the query of rows is refused" "ERROR:  permission denied for table cps" "$(grep ERROR <<<"$err")"
  check_match "counts by region" "south +\| +8[0-9]{3} +\| +5[0-9]{2}" "$out"
  check_match "answers of the view, with intervals" "16 years or more +\| +[0-9]+ +\| +[78][0-9]{2} +\| +[78][0-9]{2} +\| +[89][0-9]{2}" "$out"
  check_match "the price" "would charge epsilon 0.1" "$out"
  check "the dashboard has two pictures" "Mean weekly wage, $|Privacy budget of office.cps" "$(grep -o 'img alt="[^"]*"' "$1/dashboard.html" | cut -d'"' -f2 | paste -sd'|')"
  check_match "the report" "What is promised" "$(cat "$1/report.html")"
  check_match "the auditor sees what was asked" "ana +\| +query +\| +0.1 +\| +SELECT region" "$out"
}
