#!/usr/bin/env Rscript
# Installs synthpop, the R package that the live cross-check compares with.
#
#   Rscript r/install.R [--yes] [--no-apt]
#
# On Debian and Ubuntu it takes what comes ready built there, by apt-get, where it is root or may
# sudo; it asks first when somebody sits at the terminal: some 40 packages without what Debian only
# recommends, and the compilers where they are missing. The rest comes from CRAN. On Debian 12 this
# is needed: CRAN's Rsolnp does not compile with its R 4.2, and synthpop depends on it. What apt-get
# and R print goes to a log file, which is named when something fails.
#
#   --yes      do not ask
#   --no-apt   take everything from CRAN
#
# Exit status: 0 if synthpop measures a table and a disclosure as recorded at the end, 1 if not
# (the last lines say why). Set options(repos = ...) in your .Rprofile to use a CRAN mirror of
# your own.

recorded_with <- c("1.9.2", "1.9.3")     # the versions behind tests/reference

# R package = Debian package. cmm, mipfp and broman are on CRAN only.
debian_packages <- c(
  classInt = "r-cran-classint", digest = "r-cran-digest", forcats = "r-cran-forcats",
  foreign = "r-cran-foreign", ggplot2 = "r-cran-ggplot2", jsonlite = "r-cran-jsonlite",
  lattice = "r-cran-lattice", MASS = "r-cran-mass", nnet = "r-cran-nnet",
  numDeriv = "r-cran-numderiv", party = "r-cran-party", plyr = "r-cran-plyr",
  polspline = "r-cran-polspline", proto = "r-cran-proto", randomForest = "r-cran-randomforest",
  ranger = "r-cran-ranger", rmutil = "r-cran-rmutil", rpart = "r-cran-rpart",
  Rsolnp = "r-cran-rsolnp", stringr = "r-cran-stringr", survival = "r-cran-survival"
)
# jsonlite and digest are for the scripts that record reference answers and demo replicas.
needed <- c(names(debian_packages), "broman", "cmm", "mipfp", "synthpop")

arguments <- commandArgs(TRUE)
unknown <- setdiff(arguments, c("--yes", "--no-apt"))
if (length(unknown) > 0) stop("unknown option ", unknown[1], "; known are --yes and --no-apt")

say <- function(...) cat(..., "\n", sep = "")

# Beside R's own folder of this session, which is gone afterwards.
log_file <- file.path(dirname(tempdir()), paste0("sdcmetrics-install-", Sys.getpid(), ".log"))
log_lines <- function(lines) cat(lines, file = log_file, sep = "\n", append = TRUE)
see_log <- function() if (file.exists(log_file)) say("What apt-get and R printed: ", log_file)

fail <- function(...) {
  say("FAILED: ", ...)
  see_log()
  quit(status = 1)
}

is_installed <- function(package) nzchar(system.file(package = package))
missing_packages <- function() needed[!vapply(needed, is_installed, NA)]

# ---- From Debian ---------------------------------------------------------------------------

works <- function(...) suppressWarnings(system2(..., stdout = FALSE, stderr = FALSE)) == 0

at_terminal <- function() works("test", c("-t", "0"))

# What to put before apt-get: nothing for root; NULL where it cannot be used.
privilege <- function() {
  if (identical(system2("id", "-u", stdout = TRUE), "0")) return(character())
  if (!nzchar(Sys.which("sudo"))) return(NULL)
  if (works("sudo", c("-n", "true"))) return(c("sudo", "-n"))
  if (at_terminal()) "sudo" else NULL
}

agreed_to <- function(line) {
  if ("--yes" %in% arguments || !at_terminal()) return(TRUE)
  cat("Run this line? [Y/n] ")
  answer <- readLines(file("stdin"), 1)
  length(answer) == 1 && tolower(answer) %in% c("", "y", "yes")
}

by_apt <- function(packages) {
  paste("apt-get install -y --no-install-recommends", paste(packages, collapse = " "))
}

# What compiles packages of CRAN, where it is missing: Debian packages.
compilers <- function() {
  programs <- c(make = "make", gcc = "gcc", `g++` = "g++", gfortran = "gfortran")
  absent <- unname(programs[!nzchar(Sys.which(names(programs)))])
  c(absent, if (!file.exists("/usr/include/stdio.h")) "libc6-dev")
}

install_from_debian <- function(packages) {
  if (length(packages) == 0 || !nzchar(Sys.which("apt-get")) || "--no-apt" %in% arguments) return()
  say("These come ready built, which saves a long compilation:\n    sudo ", by_apt(packages))
  before <- privilege()
  if (is.null(before)) {
    say("It takes root or sudo to run this line, so they are taken from CRAN instead.")
    return()
  }
  if (!agreed_to(by_apt(packages))) return()
  run <- function(...) {
    line <- c(before, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", ...)
    printed <- suppressWarnings(system2(line[1], line[-1], stdout = TRUE, stderr = TRUE))
    log_lines(c(paste(c("$", line), collapse = " "), printed))
    status <- attr(printed, "status")
    is.null(status) || status == 0
  }
  say("Asking Debian what it has ...")
  run("update", "-q")
  say("Installing ", length(packages), " packages of Debian ...")
  if (!run("install", "-y", "-q", "--no-install-recommends", packages)) {
    say("apt-get could not install them; they are taken from CRAN instead.")
    see_log()
  }
}

# ---- From CRAN -----------------------------------------------------------------------------

repositories <- function() {
  repos <- getOption("repos")
  if (length(repos) == 0 || all(repos %in% c("@CRAN@", ""))) {
    chooseCRANmirror(graphics = FALSE, ind = 1, local.only = TRUE)
    repos <- getOption("repos")
  }
  repos
}

# A plain user cannot write to the system's library: use the one in the home directory.
writable_library <- function() {
  writable <- .libPaths()[file.access(.libPaths(), mode = 2) == 0]
  if (length(writable) > 0) return(writable[1])
  personal <- strsplit(Sys.getenv("R_LIBS_USER"), .Platform$path.sep, fixed = TRUE)[[1]]
  if (length(personal) == 0 || !dir.create(personal[1], recursive = TRUE, showWarnings = FALSE)) {
    fail("no R library can be written to. Set R_LIBS_USER to a directory of yours.")
  }
  .libPaths(c(personal[1], .libPaths()))
  personal[1]
}

# Why a package was not installed: the line of its log that says so; "" where it only follows, as
# a package that it needs is missing.
reason_of <- function(package, logs) {
  log <- file.path(logs, paste0(package, ".out"))
  lines <- if (file.exists(log)) readLines(log, warn = FALSE)
  follows <- "dependenc(y|ies) .* not available|there is no package called"
  if (any(grepl(follows, lines))) return("")
  telling <- grep("error|not available|not found", lines, value = TRUE, ignore.case = TRUE)
  if (length(telling) == 0) "" else trimws(telling[1])
}

line_that_helps <- function(package, reason) {
  if (package %in% names(debian_packages)) return(paste("sudo", by_apt(debian_packages[[package]])))
  if (grepl("compiler|gfortran|g\\+\\+|gcc|make", reason)) {
    return(paste("sudo", by_apt("make gcc g++ gfortran libc6-dev")))
  }
  paste0("Rscript -e 'install.packages(\"", package, "\")'")
}

install_from_cran <- function(packages) {
  repos <- repositories()
  where <- paste(repos, collapse = ", ")
  options(timeout = max(600, getOption("timeout")))
  problem <- ""
  offered <- withCallingHandlers(
    tryCatch(available.packages(repos = repos), error = function(condition) {
      problem <<- conditionMessage(condition)
      matrix(character(), 0, 1)
    }),
    warning = function(condition) {
      problem <<- conditionMessage(condition)
      invokeRestart("muffleWarning")
    }
  )
  if (nrow(offered) == 0) {
    fail("CRAN could not be reached at ", where, ". ", problem, "\n",
         "Check the network and the proxy, or set options(repos = c(CRAN = ...)) to a mirror ",
         "that you can reach.\nStill missing: ", paste(packages, collapse = ", "))
  }
  absent <- setdiff(packages, rownames(offered))
  library <- writable_library()
  logs <- tempfile("logs")
  dir.create(logs)
  say("Installing from ", where, " into ", library, " ...")
  printed <- character()
  withCallingHandlers(
    install.packages(setdiff(packages, absent), lib = library, repos = repos,
                     keep_outputs = logs, quiet = TRUE),
    warning = function(condition) {
      printed <<- c(printed, conditionMessage(condition))
      invokeRestart("muffleWarning")
    },
    message = function(condition) {
      printed <<- c(printed, conditionMessage(condition))
      invokeRestart("muffleMessage")
    }
  )
  log_lines(printed)
  for (log in list.files(logs, full.names = TRUE)) {
    log_lines(c(paste("==", basename(log)), readLines(log, warn = FALSE)))
  }
  left <- intersect(missing_packages(), packages)
  reasons <- vapply(left, function(package) {
    if (package %in% absent) return(paste("not offered by", where, "for", R.version.string))
    reason_of(package, logs)
  }, "")
  # What only follows has no line that would help by itself.
  reported <- nzchar(reasons)
  if (length(left) > 0 && !any(reported)) {
    reasons[] <- "a package that it needs is missing"
    reported[] <- TRUE
  }
  for (package in left[reported]) {
    reason <- reasons[[package]]
    say("NOT INSTALLED: ", package, ": ", reason, "\n    ", line_that_helps(package, reason))
  }
  if (any(!reported)) {
    say("Not installed for want of these: ", paste(left[!reported], collapse = ", "))
  }
  if (length(left) > 0) see_log()
}

# ---- Does it measure? ----------------------------------------------------------------------

# What synthpop 1.9-2 and 1.9-3 answer for five records and a replica of five.
recorded_answers <- c(pMSE = 0.08, DiSCO = 40, repU = 20, CAPd = 220 / 3)

measured_answers <- function() {
  letters_of <- function(text) factor(strsplit(text, "")[[1]], c("a", "b", "c", "d", "x", "y"))
  data <- data.frame(k = letters_of("aaabc"), t = letters_of("xxyxy"))
  made <- data.frame(k = letters_of("aabdd"), t = letters_of("xxyxy"))
  object <- structure(list(syn = made, m = 1, cont.na = list(k = NA, t = NA)), class = "synds")
  table <- synthpop::utility.tab(object, data, vars = "k", print.flag = FALSE)
  risk <- synthpop::disclosure(object, data, keys = "k", target = "t", print.flag = FALSE)
  c(pMSE = table$pMSE, DiSCO = risk$attrib$DiSCO, repU = risk$ident$repU, CAPd = risk$allCAPs$CAPd)
}

check_measures <- function() {
  measured <- NULL
  utils::capture.output(measured <- tryCatch(
    suppressWarnings(suppressMessages(measured_answers())),
    error = function(condition) conditionMessage(condition)
  ))
  if (is.character(measured)) fail("synthpop loads but does not measure: ", measured)
  names <- names(recorded_answers)
  wrong <- names[!abs(measured[names] - recorded_answers) < 1e-9 * (1 + abs(recorded_answers))]
  if (length(wrong) > 0) {
    fail("synthpop measures something else than was recorded: ", paste0(
      wrong, " ", signif(measured[wrong], 6), " instead of ", signif(recorded_answers[wrong], 6),
      collapse = ", "))
  }
  say("It measures one table and one disclosure as recorded.")
}

wanted <- missing_packages()
if (length(wanted) > 0) {
  say("Missing R packages: ", paste(wanted, collapse = ", "))
  ready_built <- unname(debian_packages[intersect(wanted, names(debian_packages))])
  install_from_debian(c(compilers(), ready_built))
  wanted <- missing_packages()
  if (length(wanted) > 0) install_from_cran(wanted)
}

problem <- tryCatch({
  suppressPackageStartupMessages(loadNamespace("synthpop"))
  NULL
}, error = function(condition) conditionMessage(condition))
if (!is.null(problem)) {
  still <- missing_packages()
  fail("synthpop does not load: ", problem,
       if (length(still) > 0) paste0("\nStill missing: ", paste(still, collapse = ", ")))
}
version <- as.character(packageVersion("synthpop"))
say("synthpop ", version, " is installed and loads, in ", R.version.string, ".")
check_measures()
if (!version %in% recorded_with) {
  say("Note: the recorded answers in tests/reference are those of synthpop ",
      paste(recorded_with, collapse = " and "), ".")
}
still <- missing_packages()
if (length(still) > 0) say("Not installed, for recording only: ", paste(still, collapse = ", "))
