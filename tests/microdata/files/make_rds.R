# Makes the .rds files of this directory: Rscript make_rds.R
survey <- data.frame(
  whole = c(1L, NA, 3L),
  amount = c(1.5, NA, NaN),
  yes = c(TRUE, NA, FALSE),
  text = c("a", NA, "\u00e9"),
  size = factor(c("small", NA, "large"), levels = c("small", "unused", "large")),
  grade = factor(c("low", "high", NA), levels = c("low", "high"), ordered = TRUE),
  day = as.Date(c("2020-02-29", NA, "1960-05-05")),
  time = as.POSIXct(c("2020-01-01 10:11:12", NA, "2021-07-01 00:00:00"), tz = "Europe/Vienna"),
  stringsAsFactors = FALSE
)
saveRDS(survey, "data_frame.rds", version = 3)
saveRDS(survey, "data_frame_xz.rds", compress = "xz")
saveRDS(structure(survey, class = c("tbl_df", "tbl", "data.frame")), "tibble.rds")
saveRDS(list(a = survey, b = survey), "list.rds")
saveRDS(structure(list(m = 1, syn = survey), class = "synds"), "synds.rds")
parts <- data.frame(income = c(1.5, -8, NA), size = factor(c("a", "b", "a")))
saveRDS(structure(list(m = 2, syn = list(parts, parts[1:2, ]),
                       cont.na = list(income = c(-8, -9), size = NA)), class = "synds"),
        "synds_two.rds")
saveRDS(1:3, "vector.rds")
twice <- survey[, 1:2]
names(twice) <- c("x", "x")
saveRDS(twice, "duplicated_names.rds")
nested <- data.frame(x = 1:2)
nested$parts <- list(987654321, "987654321")
saveRDS(nested, "nested.rds")
labelled <- data.frame(id = 1:4)
labelled$sex <- structure(c(1, 2, NA, 1), labels = c(male = 1, female = 2),
                          class = c("haven_labelled", "vctrs_vctr", "double"))
labelled$income <- structure(c(10.5, -8, -9, 20), labels = c(refused = -8), na_values = c(-8, -9),
                             class = c("haven_labelled_spss", "haven_labelled", "vctrs_vctr", "double"))
labelled$big <- structure(c(4.94065645841247e-324, NA, 0, 0), class = "integer64")
saveRDS(labelled, "labelled.rds")
said <- data.frame(id = 1:3, place = factor(c("a", "b", "a")))
attr(said$id, "label") <- "Number of the respondent"
attr(said$place, "label") <- "place"
saveRDS(said, "variable_labels.rds")
latin <- data.frame(x = "Z\xfcrich")
Encoding(latin$x) <- "latin1"
saveRDS(latin, "latin1.rds")
saveRDS(data.frame(x = integer(0)), "no_records.rds")
with_missing_level <- data.frame(x = addNA(factor(c("a", NA, "b"))))
saveRDS(with_missing_level, "missing_level.rds")
times <- data.frame(day = structure(c(0, Inf, NA), class = "Date"), time = .POSIXct(c(0.25, -Inf, NA)))
times$whole_day <- structure(c(1L, NA, -1L), class = "Date")
saveRDS(times, "times.rds")
parts <- data.frame(x = 1)
parts$time <- as.POSIXlt("2020-01-01", tz = "UTC")
saveRDS(parts, "posixlt.rds")
saveRDS(data.frame(x = 1:3, s = as.character(1:3)), "compact.rds")
named <- data.frame(x = 1:2, row.names = c("first", "second"))
saveRDS(named, "row_names.rds")
named$table <- matrix(1:4, 2)
saveRDS(named, "matrix.rds")
uneven <- structure(list(x = 1:2, y = 1:3), class = "data.frame", row.names = 1:2)
saveRDS(uneven, "uneven.rds")
texts <- data.frame(id = 1:4)
texts$region <- structure(c("n", "s", NA, "n"), labels = c(North = "n", South = "s"),
                          class = c("haven_labelled", "vctrs_vctr", "character"))
texts$job <- structure(c("a1", "zz", "b2", NA), labels = c(refused = "zz"), na_values = "zz",
                       class = c("haven_labelled_spss", "haven_labelled", "vctrs_vctr", "character"))
saveRDS(texts, "labelled_texts.rds")
scaled <- data.frame(id = 1:3)
scaled$z <- scale(c(1, 2, 3))
scaled$count <- table(c("a", "b", "b", "c", "c", "c"))
saveRDS(scaled, "one_column_matrix.rds")
numbered <- data.frame(x = c(5, 6, 7, 8))
saveRDS(numbered[c(4, 2), , drop = FALSE], "row_numbers.rds")
named <- tibble(x = c(p7 = 1, p3 = 2), y = c(`1` = 1, `2` = 2))  # names of a tibble's columns stay
saveRDS(named, "named_columns.rds")
saveRDS(numbered[1:2, , drop = FALSE], "rows_counted.rds")
