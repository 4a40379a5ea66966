#!/usr/bin/env Rscript
# How to call sdcmetrics from R: data frames go out as .rds files, the review comes back as JSON.
#
#   Rscript r/from_r.R [path to the program sdcmetrics]
#
# Needs the R package jsonlite, and sdcmetrics: pip install sdcmetrics. No rpy2, no reticulate.

# `replicas` is a named list of data frames, or of lists of data frames (syn()$syn with m > 1).
review <- function(original, replicas, keys, targets, command = "sdcmetrics") {
  folder <- tempfile("study")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  quoted <- function(names) paste0('"', names, '"', collapse = ", ")
  save <- function(data, name) {
    saveRDS(data, file.path(folder, name))
    name
  }
  files <- vapply(names(replicas), function(name) {
    many <- replicas[[name]]
    if (is.data.frame(many)) many <- list(many)
    saved <- Map(save, many, sprintf("%s_%d.rds", name, seq_along(many)))
    sprintf('"%s" = [%s]', name, quoted(unlist(saved)))
  }, "")
  study <- file.path(folder, "study.toml")
  writeLines(c(
    "[data]", sprintf('original = "%s"', save(original, "original.rds")),
    "[data.replicas]", files,
    "[roles]", sprintf("keys = [%s]", quoted(keys)), sprintf("targets = [%s]", quoted(targets))
  ), study, useBytes = TRUE)
  out <- file.path(folder, "out")
  status <- system2(command, c("review", study, "--out", out, "--quiet"))
  if (status != 0) stop("sdcmetrics ended with exit status ", status)
  jsonlite::fromJSON(file.path(out, "review.json"))
}

if (sys.nframe() == 0) {
  arguments <- commandArgs(TRUE)
  command <- if (length(arguments) > 0) arguments[1] else "sdcmetrics"
  original <- data.frame(
    month = factor(airquality$Month), hot = airquality$Temp > 80, ozone = airquality$Ozone
  )
  set.seed(1)
  replica <- as.data.frame(lapply(original, sample))      # every column shuffled on its own
  found <- review(original, list(shuffled = replica), c("month", "hot"), "ozone", command)
  rows <- found$measurements
  print(rows[rows$metric %in% c("Dorig", "DiSCO", "DCAP"), c("replica", "metric", "value")],
        row.names = FALSE)
}
