# Single measures: what the commands of the same name print, as data frames.

disclosure <- function(original, replica, keys, targets = NULL, ngroups_targets = 0,
                       missing_codes = NULL, command = NULL) {
  options <- c("--keys", as_names(keys), if (!is.null(targets)) c("--targets", as_names(targets)),
               "--ngroups-targets", as_number(ngroups_targets))
  ask_table("disclosure", original, replica, options, missing_codes, command)
}

utility_tables <- function(original, replica, ways = 2, variables = NULL, ngroups = 5,
                           missing_codes = NULL, command = NULL) {
  options <- c("--ways", as_number(ways), "--ngroups", as_number(ngroups),
               if (!is.null(variables)) c("--variables", as_names(variables)))
  ask_table("utility-tables", original, replica, options, missing_codes, command)
}

ask_table <- function(name, original, replica, options, missing_codes, command) {
  folder <- private_folder()
  on.exit(unlink(folder, recursive = TRUE))
  table <- file.path(folder, "table.csv")
  files <- c(as_file(original, "original", folder), as_files(replica, "replica", folder))
  ask(c(name, files, options, code_options(missing_codes), "--csv", table), command)
  read.csv(table, check.names = FALSE, encoding = "UTF-8")
}
