# Made by r/generate_wrappers.py of the commands of sdcmetrics; do not edit.

utility_gen <- function(original, replica, method = NULL, maxorder = NULL, variables = NULL,
                        seed = NULL, missing_codes = NULL, command = NULL) {
  data <- list(original = original, replica = replica)
  options <- list(`method` = as_value(method), `maxorder` = as_value(maxorder),
                  `variables` = as_names(variables), `seed` = as_value(seed))
  ask_table("utility-gen", data, options, missing_codes, command)
}

fit_overlap <- function(original, replica, formula, family = NULL, population_inference = FALSE,
                        missing_codes = NULL, command = NULL) {
  data <- list(original = original, replica = replica)
  options <- list(`formula` = as_each(formula), `family` = as_value(family),
                  `population-inference` = as_flag(population_inference))
  ask_table("fit-overlap", data, options, missing_codes, command)
}

fit <- function(replica, formula, family = NULL, n_original = NULL, population_inference = FALSE,
                proper = FALSE, not_synthesised = NULL, by_synthesis = FALSE,
                missing_codes = NULL, command = NULL) {
  data <- list(replica = replica)
  options <- list(`formula` = as_value(formula), `family` = as_value(family),
                  `n-original` = as_value(n_original),
                  `population-inference` = as_flag(population_inference),
                  `proper` = as_flag(proper), `not-synthesised` = as_names(not_synthesised),
                  `by-synthesis` = as_flag(by_synthesis))
  ask_table("fit", data, options, missing_codes, command)
}

prediction <- function(original, replica, targets, holdout = NULL, learners = NULL,
                       permutations = NULL, variables = NULL, seed = NULL, missing_codes = NULL,
                       command = NULL) {
  data <- list(original = original, replica = replica)
  options <- list(`targets` = as_names(targets), `holdout` = as_data(holdout),
                  `learners` = as_names(learners), `permutations` = as_value(permutations),
                  `variables` = as_names(variables), `seed` = as_value(seed))
  ask_table("prediction", data, options, missing_codes, command)
}

rules <- function(original, replica, rule = NULL, find = FALSE, limit = NULL,
                  missing_codes = NULL, command = NULL) {
  data <- list(original = original, replica = replica)
  options <- list(`rule` = as_each(rule), `find` = as_flag(find), `limit` = as_value(limit))
  ask_table("rules", data, options, missing_codes, command)
}

fidelity <- function(original, replica, holdout = NULL, mode = NULL, variables = NULL,
                     missing_codes = NULL, command = NULL) {
  data <- list(original = original, replica = replica)
  options <- list(`holdout` = as_data(holdout), `mode` = as_value(mode),
                  `variables` = as_names(variables))
  ask_table("fidelity", data, options, missing_codes, command)
}

daisynt <- function(original, replica, target = NULL, holdout = NULL, categorical = NULL,
                    public = NULL, sensitive = NULL, mode = NULL, tests = NULL, seed = NULL,
                    missing_codes = NULL, command = NULL) {
  data <- list(original = original, replica = replica)
  options <- list(`target` = as_value(target), `holdout` = as_data(holdout),
                  `categorical` = as_names(categorical), `public` = as_names(public),
                  `sensitive` = as_names(sensitive), `mode` = as_value(mode),
                  `tests` = as_names(tests), `seed` = as_value(seed))
  ask_table("daisynt", data, options, missing_codes, command)
}

membership <- function(original, replica, holdout, variables = NULL, seed = NULL,
                       missing_codes = NULL, command = NULL) {
  data <- list(original = original, replica = replica)
  options <- list(`holdout` = as_data(holdout), `variables` = as_names(variables),
                  `seed` = as_value(seed))
  ask_table("membership", data, options, missing_codes, command)
}

singling_out <- function(original, replica, holdout, columns = NULL, permutations = NULL,
                         variables = NULL, seed = NULL, missing_codes = NULL, command = NULL) {
  data <- list(original = original, replica = replica)
  options <- list(`holdout` = as_data(holdout), `columns` = as_value(columns),
                  `permutations` = as_value(permutations), `variables` = as_names(variables),
                  `seed` = as_value(seed))
  ask_table("singling-out", data, options, missing_codes, command)
}

linkability <- function(original, replica, holdout, keys, other_keys, permutations = NULL,
                        seed = NULL, missing_codes = NULL, command = NULL) {
  data <- list(original = original, replica = replica)
  options <- list(`holdout` = as_data(holdout), `keys` = as_names(keys),
                  `other-keys` = as_names(other_keys), `permutations` = as_value(permutations),
                  `seed` = as_value(seed))
  ask_table("linkability", data, options, missing_codes, command)
}

attribute_inference <- function(original, replica, holdout, target, keys = NULL, learner = NULL,
                                seeds = NULL, seed = NULL, missing_codes = NULL, command = NULL) {
  data <- list(original = original, replica = replica)
  options <- list(`holdout` = as_data(holdout), `target` = as_value(target),
                  `keys` = as_names(keys), `learner` = as_value(learner),
                  `seeds` = as_value(seeds), `seed` = as_value(seed))
  ask_table("attribute-inference", data, options, missing_codes, command)
}

exact_matches <- function(original, replica, holdout, variables = NULL, unique_in_replica = FALSE,
                          missing_codes = NULL, command = NULL) {
  data <- list(original = original, replica = replica)
  options <- list(`holdout` = as_data(holdout), `variables` = as_names(variables),
                  `unique-in-replica` = as_flag(unique_in_replica))
  ask_table("exact-matches", data, options, missing_codes, command)
}

record_linkage <- function(original, replica, keys, links = NULL, missing_codes = NULL,
                           command = NULL) {
  data <- list(original = original, replica = replica)
  options <- list(`keys` = as_names(keys), `links` = as_value(links))
  ask_table("record-linkage", data, options, missing_codes, command)
}

epsilon_bound <- function(original, replica, holdout, random_holdout = FALSE, variables = NULL,
                          seed = NULL, missing_codes = NULL, command = NULL) {
  data <- list(original = original, replica = replica)
  options <- list(`holdout` = as_data(holdout), `random-holdout` = as_flag(random_holdout),
                  `variables` = as_names(variables), `seed` = as_value(seed))
  ask_table("epsilon-bound", data, options, missing_codes, command)
}

k_anonymity <- function(original, keys, missing = NULL, missing_codes = NULL, command = NULL) {
  data <- list(original = original)
  options <- list(`keys` = as_names(keys), `missing` = as_value(missing))
  ask_table("k-anonymity", data, options, missing_codes, command)
}

l_diversity <- function(original, keys, target, missing_codes = NULL, command = NULL) {
  data <- list(original = original)
  options <- list(`keys` = as_names(keys), `target` = as_value(target))
  ask_table("l-diversity", data, options, missing_codes, command)
}

t_closeness <- function(original, keys, target, missing_codes = NULL, command = NULL) {
  data <- list(original = original)
  options <- list(`keys` = as_names(keys), `target` = as_value(target))
  ask_table("t-closeness", data, options, missing_codes, command)
}

match_risk <- function(original, keys, population_size = NULL, sampling_fraction = NULL,
                       missing_codes = NULL, command = NULL) {
  data <- list(original = original)
  options <- list(`keys` = as_names(keys), `population-size` = as_value(population_size),
                  `sampling-fraction` = as_value(sampling_fraction))
  ask_table("match-risk", data, options, missing_codes, command)
}

special_uniques <- function(original, keys, sampling_fraction = NULL, max_size = NULL,
                            missing_codes = NULL, command = NULL) {
  data <- list(original = original)
  options <- list(`keys` = as_names(keys), `sampling-fraction` = as_value(sampling_fraction),
                  `max-size` = as_value(max_size))
  ask_table("special-uniques", data, options, missing_codes, command)
}

key_importance <- function(original, keys, sampling_fraction = NULL, missing_codes = NULL,
                           command = NULL) {
  data <- list(original = original)
  options <- list(`keys` = as_names(keys), `sampling-fraction` = as_value(sampling_fraction))
  ask_table("key-importance", data, options, missing_codes, command)
}

weighted_tables <- function(original, replica, weight = NULL, strata = NULL, cluster = NULL,
                            lonely = NULL, synthetic_weight = NULL, against = NULL, ways = NULL,
                            variables = NULL, ngroups = NULL, missing_codes = NULL, command = NULL) {
  data <- list(original = original, replica = replica)
  options <- list(`weight` = as_value(weight), `strata` = as_value(strata),
                  `cluster` = as_value(cluster), `lonely` = as_value(lonely),
                  `synthetic-weight` = as_value(synthetic_weight), `against` = as_value(against),
                  `ways` = as_value(ways), `variables` = as_names(variables),
                  `ngroups` = as_value(ngroups))
  ask_table("weighted-tables", data, options, missing_codes, command)
}

weighted_compare <- function(original, replica, weight = NULL, strata = NULL, cluster = NULL,
                             lonely = NULL, synthetic_weight = NULL, variables = NULL,
                             missing_codes = NULL, command = NULL) {
  data <- list(original = original, replica = replica)
  options <- list(`weight` = as_value(weight), `strata` = as_value(strata),
                  `cluster` = as_value(cluster), `lonely` = as_value(lonely),
                  `synthetic-weight` = as_value(synthetic_weight),
                  `variables` = as_names(variables))
  ask_table("weighted-compare", data, options, missing_codes, command)
}

survey_overlap <- function(original, replica, formula, family = NULL, weight = NULL,
                           strata = NULL, cluster = NULL, lonely = NULL, synthetic_weight = NULL,
                           missing_codes = NULL, command = NULL) {
  data <- list(original = original, replica = replica)
  options <- list(`formula` = as_value(formula), `family` = as_value(family),
                  `weight` = as_value(weight), `strata` = as_value(strata),
                  `cluster` = as_value(cluster), `lonely` = as_value(lonely),
                  `synthetic-weight` = as_value(synthetic_weight))
  ask_table("survey-overlap", data, options, missing_codes, command)
}

individual_risk <- function(original, keys, weight, household = NULL, approximate = FALSE,
                            missing_codes = NULL, command = NULL) {
  data <- list(original = original)
  options <- list(`keys` = as_names(keys), `weight` = as_value(weight),
                  `household` = as_value(household), `approximate` = as_flag(approximate))
  ask_table("individual-risk", data, options, missing_codes, command)
}

population_uniques <- function(original, keys, weight = NULL, population_size = NULL,
                               sampling_fraction = NULL, method = NULL, missing_codes = NULL,
                               command = NULL) {
  data <- list(original = original)
  options <- list(`keys` = as_names(keys), `weight` = as_value(weight),
                  `population-size` = as_value(population_size),
                  `sampling-fraction` = as_value(sampling_fraction), `method` = as_value(method))
  ask_table("population-uniques", data, options, missing_codes, command)
}

attacker_risks <- function(original, keys, population = NULL, population_size = NULL,
                           sampling_fraction = NULL, threshold = NULL, missing_codes = NULL,
                           command = NULL) {
  data <- list(original = original)
  options <- list(`keys` = as_names(keys), `population` = as_data(population),
                  `population-size` = as_value(population_size),
                  `sampling-fraction` = as_value(sampling_fraction),
                  `threshold` = as_value(threshold))
  ask_table("attacker-risks", data, options, missing_codes, command)
}

household_uniqueness <- function(original, keys, household, missing_codes = NULL, command = NULL) {
  data <- list(original = original)
  options <- list(`keys` = as_names(keys), `household` = as_value(household))
  ask_table("household-uniqueness", data, options, missing_codes, command)
}
