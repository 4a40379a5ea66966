# Writes real tables and what synthpop makes of them by each method, for decision_synthesisers.py.
#
#   Rscript benchmarks/synthesisers.R FOLDER [FILES]
#
# Of each table 500 records at random, or all that there are, are an original and a holdout, half and
# half, FILES times (2). FOLDER/TABLE_i/ gets original.csv, holdout.csv and METHOD_1.csv.

arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
files <- if (length(arguments) > 1) as.integer(arguments[2]) else 2L

of_package <- function(name, package) {
  place <- new.env()
  data(list = name, package = package, envir = place)
  place[[name]]
}
people <- c("sex", "age", "edu", "marital", "income", "ls", "smoke", "height", "weight", "region")
tables <- list(
  boston = of_package("Boston", "MASS"),
  hmda = of_package("HMDA", "AER"),
  pbc = survival::pbc[, -1],
  sd2011 = of_package("SD2011", "synthpop")[, people],
  slid = of_package("SLID", "carData"),
  titanic = of_package("TitanicSurvival", "carData"),
  wvs = of_package("WVS", "carData")
)
methods <- list(
  cart = list(), cart1 = list(cart.minbucket = 1), cart20 = list(cart.minbucket = 20),
  ctree = list(method = "ctree"), parametric = list(method = "parametric"),
  sample = list(method = "sample"), bag = list(method = "bag"), rf = list(method = "rf"),
  spline = list(smoothing = "spline")
)

for (name in names(tables)) for (i in seq_len(files)) {
  place <- file.path(folder, paste0(name, "_", i))
  dir.create(place, recursive = TRUE, showWarnings = FALSE)
  set.seed(i)
  table <- tables[[name]]
  half <- min(nrow(table), 500) %/% 2
  rows <- sample(nrow(table), 2 * half)
  parts <- list(original = table[rows[seq_len(half)], ], holdout = table[rows[half + seq_len(half)], ])
  for (method in names(methods)) {
    given <- c(list(parts$original, print.flag = FALSE, seed = i), methods[[method]])
    replica <- try(suppressWarnings(do.call(synthpop::syn, given))$syn, silent = TRUE)
    if (is.data.frame(replica)) parts[[paste0(method, "_1")]] <- replica
  }
  for (part in names(parts)) {
    write.csv(parts[[part]], file.path(place, paste0(part, ".csv")), row.names = FALSE, na = "")
  }
}
