# A study file (TOML) from R values.

toml_text <- function(value) {
  escaped <- gsub('"', '\\"', gsub("\\", "\\\\", enc2utf8(value), fixed = TRUE), fixed = TRUE)
  paste0('"', gsub("\t", "\\t", gsub("\n", "\\n", escaped, fixed = TRUE), fixed = TRUE), '"')
}

toml_list <- function(items) paste0("[", paste(items, collapse = ", "), "]")

# TRUE, numbers, texts, vectors of them, and named lists as inline tables.
toml_value <- function(value) {
  if (is.list(value)) {
    if (is.null(names(value))) return(toml_list(vapply(value, toml_value, "")))
    pairs <- paste(vapply(names(value), toml_text, ""), "=", vapply(value, toml_value, ""))
    return(paste0("{", paste(pairs, collapse = ", "), "}"))
  }
  if (anyNA(value)) stop("a study takes no NA", call. = FALSE)
  shown <- if (is.logical(value)) tolower(value) else
    if (is.numeric(value)) as_number(value) else vapply(as.character(value), toml_text, "")
  if (length(value) == 1 && !inherits(value, "AsIs")) shown else toml_list(shown)
}

toml_section <- function(name, values) {
  values <- Filter(Negate(is.null), values)
  if (length(values) == 0) return(character())
  c(name, paste(vapply(names(values), toml_text, ""), "=", vapply(values, toml_value, "")))
}

write_study <- function(path, data, replicas, roles, models, missing_codes, title, profile, study) {
  plain <- !vapply(study, is.list, NA)      # rules = c("a <= b") stands before the sections
  lines <- c(
    toml_section("", study[plain]),
    toml_section("[study]", list(title = title, profile = profile)),
    toml_section("[data]", data),
    toml_section("[data.replicas]", lapply(replicas, I)),
    toml_section("[roles]", lapply(Filter(Negate(is.null), roles), I)),
    unlist(lapply(models, function(model) {
      entry <- if (is.list(model)) model else list(formula = model)      # a formula, or its text
      if (inherits(entry$formula, "formula")) entry$formula <- in_one_line(entry$formula)
      toml_section("[[model]]", entry)
    })),
    toml_section("[missing_codes]", lapply(missing_codes, I)),
    unlist(lapply(names(study)[!plain], function(name) {
      toml_section(sprintf("[%s]", name), study[[name]])
    }))
  )
  file <- file(path, "w", encoding = "UTF-8")
  on.exit(close(file))
  writeLines(enc2utf8(lines), file, useBytes = TRUE)
}

in_one_line <- function(formula) paste(deparse(formula, width.cutoff = 500L), collapse = " ")
