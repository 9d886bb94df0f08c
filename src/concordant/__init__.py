"""Concordant: the ranking that agrees best with many rankings."""
