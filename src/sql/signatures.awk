# From the pieces of the install script: one line for each function, procedure and aggregate of schema dpmix,
#   {"name", "name", "arguments that are required", "others", false},
# which pg/preview/call_hint.cpp includes. The second name is as SQL writes it; true: it is a procedure.

# The text between the parenthesis at the start of the input and its match.
function inside(text,    i, c, depth, quoted) {
  for (i = 1; i <= length(text); i++) {
    c = substr(text, i, 1)
    if (c == "'") quoted = !quoted
    if (quoted) continue
    if (c == "(") depth++
    if (c == ")" && --depth == 0) return substr(text, 2, i - 2)
  }
  return ""
}

# Into argument[1...n]; commas in quotes and parentheses separate nothing.
function split_arguments(text, argument,    i, c, depth, quoted, n, part) {
  for (i = 1; i <= length(text) + 1; i++) {
    c = substr(text, i, 1)
    if (c == "'") quoted = !quoted
    if (!quoted && c == "(") depth++
    if (!quoted && c == ")") depth--
    if (c == "" || (c == "," && !quoted && !depth)) {
      gsub(/^ +| +$/, "", part)
      if (part != "") argument[++n] = part
      part = ""
    } else part = part c
  }
  return n
}

function add(list, text) { return list == "" ? text : list ", " text }
function in_c(text) { gsub(/\\/, "\\\\", text); gsub(/"/, "\\\"", text); return "\"" text "\"" }

function write_signature(what, name, text,    n, i, argument, required, optional, stated, plain) {
  n = split_arguments(text, argument)
  # What makes a release has a default for what must be said, so that its C code names what is missing.
  if (name ~ /^(release_|query)/) {
    for (i = 1; i <= n; i++) if (argument[i] ~ /^(epsilon|delta) .*NULL$/) stated = i
  }
  for (i = 1; i <= n; i++) {
    if (argument[i] ~ /^OUT /) continue
    sub(/^(IN|INOUT) /, "", argument[i])
    if (argument[i] ~ /( DEFAULT | = )/ && i > stated) {
      sub(/ *( DEFAULT | = ).*/, "", argument[i])
      optional = add(optional, argument[i])
    } else {
      sub(/ *( DEFAULT | = ).*/, "", argument[i])
      if (argument[i] == "\"any\"") argument[i] = i == 1 ? "x" : "y"
      sub(/ "any"$/, "", argument[i])
      required = add(required, argument[i])
    }
  }
  if (required ~ /^row_type text/) return  # it says that a name is no row type
  plain = name
  gsub(/"/, "", plain)
  print "{" in_c(plain) ", " in_c(name) ", " in_c(required) ", " in_c(optional) ", " \
        (what == "PROCEDURE" ? "true" : "false") "},"
}

{ sub(/ *-- .*/, ""); all = all " " $0 }

END {
  gsub(/ +/, " ", all)
  while (match(all, /CREATE (FUNCTION|PROCEDURE|AGGREGATE) dpmix\.("[a-z_]+"|[a-z_0-9]+) ?\(/)) {
    split(substr(all, RSTART, RLENGTH), word, " ")
    name = word[3]
    sub(/^dpmix\./, "", name)
    sub(/\(.*/, "", name)
    all = substr(all, RSTART + RLENGTH - 1)
    write_signature(word[2], name, inside(all))
  }
}
