"""A small survey, and codebooks of it as archives export them, rebuilt by hand."""

from __future__ import annotations

from pathlib import Path

DATA = """sex,age,work,weight,region,scale
1,20,1,1.5,N,0
2,99,2,.,S,10
1,35,-9,2,X,5
9,-8,3,1,S,5
"""
DDI = """<?xml version="1.0" encoding="UTF-8"?>
<codeBook xmlns="ddi:codebook:2_5" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
 version="2.5" xsi:schemaLocation="ddi:codebook:2_5 https://example.org/codebook.xsd">
 <stdyDscr><citation><titlStmt><titl>A survey</titl></titlStmt></citation></stdyDscr>
 <fileDscr ID="F1">
  <fileTxt><fileName>survey.csv</fileName>
   <dimensns><caseQnty>4</caseQnty><varQnty>6</varQnty></dimensns></fileTxt>
 </fileDscr>
 <dataDscr>
  <var ID="V1" name="sex" files="F1" dcml="0" intrvl="discrete" nature="nominal">
   <location width="1"/>
   <labl level="variable">Sex of <emph>the</emph>
      person</labl>
   <valrng><range UNITS="INT" min="1" max="2"/></valrng>
   <sumStat type="vald">3</sumStat>
   <catgry><catValu>1</catValu><labl level="category">man</labl>
    <catStat type="freq">2</catStat></catgry>
   <catgry><catValu>2</catValu><labl level="category">woman</labl>
    <catStat type="freq">1</catStat></catgry>
   <catgry missing="Y"><catValu>9</catValu><labl level="category">refused</labl>
    <catStat type="freq">1</catStat></catgry>
   <varFormat type="numeric" schema="other"/>
  </var>
  <var ID="V2" name="age" files="F1" intrvl="contin" nature="ratio">
   <labl>Age</labl>
   <invalrng><range max="-1"/></invalrng>
   <catgry><catValu>99</catValu><labl>99 or over</labl></catgry>
   <varFormat type="numeric"/>
  </var>
  <var ID="V3" name="work" files="F1" intrvl="discrete">
   <labl>Works</labl>
   <invalrng><item VALUE="-9"/></invalrng>
   <catgry><catValu>1</catValu><labl>yes</labl></catgry>
   <catgry><catValu>2</catValu><labl>no</labl></catgry>
   <catgry><catValu>4</catValu><labl>other</labl></catgry>
   <varFormat type="numeric"/>
  </var>
  <var ID="V4" name="weight" files="F1" intrvl="contin">
   <catgry missing="Y"><catValu>.</catValu></catgry>
   <varFormat type="numeric"/>
  </var>
  <var ID="V5" name="region" files="F1" intrvl="discrete">
   <labl>Region</labl>
   <catgry><catValu>N</catValu><labl>North</labl></catgry>
   <catgry><catValu>S</catValu><labl>South</labl></catgry>
   <catgry><catValu>X</catValu><labl>Isles</labl></catgry>
   <varFormat type="character"/>
  </var>
  <var ID="V6" name="scale" files="F1" nature="interval">
   <catgry><catValu>0</catValu><labl>not at all</labl></catgry>
   <catgry><catValu>5</catValu><labl>half</labl></catgry>
   <catgry><catValu>10</catValu><labl>fully</labl></catgry>
  </var>
 </dataDscr>
</codeBook>
"""


def write(folder: Path, *, data: str = DATA, ddi: str = DDI) -> tuple[Path, Path]:
    """Write the survey and its codebook."""
    file, book = folder / "survey.csv", folder / "survey.xml"
    file.write_text(data, encoding="utf-8")
    book.write_text(ddi, encoding="utf-8")
    return file, book
