# Writes the tables of R's installed packages, each in random thirds, and synthpop's replica of one.
#
#   Rscript benchmarks/package_tables.R FOLDER [PACKAGE ...]
#
# A table is taken if it has 150 records or more and 3 columns or more; of larger ones 9,000 records
# are. FOLDER/NAME/ gets original.csv, holdout.csv, fresh.csv and, where no text has more than 14
# values, cart.csv: synthpop's default replica of the original.

arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
packages <- arguments[-1]
if (length(packages) == 0) packages <- rownames(installed.packages())

plain <- function(table) {
  table <- as.data.frame(unclass(table), optional = TRUE)
  table[, vapply(table, function(x) is.atomic(x) && is.null(dim(x)), NA), drop = FALSE]
}

tables_of <- function(package) {
  items <- tryCatch(data(package = package)$results[, "Item"], error = function(e) character())
  out <- list()
  for (item in items) {
    file <- sub(".*\\((.*)\\)", "\\1", item)
    name <- sub(" .*", "", item)
    place <- new.env()
    suppressWarnings(data(list = file, package = package, envir = place))
    table <- place[[name]]
    if (is.data.frame(table) && nrow(table) >= 150 && ncol(plain(table)) >= 3) {
      out[[paste(package, name, sep = ".")]] <- plain(table)
    }
  }
  out
}

written <- function(table, name, file) {
  write.csv(table, file.path(folder, name, file), row.names = FALSE, na = "")
}

for (package in packages) {
  tables <- tables_of(package)
  for (name in names(tables)) {
    dir.create(file.path(folder, name), recursive = TRUE, showWarnings = FALSE)
    set.seed(7)
    table <- tables[[name]]
    table <- table[sample(nrow(table), min(nrow(table), 9000)), , drop = FALSE]
    third <- nrow(table) %/% 3
    parts <- split(table[seq_len(3 * third), ], rep(1:3, each = third))
    for (i in 1:3) written(parts[[i]], name, c("original.csv", "holdout.csv", "fresh.csv")[i])
    many <- vapply(parts[[1]], function(x) !is.numeric(x) && length(unique(x)) > 14, NA)
    if (requireNamespace("synthpop", quietly = TRUE) && !any(many)) {
      replica <- try(synthpop::syn(parts[[1]], print.flag = FALSE, seed = 3)$syn, silent = TRUE)
      if (is.data.frame(replica)) written(replica, name, "cart.csv")
    }
  }
}
