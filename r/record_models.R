#!/usr/bin/env Rscript
# Records what R's models, `pretty` and synthpop's compare() answer, for tests/reference/test_models.py.
#
#   Rscript r/record_models.R [output file]        default: tests/reference/models.json
#
# Data are made from the package `datasets` and stand in the file beside the answers. Multinomial
# and ordered models are fitted to a tighter tolerance than synthpop asks for, so that the answers
# are those of the model and not of where the search stopped.

suppressPackageStartupMessages({ library(synthpop); library(MASS); library(nnet) })
RNGkind("Mersenne-Twister", "Inversion", "Rejection")
options(digits = 7, scipen = 0, stringsAsFactors = FALSE, warn = -1)
invisible(Sys.setlocale("LC_COLLATE", "C"))

arguments <- commandArgs(TRUE)
output <- if (length(arguments) > 0) arguments[1] else {
  file <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])
  file.path(dirname(file), "..", "tests", "reference", "models.json")
}
text <- function(numbers) I(ifelse(is.na(numbers), "NA", sprintf("%.17g", unname(numbers))))
columns <- function(data) {
  lapply(data, function(values) {
    if (is.factor(values)) {
      list(levels = I(levels(values)), values = I(as.character(values)))
    } else list(values = if (is.numeric(values)) text(values) else I(as.character(values)))
  })
}
quietly <- function(expression) {
  value <- NULL
  capture.output(value <- suppressMessages(expression))
  value
}
as_synds <- function(data, syn, method = "cart", cont.na = list()) {
  names <- names(data)
  codes <- setNames(lapply(names, function(v) if (is.null(cont.na[[v]])) NA else cont.na[[v]]), names)
  structure(list(syn = if (length(syn) == 1) syn[[1]] else syn, m = length(syn), cont.na = codes,
                 n = nrow(data), k = nrow(syn[[1]]), method = setNames(rep(method, length(names)), names),
                 proper = FALSE), class = "synds")
}

set.seed(201)
births <- with(infert, data.frame(
  education = education, age = age, parity = parity, induced = factor(induced),
  spontaneous = factor(spontaneous), case = case, large = parity > 2
))
births$age[sample(nrow(births), 12)] <- NA
births$parity[c(3, 40, 77, 200)] <- -8
# Every value stays with chance 0.85, and else is that of another record.
replicas <- lapply(1:8, function(i) {
  keep <- lapply(births, function(values) {
    order <- sample.int(nrow(births))
    ifelse(runif(nrow(births)) < 0.85, seq_len(nrow(births)), order)
  })
  as.data.frame(Map(function(values, rows) values[rows], births, keep))
})

# ---- Models ----------------------------------------------------------------------------------

formulas <- c(
  "case ~ age + education", "case ~ age * spontaneous", "case ~ 0 + spontaneous + age",
  "case ~ education:spontaneous", "case ~ I(age^2) + log(age) + large",
  "case ~ (age + large + induced)^2 - age:large", "case ~ large/age",
  "case ~ factor(parity) + age"
)
glm_fit <- function(formula, family) {
  fit <- glm(as.formula(formula), family, births)
  squares <- summary(fit)$coefficients
  null <- update(fit, . ~ 1, data = births[rownames(births) %in% names(fitted(fit)), ])
  list(formula = formula, family = family$link, terms = I(names(coef(fit))), coef = text(coef(fit)),
       se = text(squares[match(names(coef(fit)), rownames(squares)), 2]), n = length(fitted(fit)),
       log_likelihood = text(logLik(fit)), null = text(logLik(null)))
}
glms <- c(
  lapply(formulas, glm_fit, binomial()), list(glm_fit("case ~ age + education", binomial("probit")),
  glm_fit("case ~ age + education", binomial("cloglog")))
)
counts <- within(births, parity[parity < 0] <- NA)
poisson_fit <- glm(parity ~ age + education, poisson(), counts)
poisson <- list(formula = "parity ~ age + education", family = "poisson",
                terms = I(names(coef(poisson_fit))), coef = text(coef(poisson_fit)),
                se = text(sqrt(diag(vcov(poisson_fit)))), n = length(fitted(poisson_fit)),
                log_likelihood = text(logLik(poisson_fit)))

many <- multinom(education ~ age + large, births, trace = FALSE, reltol = 1e-15, maxit = 5000)
several <- summary(many)
multinomial <- list(
  formula = "education ~ age + large", rows = I(rownames(coef(many))), terms = I(colnames(coef(many))),
  coef = lapply(rownames(coef(many)), function(row) text(coef(many)[row, ])),
  se = lapply(rownames(coef(many)), function(row) text(several$standard.errors[row, ])),
  deviance = text(many$deviance)
)
odds <- polr(spontaneous ~ age + education, births, Hess = TRUE,
             control = list(reltol = 1e-16, maxit = 5000))
estimates <- summary(odds)$coefficients
ordered <- list(formula = "spontaneous ~ age + education", terms = I(rownames(estimates)),
                coef = text(estimates[, 1]), se = text(estimates[, 2]), deviance = text(odds$deviance))

# ---- Incomplete synthesis: the response was left as it was ------------------------------------

partly <- lapply(replicas, function(data) { data$parity <- births$parity; data })
partial <- as_synds(births, partly)
partial$method["parity"] <- ""
partial$method <- partial$method[c("parity", setdiff(names(births), "parity"))]
partial_births <- births[names(partial$method)]
partial$syn <- lapply(partial$syn, `[`, names(partial$method))
incomplete_fit <- quietly(lm.synds(parity ~ large + case, data = partial))
incomplete <- lapply(c(FALSE, TRUE), function(inference) {
  answer <- quietly(compare(incomplete_fit, partial_births, population.inference = inference, plot = "coef"))
  list(population.inference = inference, terms = I(rownames(answer$coef.obs)),
       se = text(answer$coef.syn[, 2]), overlap = text(answer$ci.overlap[[1]]),
       lack.of.fit = text(answer$lack.of.fit), p = text(answer$lof.pvalue))
})
stopifnot(incomplete_fit$incomplete)

# ---- Models of the replica alone -----------------------------------------------------------------

# What summary() says of a model fitted to syntheses. `aside`, the response, was not synthesised;
# that is said here, as synthpop looks at the first variable of the formula in the data (B10).
ask_summary <- function(fitting, formula, m = 3, rows = 1:150, aside = character(), proper = FALSE,
                        inference = c(FALSE, TRUE), ...) {
  syn <- lapply(replicas[seq_len(m)], function(data) data[rows, ])
  object <- as_synds(births, syn)
  object$method[aside] <- ""
  object$proper <- proper
  fitted <- quietly(fitting(as.formula(formula), data = object, ...))
  lapply(inference, function(of_population) {
    answer <- quietly(summary(fitted, population.inference = of_population,
                              incomplete = if (length(aside) > 0) TRUE))
    table <- answer$coefficients
    list(formula = formula, fitting = fitted$fitting.function, m = m, rows = length(rows),
         aside = I(aside), proper = proper, population.inference = of_population,
         incomplete = unname(answer$incomplete), terms = I(rownames(table)),
         estimate = text(table[, 1]), se = text(table[, 2]), z = text(table[, 3]), p = text(table[, 4]),
         each = lapply(seq_len(m), function(i) text(matrix(fitted$mcoef, nrow = m)[i, ])),
         variances = lapply(seq_len(m), function(i) text(matrix(fitted$mvar, nrow = m)[i, ])))
  })
}
every <- seq_len(nrow(births))
exactly <- list(reltol = 1e-16, maxit = 5000)
summaries <- c(
  ask_summary(lm.synds, "parity ~ age + education"),
  ask_summary(lm.synds, "parity ~ age + education", proper = TRUE, inference = TRUE),
  ask_summary(lm.synds, "large ~ age", m = 8, rows = every, aside = "large", inference = TRUE),
  ask_summary(lm.synds, "large ~ age", m = 3, rows = every, aside = "large", inference = TRUE),
  ask_summary(lm.synds, "large ~ age", m = 1, rows = every, aside = "large"),
  ask_summary(glm.synds, "case ~ age*spontaneous", family = "binomial"),
  ask_summary(glm.synds, "age ~ education + large", family = "poisson", m = 2),
  ask_summary(polr.synds, "spontaneous ~ age + education", rows = every, control = exactly),
  ask_summary(multinom.synds, "education ~ age + large", rows = every, reltol = 1e-15, maxit = 5000)
)

# ---- compare() ---------------------------------------------------------------------------------

ask_compare <- function(syn, stat) {
  object <- as_synds(births, syn, cont.na = list(parity = -8))
  tables <- list()
  for (name in names(births)) {      # one by one: synthpop nests tables by kind of variable
    answer <- quietly(compare(object, births, vars = name, plot = FALSE, stat = stat))
    table <- answer$tables
    while (is.list(table)) table <- Filter(Negate(is.null), table)[[1]]
    tables[[name]] <- list(levels = I(colnames(table)), observed = text(table[1, ]),
                           synthetic = text(table[2, ]))
  }
  utility <- quietly(compare(object, births, plot = FALSE))$tab.utility
  list(stat = stat, m = length(syn), tables = tables, rows = I(rownames(utility)),
       utility = lapply(seq_len(nrow(utility)), function(i) text(utility[i, ])))
}
comparisons <- list(ask_compare(replicas[1], "percents"), ask_compare(replicas[1], "counts"),
                    ask_compare(replicas[1:3], "percents"))

# ---- pretty --------------------------------------------------------------------------------------

set.seed(202)
low <- c(0, 18, -8, 3, 0, -3.7, 1990, 1e-9, 5, -12, 1e10, 100, 0, rnorm(60) * 10^runif(60, -4, 6))
width <- c(1, 73, 3808, 0, 97, 16.6, 31, 3e-10, 1e-7, 0, 0, 0, 0, 10^runif(60, -4, 6))
asked <- rep(c(20, 5, 10), length.out = length(low))
breaks <- lapply(seq_along(low), function(i) {
  high <- low[i] + width[i]
  list(low = sprintf("%.17g", low[i]), high = sprintf("%.17g", high), n = asked[i],
       breaks = text(pretty(c(low[i], high), asked[i])))
})

answers <- list(
  do_not_edit = sprintf("generated by r/record_models.R with %s, synthpop %s, MASS %s, nnet %s",
                        R.version.string, packageVersion("synthpop"), packageVersion("MASS"),
                        packageVersion("nnet")),
  data = columns(births), replicas = lapply(replicas, columns), glms = glms, poisson = poisson,
  multinomial = multinomial, ordered = ordered, incomplete = incomplete,
  summaries = summaries, comparisons = comparisons, pretty = breaks
)
lines <- vapply(names(answers), function(name) {
  paste0(jsonlite::toJSON(name, auto_unbox = TRUE), ": ",
         jsonlite::toJSON(answers[[name]], auto_unbox = TRUE, null = "null", na = "string"))
}, "")
connection <- file(output, open = "wb")
writeLines(paste0("{\n", paste0(lines, collapse = ",\n"), "\n}"), connection, sep = "\n", useBytes = TRUE)
close(connection)
