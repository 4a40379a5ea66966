"""r/install.R with a CRAN and an apt-get of its own: what is asked of whom, and what is said."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from sdcmetrics.measures.twin import VERSIONS, spelled
from sdcmetrics.rbridge.installation import R_CODE

pytestmark = pytest.mark.r

SCRIPT = R_CODE / "install.R"
DEBIAN = dict(re.findall(r'(\w+) = "(r-cran-\w+)"', SCRIPT.read_text(encoding="utf-8")))
BASE = {"foreign", "lattice", "MASS", "nnet", "rpart", "survival"}  # R itself brings them

MEASURES = """
utility.tab <- function(...) list(pMSE = 0.08)
disclosure <- function(...) list(
  ident = data.frame(repU = 20), attrib = data.frame(DiSCO = DISCO),
  allCAPs = data.frame(CAPd = 220 / 3)
)
"""
QUICKLY = {"R_COMPILE_PKGS": "0", "R_INSTALL_STAGED": "false"}
"""Packages of one line: R spends a third of their installation on bytecode and a second folder."""
APT = """#!{python}
import pathlib, sys
pathlib.Path({log!r}).open("a").write(" ".join(sys.argv[1:]) + "\\n")
names = {names!r}
for package in sys.argv[1:]:
    if package in names:
        folder = pathlib.Path({library!r}) / names[package]
        folder.mkdir()
        (folder / "DESCRIPTION").write_text(f"Package: {{names[package]}}\\nVersion: 1.0\\n")
"""


@dataclass
class Machine:
    """A library without packages, a CRAN with some, and a Debian with the rest."""

    folder: Path
    disco: float = 40
    broken: str = ""
    user: str = "0"
    offered: tuple[str, ...] = ("broman", "cmm", "mipfp", "synthpop")
    without: tuple[str, ...] = ()
    apt_fails: bool = False

    def run(self, *options: str) -> subprocess.CompletedProcess[str]:
        library, path, site = (self.folder / name for name in ("library", "bin", "site"))
        for folder in (library, path, site):
            folder.mkdir()
        self._cran(site / "src" / "contrib")
        names = {debian: package for package, debian in DEBIAN.items()}
        apt = APT.format(
            python=sys.executable, log=str(self.folder / "log"), names=names, library=str(library)
        )
        self._program(path / "apt-get", apt + ("sys.exit(100)\n" if self.apt_fails else ""))
        self._program(path / "id", f"#!/bin/sh\necho {self.user}\n")
        self._program(path / "sudo", "#!/bin/sh\nexit 1\n")
        profile = self.folder / "profile.R"
        profile.write_text(
            f'options(repos = c(CRAN = "file://{site}"))\n'
            f'.libPaths("{library}", include.site = FALSE)\n'
        )
        program = shutil.which("Rscript")
        assert program is not None
        known = f"{path}{os.pathsep}{os.environ['PATH']}"
        if self.without:  # all other programs, by links
            for tool in Path(program).parent.iterdir():
                if tool.name not in self.without and not (path / tool.name).exists():
                    (path / tool.name).symlink_to(tool)
            known = f"{path}{os.pathsep}/bin/none"
        return subprocess.run(
            [program, str(SCRIPT), *options],
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            env={
                **os.environ,
                **QUICKLY,
                "PATH": known,
                "TMPDIR": str(self.folder),
                "R_PROFILE_USER": str(profile),
                "R_LIBS": "",
                "R_LIBS_USER": str(library),
            },
        )

    @property
    def asked_of_apt(self) -> list[str]:
        log = self.folder / "log"
        return log.read_text().splitlines() if log.exists() else []

    def _cran(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        index = []
        for name in self.offered:
            needs = "Imports: mipfp\n" if name == "synthpop" else ""
            head = f"Package: {name}\nVersion: 1.9-3\n{needs}"
            title = "Title: T\nDescription: D.\nLicense: none\nAuthor: A\nMaintainer: A <a@b.c>\n"
            code = MEASURES.replace("DISCO", str(self.disco)) if name == "synthpop" else ""
            if name == self.broken:
                code = 'stop("this compiler has no C++17")'
            exports = "export(utility.tab, disclosure)\nimport(mipfp)\n"
            files = {
                "DESCRIPTION": head + title,
                "NAMESPACE": exports if name == "synthpop" else "",
                "R/code.R": code or "x <- 1\n",
            }
            with tarfile.open(folder / f"{name}_1.9-3.tar.gz", "w:gz") as archive:
                for path, text in files.items():
                    member = tarfile.TarInfo(f"{name}/{path}")
                    member.size = len(text)
                    archive.addfile(member, io.BytesIO(text.encode()))
            index.append(head)
        (folder / "PACKAGES").write_text("\n".join(index))

    def _program(self, path: Path, text: str) -> None:
        path.write_text(text)
        path.chmod(0o755)


@pytest.fixture(autouse=True, scope="module")
def _r_is_there() -> None:
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed")


def test_root_takes_from_debian_what_is_ready_built_and_the_rest_from_cran(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    done = machine.run("--yes")
    assert done.returncode == 0, done.stdout + done.stderr
    update, install = machine.asked_of_apt
    assert update.startswith("update")
    assert "--no-install-recommends" in install
    asked = {name for name in install.split() if name.startswith("r-cran-")}
    assert asked == {debian for package, debian in DEBIAN.items() if package not in BASE}
    assert "synthpop 1.9.3 is installed" in done.stdout
    assert "one table and one disclosure as recorded" in done.stdout
    assert "NOT INSTALLED" not in done.stdout


def test_it_knows_the_versions_that_the_package_knows() -> None:
    (line,) = re.findall(r"recorded_with <- c\((.*)\)", SCRIPT.read_text(encoding="utf-8"))
    assert [spelled(text.strip(' "')) for text in line.split(",")] == list(VERSIONS)


def test_who_may_not_use_apt_is_told_the_line(tmp_path: Path) -> None:
    machine = Machine(tmp_path, user="1000", offered=())
    done = machine.run()
    assert machine.asked_of_apt == []
    assert re.search(r"sudo apt-get install -y --no-install-recommends .*r-cran-class", done.stdout)
    assert "taken from CRAN instead" in done.stdout


def test_without_apt_every_package_that_cran_lacks_is_named_with_its_line(tmp_path: Path) -> None:
    machine = Machine(tmp_path, offered=("cmm",))
    done = machine.run("--no-apt")
    assert machine.asked_of_apt == []
    assert "NOT INSTALLED: Rsolnp: not offered by" in done.stdout
    assert "\n    sudo apt-get install -y --no-install-recommends r-cran-rsolnp\n" in done.stdout


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Return what is printed, and the log, where a package cannot be installed."""
    folder = tmp_path_factory.mktemp("machine")
    done = Machine(folder, broken="mipfp").run("--yes")
    assert done.returncode == 1
    (log,) = folder.glob("sdcmetrics-install-*.log")
    assert f"What apt-get and R printed: {log}" in done.stdout
    assert len(done.stdout.splitlines() + done.stderr.splitlines()) < 20
    return done.stdout, log.read_text()


def test_a_package_that_fails_is_named_with_the_reason(broken: tuple[str, str]) -> None:
    printed, _ = broken
    assert re.search(r"NOT INSTALLED: mipfp: .*this compiler has no C\+\+17", printed)
    assert "--no-install-recommends make gcc g++ gfortran libc6-dev" in printed
    assert "Still missing: mipfp, synthpop" in printed


def test_what_only_follows_has_no_line_of_its_own(broken: tuple[str, str]) -> None:
    printed, _ = broken
    assert printed.count("NOT INSTALLED") == 1
    assert "Not installed for want of these: synthpop" in printed


def test_what_apt_and_r_print_is_in_a_log_that_a_failure_names(broken: tuple[str, str]) -> None:
    _, log = broken
    assert "this compiler has no C++17" in log
    assert "$ env DEBIAN_FRONTEND=noninteractive apt-get update" in log


def test_an_apt_that_fails_is_said_with_its_log(tmp_path: Path) -> None:
    done = Machine(tmp_path, apt_fails=True, offered=()).run("--yes")
    assert "apt-get could not install them; they are taken from CRAN" in done.stdout
    assert "What apt-get and R printed:" in done.stdout


def test_compilers_come_from_debian_where_they_are_missing(tmp_path: Path) -> None:
    machine = Machine(tmp_path, without=("gfortran", "make"), offered=())
    machine.run("--yes")
    _, install = machine.asked_of_apt
    asked = install.split()
    assert {"gfortran", "make"} <= {*asked}
    assert "gcc" not in asked


def test_a_synthpop_that_measures_something_else_is_a_failure(tmp_path: Path) -> None:
    machine = Machine(tmp_path, disco=41, offered=("mipfp", "synthpop"))  # the others record only
    done = machine.run("--yes")
    assert done.returncode == 1
    assert "DiSCO 41 instead of 40" in done.stdout
