# dbplyr over a facade: printing, head, filters, summaries, joins with a table of the reader's, copied tables.
suppressPackageStartupMessages({
  library(DBI)
  library(dplyr, warn.conflicts = FALSE)
  library(dbplyr, warn.conflicts = FALSE)
  library(RPostgreSQL)
})
options(warn = -1)

con <- dbConnect(PostgreSQL(), host = Sys.getenv("PGHOST"), port = Sys.getenv("PGPORT"), user = "ana", dbname = "postgres")
count_charges <- function() dbGetQuery(con, "SELECT public.charges() AS n")$n
seen <- count_charges()

check <- function(name, expected, actual) {
  if (isTRUE(all.equal(expected, actual))) cat("ok - ", name, "\n", sep = "")
  else cat("not ok - ", name, ": expected ", format(expected), ", got ", format(actual), "\n", sep = "")
}
charged <- function(name, expected) {
  now <- count_charges()
  check(paste0(name, ": charges"), expected, now - seen)
  seen <<- now
}
try_to <- function(name, cost, work) {
  made <- tryCatch(work(), error = function(e) paste("error:", conditionMessage(e)))
  check(name, TRUE, !is.character(made) || !startsWith(made[1], "error:"))
  if (is.character(made)) cat("#", made[1], "\n")
  charged(name, cost)
  invisible(made)
}

cps <- tbl(con, in_schema("private", "cps"))
charged("a table", 0)
columns <- c("id", "region", "sex", "education", "wage", "hours", "employed", "day", "seen", "note")
check("its columns", columns, colnames(cps))
try_to("printing", 0, function() capture.output(print(cps)))
try_to("head", 0, function() collect(head(cps)))
try_to("glimpse", 0, function() capture.output(glimpse(cps)))
try_to("a filter is printed", 0, function() capture.output(print(filter(cps, education >= 12))))
try_to("head of a filter with a new column", 0, function() collect(head(mutate(filter(cps, employed), yearly = wage * 52))))
check("count", 4L, nrow(try_to("count", 1, function() collect(count(cps, region)))))
check("tally", 1L, nrow(try_to("tally", 1, function() collect(tally(cps)))))
by_sex <- try_to("summarise", 1, function() cps |> filter(education >= 12) |> group_by(sex) |>
  summarise(wage = mean(wage, na.rm = TRUE), people = n(), .groups = "drop") |> arrange(sex) |> collect())
check("summarise: its rows", c("F", "M"), by_sex$sex)
check("of a new column", 4L, nrow(try_to("of a new column", 1, function() cps |> mutate(yearly = wage * 52) |> group_by(region) |>
  summarise(yearly = mean(yearly, na.rm = TRUE)) |> collect())))
check("case_when", 3L, nrow(try_to("case_when", 1, function() cps |>
  mutate(level = case_when(education >= 16 ~ "university", education >= 12 ~ "school", TRUE ~ "less")) |> count(level) |> collect())))
check("pull", TRUE, is.numeric(try_to("pull", 1, function() cps |> summarise(n = n()) |> pull(n))))
check("distinct", 4L, nrow(try_to("distinct", 0, function() collect(distinct(cps, region)))))
check("distinct of a filter", 4L, nrow(try_to("distinct of a filter", 0, function() cps |> filter(employed) |> distinct(region) |> collect())))
try_to("min and max", 0, function() cps |> summarise(low = min(wage, na.rm = TRUE), high = max(wage, na.rm = TRUE)) |> collect())
check("HAVING", 4L, nrow(try_to("HAVING", 1, function() cps |> group_by(region) |> summarise(n = n()) |> filter(n > 10) |> collect())))
check("a share of all", 4L, nrow(try_to("a share of all", 1, function() cps |> count(region) |> mutate(share = n / sum(n, na.rm = TRUE)) |> collect())))
# As RPostgres' copy_to() does it, which is not in Debian.
mine <- try_to("a table is copied", 0, function() {
  dbGetQuery(con, 'CREATE TEMPORARY TABLE "areas" ("region" TEXT, "zone" TEXT)')
  dbGetQuery(con, "INSERT INTO \"areas\" VALUES ('northeast', 'east'), ('south', 'east'), ('midwest', 'west'), ('west', 'west')")
  dbGetQuery(con, 'CREATE UNIQUE INDEX "areas_region" ON "areas" ("region")')
  tbl(con, "areas")
})
joined <- try_to("and joined, before the summary", 1, function() cps |> inner_join(mine, by = "region") |> count(zone) |> arrange(zone) |> collect())
check("its groups", c("east", "west"), joined$zone)
after <- try_to("or after it", 1, function() cps |> count(region) |> inner_join(mine, by = "region") |> collect())
check("with a row for each region", 4L, nrow(after))
kept <- try_to("an answer is kept", 1, function() compute(count(cps, sex), "kept"))
check("as a table", 2L, nrow(collect(kept)))
dbDisconnect(con)
cat("end\n")
