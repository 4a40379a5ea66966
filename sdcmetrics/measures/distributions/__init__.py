"""How far whole distributions are apart: of records, of one number, and group by group."""
