"""The paper's experiments and ours, run by one command: suites, a resumable runner, reports."""
