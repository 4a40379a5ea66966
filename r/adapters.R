# What Python may call: data columns and plain options in, flat data.frames (symbol, value) out.
#
# The worker of sdcmetrics/rbridge sources this file into R, with synthpop attached. All digging
# in synthpop's result objects is done here, so that Python never sees one of them.
#
# Every function that measures takes `id`, the name of a kept pair of an original and its
# syntheses, and `options`, a named list that is passed on to synthpop.

options(stringsAsFactors = FALSE)
invisible(Sys.setlocale("LC_COLLATE", "C"))

kept <- new.env()

# ---- Data ----------------------------------------------------------------------------------

restore_column <- function(values, kind, levels) {
  switch(kind,
    boolean = as.logical(values),
    category = structure(values, levels = levels, class = "factor"),
    ordered = structure(values, levels = levels, class = c("ordered", "factor")),
    date = structure(values, class = "Date"),
    time = structure(values, class = c("POSIXct", "POSIXt"), tzone = "UTC"),
    values
  )
}

restore_frame <- function(frame) {
  columns <- Map(restore_column, frame$values, frame$kinds, frame$levels)
  structure(columns, names = frame$names, row.names = .set_row_names(frame$n), class = "data.frame")
}

# The bare object with the fields that synthpop's functions read.
bare_synds <- function(original, syntheses, settings) {
  structure(list(
    syn = if (length(syntheses) == 1) syntheses[[1]] else syntheses,
    m = length(syntheses), method = settings$method, proper = FALSE,
    n = nrow(original), k = nrow(syntheses[[1]]), cont.na = settings$codes
  ), class = "synds")
}

# An object made by syn() itself, whose data are then replaced.
cloned_synds <- function(original, syntheses, settings) {
  codes <- Filter(function(code) !all(is.na(code)), settings$codes)
  object <- syn(
    original, method = ifelse(settings$method == "", "", "sample"), m = length(syntheses),
    k = nrow(syntheses[[1]]), cont.na = if (length(codes) > 0) codes,
    maxfaclevels = .Machine$integer.max, print.flag = FALSE, seed = 1
  )
  object$syn <- if (length(syntheses) == 1) syntheses[[1]] else syntheses
  object
}

keep <- function(id, original, syntheses, settings) {
  data <- restore_frame(original)
  frames <- lapply(syntheses, restore_frame)
  how <- settings$how
  settings$method <- unlist(settings$method)
  settings$codes <- lapply(settings$codes, function(code) if (is.null(code)) NA else code)
  object <- switch(how,
    direct = bare_synds(data, frames, settings),
    clone = cloned_synds(data, frames, settings),
    frames = if (length(frames) == 1) frames[[1]] else frames
  )
  codes <- Filter(function(code) !all(is.na(code)), settings$codes)
  extra <- if (how == "frames" && length(codes) > 0) list(cont.na = codes) else list()
  assign(id, list(object = object, data = data, extra = extra), envir = kept)
  TRUE
}

forget <- function(ids) {
  rm(list = intersect(ids, ls(kept)), envir = kept)
  TRUE
}

# The data are named in the call and not put into it: synthpop keeps and prints its calls.
ask <- function(name, id, options, ...) {
  place <- list2env(get(id, envir = kept), parent = globalenv())
  arguments <- c(list(object = quote(object), data = quote(data)), list(...), place$extra, options)
  eval(as.call(c(list(as.name(name)), arguments)), place)
}

# ---- Flat tables ---------------------------------------------------------------------------

flat <- function(..., symbol, value) {
  data.frame(..., symbol = as.character(symbol), value = as.numeric(value), row.names = NULL)
}

flat_rows <- function(table, ...) {
  table <- as.data.frame(table)
  parts <- lapply(names(table), function(name) {
    flat(..., synthesis = seq_len(nrow(table)), symbol = name, value = table[[name]])
  })
  do.call(rbind, parts)
}

per_synthesis <- function(answer, symbols) {
  parts <- lapply(symbols, function(symbol) {
    value <- answer[[symbol]]
    if (is.null(value)) return(NULL)
    flat(synthesis = seq_along(value), symbol = symbol, value = value)
  })
  do.call(rbind, parts)
}

show <- function(answer, wanted) {
  if (isTRUE(wanted)) print(answer)
  invisible()
}

# ---- General utility -----------------------------------------------------------------------

table_statistics <- c(
  "VW", "FT", "JSD", "SPECKS", "WMabsDD", "U", "G", "pMSE", "PO50", "MabsDD", "dBhatt",
  "S_VW", "S_FT", "S_JSD", "S_WMabsDD", "S_G", "S_pMSE", "df", "dfG", "nempty"
)

adapt_utility_tab <- function(id, vars, options, print = FALSE) {
  answer <- ask("utility.tab", id, options, vars = vars, print.flag = FALSE)
  show(answer, print)
  single <- answer[table_statistics]
  # df and the like are given once where they are the same for every synthesis
  single <- lapply(single, function(value) rep_len(unname(value), answer$m))
  per_synthesis(single, table_statistics)
}

# Many tables in one call; a table at which synthpop stops does not stop the others.
adapt_utility_tabs <- function(id, tables, options) {
  answers <- lapply(unname(tables), function(vars) {
    tryCatch(adapt_utility_tab(id, as.character(vars), options), error = function(condition) {
      trimws(conditionMessage(condition))
    })
  })
  failed <- vapply(answers, is.character, NA)
  values <- Map(function(i, answer) cbind(table = i, answer), which(!failed), answers[!failed])
  list(
    values = do.call(rbind, unname(values)),
    errors = data.frame(table = which(failed), error = as.character(unlist(answers[failed])))
  )
}

adapt_utility_tables <- function(id, tables, vars, options, print = FALSE) {
  answer <- ask("utility.tables", id, options, tables = tables, vars = vars, tab.stats = "all",
                plot = FALSE, print.flag = FALSE)
  show(answer, print)
  tabs <- answer$tabs
  if (is.null(dim(tabs))) tabs <- matrix(tabs, nrow = 1, dimnames = list(NULL, names(tabs)))
  list(
    rows = rownames(tabs),
    tabs = flat(row = rep(seq_len(nrow(tabs)), ncol(tabs)),
                symbol = rep(colnames(tabs), each = nrow(tabs)), value = as.vector(tabs)),
    scores = flat(symbol = names(answer$var.scores), value = answer$var.scores)
  )
}

adapt_utility_gen <- function(id, options, seed = NULL, print = FALSE) {
  if (!is.null(seed)) set.seed(seed)
  answer <- ask("utility.gen", id, options, print.flag = FALSE)
  show(answer, print)
  symbols <- c("pMSE", "S_pMSE", "SPECKS", "S_SPECKS", "PO50", "S_PO50", "U", "S_U", "df")
  single <- lapply(answer[symbols], function(value) rep_len(unname(value), answer$m))
  models <- if (answer$m == 1) list(answer$fit) else answer$fit
  glms <- Filter(function(model) inherits(model, "glm"), models)
  list(statistics = per_synthesis(single, symbols), resampling = as.character(answer$resamp.method),
       iterations = vapply(glms, function(model) model$iter, 0L),
       largest = vapply(glms, function(model) max(abs(coef(model)), na.rm = TRUE), 0))
}

adapt_compare <- function(id, options, print = FALSE) {
  answer <- ask("compare", id, options, plot = FALSE, print.flag = FALSE)
  show(answer, print)
  tables <- if (all(vapply(answer$tables, is.list, NA))) {
    unlist(unname(answer$tables), recursive = FALSE)
  } else answer$tables
  parts <- lapply(names(tables), function(name) {
    table <- tables[[name]]
    data.frame(variable = name, level = rep(colnames(table), each = nrow(table)),
               symbol = rep(rownames(table), ncol(table)), value = as.vector(table))
  })
  utility <- answer$tab.utility
  list(
    tables = do.call(rbind, parts),
    utility = flat(variable = rep(rownames(utility), ncol(utility)),
                   symbol = rep(colnames(utility), each = nrow(utility)), value = as.vector(utility))
  )
}

# ---- Disclosure ----------------------------------------------------------------------------

one_way_flags <- function(flags, m) {
  if (is.data.frame(flags)) flags <- list(flags)
  parts <- lapply(seq_len(m), function(i) {
    flag <- if (i <= length(flags)) flags[[i]]
    if (is.data.frame(flag) && nrow(flag) > 0) {
      data.frame(synthesis = i, Level = as.character(flag$Level[1]),
                 nLevelDis = as.numeric(flag$nLevelDis[1]),
                 totalDisclosive = as.numeric(flag$totalDisclosive[1]),
                 PctLevelAll = as.numeric(flag$PctLevelAll[1]),
                 PctLevelDis = as.numeric(flag$PctLevelDis[1]))
    }
  })
  do.call(rbind, parts)
}

two_way_flags <- function(flags, m) {
  if (is.data.frame(flags)) flags <- list(flags)
  parts <- lapply(seq_len(m), function(i) {
    flag <- if (i <= length(flags)) flags[[i]]
    if (is.data.frame(flag) && nrow(flag) > 0) {
      data.frame(synthesis = i, npairs = as.numeric(flag$npairs), key = as.character(flag$key),
                 key_target_total = as.numeric(flag$key_target_total),
                 key_total = as.numeric(flag$key_total))
    }
  })
  do.call(rbind, parts)
}

measures_of <- function(answer) {
  measures <- rbind(flat_rows(answer$ident), flat_rows(answer$attrib), flat_rows(answer$allCAPs))
  m <- nrow(answer$ident)
  left <- lapply(seq_along(answer$Nexclusions), function(i) {
    counts <- answer$Nexclusions[[i]]
    data.frame(synthesis = i, table = rep(rownames(counts), ncol(counts)),
               symbol = rep(trimws(colnames(counts)), each = nrow(counts)),
               value = as.vector(counts))
  })
  parts <- lapply(list(identity = answer$ident, attribution = answer$attrib, cap = answer$allCAPs),
                  function(part) colnames(as.data.frame(part)))
  list(measures = measures, parts = parts, exclusions = do.call(rbind, left),
       one_way = one_way_flags(answer$check_1way, m), two_way = two_way_flags(answer$check_2way, m),
       check1 = as.character(answer$check1), check2 = as.character(answer$check2))
}

adapt_disclosure <- function(id, keys, target, options, print = FALSE) {
  answer <- ask("disclosure", id, options, keys = keys, target = target, print.flag = FALSE)
  show(answer, print)
  measures_of(answer)
}

adapt_multi_disclosure <- function(id, keys, targets, options, print = FALSE) {
  answer <- ask("multi.disclosure", id, options, keys = keys, targets = targets, plot = FALSE,
                print.flag = FALSE)
  show(answer, print)
  many_measures_of(answer)
}

many_measures_of <- function(answer) {
  parts <- lapply(names(answer$output.list), function(target) {
    measures <- measures_of(answer$output.list[[target]])
    cbind(target = target, measures$measures)
  })
  table <- answer$attrib.table
  list(
    measures = do.call(rbind, parts),
    # rows are called "01 name", or "01 name 1way checks"
    table = data.frame(
      target = sub("^[0-9]+ +", "", sub(" [12&]+way checks$", "", rownames(table))),
      attrib.orig = as.numeric(table$attrib.orig), attrib.syn = as.numeric(table$attrib.syn),
      row.names = NULL
    ),
    checks = data.frame(
      target = names(answer$output.list),
      check1 = vapply(answer$output.list, function(x) as.character(x$check1)[1], ""),
      check2 = vapply(answer$output.list, function(x) as.character(x$check2)[1], ""),
      row.names = NULL
    ),
    ident = data.frame(target = names(answer$output.list),
                       ident.orig = as.numeric(answer$ident.orig),
                       ident.syn = as.numeric(answer$ident.syn), row.names = NULL)
  )
}

adapt_replicated_uniques <- function(id, keys, print = FALSE) {
  answer <- ask("replicated.uniques", id, list(), keys = keys)
  show(answer, print)
  uniques_of(answer)
}

uniques_of <- function(answer) {
  tables <- if (is.list(answer$res_tab)) answer$res_tab else list(answer$res_tab)
  parts <- lapply(seq_along(tables), function(i) {
    table <- tables[[i]]
    data.frame(synthesis = i, row = rep(rownames(table), ncol(table)),
               symbol = rep(colnames(table), each = nrow(table)), value = as.vector(table))
  })
  do.call(rbind, parts)
}

# ---- Models --------------------------------------------------------------------------------

# compare() refits the model through the names in the recorded call, so the data must be globals.
adapt_fit <- function(id, type, formula, family, options, print = FALSE) {
  pair <- get(id, envir = kept)
  assign("synthetic_data", pair$object, globalenv())
  assign("original_data", pair$data, globalenv())
  on.exit(rm(list = intersect(c("synthetic_data", "original_data", "fitted_models"),
                              ls(globalenv())), envir = globalenv()))
  formula <- str2lang(formula)
  fitting <- switch(type,
    lm = bquote(lm.synds(.(formula), data = synthetic_data)),
    glm = bquote(glm.synds(.(formula), family = .(family), data = synthetic_data)),
    polr = bquote(polr.synds(.(formula), data = synthetic_data)),
    multinom = bquote(multinom.synds(.(formula), data = synthetic_data, trace = FALSE))
  )
  fitted <- eval(fitting, globalenv())
  assign("fitted_models", fitted, globalenv())
  call <- as.call(c(list(as.name("compare"), quote(fitted_models), quote(original_data),
                         plot = "coef", return.plot = FALSE), options))
  answer <- eval(call, globalenv())
  show(answer, print)
  coefficients <- if (is.null(dim(fitted$mcoef))) {
    matrix(fitted$mcoefavg, nrow = 1, dimnames = list(NULL, names(fitted$mcoefavg)))
  } else fitted$mcoef
  overlap <- comparison_of(answer)
  counts <- flat(symbol = c("n", "k"), value = c(fitted$n, fitted$k))
  overlap$summary <- rbind(overlap$summary, counts)
  c(overlap, list(each = flat_rows(coefficients)))
}

comparison_of <- function(answer) {
  by_term <- function(table) {
    table <- as.matrix(table)
    data.frame(term = rep(rownames(table), ncol(table)),
               symbol = rep(colnames(table), each = nrow(table)), value = as.vector(table))
  }
  single <- c("mean.ci.overlap", "mean.abs.std.diff", "lack.of.fit", "lof.pvalue", "ncoef",
              "incomplete", "m")
  list(
    original = by_term(answer$coef.obs), synthetic = by_term(answer$coef.syn),
    difference = by_term(answer$coef.diff), overlap = by_term(answer$ci.overlap),
    summary = flat(symbol = single, value = vapply(answer[single], function(value) {
      if (is.null(value)) NA_real_ else as.numeric(value)
    }, 0))
  )
}

# ---- Synthesis and files -------------------------------------------------------------------

adapt_syn <- function(original, method, m, seed, options, print = FALSE) {
  data <- restore_frame(original)
  arguments <- c(list(data = quote(data), m = m, print.flag = print),
                 if (!is.null(method)) list(method = method),
                 if (!is.null(seed)) list(seed = seed), options)
  answer <- eval(as.call(c(list(as.name("syn")), arguments)), list2env(list(data = data)))
  list(syntheses = if (m == 1) list(answer$syn) else unname(answer$syn),
       method = unname(as.character(answer$method)), seed = as.numeric(answer$seed)[1])
}

# Who reads the object is not told that trees made it: only synthpop's functions need a method.
adapt_write_rds <- function(id, path, part = "object") {
  written <- get(id, envir = kept)[[part]]
  if (part == "object") written$method[written$method != ""] <- "external"
  saveRDS(written, path)
  TRUE
}

# ---- The one door --------------------------------------------------------------------------

# An error's text and the function that raised it; never the whole call, which may hold data.
describe_error <- function(condition) {
  call <- conditionCall(condition)
  from <- if (is.call(call) && is.name(call[[1]])) as.character(call[[1]]) else ""
  list(error = trimws(conditionMessage(condition)), from = from)
}

respond <- function(name, arguments) {
  warnings <- character()
  messages <- character()
  answer <- withCallingHandlers(
    tryCatch(list(value = do.call(name, arguments)), error = describe_error),
    warning = function(condition) {
      warnings <<- c(warnings, trimws(conditionMessage(condition)))
      invokeRestart("muffleWarning")
    },
    message = function(condition) {
      messages <<- c(messages, conditionMessage(condition))
      invokeRestart("muffleMessage")
    }
  )
  c(answer, list(warnings = warnings, messages = messages))
}
