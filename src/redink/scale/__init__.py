"""Large jobs: a corpus in many files, on all cores or on a cluster, continued where it stopped."""
