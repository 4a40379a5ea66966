"""SynthEval's metrics: as corrected, and as published."""
