# Asks R's survey package about its own data (api, schools of California), under seven designs.
# Rscript tests/reference/peers/record_api.R FOLDER; needs survey. The samples and the answers go
# into FOLDER, outside of this repository: record_api.py compares them with ours.
suppressPackageStartupMessages(library(survey))
out <- commandArgs(TRUE)[1]
data(api)
columns <- c("stype", "dnum", "api99", "api00", "meals", "ell", "mobility", "hsg", "col.grad",
             "some.col", "sch.wide", "comp.imp", "awards", "both", "pw")
samples <- lapply(list(srs = apisrs, strat = apistrat, clus1 = apiclus1, clus2 = apiclus2),
                  function(one) one[columns])
for (name in names(samples)) {
  write.csv(samples[[name]], file.path(out, paste0(name, ".csv")), row.names = FALSE)
}
designs <- with(samples, list(
  "srs" = svydesign(~1, weights = ~pw, data = srs),
  "srs, clusters" = svydesign(~dnum, weights = ~pw, data = srs),
  "strat, weights" = svydesign(~1, weights = ~pw, data = strat),
  "strat, strata" = svydesign(~1, strata = ~stype, weights = ~pw, data = strat),
  "strat, strata and clusters" = svydesign(~dnum, strata = ~stype, weights = ~pw, data = strat,
                                           nest = TRUE),
  "clus1, clusters" = svydesign(~dnum, weights = ~pw, data = clus1),
  "clus2, clusters" = svydesign(~dnum, weights = ~pw, data = clus2)))
rows <- list()
put <- function(...) rows[[length(rows) + 1]] <<- data.frame(...)
numbers <- c("api99", "api00", "meals", "ell", "mobility", "hsg", "col.grad", "some.col")
for (name in names(designs)) {
  design <- designs[[name]]
  put(design = name, variable = "", statistic = "degrees of freedom", value = degf(design))
  for (variable in numbers) {
    formula <- as.formula(paste0("~", variable))
    mean <- svymean(formula, design)
    put(design = name, variable, statistic = "mean", value = as.vector(coef(mean)))
    put(design = name, variable, statistic = "mean: error", value = as.vector(SE(mean)))
    found <- svyquantile(formula, design, c(.1, .5, .9), ci = TRUE)[[1]]
    for (i in 1:3) {
      label <- paste("quantile", c("0.1", "0.5", "0.9")[i])
      put(design = name, variable, statistic = label, value = found[i, 1])
      put(design = name, variable, statistic = paste0(label, ": lower"), value = found[i, 2])
      put(design = name, variable, statistic = paste0(label, ": upper"), value = found[i, 3])
    }
  }
  for (variable in c("stype", "sch.wide", "comp.imp", "awards", "both")) {
    share <- svymean(as.formula(paste0("~", variable)), design)
    level <- substring(names(coef(share)), nchar(variable) + 1)
    put(design = name, variable, statistic = paste("share of", level),
        value = as.vector(coef(share)))
    put(design = name, variable, statistic = paste0("share of ", level, ": error"),
        value = as.vector(SE(share)))
  }
  for (one in list(list("gaussian", api00 ~ ell + meals + mobility, gaussian()),
                   list("binomial", passed ~ ell + meals, quasibinomial()))) {
    design$variables$passed <- as.integer(design$variables$sch.wide == "Yes")
    fit <- svyglm(one[[2]], design, family = one[[3]])  # ours stops where R's default does
    put(design = name, variable = one[[1]], statistic = names(coef(fit)),
        value = as.vector(coef(fit)))
    put(design = name, variable = one[[1]], statistic = paste0(names(coef(fit)), ": error"),
        value = as.vector(SE(fit)))
  }
}
answers <- do.call(rbind, lapply(rows, function(row) setNames(row, c("design", "variable",
                                                                    "statistic", "value"))))
answers$value <- sprintf("%.17g", answers$value)
answers$survey <- as.character(packageVersion("survey"))
write.csv(answers, file.path(out, "answers.csv"), row.names = FALSE)
