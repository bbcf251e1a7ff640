"""Python code as data; knows nothing of derivatives."""
