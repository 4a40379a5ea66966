# A whole review, and a review that was written before.

review <- function(original, replicas, keys, targets = NULL, holdout = NULL, models = NULL,
                   missing_codes = NULL, profile = NULL, study = list(), title = "Disclosure review",
                   mode = c("internal", "checker"), out = NULL, command = NULL, quiet = TRUE) {
  mode <- match.arg(mode)
  if (inherits(replicas, "synds") || is.data.frame(replicas)) replicas <- list(replica = replicas)
  if (is.null(names(replicas)) || any(!nzchar(names(replicas)))) {
    stop("replicas: expected a named list, such as list(cart = syn(original))", call. = FALSE)
  }
  if (inherits(models, "formula") || (is.list(models) && !is.null(models$formula))) {
    models <- list(models)
  }
  folder <- private_folder()
  on.exit(unlink(folder, recursive = TRUE))
  files <- Map(function(replica, i) as_files(replica, sprintf("replica_%d", i), folder),
               replicas, seq_along(replicas))
  data <- list(original = as_file(original, "original", folder),
               holdout = if (!is.null(holdout)) as_file(holdout, "holdout", folder))
  if (!is.null(profile) && file.exists(profile)) profile <- normalizePath(profile, "/")
  path <- file.path(folder, "study.toml")
  write_study(path, data, files, list(keys = keys, targets = targets), models, missing_codes, title,
              profile, study)
  if (is.null(out)) out <- tempfile("review")
  ask(c("review", path, "--out", out, "--mode", mode, if (quiet) "--quiet"), command, quiet)
  read_review(out)
}

read_review <- function(folder) {
  path <- if (dir.exists(folder)) file.path(folder, "review.json") else folder
  if (!file.exists(path)) {
    stop("there is no review in ", sQuote(folder, FALSE), ": expected its file review.json",
         call. = FALSE)
  }
  found <- jsonlite::fromJSON(path)
  found$folder <- normalizePath(dirname(path), "/")
  found$report <- file.path(found$folder, "report.html")
  structure(found, class = "sdcmetrics_review")
}

print.sdcmetrics_review <- function(x, ...) {
  cat(x$title, " (", x$classification, ", ", x$date, ")\n", sep = "")
  if (is.data.frame(x$answers)) {
    for (i in seq_len(nrow(x$answers))) {
      cat("  ", x$answers$question[i], " ", x$answers$answer[i], "\n", sep = "")
    }
  }
  cat("report: ", x$report, "\n", sep = "")
  invisible(x)
}
