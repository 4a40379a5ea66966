# What synthpop should answer, by counting labels with table() alone, and whether it did.
#
# record_reference.R sources this, and a test that holds these counts against answers of 1.9-3.
# `newer` says whether the definitions of synthpop 1.9-3 are meant.

missing_label <- "\001"      # cannot be confused with a real level "Missing" or "NA"
relative_tolerance <- 1e-9

break_points <- function(pooled, groups, style) {
  values <- sort(unique(pooled))
  if (groups >= length(values)) {
    gaps <- diff(values)
    ends <- range(values) + c(-1, 1) * mean(gaps) / 2
    return(c(ends[1], head(values, -1) + gaps / 2, ends[2]))
  }
  breaks <- if (style == "quantile") {
    # i times the double 1/n, not i/n: the two differ in the last bit, and so may a group
    quantile(pooled, pmin(1, (0:groups) * (1 / groups)), names = FALSE)
  } else {
    seq(min(pooled), max(pooled), length.out = groups + 1)
  }
  unique(breaks)
}

# A numeric variable as group labels "g01", "g02", ... and one label a code, in synthpop's order.
group_labels <- function(case, name, i, groups, style) {
  codes <- setdiff(case$cont.na[[name]], NA)
  plain <- function(x) x[!is.na(x) & !x %in% codes]
  pooled <- c(plain(case$orig[[name]]), plain(unlist(lapply(case$syn, `[[`, name))))
  breaks <- break_points(pooled, groups, style)
  if (length(breaks) - 1 + length(codes) < 3) breaks <- break_points(pooled, groups, "equal")
  as_label <- function(x) {
    interval <- findInterval(x, breaks, rightmost.closed = TRUE)
    label <- ifelse(x %in% codes, paste0("code", x), sprintf("g%02d", interval))
    ifelse(is.na(x), missing_label, label)
  }
  levels <- c(sprintf("g%02d", seq_len(length(breaks) - 1)), sprintf("code%g", codes))
  list(orig = as_label(case$orig[[name]]), syn = as_label(case$syn[[i]][[name]]), levels = levels)
}

plain_labels <- function(case, name, i) {
  as_label <- function(x) {
    text <- if (is.numeric(x)) sprintf("%.15g", x) else as.character(x)
    ifelse(is.na(x), missing_label, text)
  }
  list(orig = as_label(case$orig[[name]]), syn = as_label(case$syn[[i]][[name]]), levels = NULL)
}

# Counts over the cells in the order of `like`, which names the levels of the variables that are
# not numeric as synthpop's own table of the original does.
label_counts <- function(case, call, i, like = NULL) {
  setting <- function(name, default) if (is.null(call$args[[name]])) default else call$args[[name]]
  labels <- lapply(call$vars, function(name) {
    if (is.numeric(case$orig[[name]])) {
      group_labels(case, name, i, setting("ngroups", 5), setting("style", "quantile"))
    } else plain_labels(case, name, i)
  })
  use_missing <- setting("useNA", TRUE)
  levels <- lapply(seq_along(labels), function(j) {
    named <- if (is.null(like)) NULL else {
      names <- unlist(like$dimnames[[j]])
      ifelse(names == "<NA>", missing_label, names)
    }
    numeric <- !is.null(labels[[j]]$levels)
    known <- if (numeric || is.null(named)) labels[[j]]$levels else named
    here <- unique(c(labels[[j]]$orig, labels[[j]]$syn))
    known <- union(known, sort(setdiff(here, missing_label)))
    known <- setdiff(known, missing_label)
    if (use_missing && missing_label %in% here) c(known, missing_label) else known
  })
  count <- function(side) {
    factors <- Map(function(label, known) factor(label[[side]], levels = known), labels, levels)
    do.call(table, unname(factors))
  }
  list(orig = count("orig"), syn = count("syn"))
}

label_pmse <- function(counts) {
  t_d <- as.vector(counts$orig)
  t_s <- as.vector(counts$syn)
  share <- sum(t_s) / (sum(t_s) + sum(t_d))
  used <- t_d + t_s > 0
  sum(((t_s / (t_s + t_d) - share)^2 * (t_s + t_d))[used]) / (sum(t_s) + sum(t_d))
}

close_to <- function(x, y) {
  x <- suppressWarnings(as.numeric(unlist(x)))
  y <- suppressWarnings(as.numeric(unlist(y)))
  length(x) == length(y) && all(is.nan(x) == is.nan(y) | is.na(x) == is.na(y)) &&
    all(abs(x - y) <= relative_tolerance * pmax(1, abs(y)), na.rm = TRUE)
}

agrees_utility.tab <- function(call, case, answer) {
  m <- length(case$syn)
  tab.syn <- if (m == 1) list(answer$tab.syn) else answer$tab.syn
  all(vapply(seq_len(m), function(i) {
    counts <- label_counts(case, call, i, like = answer$tab.obs)
    identical(as.integer(dim(counts$orig)), as.integer(answer$tab.obs$dim)) &&
      (i > 1 || close_to(counts$orig, answer$tab.obs$column_major)) &&
      close_to(counts$syn, tab.syn[[i]]$column_major) &&
      close_to(label_pmse(counts), answer$pMSE[i])
  }, NA))
}

agrees_utility.tables <- function(call, case, answer) {
  size <- match(call$tables, c("oneway", "twoway", "threeway"))
  ordered <- intersect(names(case$syn[[1]]), call$vars)
  expected <- apply(combn(ordered, size), 2, function(vars) {
    request <- list(vars = vars, args = call$args)
    mean(vapply(seq_along(case$syn), function(i) label_pmse(label_counts(case, request, i)), 0))
  })
  column <- function(name) vapply(answer$tabs, function(row) row[match(name, answer$cols)], 0)
  variables <- names(answer$var.scores)
  with_variable <- vapply(variables, function(name) {
    mean(column("S_pMSE")[vapply(strsplit(answer$rows, ":"), function(row) name %in% row, NA)])
  }, 0)
  close_to(expected, column("pMSE")) && close_to(with_variable, answer$var.scores)
}

# synthpop's measures from key x target counts that are matched by label.
label_disclosure <- function(case, call, i) {
  args <- call$args
  setting <- function(name, default) if (is.null(args[[name]])) default else args[[name]]
  describe <- function(name, groups) {
    grouped <- is.numeric(case$orig[[name]]) && groups > 0
    if (grouped) group_labels(case, name, i, groups, "quantile") else plain_labels(case, name, i)
  }
  n_keys <- length(call$keys)
  key_groups <- rep_len(setting("ngroups_keys", 0), n_keys)
  keys <- Map(describe, call$keys, key_groups)
  target <- describe(call$target, setting("ngroups_target", 0))
  tuple <- function(side) do.call(paste, c(unname(lapply(keys, `[[`, side)), sep = "\037"))
  tuples <- sort(unique(c(tuple("orig"), tuple("syn"))))
  levels <- sort(unique(c(target$orig, target$syn)))
  cross <- function(side) {
    counts <- table(factor(target[[side]], levels), factor(tuple(side), tuples))
    matrix(as.numeric(counts), length(levels), length(tuples))
  }
  D <- cross("orig")
  S <- cross("syn")
  n_d <- nrow(case$orig)
  n_s <- nrow(case$syn[[i]])
  columns <- function(total) rep(total, each = length(levels))
  d_q <- colSums(D)
  s_q <- colSums(S)
  unanimous <- colSums(S > 0) == 1
  hit <- S > 0 & S == columns(s_q)
  tables <- list(
    original = D, synthetic = S,
    Dorig = D * (D == columns(d_q)), Dsyn = S * (S == columns(s_q)),
    iS = D * columns(s_q > 0), DiS = D * columns(unanimous),
    DiSCO = D * hit, DiSDiO = D * (hit & D == columns(d_q))
  )
  words <- do.call(rbind, strsplit(tuples, "\037", fixed = TRUE))
  if (is.null(words)) words <- matrix(tuples, ncol = 1)
  out <- matrix(FALSE, length(levels), length(tuples))
  out[levels %in% setting("not.targetlev", character()), ] <- TRUE
  if (!setting("usetargetNA", TRUE)) out[levels == missing_label, ] <- TRUE
  use_keys <- rep_len(setting("usekeysNA", TRUE), n_keys)
  for (j in which(!use_keys)) out[, words[, j] == missing_label] <- TRUE
  for (e in seq_along(args$exclude.keys)) {
    j <- match(args$exclude.keys[e], call$keys)
    out[levels == args$exclude.targetlevs[e], words[, j] == args$exclude.keylevs[e]] <- TRUE
  }
  tables <- lapply(tables, function(counts) {
    counts[out] <- 0
    if (setting("exclude_ov_denom_lim", FALSE)) counts[counts > setting("denom_lim", 5)] <- 0
    counts
  })
  d_left <- colSums(tables$original)
  s_left <- colSums(tables$synthetic)
  ratio <- function(x, y) ifelse(y > 0, x / y, 0)
  positive <- tables$DiSCO[tables$DiSCO > 0]
  result <- list(
    UiO = 100 * sum(d_left == 1) / n_d, UiS = 100 * sum(s_left == 1) / n_s,
    UiOiS = 100 * sum(d_left == 1 & s_q > 0) / n_d,
    repU = 100 * sum(d_left == 1 & s_left == 1) / n_d,
    Dorig = 100 * sum(tables$Dorig) / n_d, Dsyn = 100 * sum(tables$Dsyn) / n_s,
    iS = 100 * sum(tables$iS) / n_d, DiS = 100 * sum(tables$DiS) / n_d,
    DiSCO = 100 * sum(tables$DiSCO) / n_d, DiSDiO = 100 * sum(tables$DiSDiO) / n_d,
    max_denom = max(0, positive), mean_denom = mean(positive),
    baseCAPd = 100 * sum((rowSums(D) / n_d)^2),
    CAPd = 100 * sum(ratio(tables$original^2, columns(d_left))) / n_d,
    CAPs = 100 * sum(ratio(tables$synthetic^2, columns(s_left))) / n_s,
    DCAP = 100 * sum(ratio(tables$original * tables$synthetic, columns(s_left))) / n_d,
    TCAP = 100 * sum(tables$DiSCO) / sum(d_left[s_left > 0])
  )
  if (newer) {
    correct <- result$DCAP * n_d
    disclosed <- 100 * sum(tables$DiSCO)
    n_b <- sum(s_left[d_left > 0])
    result <- c(result[!names(result) %in% c("DCAP", "TCAP")], list(
      DCAPd = correct / n_d, DCAPs = correct / n_s, DCAPb = correct / n_b,
      TCAPs = disclosed / n_s, TCAPb = disclosed / n_b, TCAP = disclosed / sum(tables$DiS),
      # two stand under each other's name in 1.9-3 (B26)
      denom_DiSCO = n_d, denom_TCAPb = n_s, denom_TCAPs = n_b, denom_TCAP = sum(tables$DiS)
    ))
    return(result)
  }
  if (length(args) == 0 || !any(grepl("NA|exclude|not", names(args)))) {
    result$DCAP_undefined <- 100 * result$DCAP / result$iS
  }
  result
}

agrees_disclosure <- function(call, case, answer, expected) {
  all(vapply(seq_along(case$syn), function(i) {
    given <- c(answer$ident[[i]], answer$attrib[[i]], answer$allCAPs[[i]], answer$attrib_denoms[[i]])
    # 1.9-3 decides anew what is unanimous where cells are left out
    left_out <- newer && any(grepl("NA|exclude|not", names(call$args)))
    if (left_out) given <- given[!names(given) %in% c("TCAP", "TCAPb", "TCAPs", "denom_TCAP")]
    close_to(given, expected[[i]][names(given)])
  }, NA))
}

agrees_multi.disclosure <- function(call, case, answer) {
  setting <- function(name, default) if (is.null(call$args[[name]])) default else call$args[[name]]
  measure <- setting("attrib.meas", "DiSCO")
  if (newer && measure == "DCAP") return(NA)     # it answers NA: the column was renamed
  asked <- if (is.null(call$targets)) setdiff(names(case$orig), call$keys) else call$targets
  groups <- setNames(rep_len(setting("ngroups_targets", 0), length(asked)), asked)
  targets <- sub("^[0-9]+ +", "", sub(" [12&]+way checks$", "", answer$rows))
  expected <- function(target, name) {
    args <- list(ngroups_target = groups[[target]])
    request <- list(keys = call$keys, target = target, args = args)
    mean(vapply(seq_along(case$syn), function(i) label_disclosure(case, request, i)[[name]], 0))
  }
  of_original <- c(DiSCO = "Dorig", DCAP = "CAPd")[[measure]]
  column <- function(name) vapply(answer$attrib.table, `[[`, 0, name)
  setequal(targets, asked) &&
    close_to(column("attrib.syn"), vapply(targets, expected, 0, measure)) &&
    close_to(column("attrib.orig"), vapply(targets, expected, 0, of_original)) &&
    close_to(answer$ident.orig, vapply(asked, expected, 0, "UiO")) &&
    close_to(answer$ident.syn, vapply(asked, expected, 0, "repU"))
}

agrees_replicated.uniques <- function(call, case, answer) {
  tables <- if (length(case$syn) == 1) list(answer$res_tab) else answer$res_tab
  all(vapply(seq_along(case$syn), function(i) {
    labels <- lapply(call$keys, plain_labels, case = case, i = i)
    tuple <- function(side) do.call(paste, c(lapply(labels, `[[`, side), sep = "\037"))
    both <- unique(c(tuple("orig"), tuple("syn")))
    d_q <- table(factor(tuple("orig"), both))
    s_q <- table(factor(tuple("syn"), both))
    expected <- c(sum(d_q == 1), sum(s_q == 1), sum(s_q == 1 & d_q > 0), sum(d_q == 1 & s_q == 1))
    close_to(vapply(tables[[i]], `[`, 0, 1), expected)
  }, NA))
}
