"""Large jobs: a corpus in many files, processed on all cores or a cluster, and resumable."""
