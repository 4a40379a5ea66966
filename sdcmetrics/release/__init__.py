"""What leaves the house: noisy sums over people, one secret and one ledger per original.

`Public` is made of the study's words and the replicas, `NoisySums` of counts of people and noise;
what is written for outside (`report.outside`) is a function of these two and of nothing else.
"""
