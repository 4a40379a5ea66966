#!/usr/bin/env Rscript
# Records what the packages survey, survival and lme4 answer on data that are made here, for
# tests/measures/analyses/test_reference.py.
#
#   Rscript r/record_analyses.R [output file]      default: tests/reference/analyses.json
#
# Data stand in the file beside the answers. Needs survey, survival, lme4 and jsonlite.

suppressPackageStartupMessages({ library(survey); library(survival); library(lme4); library(jsonlite) })
RNGkind("Mersenne-Twister", "Inversion", "Rejection")
set.seed(20)
options(survey.lonely.psu = "fail")

arguments <- commandArgs(TRUE)
output <- if (length(arguments) > 0) arguments[1] else {
  file <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])
  file.path(dirname(file), "..", "tests", "reference", "analyses.json")
}
answer <- function(terms, value, error, lower = NULL, upper = NULL) {
  row <- list(terms = I(as.character(terms)), value = I(as.numeric(unname(value))),
                error = I(as.numeric(unname(error))))
  if (!is.null(lower)) row <- c(row, list(lower = I(as.numeric(lower)), upper = I(as.numeric(upper))))
  row
}
of <- function(estimate) answer(names(coef(estimate)), coef(estimate), SE(estimate))

homes <- 140
region <- rep(c("east", "north", "west"), c(40, 50, 50))
size <- sample(1:4, homes, TRUE)
home <- rep(seq_len(homes), size)
people <- data.frame(
  home = home, region = region[home], weight = round(runif(homes, 20, 90), 1)[home],
  sex = sample(c("f", "m"), length(home), TRUE), work = sample(c("none", "part", "full"), length(home), TRUE)
)
people$income <- round(exp(rnorm(homes, 7, 0.6))[home], 1)
people$wage <- round(people$income * runif(nrow(people), 0, 0.9), 1)
people$time <- ceiling(rexp(nrow(people), 0.02 * (1 + 0.5 * (people$sex == "m"))))
people$died <- rbinom(nrow(people), 1, 0.75)
people$age <- sample(20:80, nrow(people), TRUE)

designs <- list(
  sampled = svydesign(~home, strata = ~region, weights = ~weight, data = people),
  simple = svydesign(~1, weights = ~1, data = people)
)
surveyed <- lapply(designs, function(d) {
  quantiles <- svyquantile(~income, d, c(0.1, 0.5, 0.9), interval.type = "mean")[[1]]
  by_sex <- svyby(~income, ~sex, d, svymean, covmat = TRUE)
  medians <- svyby(~income, ~region, d, svyquantile, quantiles = 0.5, ci = TRUE)
  cells <- svymean(~interaction(sex, work, lex.order = TRUE), d)
  by_region <- svyby(~income, ~region, d, svymean)
  list(
    mean = of(svymean(~income, d)), total = of(svytotal(~income, d)), share = of(svymean(~work, d)),
    ratio = answer("wage / income", coef(svyratio(~wage, ~income, d)), SE(svyratio(~wage, ~income, d))),
    quantile = answer(c(0.1, 0.5, 0.9), quantiles[, 1], quantiles[, "se"], quantiles[, 2], quantiles[, 3]),
    difference = of(svycontrast(by_sex, c(f = -1, m = 1))),
    table = of(cells), mean_by = answer(by_region$region, by_region$income, by_region$se),
    median_by = answer(medians$region, medians$income, medians[["se.income"]])
  )
})
at <- c(10, 40, 100)
lines <- svykm(Surv(time, died) ~ 1, designs$sampled, se = TRUE)
place <- findInterval(at, lines$time)
sampled_fits <- list(  # ties are looked up where the design is
  efron = svycoxph(Surv(time, died) ~ age + sex, designs$sampled, method = "efron"),
  breslow = svycoxph(Surv(time, died) ~ age + sex, designs$sampled, method = "breslow")
)
cox_sampled <- lapply(sampled_fits, function(fit) answer(names(coef(fit)), coef(fit), sqrt(diag(vcov(fit)))))
# survey takes errors of the logarithm of survival, by one step of the hazard
sampled_curve <- list(value = I(lines$surv[place]), varlog = I(lines$varlog[place]))

curve <- survfit(Surv(time, died) ~ 1, people)
summarised <- summary(curve, times = at)
medians <- summary(survfit(Surv(time, died) ~ sex, people))$table
cox <- lapply(c(efron = "efron", breslow = "breslow"), function(ties) {
  fit <- coxph(Surv(time, died) ~ age + sex, people, ties = ties)
  answer(names(coef(fit)), coef(fit), sqrt(diag(vcov(fit))))
})
survived <- list(
  at = I(at), curve = answer(at, summarised$surv, summarised$std.err),
  median = answer(c("f", "m"), medians[, "median"], c(NA, NA), medians[, "0.95LCL"], medians[, "0.95UCL"]),
  cox = cox, cox_sampled = cox_sampled, curve_sampled = sampled_curve
)

school <- rep(1:30, each = 12)
schools <- data.frame(school = school, ses = round(rnorm(360), 2), sex = sample(c("f", "m"), 360, TRUE))
schools$score <- round(10 + rnorm(30, 0, 1.5)[school] + (2 + rnorm(30, 0, 0.8)[school]) * schools$ses +
  0.5 * (schools$sex == "m") + rnorm(360, 0, 2), 2)
fitted <- function(formula, REML) {
  fit <- lmer(formula, schools, REML = REML, control = lmerControl(optimizer = "bobyqa",
              optCtrl = list(rhoend = 1e-11, maxfun = 1e5)))
  c(answer(names(fixef(fit)), fixef(fit), sqrt(diag(as.matrix(vcov(fit))))),
    list(log_likelihood = as.numeric(logLik(fit)), variances = I(as.data.frame(VarCorr(fit))$vcov)))
}
mixed <- list(
  intercept_reml = fitted(score ~ ses + sex + (1 | school), TRUE),
  intercept_ml = fitted(score ~ ses + sex + (1 | school), FALSE),
  slope_reml = fitted(score ~ ses + sex + (ses | school), TRUE)
)
written <- list(
  generated = "by r/record_analyses.R; do not edit",
  versions = list(R = as.character(getRversion()), survey = as.character(packageVersion("survey")),
                  survival = as.character(packageVersion("survival")), lme4 = as.character(packageVersion("lme4"))),
  people = people, schools = schools, survey = surveyed, survival = survived, mixed = mixed
)
write(toJSON(written, digits = NA, auto_unbox = TRUE, dataframe = "columns"), output)
