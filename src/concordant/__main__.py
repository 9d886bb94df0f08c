"""`python -m concordant` is the command line."""

from concordant.cli import main

if __name__ == "__main__":
    main()
