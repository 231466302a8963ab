"""What makes the site: pages written from tables, examples that are run, and pictures drawn as it is built."""
