# The program sdcmetrics: where it is, and how it is asked.

sdcmetrics_command <- function(command = NULL) {
  places <- list(
    "the argument command" = command,
    "options(sdcmetrics.command = )" = getOption("sdcmetrics.command"),
    "the environment variable SDCMETRICS_COMMAND" = Sys.getenv("SDCMETRICS_COMMAND"),
    "the PATH" = "sdcmetrics"
  )
  for (place in names(places)) {
    named <- places[[place]]
    if (is.null(named) || !nzchar(named)) next
    program <- unname(Sys.which(named))
    if (nzchar(program)) return(program)
    if (place != "the PATH") {
      stop(place, " names ", sQuote(named, FALSE), ", which is no program that can be run.",
           call. = FALSE)
    }
  }
  stop("the program sdcmetrics was not found. Install it (pip install sdcmetrics), or say where it ",
       "is: options(sdcmetrics.command = \"/path/to/sdcmetrics\").", call. = FALSE)
}

# Runs one command; what the program says of an error is the error. Exit status 1 are findings.
ask <- function(arguments, command, quiet = TRUE) {
  messages <- tempfile("messages")
  on.exit(unlink(messages))
  status <- system2(sdcmetrics_command(command), shQuote(arguments),
                    stdout = if (quiet) FALSE else "", stderr = if (quiet) messages else "")
  if (!status %in% c(0, 1)) {
    why <- if (file.exists(messages)) sub("^sdcmetrics: ", "", readLines(messages, warn = FALSE))
    stop(paste(c(sprintf("sdcmetrics ended with exit status %d.", status), why), collapse = "\n"),
         call. = FALSE)
  }
  status
}

# A folder that nobody else can read, for confidential data; its maker deletes it.
private_folder <- function() {
  folder <- tempfile("sdcmetrics")
  if (!dir.create(folder, mode = "0700")) stop("cannot create ", folder, call. = FALSE)
  folder
}

# A data frame becomes an .rds file; the name of a file stays one.
as_file <- function(data, name, folder) {
  if (is.character(data) && length(data) == 1) {
    if (!file.exists(data)) stop(name, ": there is no file ", sQuote(data, FALSE), call. = FALSE)
    return(normalizePath(data, "/"))
  }
  if (!is.data.frame(data)) {
    stop(name, ": expected a data frame or the name of a file, but got an object of class ",
         class(data)[1], call. = FALSE)
  }
  path <- file.path(folder, paste0(name, ".rds"))
  saveRDS(as.data.frame(data), path)
  normalizePath(path, "/")
}

# A replica is a data frame, a file, a list of these (m syntheses), or what syn() returns.
as_files <- function(replica, name, folder) {
  if (inherits(replica, "synds")) replica <- replica$syn
  replica <- if (is.data.frame(replica)) list(replica) else as.list(replica)
  if (length(replica) == 0) stop(name, ": expected at least one data set", call. = FALSE)
  vapply(seq_along(replica), function(i) {
    as_file(replica[[i]], sprintf("%s_%d", name, i), folder)
  }, "")
}

code_options <- function(missing_codes) {
  pairs <- unlist(lapply(names(missing_codes), function(name) {
    sprintf("%s=%s", name, as_number(missing_codes[[name]]))
  }))
  as.vector(rbind(rep("--missing-code", length(pairs)), pairs))
}

as_number <- function(value) format(value, digits = 15, trim = TRUE, scientific = FALSE)

# Names as the command line takes them: by commas, and in quotes where one holds a comma.
as_names <- function(names) {
  if (!is.null(names)) paste0('"', gsub('"', '""', names), '"', collapse = ",")
}
