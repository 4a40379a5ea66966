"""SynthEval's metrics of nearest records, all of them from a few shared searches."""
