"""The reference detection systems of the literature, trainable."""
