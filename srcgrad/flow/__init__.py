"""What any compiler asks of statements: uses, liveness."""
