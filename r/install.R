#!/usr/bin/env Rscript
# Installs synthpop, the R package that the live cross-check compares with.
#
#   Rscript r/install.R
#
# Exit status: 0 if synthpop loads at the end, 1 if not (the last lines say why). Set
# options(repos = ...) in your .Rprofile to use a CRAN mirror of your own.

recorded_with <- "1.9.2"     # the version behind tests/reference

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

say <- function(...) cat(..., "\n", sep = "")

fail <- function(...) {
  say("FAILED: ", ...)
  quit(status = 1)
}

is_installed <- function(package) nzchar(system.file(package = package))
missing_packages <- function() needed[!vapply(needed, is_installed, NA)]

why_not_loaded <- function(package) {
  tryCatch({
    suppressPackageStartupMessages(loadNamespace(package))
    NULL
  }, error = function(condition) conditionMessage(condition))
}

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
  if (length(absent) > 0) {
    say("Not offered by ", where, " for ", R.version.string, ": ", paste(absent, collapse = ", "))
  }
  library <- writable_library()
  say("Installing from ", where, " into ", library, " ...")
  install.packages(setdiff(packages, absent), lib = library, repos = repos)
}

wanted <- missing_packages()
if (length(wanted) > 0) {
  say("Missing R packages: ", paste(wanted, collapse = ", "))
  from_debian <- debian_packages[intersect(wanted, names(debian_packages))]
  if (file.exists("/etc/debian_version") && length(from_debian) > 0) {
    say("\nOn Debian and Ubuntu these come ready built, which saves a long compilation.")
    say("To use them, stop here (Ctrl-C), run the next line, and then this script again:\n")
    say("    sudo apt-get install ", paste(from_debian, collapse = " "), "\n")
  }
  install_from_cran(wanted)
}

problem <- why_not_loaded("synthpop")
if (!is.null(problem)) {
  still <- missing_packages()
  fail("synthpop does not load: ", problem,
       if (length(still) > 0) paste0("\nStill missing: ", paste(still, collapse = ", ")))
}
version <- as.character(packageVersion("synthpop"))
say("synthpop ", version, " is installed and loads, in ", R.version.string, ".")
if (version != recorded_with) {
  say("Note: the recorded answers in tests/reference are those of synthpop ", recorded_with, ".")
}
still <- missing_packages()
if (length(still) > 0) say("Not installed, for recording only: ", paste(still, collapse = ", "))
