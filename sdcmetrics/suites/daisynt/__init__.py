"""The fifteen tests of DAISYnt, as published and corrected."""
