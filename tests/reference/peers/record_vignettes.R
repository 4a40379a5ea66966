# Writes the data and the syntheses of synthpop's vignettes into a folder, as CSV files.
# Rscript tests/reference/peers/record_vignettes.R FOLDER; needs synthpop. The data are synthpop's
# own and stay outside: record_vignettes.py compares what they give with what the vignettes print.
suppressPackageStartupMessages(library(synthpop))
out <- commandArgs(TRUE)[1]
save <- function(data, name) write.csv(data, file.path(out, paste0(name, ".csv")), row.names = FALSE)
keyed <- SD2011[, c("sex", "age", "region", "placesize", "depress", "income", "ls", "marital",
                    "workab")]
save(keyed, "disclosure")
one <- syn(keyed, seed = 8564, print.flag = FALSE, cont.na = list(income = -8))
save(one$syn, "disclosure_one")
five <- syn(keyed, seed = 8564, m = 5, print.flag = FALSE)
for (i in 1:5) save(five$syn[[i]], paste0("disclosure_", i))
useful <- SD2011[, c("sex", "income", "age", "edu", "socprof", "trust", "height", "weight",
                     "smoke", "region")]
save(useful, "utility")
made <- function(...) syn(useful, cont.na = list(income = -8), seed = 34567, print.flag = FALSE, ...)
save(made(method = "parametric")$syn, "utility_parametric")
save(made(method = "cart")$syn, "utility_cart")
save(made(method = "parametric", visit.sequence = c(1, 3, 7:9, 2, 4:6, 10))$syn,
     "utility_reordered")
smokers <- SD2011[, c("smoke", "sex", "age", "edu")]
levels(smokers$edu) <- c("NONE", "VOC", "SEC", "HIGH")
known <- smokers[!is.na(smokers$smoke), ]
save(known, "inference")
order <- c("sex", "edu", "age", "smoke")
inferred <- list(
  f8 = syn.strata(known, m = 5, method = "parametric", strata = "smoke", seed = 5678,
                  visit.sequence = c("smoke", "sex", "edu", "age"), print.flag = FALSE,
                  tab.strataobs = FALSE),
  f9 = syn(known, m = 5, seed = 5678, visit.sequence = order, print.flag = FALSE),
  f10 = syn(known, m = 5, seed = 5678, method = "sample", visit.sequence = order,
            print.flag = FALSE),
  f11 = syn(known, seed = 910011, m = 20, method = c("", "", "cart", "cart"), print.flag = FALSE))
for (name in names(inferred)) {
  for (i in seq_along(inferred[[name]]$syn)) save(inferred[[name]]$syn[[i]], paste0(name, "_", i))
}
levels <- lapply(Filter(is.factor, SD2011), levels)
levels <- data.frame(column = rep(names(levels), lengths(levels)), level = unlist(levels))
save(levels, "levels")
save(data.frame(synthpop = as.character(packageVersion("synthpop"))), "version")
