# Single measures: what the commands of the same name print, as data frames.

disclosure <- function(original, replica, keys, targets = NULL, ngroups_targets = 0,
                       missing_codes = NULL, command = NULL) {
  options <- list(keys = as_names(keys), targets = as_names(targets),
                  `ngroups-targets` = as_value(ngroups_targets))
  ask_table("disclosure", list(original = original, replica = replica), options, missing_codes,
            command)
}

utility_tables <- function(original, replica, ways = 2, variables = NULL, ngroups = 5,
                           missing_codes = NULL, command = NULL) {
  options <- list(ways = as_value(ways), ngroups = as_value(ngroups),
                  variables = as_names(variables))
  ask_table("utility-tables", list(original = original, replica = replica), options,
            missing_codes, command)
}

# `options` holds what as_names() and its like made: texts, or an open file.
ask_table <- function(name, data, options, missing_codes, command) {
  folder <- private_folder()
  on.exit(unlink(folder, recursive = TRUE))
  files <- unlist(lapply(names(data), function(what) as_files(data[[what]], what, folder)))
  given <- unlist(lapply(names(options), function(option) {
    value <- options[[option]]
    if (inherits(value, "sdcmetrics_data")) value <- as_file(value$data, option, folder)
    if (is.null(value) || identical(value, FALSE)) return(NULL)
    flag <- paste0("--", option)
    if (isTRUE(value)) flag else as.vector(rbind(flag, value))
  }))
  table <- file.path(folder, "table.csv")
  ask(c(name, files, given, code_options(missing_codes), "--csv", table), command)
  result <- read.csv(table, check.names = FALSE, encoding = "UTF-8")
  structure(result, class = c("sdcmetrics_table", "data.frame"))
}

print.sdcmetrics_table <- function(x, digits = 3, ...) {
  print.data.frame(x, digits = digits, row.names = FALSE, ...)
  invisible(x)
}

# How a value of R is handed to an option.
as_value <- function(value) {
  if (inherits(value, "formula")) in_one_line(value)
  else if (is.numeric(value)) as_number(value)
  else value
}

as_each <- function(values) {
  if (inherits(values, "formula")) return(in_one_line(values))
  vapply(values, function(value) {
    if (inherits(value, "formula")) in_one_line(value) else as.character(value)
  }, "")
}

as_flag <- function(value) isTRUE(value)

as_data <- function(data) {
  if (!is.null(data)) structure(list(data = data), class = "sdcmetrics_data")
}
