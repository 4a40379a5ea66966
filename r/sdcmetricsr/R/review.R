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
  review <- jsonlite::fromJSON(path)
  review$folder <- normalizePath(dirname(path), "/")
  files <- file.path(review$folder, c("report.html", "report-annexes.html"))
  review$pages <- lapply(files[file.exists(files)], function(file) {
    list(name = basename(file), bytes = readBin(file, "raw", file.size(file)))
  })
  structure(review, class = "sdcmetrics_review")
}

# review$report is where the report is; from another session, where its pages are written again.
`$.sdcmetrics_review` <- function(x, name) {
  if (name != "report") return(.subset2(x, name))
  there <- file.path(.subset2(x, "folder"), "report.html")
  pages <- .subset2(x, "pages")
  if (file.exists(there) || length(pages) == 0) return(there)
  folder <- private_folder()
  for (page in pages) writeBin(page$bytes, file.path(folder, page$name))
  file.path(folder, "report.html")
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

# One row per replica: both answers, and the sentences that each rests on.
summary.sdcmetrics_review <- function(object, ...) {
  decision <- object$decision
  because <- function(question) {
    vapply(decision[[question]]$because, function(texts) paste(texts, collapse = " "), "")
  }
  result <- data.frame(replica = decision$replica, risk = decision$risk$status,
                       utility = decision$utility$status, risk_because = because("risk"),
                       utility_because = because("utility"))
  structure(result, class = c("summary.sdcmetrics_review", "data.frame"))
}

print.summary.sdcmetrics_review <- function(x, ...) {
  for (i in seq_len(nrow(x))) {
    cat(x$replica[i], "\n", sep = "")
    for (part in c("risk", "utility")) {
      question <- if (part == "risk") "may it be released" else "is it useful"
      text <- paste0(question, ": ", x[[part]][i], ". ", x[[paste0(part, "_because")]][i])
      cat(strwrap(text, indent = 2, exdent = 4), sep = "\n")
    }
  }
  invisible(x)
}

# Risk against utility, one point per replica.
plot.sdcmetrics_review <- function(x, ...) {
  rows <- x$measurements
  pairs <- grepl(" | ", rows$variables, fixed = TRUE)
  alone <- if (is.null(rows$synthesis)) TRUE else is.na(rows$synthesis)      # no single synthesis
  means <- function(take) {
    take <- take & is.finite(rows$value) & alone
    tapply(rows$value[take], rows$replica[take], mean)
  }
  utility <- means(rows$metric == "S_pMSE" & pairs)
  risk <- means(rows$metric == "DiSCO")
  both <- intersect(names(utility), names(risk))
  if (length(both) == 0) {
    stop("no replica has both S_pMSE of tables of two variables and DiSCO", call. = FALSE)
  }
  points <- data.frame(replica = both, utility = as.vector(utility[both]),
                       risk = as.vector(risk[both]))
  plot(points$utility, points$risk, main = x$title, pch = 19,
       xlab = "mean S_pMSE of tables of two variables",
       ylab = "mean DiSCO, percent of the original records",
       xlim = range(0, points$utility * 1.2), ylim = range(0, points$risk * 1.1), ...)
  text(points$utility, points$risk, points$replica, pos = 4)
  invisible(points)
}
